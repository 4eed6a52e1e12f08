#include "report/paired_bootstrap.h"

#include <algorithm>
#include <cmath>

#include "compare/test_ranks.h"
#include "core/random.h"
#include "core/thread_pool.h"

namespace rayleigh::report {
namespace {

using compare::CellResult;
using compare::TestRanks;

constexpr std::size_t kResamples = 1000;
using ThreeMetrics = std::array<double, 3>;

/// How often each test graph is there: of each class as many as there are, with replacement.
std::vector<std::uint32_t> draw_times(const TestRanks& ranks, core::Generator random) {
  std::vector<std::uint32_t> normal;
  std::vector<std::uint32_t> times(ranks.rank.size(), 0);
  for (std::uint32_t g = 0; g < times.size(); ++g) {
    if (!std::ranges::binary_search(ranks.anomalous, g)) {
      normal.push_back(g);
    }
  }
  for (const auto* part : {&std::as_const(normal), &ranks.anomalous}) {
    for (std::size_t i = 0; i < part->size(); ++i) {
      ++times[(*part)[random.below(static_cast<std::uint32_t>(part->size()))]];
    }
  }
  return times;
}

ResampledMean interval_of_differences(std::vector<double> drawn, double mean, std::size_t pairs) {
  constexpr double kOutside = 0.05;
  std::erase_if(drawn, [](double value) { return !std::isfinite(value); });
  ResampledMean out{.count = pairs, .mean = mean};
  if (drawn.empty() || !std::isfinite(mean)) {
    return out;
  }
  std::ranges::sort(drawn);
  const auto last = static_cast<double>(drawn.size() - 1);
  out.low = drawn[static_cast<std::size_t>(std::lround(kOutside / 2 * last))];
  out.high = drawn[static_cast<std::size_t>(std::lround((1 - kOutside / 2) * last))];
  const auto not_above = std::ranges::upper_bound(drawn, 0.0) - drawn.begin();
  const auto not_below = drawn.end() - std::ranges::lower_bound(drawn, 0.0);
  out.p_value = std::min(1.0, 2 * (static_cast<double>(std::min(not_above, not_below)) + 1) /
                                  (static_cast<double>(drawn.size()) + 1));
  return out;
}

bool can_be_drawn(const std::vector<const ComparisonEntry*>& rows) {
  const TestRanks* first = nullptr;
  for (const ComparisonEntry* row : rows) {
    for (const CellResult* cell : row->done) {
      if (!cell->ranks) {
        return false;
      }
      first = first == nullptr ? &*cell->ranks : first;
      if (cell->ranks->anomalous != first->anomalous ||
          cell->ranks->rank.size() != first->rank.size()) {
        return false;
      }
    }
  }
  return first != nullptr;
}

}  // namespace

std::optional<std::vector<PairedEntry>> paired_bootstrap(
    const std::vector<const ComparisonEntry*>& rows, std::size_t reference, const RunOptions& run) {
  if (rows[reference]->done.empty() || !can_be_drawn(rows)) {
    return std::nullopt;
  }
  std::vector<const CellResult*> cells;
  for (const ComparisonEntry* row : rows) {
    cells.insert(cells.end(), row->done.begin(), row->done.end());
  }
  // The last round is the test part as it is.
  const core::RandomStream stream(1, "paired bootstrap");
  std::vector<std::vector<ThreeMetrics>> rounds(kResamples + 1);
  core::ThreadPool pool(run);
  pool.run(rounds.size(), [&](std::size_t round) {
    const TestRanks& first = *cells.front()->ranks;
    const auto times = round < kResamples ? draw_times(first, stream.at(round))
                                          : std::vector<std::uint32_t>(first.rank.size(), 1);
    for (const CellResult* cell : cells) {
      rounds[round].push_back(resampled_metrics(*cell->ranks, times));
    }
  });
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> pairs(rows.size());
  for (std::size_t row = 0, at = 0; row < rows.size(); at += rows[row++]->done.size()) {
    for (std::size_t i = 0; i < rows[row]->done.size(); ++i) {
      for (std::size_t other = 0; other < cells.size(); ++other) {
        if (cells[other]->model == rows[reference]->done.front()->model &&
            cells[other]->seed == cells[at + i]->seed) {
          pairs[row].emplace_back(at + i, other);
        }
      }
    }
  }
  std::vector<PairedEntry> out(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t m = 0; m < kPairedMetrics.size() && !pairs[row].empty(); ++m) {
      std::vector<double> drawn;
      for (const auto& metrics : rounds) {
        double sum = 0;
        for (const auto& [one, other] : pairs[row]) {
          sum += metrics[one][m] - metrics[other][m];
        }
        drawn.push_back(sum / static_cast<double>(pairs[row].size()));
      }
      const double mean = drawn.back();
      drawn.pop_back();
      out[row][m] = interval_of_differences(std::move(drawn), mean,
                                            std::isfinite(mean) ? pairs[row].size() : 0);
    }
  }
  return out;
}

}  // namespace rayleigh::report
