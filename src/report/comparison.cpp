#include "report/comparison.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/text.h"

namespace rayleigh::report {
namespace {

using compare::CellResult;

ComparisonRow make_row(const compare::Grid& grid, std::size_t model, const Published& published) {
  if (!grid.models[model].scores.empty()) {
    return {.model = model, .title = grid.models[model].title, .scores = grid.models[model].scores};
  }
  const DetectorInfo detector = detector_info(grid.models[model].model);
  return {.model = model,
          .title = grid.models[model].title,
          .published_as = published.empty() ? "" : published.method(grid.models[model]),
          .yardstick = detector.yardstick,
          .one_class = !detector.supervised};
}

std::vector<ComparisonRow> make_rows(const compare::Grid& grid, const Published& published) {
  std::vector<ComparisonRow> rows;
  rows.reserve(grid.models.size());
  for (std::size_t model = 0; model < grid.models.size(); ++model) {
    rows.push_back(make_row(grid, model, published));
  }
  std::ranges::stable_sort(rows, {}, [&](const ComparisonRow& row) {
    return std::tuple(row.yardstick, !row.scores.empty(),
                      published.empty() ? 0 : published.order(grid.models[row.model].model));
  });
  return rows;
}

OverSeeds summary_of(const std::vector<const CellResult*>& cells, auto value) {
  std::vector<double> values;
  values.reserve(cells.size());
  for (const CellResult* cell : cells) {
    values.push_back(value(*cell));
  }
  return summarise(values);
}

ComparisonEntry make_entry(const std::vector<CellResult>& cells, const ComparisonRow& row,
                           std::size_t set, const compare::GridData& data,
                           const Published& published) {
  ComparisonEntry entry;
  std::string name = data.published_as.empty() ? data.title : data.published_as;
  for (const CellResult& cell : cells) {
    if (cell.model != row.model || cell.data != set) {
      continue;
    }
    (cell.failed() ? entry.failed : entry.done).push_back(&cell);
    if (!cell.failed() && data.published_as.empty()) {
      name = cell.description.value("name", data.title);
    }
  }
  const auto test = [&](double Metrics::*metric) {
    return summary_of(entry.done, [=](const CellResult& cell) { return cell.test.*metric; });
  };
  entry.auc = test(&Metrics::auc);
  entry.average_precision = test(&Metrics::average_precision);
  entry.macro_f1 = test(&Metrics::macro_f1);
  entry.macro_f1_tuned = test(&Metrics::macro_f1_tuned);
  entry.seconds_train =
      summary_of(entry.done, [](const CellResult& cell) { return cell.seconds_train; });
  if (!row.published_as.empty()) {
    entry.published = published.value(name, row.published_as);
  }
  return entry;
}

/// Calls both(a, b) for cells of the same data and seed.
void for_pairs(const ComparisonEntry& a, const ComparisonEntry& b, auto both) {
  for (const CellResult* one : a.done) {
    for (const CellResult* other : b.done) {
      if (one->seed == other->seed && std::isfinite(one->test.auc) &&
          std::isfinite(other->test.auc)) {
        both(*one, *other);
      }
    }
  }
}

void mark_below_size(Comparison& comparison) {
  const auto size = std::ranges::find(comparison.rows, "size", &ComparisonRow::title);
  if (size == comparison.rows.end()) {
    return;
  }
  const auto yardstick = static_cast<std::size_t>(size - comparison.rows.begin());
  for (auto& entries : comparison.entries) {
    for (std::size_t set = 0; set < entries.size(); ++set) {
      double difference = 0;
      for_pairs(entries[set], comparison.entries[yardstick][set],
                [&](const CellResult& one, const CellResult& other) {
                  difference += one.test.auc - other.test.auc;
                });
      entries[set].below_size = difference < 0;
    }
  }
}

Duel duel(const std::vector<ComparisonEntry>& a, const std::vector<ComparisonEntry>& b) {
  Duel duel;
  for (std::size_t set = 0; set < a.size(); ++set) {
    for_pairs(a[set], b[set], [&](const CellResult& one, const CellResult& other) {
      if (one.test.auc > other.test.auc) {
        ++duel.wins;
      } else if (one.test.auc < other.test.auc) {
        ++duel.losses;
      } else {
        ++duel.ties;
      }
    });
  }
  return duel;
}

/// The rank of each row by its mean AUC; equal ones share the mean of their places.
std::vector<OverSeeds> make_ranks(const Comparison& comparison) {
  std::vector<std::vector<double>> ranks(comparison.rows.size());
  const auto auc = [&](std::size_t row, std::size_t set) {
    return comparison.entries[row][set].auc.mean;
  };
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    for (std::size_t row = 0; row < ranks.size(); ++row) {
      if (!std::isfinite(auc(row, set))) {
        continue;
      }
      double rank = 0.5;
      for (std::size_t other = 0; other < ranks.size(); ++other) {
        rank += auc(other, set) > auc(row, set) ? 1 : 0;
        rank += auc(other, set) == auc(row, set) ? 0.5 : 0;
      }
      ranks[row].push_back(rank);
    }
  }
  std::vector<OverSeeds> summaries;
  summaries.reserve(ranks.size());
  for (const auto& values : ranks) {
    summaries.push_back(summarise(values));
  }
  return summaries;
}

}  // namespace

