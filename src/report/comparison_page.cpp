#include "report/comparison_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "core/text.h"
#include "plot/html_page.h"
#include "report/comparison_figures.h"

namespace rayleigh::report {
namespace {

using compare::CellResult;
using core::counted;
using core::four_digits;
using core::with_commas;
using plot::HtmlPage;
using plot::MarkedCell;
using plot::MarkedRows;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kSetsOfATable = 3;

std::string minus(std::string text) {
  if (text.starts_with('-')) {
    text.replace(0, 1, "−");
  }
  return text;
}

std::string row_marks(const ComparisonRow& row) { return row.yardstick ? "yardstick" : ""; }

MarkedCell name_cell(const ComparisonRow& row) {
  return {.text = row.title,
          .below = row.yardstick         ? "yardstick"
                   : row.one_class       ? "one-class"
                   : !row.scores.empty() ? "scores from a file"
                                         : "",
          .marks = "name " + row_marks(row)};
}

MarkedCell metric_cell(const Comparison& comparison, std::size_t row, std::size_t set,
                       const ComparisonMetric& metric) {
  const ComparisonEntry& entry = comparison.entries[row][set];
  const OverSeeds& summary = entry.*metric.of;
  MarkedCell cell{.text = "-", .marks = row_marks(comparison.rows[row])};
  if (summary.count == 0) {
    if (!entry.failed.empty() && entry.done.empty()) {
      cell.text = "failed";
      cell.marks += " failed";
    }
    return cell;
  }
  cell.text = four_digits(summary.mean);
  if (std::isfinite(summary.deviation)) {
    cell.text += fmt::format(" ± {:.4f}", summary.deviation);
  }
  if (comparison.is_best(row, set, metric)) {
    cell.marks += " best";
  }
  if (metric.of == kAuc.of && entry.below_size) {
    cell.marks += " under";
    cell.text += " ↓";
  }
  if (const auto published = published_value(entry, metric)) {
    cell.below = fmt::format("{} {:.4f} ({})", comparison.published_by, *published,
                             minus(fmt::format("{:+.4f}", summary.mean - *published)));
  }
  return cell;
}

/// Rows = methods, columns = datasets × metrics, some datasets per table.
void metric_tables(HtmlPage& page, const Comparison& comparison,
                   const std::vector<ComparisonMetric>& metrics, const std::string& caption) {
  for (std::size_t first = 0; first < comparison.data.size(); first += kSetsOfATable) {
    const std::size_t end = std::min(first + kSetsOfATable, comparison.data.size());
    MarkedRows header(2);
    header[0].push_back({.text = ""});
    header[1].push_back({.text = "method", .marks = "name"});
    MarkedRows rows(comparison.rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row].push_back(name_cell(comparison.rows[row]));
    }
    for (std::size_t set = first; set < end; ++set) {
      header[0].push_back({.text = comparison.data[set], .columns = metrics.size()});
      for (const ComparisonMetric& metric : metrics) {
        header[1].push_back({.text = metric.title});
        for (std::size_t row = 0; row < rows.size(); ++row) {
          rows[row].push_back(metric_cell(comparison, row, set, metric));
        }
      }
    }
    page.marked_table(header, rows, caption);
  }
}

/// Who is best, and whom the number of nodes beats.
std::string verdict(const Comparison& comparison, std::size_t set) {
  std::string best;
  std::string size;
  std::vector<std::string> below;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    const ComparisonEntry& entry = comparison.entries[row][set];
    if (comparison.is_best(row, set, kAuc)) {
      best = fmt::format(" {} has the best test AUC, {:.3f}.", comparison.rows[row].title,
                         entry.auc.mean);
    }
    if (comparison.rows[row].title == "size" && entry.auc.count > 0) {
      size = fmt::format(" The number of nodes alone reaches {:.3f}", entry.auc.mean);
    }
    if (entry.below_size) {
      below.push_back(comparison.rows[row].title);
    }
  }
  if (!size.empty()) {
    size += below.empty() ? ", less than every detector."
                          : fmt::format(", more than {}.", fmt::join(below, ", "));
  }
  return best.empty() ? "" : comparison.data[set] + ":" + best + size;
}

