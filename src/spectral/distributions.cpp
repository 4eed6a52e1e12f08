#include "rayleigh/spectral/distributions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "rayleigh/error.h"

#include "core/random.h"

namespace rayleigh::spectral {
namespace {

/// The values in a random order that depends on the seed alone.
std::vector<double> shuffled(std::span<const double> values, std::uint64_t seed,
                             const char* purpose) {
  std::vector<double> out(values.begin(), values.end());
  auto random = core::RandomStream(seed, purpose).at(0);
  random.shuffle(std::span(out));
  return out;
}

std::span<const double> first_share(const std::vector<double>& values, double share) {
  const auto count =
      static_cast<std::size_t>(std::llround(share * static_cast<double>(values.size())));
  return std::span(values).first(std::min(count, values.size()));
}

std::vector<double> equal_bins(std::span<const double> a, std::span<const double> b, int bins) {
  double low = a.empty() ? b.front() : a.front();
  double high = low;
  for (const auto& sample : {a, b}) {
    for (const double value : sample) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  std::vector<double> edges;
  for (int i = 0; i <= bins; ++i) {
    edges.push_back(low + (high - low) * i / bins);
  }
  edges.back() = high;
  return edges;
}

std::vector<double> frequencies(std::span<const double> values, const std::vector<double>& edges) {
  const std::size_t bins = edges.size() - 1;
  std::vector<double> out(bins, 0);
  const double low = edges.front();
  const double width = edges.back() - low;
  for (const double value : values) {
    const double at = width > 0 ? (value - low) / width * static_cast<double>(bins) : 0;
    const auto bin = static_cast<std::size_t>(std::max(0.0, at));
    out[std::min(bin, bins - 1)] += 1.0 / static_cast<double>(values.size());
  }
  return out;
}

void check(std::span<const double> values, const char* which, const DistributionOptions& options) {
  if (values.empty()) {
    return;
  }
  for (const double share : options.shares) {
    const double graphs = share * static_cast<double>(values.size());
    if (std::llround(graphs) < 1) {
      throw UsageError("samples",
                       fmt::format("{:.3g} % of {} {} graphs are none, expected a larger share",
                                   100 * share, values.size(), which));
    }
  }
  if (static_cast<std::size_t>(options.bins) > values.size()) {
    throw UsageError("bins", fmt::format("{} for {} {} graphs, expected at most one per graph",
                                         options.bins, values.size(), which));
  }
}

double ratio(double over, double under) {
  return under > 0  ? over / under
         : over > 0 ? std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<SampleDistribution> sample_distributions(std::span<const double> normal,
                                                     std::span<const double> anomalous,
                                                     const DistributionOptions& options) {
  check(normal, "normal", options);
  check(anomalous, "anomalous", options);
  std::vector<SampleDistribution> out;
  if (normal.empty() && anomalous.empty()) {
    return out;
  }
  const auto all_normal = shuffled(normal, options.seed, "sample normal graphs");
  const auto all_anomalous = shuffled(anomalous, options.seed, "sample anomalous graphs");
  // The union of nested samples is the largest one.
  const double largest = *std::ranges::max_element(options.shares);
  const auto common = equal_bins(first_share(all_normal, largest),
                                 first_share(all_anomalous, largest), options.bins);
  for (const double share : options.shares) {
    const auto n = first_share(all_normal, share);
    const auto a = first_share(all_anomalous, share);
    SampleDistribution sample;
    sample.share = share;
    sample.edges = options.edges == BinEdges::common ? common : equal_bins(n, a, options.bins);
    if (!n.empty()) {
      sample.normal = frequencies(n, sample.edges);
    }
    if (!a.empty()) {
      sample.anomalous = frequencies(a, sample.edges);
    }
    sample.normal_graphs = n.size();
    sample.anomalous_graphs = a.size();
    out.push_back(std::move(sample));
  }
  return out;
}

double DistanceRatio::to_anomalous() const { return ratio(between, within_anomalous); }
double DistanceRatio::to_normal() const { return ratio(between, within_normal); }

std::vector<DistanceRatio> distance_ratios(std::span<const SampleDistribution> samples) {
  std::vector<DistanceRatio> out;
  if (samples.empty() || samples[0].normal.empty() || samples[0].anomalous.empty()) {
    return out;
  }
  const std::size_t count = samples.size();
  const auto pairs = static_cast<double>(std::max<std::size_t>(1, count * (count - 1) / 2));
  for (std::size_t bin = 0; bin < samples[0].normal.size(); ++bin) {
    DistanceRatio row;
    for (std::size_t s = 0; s < count; ++s) {
      for (std::size_t t = 0; t < count; ++t) {
        row.between += std::abs(samples[s].anomalous[bin] - samples[t].normal[bin]);
        if (s < t) {
          row.within_anomalous += std::abs(samples[s].anomalous[bin] - samples[t].anomalous[bin]);
          row.within_normal += std::abs(samples[s].normal[bin] - samples[t].normal[bin]);
        }
      }
    }
    row.between /= static_cast<double>(count * count);
    row.within_anomalous /= pairs;
    row.within_normal /= pairs;
    out.push_back(row);
  }
  return out;
}

}  // namespace rayleigh::spectral