OverSeeds summarise(const std::vector<double>& values) {
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite),
                       [](double value) { return std::isfinite(value); });
  OverSeeds summary{.count = finite.size()};
  if (finite.empty()) {
    return summary;
  }
  const auto count = static_cast<double>(finite.size());
  summary.mean = std::accumulate(finite.begin(), finite.end(), 0.0) / count;
  if (finite.size() > 1) {
    double squares = 0;
    for (const double value : finite) {
      squares += (value - summary.mean) * (value - summary.mean);
    }
    summary.deviation = std::sqrt(squares / (count - 1));
  }
  return summary;
}

Comparison make_comparison(const compare::Grid& grid, std::vector<CellResult> cells,
                           const Published& published, std::size_t reference,
                           const RunOptions& run) {
  Comparison comparison;
  comparison.folds = grid.folds;
  comparison.published_by = published.name;
  comparison.published_note = published.note;
  comparison.cells = std::move(cells);
  for (const compare::GridData& data : grid.data) {
    comparison.data.push_back(data.title);
  }
  comparison.rows = make_rows(grid, published);
  for (const ComparisonRow& row : comparison.rows) {
    auto& entries = comparison.entries.emplace_back();
    for (std::size_t set = 0; set < grid.data.size(); ++set) {
      entries.push_back(make_entry(comparison.cells, row, set, grid.data[set], published));
    }
  }
  mark_below_size(comparison);
  for (const auto& row : comparison.entries) {
    auto& duels = comparison.duels.emplace_back();
    for (const auto& other : comparison.entries) {
      duels.push_back(duel(row, other));
    }
  }
  comparison.ranks = make_ranks(comparison);
  const auto row = std::ranges::find(comparison.rows, reference, &ComparisonRow::model);
  comparison.paired = paired_differences(
      comparison.entries, static_cast<std::size_t>(row - comparison.rows.begin()), run);
  return comparison;
}

bool Comparison::is_best(std::size_t row, std::size_t set, const ComparisonMetric& metric) const {
  const double value = (entries[row][set].*metric.of).mean;
  return std::isfinite(value) && rows.size() > 1 &&
         std::ranges::none_of(
             entries, [&](const auto& other) { return (other[set].*metric.of).mean > value; });
}

std::size_t Comparison::failures() const {
  return static_cast<std::size_t>(std::ranges::count_if(cells, &CellResult::failed));
}

const CellResult* Comparison::any_of(std::size_t set) const {
  const auto at = std::ranges::find_if(
      cells, [&](const CellResult& cell) { return cell.data == set && !cell.failed(); });
  return at == cells.end() ? nullptr : &*at;
}

