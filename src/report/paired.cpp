#include "report/paired.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/paired_bootstrap.h"

namespace rayleigh::report {
namespace {

using compare::CellResult;

double paired_value(const CellResult& cell, const ComparisonMetric& metric) {
  return metric.of == kAuc.of                ? cell.test.auc
         : metric.of == kAveragePrecision.of ? cell.test.average_precision
                                             : cell.test.macro_f1_tuned;
}

/// Whether all seeds have the same test graphs.
bool has_fixed_parts(const CellResult& cell) {
  return !cell.settings.contains("folds") &&
         (cell.settings.contains("parts") ||
          cell.settings.value("split", "").starts_with("scaffold"));
}

/// Test graphs per graph outside the test part; of a detector that was given fewer training graphs
/// than there are, the other of a pair knows better.
double test_per_train(const CellResult& one, const CellResult& other) {
  const auto outside = [](const CellResult& cell) {
    return cell.split.value("train", 0.0) + cell.split.value("validation", 0.0);
  };
  return static_cast<double>(one.test.graphs) / std::max({1.0, outside(one), outside(other)});
}

PairedEntry pair_up(const ComparisonEntry& row, const ComparisonEntry& reference, bool& fixed) {
  std::array<std::vector<double>, kPairedMetrics.size()> differences;
  double ratio = 0;
  for (const CellResult* one : row.done) {
    for (const CellResult* other : reference.done) {
      if (one->seed != other->seed) {
        continue;
      }
      for (std::size_t m = 0; m < kPairedMetrics.size(); ++m) {
        differences[m].push_back(paired_value(*one, kPairedMetrics[m]) -
                                 paired_value(*other, kPairedMetrics[m]));
      }
      ratio = std::max(ratio, test_per_train(*one, *other));
    }
  }
  // Scores from a file do not know how the parts were made, but one of a pair was trained here.
  const auto is_fixed = [](const ComparisonEntry& entry) {
    return !entry.done.empty() && has_fixed_parts(*entry.done.front());
  };
  if (is_fixed(row) || is_fixed(reference)) {
    ratio = 0;
    fixed = true;
  }
  PairedEntry out;
  for (std::size_t m = 0; m < out.size(); ++m) {
    out[m] = resampled_mean(differences[m], ratio);
  }
  return out;
}

/// In place of what seeds say, where they share the test graphs.
void draw_again(PairedDifferences& paired, const std::vector<std::vector<ComparisonEntry>>& entries,
                const RunOptions& run) {
  for (std::size_t set = 0; !entries.empty() && set < entries.front().size(); ++set) {
    std::vector<const ComparisonEntry*> rows;
    rows.reserve(entries.size());
    for (const auto& row : entries) {
      rows.push_back(&row[set]);
    }
    if (const auto drawn = paired_bootstrap(rows, paired.reference, run)) {
      paired.drawn = true;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        paired.entries[row][set] = (*drawn)[row];
      }
    }
  }
}

}  // namespace

PairedDifferences paired_differences(const std::vector<std::vector<ComparisonEntry>>& entries,
                                     std::size_t reference, const RunOptions& run) {
  PairedDifferences out{.reference = reference, .entries = {}, .over_data = {}};
  for (const auto& row : entries) {
    auto& paired = out.entries.emplace_back();
    for (std::size_t set = 0; set < row.size(); ++set) {
      paired.push_back(pair_up(row[set], entries[reference][set], out.fixed_parts));
    }
  }
  draw_again(out, entries, run);
  for (const auto& paired : out.entries) {
    std::array<std::vector<double>, kPairedMetrics.size()> means;
    for (const PairedEntry& entry : paired) {
      for (std::size_t m = 0; m < means.size(); ++m) {
        means[m].push_back(entry[m].mean);
      }
    }
    auto& over_data = out.over_data.emplace_back();
    for (std::size_t m = 0; m < means.size(); ++m) {
      over_data[m] = resampled_mean(means[m], 0);
    }
  }
  return out;
}

std::string paired_text(const ResampledMean& difference) {
  if (difference.count == 0) {
    return "-";
  }
  std::string text = fmt::format("{:+.4f}", difference.mean);
  if (std::isfinite(difference.low)) {
    text += fmt::format(" ({:+.3f} … {:+.3f})", difference.low, difference.high);
    text += difference.p_value < 0.001 ? " p<0.001" : fmt::format(" p {:.3f}", difference.p_value);
  }
  return text;
}

}  // namespace rayleigh::report
