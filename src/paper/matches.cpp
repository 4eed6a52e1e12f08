#include "paper/matches.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text.h"
#include "paper/datasets.h"

namespace rayleigh::paper {
namespace {

using Json = nlohmann::ordered_json;
using report::ComparisonEntry;

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

/// What can be told from the runs about why a value is another one than the paper's. What holds
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

void add_match(std::vector<Match>& found, const Reproduction& reproduction, ExperimentId experiment,
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
              .ours = report::summarise(values).mean,
              .paper = paper};
  match.why = why_different(reproduction, entry, values, match);
  found.push_back(std::move(match));
}

}  // namespace

std::string_view short_title(MatchMetric metric) {
  return metric == MatchMetric::auc ? "AUC" : "macro-F1";
}

std::vector<Match> matches(const Reproduction& reproduction) {
  std::vector<Match> found;
  std::set<std::pair<std::string, std::string>> seen;
  for (const ExperimentTable& table : reproduction.tables) {
    if (table.experiment != ExperimentId::main_table &&
        table.experiment != ExperimentId::class_balanced_loss &&
        table.experiment != ExperimentId::other_domains) {
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

}  // namespace rayleigh::paper
