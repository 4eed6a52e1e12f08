#include "paper/reproduction.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text.h"
#include "paper/datasets.h"
#include "paper/printed_ratios.h"
#include "report/comparison_files.h"

namespace rayleigh::paper {

using report::Comparison;
using report::comparison_json;
using report::ComparisonEntry;
using report::summarise;
namespace {

using Json = nlohmann::ordered_json;

/// "37,841 graphs, the paper has 40,004" where they differ, or how the set was made.
std::string other_data(const ComparisonEntry& entry) {
  const MainDataset* const at = main_dataset(entry.published->data);
  const Json& description = entry.done.front()->description;
  if (at == nullptr) {
    return description.value("name", "");
  }
  const auto graphs = description.value("graphs", std::size_t{0});
  return graphs == at->normal + at->anomalous
             ? ""
             : fmt::format("{} graphs, the paper has {}", core::with_commas(graphs),
                           core::with_commas(at->normal + at->anomalous));
}

std::string budget_of(const ComparisonEntry& entry) {
  const Json& settings = entry.done.front()->settings;
  const auto graphs = settings.value("train-graphs", std::size_t{0});
  return graphs == 0 ? ""
                     : fmt::format("budget: {} training graphs, {} epochs",
                                   core::with_commas(graphs), settings.value("epochs", 0));
}

/// Where the paper's one run lies among ours.
std::string seeds_of(const ComparisonEntry& entry, const std::vector<double>& values,
                     double paper) {
  if (values.size() < 2) {
    return "one split, another than the paper's one";
  }
  const auto [low, high] = std::ranges::minmax(values);
  return fmt::format("{} splits from {:.4f} to {:.4f}, the paper's one run is {}",
                     entry.done.size(), low, high,
                     paper < low    ? "below all"
                     : paper > high ? "above all"
                                    : "among them");
}

/// What can be told from the runs about why a figure is another one than the paper's. What holds
/// for all of a quick run is said above the table.
std::string why_different(const Reproduction& reproduction, const ComparisonEntry& entry,
                          const std::vector<double>& values, const Match& match) {
  std::string text;
  const auto add = [&](const std::string& reason) {
    text += (text.empty() || reason.empty() ? "" : "; ") + reason;
  };
  if (match.metric == MatchMetric::auc && match.ours < 0.5 && match.paper > 0.5) {
    add(fmt::format("its scores point the other way: 1 − AUC is {:.4f}", 1 - match.ours));
  }
  if (!reproduction.quick) {
    add(budget_of(entry));
    add(other_data(entry));
    add(seeds_of(entry, values, match.paper));
  }
  return text;
}

/// Values of all seeds that have one.
std::vector<double> values_of(const ComparisonEntry& entry, double Metrics::*metric) {
  std::vector<double> values;
  values.reserve(entry.done.size());
  for (const compare::CellResult* cell : entry.done) {
    if (const double value = cell->test.*metric; std::isfinite(value)) {
      values.push_back(value);
    }
  }
  return values;
}

void add_match(std::vector<Match>& found, const Reproduction& reproduction, Experiment experiment,
               const ComparisonEntry& entry, MatchMetric metric) {
  const bool is_auc = metric == MatchMetric::auc;
  const double paper = is_auc ? entry.published->auc : entry.published->macro_f1;
  const auto values = values_of(entry, is_auc                     ? &Metrics::auc
                                       : entry.macro_f1.count > 0 ? &Metrics::macro_f1
                                                                  : &Metrics::macro_f1_tuned);
  if (values.empty() || !std::isfinite(paper)) {
    return;
  }
  Match match{.experiment = experiment,
              .data = std::string(entry.published->data),
              .method = std::string(entry.published->method),
              .metric = metric,
              .ours = summarise(values).mean,
              .paper = paper};
  match.why = why_different(reproduction, entry, values, match);
  found.push_back(std::move(match));
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json json_of(const SampleDistance& distance) {
  return {{"value", number(distance.value)},
          {"low", number(distance.low)},
          {"high", number(distance.high)},
          {"by_chance", number(distance.by_chance)}};
}

Json json_of(const QuotientFacts& facts) {
  return {{"data", facts.name},
          {"auc_normalised", number(facts.normalised_auc)},
          {"auc_regular", number(facts.regular_auc)},
          {"ks_p_value_normalised", number(facts.p_value)}};
}

/// JSON has no infinity.
Json ratio_or_word(double value) { return std::isinf(value) ? Json("inf") : number(value); }

Json json_of_ratios(const QuotientFacts& facts, const PrintedRatios* paper) {
  Json json{{"data", facts.name}};
  for (const auto& bin : facts.ratios) {
    json["inter_over_anomalous"].push_back(ratio_or_word(bin.to_anomalous()));
    json["inter_over_normal"].push_back(ratio_or_word(bin.to_normal()));
  }
  if (paper != nullptr) {
    json["paper"] = {{"inter_over_anomalous", paper->inter_over_anomalous},
                     {"inter_over_normal", paper->inter_over_normal}};
  }
  return json;
}

Json json_of_paper(std::string_view data) {
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

Json json_of(const CaseStudy& study) {
  Json groups = Json::array();
  for (const CaseGroup& group : study.groups) {
    groups.push_back({{"anomalous", group.anomalous},
                      {"training", group.training.size()},
                      {"right", group.right.size()},
                      {"wrong", group.wrong.size()},
                      {"wasserstein_right", json_of(group.wasserstein_right)},
                      {"wasserstein_wrong", json_of(group.wasserstein_wrong)},
                      {"ks_right", json_of(group.ks_right)},
                      {"ks_wrong", json_of(group.ks_wrong)},
                      {"bears_out_the_paper",
                       group.bears_out_the_paper() ? Json(*group.bears_out_the_paper()) : Json()}});
  }
  return {{"data", study.data}, {"groups", groups}};
}

Json json_of(const ClaimCheck& check) {
  return {{"verdict", word_of(check.verdict)},
          {"value", check.value ? number(*check.value) : Json()},
          {"words", check.words}};
}

/// The value of a parameter that a row of E7 has, where it is about that parameter.
std::optional<double> value_in_row(const std::string& title, std::string_view parameter) {
  static const std::map<std::string_view, double> of_the_paper{
      {"hidden", 64}, {"width", 4}, {"depth", 6}, {"gamma", 1.5}, {"beta", 0.999}};
  if (title.find('=') == std::string::npos) {
    return of_the_paper.at(parameter);
  }
  const std::string key = fmt::format(" {}=", parameter);
  const auto at = title.find(key);
  return at == std::string::npos ? std::nullopt
                                 : std::optional(std::stod(title.substr(at + key.size())));
}

/// Macro-F1 by value, over the seeds that all rows of the set have: values shall differ in nothing
/// else.
std::vector<std::pair<double, double>> parameter_curve(const Comparison& comparison,
                                                       std::string_view data,
                                                       std::string_view parameter) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    if (comparison.data[set] != data &&
        !comparison.data[set].starts_with(fmt::format("{},", data))) {
      continue;
    }
    std::map<std::uint64_t, std::size_t> rows_with_seed;
    std::size_t rows = 0;
    for (const auto& entries : comparison.entries) {
      rows += entries[set].done.empty() ? 0 : 1;
      for (const compare::CellResult* cell : entries[set].done) {
        ++rows_with_seed[cell->seed];
      }
    }
    for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
      const auto value = value_in_row(comparison.rows[row].title, parameter);
      std::vector<double> values;
      for (const compare::CellResult* cell : comparison.entries[row][set].done) {
        if (rows_with_seed[cell->seed] == rows) {
          values.push_back(cell->test.macro_f1);
        }
      }
      if (value && !values.empty()) {
        points.emplace_back(*value, summarise(values).mean);
      }
    }
  }
  std::ranges::sort(points);
  return points;
}

}  // namespace