/// "−0.0123", and below it interval and p.
MarkedCell paired_cell(const ResampledMean& difference) {
  MarkedCell cell{.text = "-"};
  if (difference.count == 0) {
    return cell;
  }
  cell.text = minus(fmt::format("{:+.4f}", difference.mean));
  if (std::isfinite(difference.low)) {
    cell.below =
        fmt::format("{} … {}, p {}", minus(fmt::format("{:+.3f}", difference.low)),
                    minus(fmt::format("{:+.3f}", difference.high)),
                    difference.p_value < 0.001 ? std::string("< 0.001")
                                               : fmt::format("{:.3f}", difference.p_value));
    // The one that is surely ahead of the other.
    cell.marks = difference.low > 0 ? "best" : difference.high < 0 ? "under" : "";
  }
  return cell;
}

void paired_table(HtmlPage& page, const Comparison& comparison,
                  const std::vector<std::string>& sets, auto entry_of) {
  const PairedDifferences& paired = comparison.paired;
  MarkedRows header(2);
  header[0].push_back({.text = ""});
  header[1].push_back({.text = "method", .marks = "name"});
  for (const std::string& set : sets) {
    header[0].push_back({.text = set, .columns = kPairedMetrics.size()});
    for (const ComparisonMetric& metric : kPairedMetrics) {
      header[1].push_back({.text = metric.title});
    }
  }
  MarkedRows rows;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    if (row == paired.reference) {
      continue;
    }
    auto& cells = rows.emplace_back();
    cells.push_back(name_cell(comparison.rows[row]));
    for (std::size_t set = 0; set < sets.size(); ++set) {
      for (const ResampledMean& difference : entry_of(row, set)) {
        cells.push_back(paired_cell(difference));
      }
    }
  }
  page.marked_table(
      header, rows,
      fmt::format("Method minus {}, mean over the {}s that both have; below it the 95 % interval "
                  "and the p-value of no difference. Bold: the whole interval lies above zero. "
                  "Orange: below.",
                  comparison.rows[paired.reference].title, comparison.repeat()));
}

void paired_tables(HtmlPage& page, const Comparison& comparison) {
  if (comparison.rows.size() < 2) {
    return;
  }
  constexpr std::size_t kPairedSets = 2;
  const PairedDifferences& paired = comparison.paired;
  page.heading("Differences to " + comparison.rows[paired.reference].title);
  for (std::size_t first = 0; first < comparison.data.size(); first += kPairedSets) {
    const auto begin = comparison.data.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(kPairedSets, comparison.data.size() - first);
    paired_table(
        page, comparison, {begin, begin + static_cast<std::ptrdiff_t>(count)},
        [&](std::size_t row, std::size_t set) { return paired.entries[row][first + set]; });
  }
  if (comparison.data.size() > 1) {
    paired_table(page, comparison, {"mean over datasets"},
                 [&](std::size_t row, std::size_t) { return paired.over_data[row]; });
  }
  page.paragraph(paired_note(comparison));
}

void duel_table(HtmlPage& page, const Comparison& comparison) {
  MarkedRows header(1);
  header[0] = {{.text = "method", .marks = "name"}, {.text = "mean rank"}};
  MarkedRows rows;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    header[0].push_back({.text = std::to_string(row + 1)});
    const OverSeeds& rank = comparison.ranks[row];
    auto& cells = rows.emplace_back();
    cells.push_back({.text = fmt::format("{} {}", row + 1, comparison.rows[row].title),
                     .marks = "name " + row_marks(comparison.rows[row])});
    cells.push_back({.text = rank.count > 0 ? fmt::format("{:.1f}", rank.mean) : "-"});
    for (std::size_t other = 0; other < comparison.rows.size(); ++other) {
      const Duel& duel = comparison.duels[row][other];
      const auto all = duel.wins + duel.ties + duel.losses;
      if (other == row || all == 0) {
        cells.push_back({.text = other == row ? "" : "-"});
        continue;
      }
      cells.push_back(
          {.text = duel.ties > 0 ? fmt::format("{}–{}–{}", duel.wins, duel.ties, duel.losses)
                                 : fmt::format("{}–{}", duel.wins, duel.losses),
           .shade = (static_cast<double>(duel.wins) + 0.5 * static_cast<double>(duel.ties)) /
                    static_cast<double>(all)});
    }
  }
  page.marked_table(
      header, rows,
      fmt::format(
          "How often the method of a row beats that of a column in test AUC, over the datasets and "
          "{}s that both have: wins–losses, or wins–ties–losses. The darker, the more wins. Mean "
          "rank: by mean AUC, over datasets; 1 is best.",
          comparison.repeat()));
}

