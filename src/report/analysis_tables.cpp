#include "report/analysis_tables.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plot/csv.h"

namespace rayleigh::report {
namespace {

using plot::csv_number;
using plot::csv_text;
using plot::NamedText;
using spectral::Analysis;
using spectral::Separation;
using Json = nlohmann::ordered_json;

/// JSON has no infinity: it is the word "inf", and NaN is null.
Json number_or_inf(double value) {
  if (std::isnan(value)) {
    return nullptr;
  }
  return std::isinf(value) ? Json("inf") : Json(value);
}

Json to_json(const Separation& s) {
  return {{"auc", s.auc},
          {"ks", s.ks},
          {"p_value", s.p_value},
          {"normal_graphs", s.normal},
          {"anomalous_graphs", s.anomalous},
          {"normal_mean", s.normal_mean},
          {"anomalous_mean", s.anomalous_mean}};
}

Json to_json(const spectral::EnergyCurve& curve) {
  return {{"graphs", curve.graphs}, {"q05", curve.q05}, {"q25", curve.q25},
          {"median", curve.median}, {"q75", curve.q75}, {"q95", curve.q95}};
}

Json to_json(const Analysis& analysis, const spectral::QuotientDistribution& quotient) {
  auto samples = Json::array();
  for (const auto& sample : quotient.samples) {
    samples.push_back({{"share", sample.share},
                       {"normal_graphs", sample.normal_graphs},
                       {"anomalous_graphs", sample.anomalous_graphs},
                       {"edges", sample.edges},
                       {"normal", sample.normal},
                       {"anomalous", sample.anomalous}});
  }
  auto ratios = Json::array();
  for (const auto& row : quotient.ratios) {
    ratios.push_back({{"within_anomalous", row.within_anomalous},
                      {"within_normal", row.within_normal},
                      {"between", row.between},
                      {"to_anomalous", number_or_inf(row.to_anomalous())},
                      {"to_normal", number_or_inf(row.to_normal())}});
  }
  return {{"quotient", analysis.columns[quotient.column].name},
          {"samples", std::move(samples)},
          {"distance_ratios", std::move(ratios)}};
}

std::string separation_cells(const Separation& s) {
  return fmt::format("{},{},{},{},{},{},{}", s.auc, s.ks, s.p_value, s.normal, s.anomalous,
                     s.normal_mean, s.anomalous_mean);
}

constexpr const char* kSeparationHeader =
    "auc,ks,p_value,normal_graphs,anomalous_graphs,normal_mean,anomalous_mean";

std::string distributions_csv(const Analysis& analysis) {
  std::string text = "quotient,sample,class,graphs,bin,low,high,frequency\n";
  for (const auto& quotient : analysis.quotients) {
    const auto& name = analysis.columns[quotient.column].name;
    for (const auto& sample : quotient.samples) {
      for (const bool anomalous : {false, true}) {
        const auto& heights = anomalous ? sample.anomalous : sample.normal;
        for (std::size_t bin = 0; bin < heights.size(); ++bin) {
          text += fmt::format("{},{},{},{},{},{},{},{}\n", name, sample.share,
                              anomalous ? "anomalous" : "normal",
                              anomalous ? sample.anomalous_graphs : sample.normal_graphs, bin,
                              sample.edges[bin], sample.edges[bin + 1], heights[bin]);
        }
      }
    }
  }
  return text;
}

std::string ratios_csv(const Analysis& analysis) {
  std::string text = "quotient,bin,within_anomalous,within_normal,between,to_anomalous,to_normal\n";
  for (const auto& quotient : analysis.quotients) {
    for (std::size_t bin = 0; bin < quotient.ratios.size(); ++bin) {
      const auto& row = quotient.ratios[bin];
      text += fmt::format("{},{},{},{},{},{},{}\n", analysis.columns[quotient.column].name, bin,
                          row.within_anomalous, row.within_normal, row.between,
                          csv_number(row.to_anomalous()), csv_number(row.to_normal()));
    }
  }
  return text;
}

std::string labels_csv(const GraphSet& graphs, const Analysis& analysis) {
  std::string text = fmt::format("label,{},adjusted_p\n", kSeparationHeader);
  for (const auto& row : analysis.labels) {
    text += fmt::format("{},{},{}\n", csv_text(graphs.node_labels()[row.label]),
                        separation_cells(row.separation), row.adjusted_p);
  }
  return text;
}

std::string separation_csv(const Analysis& analysis) {
  std::string text = fmt::format("number,{}\n", kSeparationHeader);
  for (const auto& column : analysis.columns) {
    if (column.separation) {
      text += fmt::format("{},{}\n", column.name, separation_cells(*column.separation));
    }
  }
  return text;
}

}  // namespace

std::string graphs_csv(const GraphSet& graphs, const Analysis& analysis,
                       const spectral::LabelForms* forms) {
  std::string text = "index,id,class,anomalous";
  for (const auto& column : analysis.columns) {
    text += "," + column.name;
  }
  text += ",exact";
  for (std::size_t label = 0; forms != nullptr && label < graphs.node_labels().size(); ++label) {
    text += "," + csv_text("rq_label_" + graphs.node_labels()[label]);
  }
  text += '\n';
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const auto graph_class = graphs.graph_class()[g];
    text += fmt::format("{},{},{},{}", g, csv_text(graphs.graph_name(g)),
                        graph_class == kNoClass
                            ? ""
                            : csv_text(graphs.classes()[static_cast<std::size_t>(graph_class)]),
                        analysis.anomalous[g] < 0 || !analysis.anomaly_class
                            ? ""
                            : (analysis.anomalous[g] == 1 ? "1" : "0"));
    for (const auto& column : analysis.columns) {
      text += "," + csv_number(column.values[g]);
    }
    text += analysis.exact[g] ? ",1" : ",0";
    for (std::uint32_t label = 0; forms != nullptr && label < graphs.node_labels().size();
         ++label) {
      text += "," + csv_number(forms->quotient(g, label));
    }
    text += '\n';
  }
  return text;
}