const Comparison* Reproduction::table(Experiment experiment) const {
  const auto at = std::ranges::find(tables, experiment, &ExperimentTable::experiment);
  return at == tables.end() ? nullptr : &at->comparison;
}

std::string_view short_title(MatchMetric metric) {
  return metric == MatchMetric::auc ? "AUC" : "macro-F1";
}

std::vector<Match> matches(const Reproduction& reproduction) {
  std::vector<Match> found;
  std::set<std::pair<std::string, std::string>> seen;
  for (const ExperimentTable& table : reproduction.tables) {
    if (table.experiment != Experiment::main_table &&
        table.experiment != Experiment::class_balanced_loss &&
        table.experiment != Experiment::other_domains) {
      continue;
    }
    for (const auto& row : table.comparison.entries) {
      for (const ComparisonEntry& entry : row) {
        // COLORS-3-ind depends on two classes that the paper does not name.
        if (!entry.published || entry.auc.count == 0 || entry.published->data == "COLORS-3-ind" ||
            !seen.emplace(entry.published->data, entry.published->method).second) {
          continue;
        }
        add_match(found, reproduction, table.experiment, entry, MatchMetric::auc);
        add_match(found, reproduction, table.experiment, entry, MatchMetric::macro_f1);
      }
    }
  }
  return found;
}

std::vector<Tally> tallies(const std::vector<Match>& matches) {
  std::vector<Tally> all;
  for (const bool subject : {true, false}) {
    for (const MatchMetric metric : {MatchMetric::auc, MatchMetric::macro_f1}) {
      Tally tally{.title = fmt::format("{}, {}", subject ? "RQGNN and variants" : "baselines",
                                       short_title(metric))};
      for (const Match& match : matches) {
        if (match.metric != metric || match.method.starts_with("RQGNN") != subject) {
          continue;
        }
        const double difference = match.difference();
        ++tally.cells;
        ++(difference < -kMatch ? tally.below : difference > kMatch ? tally.above : tally.within);
        tally.mean_difference += difference;
      }
      if (tally.cells > 0) {
        tally.mean_difference /= static_cast<double>(tally.cells);
        all.push_back(std::move(tally));
      }
    }
  }
  return all;
}