Rows granted_rows(const Comparison& comparison) {
  Rows rows{{"method", "learns from", fmt::format("{}s", comparison.repeat()), "epochs at most",
             "training graphs", "seconds of training"}};
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    const ComparisonRow& r = comparison.rows[row];
    const Granted g = granted(comparison, row);
    std::vector<double> seconds;
    for (const ComparisonEntry& entry : comparison.entries[row]) {
      seconds.push_back(entry.seconds_train.mean);
    }
    const OverSeeds mean = summarise(seconds);
    const std::string learns = !r.scores.empty() ? "not known"
                               : r.one_class     ? "normal graphs"
                                                 : "both classes";
    rows.push_back({r.title, learns, g.seeds, g.epochs, g.train_graphs,
                    mean.count > 0 ? fmt::format("{:.1f}", mean.mean) : "-"});
  }
  if (!comparison.published_by.empty()) {
    rows[0].insert(rows[0].begin() + 1, "in the " + comparison.published_by);
    for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
      const std::string& name = comparison.rows[row].published_as;
      rows[row + 1].insert(rows[row + 1].begin() + 1, name.empty() ? "-" : name);
    }
  }
  return rows;
}

Rows data_rows(const Comparison& comparison) {
  Rows rows{{"data", "graphs", "anomalous", "nodes per graph", "test graphs", "anomalous there",
             "macro-F1 of calling all normal"}};
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    const CellResult* cell = comparison.any_of(set);
    if (cell == nullptr) {
      continue;
    }
    const auto count = [&](const char* key) { return cell->description[key].get<std::size_t>(); };
    const double share =
        static_cast<double>(cell->test.anomalous) / static_cast<double>(cell->test.graphs);
    rows.push_back({comparison.data[set], with_commas(count("graphs")),
                    with_commas(count("anomalous")),
                    fmt::format("{:.1f}", static_cast<double>(count("nodes")) /
                                              static_cast<double>(count("graphs"))),
                    with_commas(cell->test.graphs), with_commas(cell->test.anomalous),
                    four_digits((1 - share) / (2 - share))});
  }
  return rows;
}

std::string machine_text(const Comparison& comparison) {
  std::set<std::string> machines;
  bool continued = false;
  for (const CellResult& cell : comparison.cells) {
    if (!cell.failed() && !cell.machine.empty()) {
      machines.insert(fmt::format(
          "{} ({}, instruction set {})", cell.machine.value("processor", "unknown processor"),
          counted(cell.machine.value("cores", 1U), "core"), cell.settings.value("isa", "unknown")));
      continued = continued || cell.continued;
    }
  }
  return fmt::format(
      "Every run used one thread; others ran beside it, so that seconds are only as good as the "
      "machine was quiet. Machine: {}.{}",
      fmt::join(machines, "; "),
      continued ? " Some runs were interrupted and went on later; their seconds are scaled up from "
                  "the epochs after that."
                : "");
}

