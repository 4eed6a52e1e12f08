#include "paper/case_study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rayleigh/spectral/label_forms.h"

#include "core/random.h"
#include "core/two_sample.h"

namespace rayleigh::paper {
namespace {

using Distance = double (*)(std::span<const double>, std::span<const double>);

double ks_statistic(std::span<const double> a, std::span<const double> b) {
  return core::kolmogorov_smirnov(a, b).statistic;
}

constexpr std::size_t kResamples = 1000;

/// Drawn with replacement, sorted.
std::vector<double> resampled(const std::vector<double>& values, core::Generator& random) {
  std::vector<double> out;
  out.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back(values[random.below(static_cast<std::uint32_t>(values.size()))]);
  }
  std::ranges::sort(out);
  return out;
}

/// `count` different ones, sorted; `values` is shuffled.
std::vector<double> drawn(std::vector<double>& values, std::size_t count, core::Generator& random) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint32_t>(values.size() - i);
    std::swap(values[i], values[i + random.below(left)]);
  }
  std::vector<double> out(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  std::ranges::sort(out);
  return out;
}

/// Only the test sample is drawn again: the training graphs are what they are. All sorted.
SampleDistance distance_of(const std::vector<double>& training, const std::vector<double>& part,
                           std::vector<double> all_of_test, Distance distance, std::uint64_t seed) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (training.empty() || part.empty()) {
    return {kNone, kNone, kNone, kNone};
  }
  SampleDistance out;
  out.value = distance(training, part);
  const core::RandomStream bootstrap(seed, "bootstrap of a case study");
  const core::RandomStream chance(seed, "chance of a case study");
  std::vector<double> values;
  values.reserve(kResamples);
  std::size_t as_far = 0;
  for (std::size_t i = 0; i < kResamples; ++i) {
    auto random = bootstrap.at(i);
    values.push_back(distance(training, resampled(part, random)));
    auto other = chance.at(i);
    as_far += distance(training, drawn(all_of_test, part.size(), other)) >= out.value ? 1 : 0;
  }
  std::ranges::sort(values);
  // Resampling adds to a distance, so the interval is reflected at the value; a distance is not
  // negative.
  out.low = std::max(0.0, 2 * out.value - values[kResamples * 975 / 1000 - 1]);
  out.high = std::max(out.value, 2 * out.value - values[kResamples * 25 / 1000]);
  out.by_chance = static_cast<double>(as_far + 1) / static_cast<double>(kResamples + 1);
  return out;
}

}  // namespace

std::optional<bool> CaseGroup::bears_out_the_paper() const {
  constexpr double kRare = 0.05;
  constexpr std::size_t kFewest = 10;
  if (training.empty() || right.size() < kFewest || wrong.size() < kFewest) {
    return std::nullopt;
  }
  return wasserstein_wrong.by_chance < kRare && ks_wrong.by_chance < kRare &&
         wasserstein_right.by_chance >= kRare && ks_right.by_chance >= kRare;
}

CaseStudy study_case(const GraphSet& graphs, const Split& split,
                     std::span<const std::int8_t> labels, std::span<const double> scores,
                     std::uint64_t seed) {
  const auto forms = spectral::label_forms(graphs, {}, {}, spectral::LabelPairs::none);
  CaseStudy study{.data = graphs.name(), .groups = {}};
  for (const bool anomalous : {false, true}) {
    CaseGroup& group = study.groups.emplace_back();
    group.anomalous = anomalous;
    const auto is_of_class = [&](std::uint32_t g) { return (labels[g] == 1) == anomalous; };
    for (const std::uint32_t g : split.train) {
      if (is_of_class(g)) {
        group.training.push_back(forms.scalar_quotient(g));
      }
    }
    for (const std::uint32_t g : split.test) {
      if (is_of_class(g)) {
        ((scores[g] > 0.5) == anomalous ? group.right : group.wrong)
            .push_back(forms.scalar_quotient(g));
      }
    }
    std::vector<double> all = group.right;
    all.insert(all.end(), group.wrong.begin(), group.wrong.end());
    for (auto* part : {&group.training, &group.right, &group.wrong, &all}) {
      std::ranges::sort(*part);
    }
    const auto distance = [&](const std::vector<double>& part, Distance measure) {
      return distance_of(group.training, part, all, measure, seed);
    };
    group.wasserstein_right = distance(group.right, core::wasserstein);
    group.wasserstein_wrong = distance(group.wrong, core::wasserstein);
    group.ks_right = distance(group.right, ks_statistic);
    group.ks_wrong = distance(group.wrong, ks_statistic);
  }
  return study;
}

}  // namespace rayleigh::paper
