#include <cmath>
#include <fmt/format.h>

#include "core/text.h"
#include "paper/reproduction.h"

namespace rayleigh::paper {

using plot::NamedText;
using report::Comparison;
using report::ComparisonEntry;
using report::ComparisonMetric;
using report::ComparisonRow;
using report::kAuc;
using report::kAveragePrecision;
using report::kMacroF1;
using report::kMacroF1Tuned;
using report::Summary;
namespace {

std::string value_of(const Summary& summary) {
  if (summary.count == 0) {
    return "";
  }
  std::string text = fmt::format("{:.4f}", summary.mean);
  if (std::isfinite(summary.deviation)) {
    text += fmt::format(" ± {:.4f}", summary.deviation);
  }
  return text;
}

std::string cell_of(const ComparisonEntry& entry, const ComparisonMetric& metric) {
  std::string text = value_of(entry.*metric.of);
  const auto paper = report::published_value(entry, metric);
  if (paper && std::isfinite(*paper)) {
    text += fmt::format("{}({:.4f})", text.empty() ? "" : " ", *paper);
  }
  return text.empty() ? "–" : text;
}

std::string table_of(const Comparison& comparison, const ComparisonMetric& metric) {
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
      const std::string cell = cell_of(comparison.entries[row][set], metric);
      text +=
          fmt::format(" {} |", comparison.is_best(row, set, metric) ? "**" + cell + "**" : cell);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<NamedText> reproduction_tables(const Reproduction& reproduction) {
  std::vector<NamedText> files;
  for (const ExperimentTable& table : reproduction.tables) {
    if (table.experiment == Experiment::parameters) {
      continue;  // five plots say more
    }
    const std::string name = short_name(table.experiment);
    std::string text = fmt::format(
        "# {}\n\nMean ± deviation over seeds; in brackets the paper's one run; bold is the best of "
        "ours. {}\n",
        name, protocol_of(reproduction));
    for (const ComparisonMetric& metric : {kAuc, kMacroF1, kMacroF1Tuned, kAveragePrecision}) {
      text += "\n" + table_of(table.comparison, metric);
    }
    files.emplace_back(name + ".md", std::move(text));
  }
  return files;
}

}  // namespace rayleigh::paper
