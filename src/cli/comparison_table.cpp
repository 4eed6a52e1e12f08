#include "cli/comparison_table.h"

#include <algorithm>
#include <fmt/format.h>

#include "cli/table.h"
#include "core/text.h"

namespace rayleigh::cli {
namespace {

using report::Comparison;
using report::ComparisonEntry;
using report::ComparisonMetric;
using report::kAuc;
using report::kAveragePrecision;
using report::kMacroF1;
using report::kMacroF1Tuned;

constexpr std::size_t kSetsOfATable = 3;

std::string name(const report::ComparisonRow& row) {
  return row.title + (row.yardstick         ? " (yardstick)"
                      : row.one_class       ? " (one-class)"
                      : !row.scores.empty() ? " (scores)"
                                            : "");
}

/// "0.8354 ±0.0120*↓": best of its column, below the number of nodes. Marks keep their room.
std::string value(const Comparison& comparison, std::size_t row, std::size_t set,
                  const ComparisonMetric& metric) {
  const ComparisonEntry& entry = comparison.entries[row][set];
  const report::OverSeeds& summary = entry.*metric.of;
  std::string text = "-";
  if (summary.count > 0) {
    text = fmt::format("{:.4f}", summary.mean);
    text += std::isfinite(summary.deviation) ? fmt::format(" ±{:.4f}", summary.deviation) : "";
  } else if (entry.done.empty() && !entry.failed.empty()) {
    text = "failed";
  }
  text += comparison.is_best(row, set, metric) ? "*" : " ";
  if (metric.of == kAuc.of) {
    text += entry.below_size ? "↓" : " ";
  }
  return text;
}

std::string short_table(const Comparison& comparison, std::size_t first, std::size_t end) {
  std::vector<std::string> header{"method"};
  for (std::size_t set = first; set < end; ++set) {
    header.push_back(comparison.data[set] + " AUC  ");
    header.emplace_back("macro-F1 ");
  }
  Table table(header);
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    std::vector<std::string> cells{name(comparison.rows[row])};
    for (std::size_t set = first; set < end; ++set) {
      cells.push_back(value(comparison, row, set, kAuc));
      cells.push_back(value(comparison, row, set, kMacroF1));
    }
    table.add(cells);
  }
  return table.text();
}

/// The published value and ours minus it.
std::pair<std::string, std::string> beside(const ComparisonEntry& entry,
                                           const ComparisonMetric& metric) {
  const auto published = report::published_value(entry, metric);
  if (!published) {
    return {"-", "-"};
  }
  const double ours = (entry.*metric.of).mean;
  return {fmt::format("{:.4f}", *published),
          std::isfinite(ours) ? fmt::format("{:+.4f}", ours - *published) : "-"};
}

std::string set_table(const Comparison& comparison, std::size_t set) {
  Table table({"method", "AUC  ", "paper", "ours - it", "macro-F1 ", "paper", "ours - it",
               "avg. precision ", "F1 tuned ", fmt::format("{}s", comparison.repeat()), "epochs",
               "train graphs", "seconds"});
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    const ComparisonEntry& entry = comparison.entries[row][set];
    const auto auc = beside(entry, kAuc);
    const auto f1 = beside(entry, kMacroF1);
    const bool done = !entry.done.empty() && comparison.rows[row].scores.empty();
    const auto of_first = [&](auto number) {
      return done ? core::with_commas(number(*entry.done.front())) : std::string("-");
    };
    table.add(
        {name(comparison.rows[row]), value(comparison, row, set, kAuc), auc.first, auc.second,
         value(comparison, row, set, kMacroF1), f1.first, f1.second,
         value(comparison, row, set, kAveragePrecision), value(comparison, row, set, kMacroF1Tuned),
         std::to_string(entry.done.size()), of_first([](const auto& cell) {
           return cell.settings["epochs"].template get<std::uint64_t>();
         }),
         of_first(
             [](const auto& cell) { return cell.split["train"].template get<std::uint64_t>(); }),
         entry.seconds_train.count > 0 ? fmt::format("{:.1f}", entry.seconds_train.mean) : "-"});
  }
  const auto& data = comparison.any_of(set)->description;
  return fmt::format("{}: {}, {} anomalous\n\n{}", comparison.data[set],
                     core::counted(data["graphs"].get<std::uint64_t>(), "graph"),
                     core::with_commas(data["anomalous"].get<std::uint64_t>()), table.text());
}

std::string paired_table(const Comparison& comparison, auto entry_of) {
  Table table({"method", "AUC", "avg. precision", "F1 tuned"});
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    if (row == comparison.paired.reference) {
      continue;
    }
    std::vector<std::string> cells{name(comparison.rows[row])};
    for (const ResampledMean& difference : entry_of(row)) {
      cells.push_back(report::paired_text(difference));
    }
    table.add(cells);
  }
  return table.text();
}

/// Row minus reference, by dataset and over all of them.
std::string paired_tables(const Comparison& comparison) {
  if (comparison.rows.size() < 2) {
    return "";
  }
  const auto& paired = comparison.paired;
  std::string text = fmt::format(
      "Method minus {}, mean over the {}s that both have (95 % interval), p of no difference\n\n",
      comparison.rows[paired.reference].title, comparison.repeat());
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    if (comparison.any_of(set) != nullptr) {
      text += fmt::format(
          "{}:\n{}\n", comparison.data[set],
          paired_table(comparison, [&](std::size_t row) { return paired.entries[row][set]; }));
    }
  }
  if (comparison.data.size() > 1) {
    text += fmt::format("mean over datasets:\n{}\n", paired_table(comparison, [&](std::size_t row) {
                          return paired.over_data[row];
                        }));
  }
  return text + report::paired_note(comparison) + "\n\n";
}

std::string failures(const Comparison& comparison) {
  std::string text;
  for (const auto& reason : report::failure_reasons(comparison)) {
    text += fmt::format("failed: {}, {}, {}s {}: {}\n", reason.data,
                        reason.models == "all" ? "all methods" : reason.models, comparison.repeat(),
                        reason.seeds, reason.why);
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = fmt::format(
      "Test graphs: AUC and macro-F1 at 0.5, mean ± deviation over {}s\n\n", comparison.repeat());
  for (std::size_t first = 0; first < comparison.data.size(); first += kSetsOfATable) {
    text +=
        short_table(comparison, first, std::min(first + kSetsOfATable, comparison.data.size())) +
        "\n";
  }
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    if (comparison.any_of(set) != nullptr) {
      text += set_table(comparison, set) + "\n";
    }
  }
  text += paired_tables(comparison);
  text += fmt::format(
      "* best of its column   ↓ AUC below that of the number of nodes alone (size), same {0}s\n"
      "paper: what the paper prints, one run on one split. F1 tuned: macro-F1 at the threshold "
      "tuned on validation\ngraphs. One-class scores are not probabilities: no macro-F1 at 0.5. "
      "The split is the same for all methods{1}.\nepochs: at most; fewer epochs, {0}s or graphs "
      "than a method's default are a budget, --full lifts it.\n",
      comparison.repeat(),
      comparison.folds > 0 || comparison.paired.fixed_parts ? "" : "\nand moves with the seed");
  return text + failures(comparison);
}

}  // namespace rayleigh::cli