std::vector<NamedText> analysis_tables(const GraphSet& graphs, const Analysis& analysis) {
  return {{"distributions.csv", distributions_csv(analysis)},
          {"distance_ratios.csv", ratios_csv(analysis)},
          {"labels.csv", labels_csv(graphs, analysis)},
          {"separation.csv", separation_csv(analysis)}};
}

Json analysis_json(const GraphSet& graphs, const Analysis& analysis) {
  Json json{{"name", graphs.name()},
            {"graphs", graphs.size()},
            {"normal", analysis.normal_graphs},
            {"anomalous", analysis.anomalous_graphs},
            {"anomaly_class",
             analysis.anomaly_class ? Json(graphs.classes()[*analysis.anomaly_class]) : Json()},
            {"labels_are_degrees", graphs.label_source() == LabelSource::degree},
            {"estimated_graphs", analysis.estimated_graphs}};
  auto separation = Json::array();
  for (const auto& column : analysis.columns) {
    Json row{{"number", column.name}, {"description", column.description}};
    if (column.separation) {
      row.update(to_json(*column.separation));
    }
    separation.push_back(std::move(row));
  }
  json["separation"] = std::move(separation);
  auto labels = Json::array();
  for (const auto& row : analysis.labels) {
    Json label{{"label", graphs.node_labels()[row.label]}};
    label.update(to_json(row.separation));
    label["adjusted_p"] = row.adjusted_p;
    labels.push_back(std::move(label));
  }
  json["labels"] = std::move(labels);
  auto quotients = Json::array();
  for (const auto& quotient : analysis.quotients) {
    quotients.push_back(to_json(analysis, quotient));
  }
  json["distributions"] = std::move(quotients);
  json["energy"] = {{"t", analysis.lambdas},
                    {"normal", to_json(analysis.normal_energy)},
                    {"anomalous", to_json(analysis.anomalous_energy)}};
  json["eigenvalues"] = {{"edges", analysis.eigenvalue_edges},
                         {"frequency", analysis.eigenvalue_frequency}};
  auto wavelets = Json::array();
  for (const auto& wavelet : analysis.wavelets) {
    wavelets.push_back(
        {{"name", wavelet.name}, {"kernel", wavelet.kernel}, {"truncated", wavelet.truncated}});
  }
  json["wavelets"] = {{"lambda", analysis.lambdas}, {"bank", std::move(wavelets)}};
  return json;
}

}  // namespace rayleigh::report
