#include "paper/experiments/e0_datasets.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/statistics.h"

#include "core/text.h"
#include "paper/datasets.h"
#include "paper/reproduction.h"
#include "paper/session.h"

namespace rayleigh::paper {
namespace {

using core::with_commas;
using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

DatasetFacts facts_of(const std::string& name, const GraphSet& graphs, const RunOptions& run) {
  const auto statistics = rayleigh::statistics(graphs, run);
  const auto anomalous = anomaly_class(graphs);
  DatasetFacts facts{.name = name,
                     .mean_nodes = statistics.nodes.mean,
                     .mean_edges = statistics.edges.mean,
                     .labels = statistics.node_labels.size()};
  for (const std::int32_t number : graphs.graph_class()) {
    const bool is_anomalous = anomalous && number == static_cast<std::int32_t>(*anomalous);
    ++(is_anomalous ? facts.anomalous : facts.normal);
  }
  return facts;
}

Json printed_json(std::string_view data) {
  const MainDataset* const at = main_dataset(data);
  return at == nullptr ? Json()
                       : Json{{"normal", at->normal},
                              {"anomalous", at->anomalous},
                              {"mean_nodes", at->mean_nodes},
                              {"mean_edges", at->mean_edges},
                              {"labels", at->labels},
                              {"tumour", at->tumour},
                              {"assay", at->assay}};
}

}  // namespace

void DatasetsExperiment::look_at(const std::string& data, const GraphSet& graphs,
                                 const Session& session, Reproduction& result) const {
  result.datasets.push_back(facts_of(data, graphs, session.run()));
}

bool DatasetsExperiment::has_results(const Reproduction& result) const {
  return !result.datasets.empty();
}

void DatasetsExperiment::add_json(const Reproduction& result, Json& json) const {
  for (const DatasetFacts& facts : result.datasets) {
    json["E0"].push_back({{"data", facts.name},
                          {"normal", facts.normal},
                          {"anomalous", facts.anomalous},
                          {"mean_nodes", facts.mean_nodes},
                          {"mean_edges", facts.mean_edges},
                          {"labels", facts.labels},
                          {"paper", printed_json(facts.name)}});
  }
}

std::vector<ReportTable> DatasetsExperiment::fact_tables(const Reproduction& result) const {
  Rows rows{{"data", "tumour", "assay", "", "normal", "anomalous", "share", "mean nodes",
             "mean edges", "labels"}};
  const auto share = [](std::size_t normal, std::size_t anomalous) {
    return fmt::format("{:.2f} %", 100.0 * static_cast<double>(anomalous) /
                                       static_cast<double>(normal + anomalous));
  };
  for (const DatasetFacts& facts : result.datasets) {
    const MainDataset* const at = main_dataset(facts.name);
    const bool known = at != nullptr;
    rows.push_back({facts.name, known ? std::string(at->tumour) : "-",
                    known ? fmt::format("{}", at->assay) : "-", "ours", with_commas(facts.normal),
                    with_commas(facts.anomalous), share(facts.normal, facts.anomalous),
                    fmt::format("{:.2f}", facts.mean_nodes),
                    fmt::format("{:.2f}", facts.mean_edges), with_commas(facts.labels)});
    if (known) {
      rows.push_back({"", "", "", "paper", with_commas(at->normal), with_commas(at->anomalous),
                      share(at->normal, at->anomalous), fmt::format("{:.2f}", at->mean_nodes),
                      fmt::format("{:.2f}", at->mean_edges), with_commas(at->labels)});
    }
  }
  return {{std::move(rows),
           "All graphs of the files that were found, beside the paper's table. Assay: number of "
           "the PubChem assay. Slips of the paper: 262.09 nodes for UACC257 must be about 26.09, "
           "and the tumour of SN12C is renal, not “rental”."}};
}

void DatasetsExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  show_fact_tables(result, page);
}

}  // namespace rayleigh::paper
