#include "learn/case_study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rayleigh/spectral/label_forms.h"

#include "core/random.h"
#include "core/two_sample.h"

namespace rayleigh::learn {
namespace {

using Distance = double (*)(std::span<const double>, std::span<const double>);

double ks_statistic(std::span<const double> a, std::span<const double> b) {
  return core::kolmogorov_smirnov(a, b).statistic;
}

std::vector<double> resampled(const std::vector<double>& values, core::Generator& random) {
  std::vector<double> out;
  out.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back(values[random.below(static_cast<std::uint32_t>(values.size()))]);
  }
  return out;
}

/// Only the test sample is drawn again: the training graphs are what they are.
SampleDistance distance_of(const std::vector<double>& training, const std::vector<double>& test,
                           Distance distance, std::uint64_t seed) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (training.empty() || test.empty()) {
    return {kNone, kNone, kNone};
  }
  constexpr std::size_t kResamples = 1000;
  const core::RandomStream stream(seed, "bootstrap of a case study");
  std::vector<double> values;
  values.reserve(kResamples);
  for (std::size_t i = 0; i < kResamples; ++i) {
    auto random = stream.at(i);
    values.push_back(distance(training, resampled(test, random)));
  }
  std::ranges::sort(values);
  return {distance(training, test), values[kResamples * 25 / 1000],
          values[kResamples * 975 / 1000 - 1]};
}

}  // namespace

CaseStudy study_case(const GraphSet& graphs, const TrainingResult& result, std::uint64_t seed) {
  const auto forms = spectral::label_forms(graphs, {}, 0, spectral::LabelPairs::none);
  CaseStudy study{.data = graphs.name(), .groups = {}};
  for (const bool anomalous : {false, true}) {
    CaseGroup& group = study.groups.emplace_back();
    group.anomalous = anomalous;
    const auto is_of_class = [&](std::uint32_t g) { return (result.labels[g] == 1) == anomalous; };
    for (const std::uint32_t g : result.split.train) {
      if (is_of_class(g)) {
        group.training.push_back(forms.scalar_quotient(g));
      }
    }
    for (const std::uint32_t g : result.split.test) {
      if (is_of_class(g)) {
        ((result.scores[g] > 0.5) == anomalous ? group.right : group.wrong)
            .push_back(forms.scalar_quotient(g));
      }
    }
    group.wasserstein_right = distance_of(group.training, group.right, core::wasserstein, seed);
    group.wasserstein_wrong = distance_of(group.training, group.wrong, core::wasserstein, seed);
    group.ks_right = distance_of(group.training, group.right, ks_statistic, seed);
    group.ks_wrong = distance_of(group.training, group.wrong, ks_statistic, seed);
  }
  return study;
}

}  // namespace rayleigh::learn