/// How the parts were made.
std::string split_text(const Comparison& comparison) {
  for (const CellResult& cell : comparison.cells) {
    if (cell.failed() || !cell.settings.contains("split")) {
      continue;
    }
    const auto split = cell.settings.value("split", "");
    const bool scaffold = split.starts_with("scaffold");
    if (cell.settings.contains("parts")) {
      return "the parts that were given, whatever the seed";
    }
    if (comparison.folds > 0) {
      return fmt::format(
          "{} folds that hold every graph once as a test graph, {}; the others are "
          "cut into training and validation in the ratio of {}",
          comparison.folds,
          scaffold ? "molecules of one scaffold in one fold" : "with the same share of each class",
          split);
    }
    return scaffold ? split + ", molecules of one scaffold in one part, whatever the seed"
                    : split +
                          " per cent of each class for training, validation and test, moved by "
                          "the seed";
  }
  return "not known";
}

void notes(HtmlPage& page, const Comparison& comparison) {
  page.heading("Notes");
  page.table(granted_rows(comparison),
             "What each method was given. Fewer epochs, seeds or training graphs than its default "
             "are a budget for methods that are slow; --full lifts it. Its values are then those "
             "of a shorter training.");
  page.table(data_rows(comparison),
             "The data. A macro-F1 near that of calling every graph normal says that a method "
             "found nothing at 0.5, whatever its AUC.");
  const std::string split = split_text(comparison);
  page.paragraph(fmt::format(
      "Split: {}; it is the same for all methods. All values are of test graphs. The epoch and the "
      "tuned threshold were chosen on validation graphs. ± is the standard deviation over {}s. {}",
      split, comparison.repeat(), comparison.published_note));
  page.paragraph(machine_text(comparison));
}

void failures(HtmlPage& page, const Comparison& comparison) {
  if (comparison.failures() == 0) {
    return;
  }
  Rows rows{{"data", "method", fmt::format("{}s", comparison.repeat()), "why"}};
  for (const auto& reason : failure_reasons(comparison)) {
    rows.push_back({reason.data, reason.models, reason.seeds, reason.why});
  }
  page.heading("Failed");
  page.table(rows, "Runs that failed, by reason. The same command tries them again.");
}

}  // namespace

std::string comparison_page(const Comparison& comparison) {
  HtmlPage page(fmt::format("Comparison of {} on {}", counted(comparison.rows.size(), "method"),
                            counted(comparison.data.size(), "dataset")),
                fmt::format("{}", fmt::join(comparison.data, ", ")));
  page.facts({{std::to_string(comparison.rows.size()), "methods"},
              {std::to_string(comparison.data.size()), "datasets"},
              {std::to_string(comparison.cells.size() - comparison.failures()), "runs done"},
              {std::to_string(comparison.failures()), "runs failed"}});
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    if (const auto words = verdict(comparison, set); !words.empty()) {
      page.paragraph(words);
    }
  }
  page.heading("Results");
  metric_tables(
      page, comparison, {kAuc, kMacroF1},
      fmt::format("Mean ± standard deviation over {}s, test graphs. Bold: best of a column. ↓ on "
                  "orange: below the number of nodes alone (size). Below a value: the published "
                  "one, and ours minus it. Scores of one-class methods are not probabilities and "
                  "have no macro-F1 at 0.5.",
                  comparison.repeat()));
  metric_tables(page, comparison, {kAveragePrecision, kMacroF1Tuned},
                "The same for average precision and for macro-F1 at the threshold tuned on "
                "validation graphs, which every method has whose scores of them are known.");
  paired_tables(page, comparison);
  page.heading("Curves and time");
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    if (comparison.any_of(set) == nullptr) {
      continue;
    }
    page.figure(roc_figure(comparison, set),
                fmt::format("{}: receiver operating characteristic, mean over {}s at each false "
                            "positive rate; best AUC first. Grey: yardsticks.",
                            comparison.data[set], comparison.repeat()));
    page.figure(time_figure(comparison, set),
                fmt::format("{}: mean test AUC against mean seconds of training, validation left "
                            "out; less than a hundredth of a second is drawn as that.",
                            comparison.data[set]));
  }
  page.heading("Who beats whom");
  duel_table(page, comparison);
  notes(page, comparison);
  failures(page, comparison);
  return page.html();
}

}  // namespace rayleigh::report