std::optional<double> published_value(const ComparisonEntry& entry,
                                      const ComparisonMetric& metric) {
  if (!entry.published) {
    return std::nullopt;
  }
  if (metric.of == kAuc.of) {
    return entry.published->auc;
  }
  // Of a method whose scores are not probabilities it can only be at a tuned threshold.
  const bool tuned = !entry.done.empty() && entry.macro_f1.count == 0;
  if (metric.of == (tuned ? kMacroF1Tuned.of : kMacroF1.of) &&
      std::isfinite(entry.published->macro_f1)) {
    return entry.published->macro_f1;
  }
  return std::nullopt;
}

std::string paired_note(const Comparison& comparison) {
  std::string note =
      comparison.paired.drawn
          ? "All runs have the same test graphs: paired bootstrap, these graphs drawn again a "
            "thousand times for both methods alike."
      : comparison.paired.fixed_parts
          ? "The parts are the same for all seeds: paired t-test over seeds, whose intervals are "
            "about the luck of training and not about that of which graphs are tested on."
          : fmt::format(
                "Corrected resampled t-test (Nadeau and Bengio), as the training parts of "
                "{}s overlap.",
                comparison.repeat());
  if (comparison.data.size() > 1) {
    note += " Over datasets: paired t-test of their means.";
  }
  return note + " p-values are not corrected for the number of methods.";
}

std::vector<FailureReason> failure_reasons(const Comparison& comparison) {
  std::map<std::pair<std::size_t, std::string>, std::vector<const CellResult*>> groups;
  for (const CellResult& cell : comparison.cells) {
    if (cell.failed()) {
      groups[{cell.data, cell.reason}].push_back(&cell);
    }
  }
  std::vector<FailureReason> reasons;
  for (const auto& [key, cells] : groups) {
    std::set<std::uint64_t> seeds;
    std::vector<std::string> models;
    for (const CellResult* cell : cells) {
      seeds.insert(cell->seed);
      if (std::ranges::find(models, cell->model_title) == models.end()) {
        models.push_back(cell->model_title);
      }
    }
    const bool all = models.size() == comparison.rows.size() && models.size() > 1;
    reasons.push_back({.data = comparison.data[key.first],
                       .models = all ? "all" : fmt::format("{}", fmt::join(models, ", ")),
                       .seeds = fmt::format("{}", fmt::join(seeds, ", ")),
                       .why = key.second,
                       .runs = cells.size()});
  }
  return reasons;
}

Granted granted(const Comparison& comparison, std::size_t row) {
  std::set<std::uint64_t> seeds;
  std::set<std::size_t> epochs;
  std::set<std::size_t> graphs;
  bool thinned = false;
  for (const ComparisonEntry& entry : comparison.entries[row]) {
    for (const CellResult* cell : entry.done) {
      seeds.insert(cell->seed);
      if (!comparison.rows[row].scores.empty()) {
        continue;
      }
      epochs.insert(cell->settings["epochs"].get<std::size_t>());
      const auto learned = cell->split["train"].get<std::size_t>();
      const auto most = cell->settings["train-graphs"].get<std::size_t>();
      graphs.insert(learned);
      thinned = thinned || (most > 0 && learned + 1 >= most);
    }
  }
  const auto range = [](const std::set<std::size_t>& values) {
    return values.size() < 2
               ? fmt::format("{}", values.empty() ? "-" : core::with_commas(*values.begin()))
               : fmt::format("{} – {}", core::with_commas(*values.begin()),
                             core::with_commas(*values.rbegin()));
  };
  return {.seeds = seeds.empty() ? "-" : fmt::format("{}", fmt::join(seeds, ", ")),
          .epochs = range(epochs),
          .train_graphs = range(graphs) + (graphs.empty() ? ""
                                           : thinned      ? " (part)"
                                                          : " (all)")};
}

}  // namespace rayleigh::report
