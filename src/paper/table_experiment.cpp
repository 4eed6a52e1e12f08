#include "paper/table_experiment.h"

#include <cmath>
#include <fmt/format.h>

#include "core/text.h"
#include "paper/reproduction.h"
#include "plot/html_page.h"

namespace rayleigh::paper {
namespace {

using core::with_commas;
using report::Comparison;
using report::ComparisonEntry;
using report::ComparisonMetric;
using report::ComparisonRow;
using report::failure_reasons;
using report::Granted;
using report::granted;
using report::kAuc;
using report::kAveragePrecision;
using report::kMacroF1;
using report::kMacroF1Tuned;
using report::OverSeeds;
using report::published_value;
using Rows = std::vector<std::vector<std::string>>;

/// How many graphs tested, and how the set was made where its name tells.
std::string about_data(const compare::CellResult& cell) {
  const std::string name = cell.description.value("name", "");
  const auto made = name.find(", ");
  return fmt::format("{} test graphs, {} anomalous{}", with_commas(cell.test.graphs),
                     with_commas(cell.test.anomalous),
                     made == std::string::npos ? "" : name.substr(made));
}

/// What each method was given, and which runs failed.
void add_notes(plot::HtmlPage& page, const Comparison& comparison) {
  Rows rows{{"method", "seeds", "epochs at most", "training graphs"}};
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    const Granted given = granted(comparison, row);
    rows.push_back({comparison.rows[row].title, given.seeds, given.epochs, given.train_graphs});
  }
  page.table(rows,
             "What each method was given. Slow ones have a budget unless --full is given; their "
             "values are those of a shorter training than the paper's.");
  if (comparison.failures() > 0) {
    Rows failed{{"data", "method", "seeds", "why"}};
    for (const auto& reason : failure_reasons(comparison)) {
      failed.push_back({reason.data, reason.models, reason.seeds, reason.why});
    }
    page.table(failed, "Runs that failed. The same command tries them again.");
  }
}

/// Methods down, datasets across; the paper's value below ours.
void add_table(plot::HtmlPage& page, const Comparison& comparison, const ComparisonMetric& metric,
               const std::string& caption) {
  plot::MarkedRows header(1);
  header[0].push_back({.text = "method", .marks = "name"});
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    const compare::CellResult* const cell = comparison.any_of(set);
    header[0].push_back(
        {.text = comparison.data[set], .below = cell == nullptr ? "" : about_data(*cell)});
  }
  plot::MarkedRows rows;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    auto& cells = rows.emplace_back();
    cells.push_back({.text = comparison.rows[row].title,
                     .below = comparison.rows[row].published_as,
                     .marks = comparison.rows[row].yardstick ? "name yardstick" : "name"});
    for (std::size_t set = 0; set < comparison.data.size(); ++set) {
      const ComparisonEntry& entry = comparison.entries[row][set];
      const OverSeeds& summary = entry.*metric.of;
      const auto paper = published_value(entry, metric);
      plot::MarkedCell cell{.text = "-"};
      if (summary.count > 0) {
        cell.text = core::four_digits(summary.mean);
        if (std::isfinite(summary.deviation)) {
          cell.text += fmt::format(" ± {:.3f}", summary.deviation);
        }
        cell.marks = comparison.is_best(row, set, metric) ? "best" : "";
      } else if (!entry.failed.empty()) {
        cell = {.text = "failed", .marks = "failed"};
      }
      if (paper && std::isfinite(*paper)) {
        cell.below = fmt::format("paper {:.4f}", *paper);
      }
      cells.push_back(std::move(cell));
    }
  }
  page.marked_table(header, rows, caption);
}

std::string mean_text(const OverSeeds& summary) {
  if (summary.count == 0) {
    return "";
  }
  std::string text = fmt::format("{:.4f}", summary.mean);
  if (std::isfinite(summary.deviation)) {
    text += fmt::format(" ± {:.4f}", summary.deviation);
  }
  return text;
}

std::string markdown_cell(const ComparisonEntry& entry, const ComparisonMetric& metric) {
  std::string text = mean_text(entry.*metric.of);
  const auto paper = published_value(entry, metric);
  if (paper && std::isfinite(*paper)) {
    text += fmt::format("{}({:.4f})", text.empty() ? "" : " ", *paper);
  }
  return text.empty() ? "–" : text;
}

std::string markdown_table(const Comparison& comparison, const ComparisonMetric& metric) {
  std::string text = fmt::format("| {} |", metric.title);
  std::string rule = "|---|";
  for (const std::string& data : comparison.data) {
    text += fmt::format(" {} |", data);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    const ComparisonRow& one = comparison.rows[row];
    text += fmt::format("| `{}`{} |", one.title,
                        one.published_as.empty() ? "" : fmt::format(", {}", one.published_as));
    for (std::size_t set = 0; set < comparison.data.size(); ++set) {
      const std::string cell = markdown_cell(comparison.entries[row][set], metric);
      text +=
          fmt::format(" {} |", comparison.is_best(row, set, metric) ? "**" + cell + "**" : cell);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string markdown_of(const Reproduction& result, ExperimentId id) {
  const Comparison* const table = result.table(id);
  if (table == nullptr) {
    return "";
  }
  std::string text = fmt::format(
      "# {}\n\nMean ± deviation over seeds; in brackets the paper's one run; bold is the best of "
      "ours. {}\n",
      short_name(id), protocol_of(result));
  for (const ComparisonMetric& metric : {kAuc, kMacroF1, kMacroF1Tuned, kAveragePrecision}) {
    text += "\n" + markdown_table(*table, metric);
  }
  return text;
}

std::string TableExperiment::markdown(const Reproduction& result) const {
  return markdown_of(result, id());
}

void TableExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  const Comparison& table = *result.table(id());
  page.paragraph(words_);
  add_table(page, table, kAuc, "Test AUC. " + protocol_of(result));
  add_table(page, table, kMacroF1,
            "Macro-F1 at 0.5, the paper's protocol; one-class scores are not probabilities, see "
            "the next table. " +
                protocol_of(result));
  add_table(page, table, kMacroF1Tuned,
            "Macro-F1 at the threshold tuned on validation graphs. " + protocol_of(result));
  add_notes(page, table);
}

}  // namespace rayleigh::paper