ValueSource our_values(const Reproduction& reproduction) {
  return [&reproduction](std::string_view data,
                         std::string_view method) -> std::optional<MethodValues> {
    for (const ExperimentTable& table : reproduction.tables) {
      for (const auto& row : table.comparison.entries) {
        for (const ComparisonEntry& entry : row) {
          if (entry.published && entry.published->data == data &&
              entry.published->method == method && entry.auc.count > 0) {
            // At a tuned threshold only where the paper has a figure for such a method.
            const bool tuned =
                entry.macro_f1.count == 0 && std::isfinite(entry.published->macro_f1);
            return MethodValues{entry.auc.mean,
                                (tuned ? entry.macro_f1_tuned : entry.macro_f1).mean};
          }
        }
      }
    }
    return std::nullopt;
  };
}

OurCurves our_curves(const Reproduction& reproduction) {
  OurCurves curves;
  for (const QuotientFacts& facts : reproduction.quotients) {
    double between = 0;
    double within = 0;
    for (const auto& bin : facts.ratios) {
      between += bin.between;
      within += std::max(bin.within_anomalous, bin.within_normal);
    }
    curves.quotients.push_back(
        {.data = facts.name, .p_value = facts.p_value, .classes_apart = between > within});
  }
  if (reproduction.case_study) {
    for (const CaseGroup& group : reproduction.case_study->groups) {
      curves.cases.emplace_back(group.anomalous ? "anomalous" : "normal",
                                group.bears_out_the_paper());
    }
  }
  if (const Comparison* const table = reproduction.table(Experiment::parameters)) {
    curves.parameter = [table](std::string_view data, std::string_view parameter) {
      return parameter_curve(*table, data, parameter);
    };
  }
  if (const Comparison* const table = reproduction.table(Experiment::perturbation)) {
    for (std::size_t set = 0; set < table->data.size(); ++set) {
      for (std::size_t row = 0; row < table->rows.size(); ++row) {
        const ComparisonEntry& entry = table->entries[row][set];
        if (table->rows[row].title == "rqgnn published" && entry.auc.count > 0) {
          curves.perturbation.emplace_back(kPerturbations[set],
                                           MethodValues{entry.auc.mean, entry.macro_f1.mean});
        }
      }
    }
  }
  return curves;
}

nlohmann::ordered_json reproduction_json(const Reproduction& reproduction) {
  Json json{{"quick", reproduction.quick}, {"full", reproduction.full},
            {"seeds", reproduction.seeds}, {"missing", reproduction.missing},
            {"failed", Json::array()},     {"summary", Json::array()},
            {"E0", Json::array()}};
  for (const auto& [what, why] : reproduction.failed) {
    json["failed"].push_back({{"what", what}, {"why", why}});
  }
  for (const Match& match : matches(reproduction)) {
    json["summary"].push_back({{"experiment", short_name(match.experiment)},
                               {"data", match.data},
                               {"method", match.method},
                               {"metric", short_title(match.metric)},
                               {"ours", number(match.ours)},
                               {"paper", match.paper},
                               {"difference", number(match.difference())},
                               {"why", match.why}});
  }
  for (const DatasetFacts& facts : reproduction.datasets) {
    json["E0"].push_back({{"data", facts.name},
                          {"normal", facts.normal},
                          {"anomalous", facts.anomalous},
                          {"mean_nodes", facts.mean_nodes},
                          {"mean_edges", facts.mean_edges},
                          {"labels", facts.labels},
                          {"paper", json_of_paper(facts.name)}});
  }
  for (const ExperimentTable& table : reproduction.tables) {
    json[short_name(table.experiment)] = comparison_json(table.comparison);
  }
  for (const QuotientFacts& facts : reproduction.quotients) {
    json["E4"].push_back(json_of(facts));
    json["E5"].push_back(json_of_ratios(facts, printed_ratios(facts.name)));
  }
  for (std::size_t i = 0; i < reproduction.perturbed.size(); ++i) {
    const QuotientFacts& facts = reproduction.perturbed[i];
    Json one = json_of(facts);
    one["untouched"] = facts.untouched;
    json["E6_quotients"].push_back(std::move(one));
    json["E5"].push_back(json_of_ratios(facts, &printed_perturbation_ratios()[i]));
  }
  if (reproduction.case_study) {
    json["E8"] = json_of(*reproduction.case_study);
  }
  for (const TheoryMargin& margin : reproduction.theory) {
    json["E9"].push_back({{"data", reproduction.theory_data},
                          {"claim", margin.claim},
                          {"measure", margin.measure},
                          {"cases", margin.cases},
                          {"worst", number(margin.worst)},
                          {"bound", margin.bound},
                          {"holds", margin.holds()},
                          {"note", margin.note}});
  }
  for (const Claim& claim : reproduction.claims) {
    json["E10"].push_back({{"where", claim.where},
                           {"claim", claim.text},
                           {"stated", claim.stated ? Json(*claim.stated) : Json()},
                           {"paper", json_of(claim.paper)},
                           {"ours", json_of(claim.ours)}});
  }
  return json;
}

}  // namespace rayleigh::paper
