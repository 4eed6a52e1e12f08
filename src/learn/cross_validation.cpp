#include "rayleigh/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "rayleigh/error.h"

namespace rayleigh {
namespace {

/// The request of one fold.
TrainingRequest request_of_fold(const TrainingRequest& whole, std::size_t fold, std::size_t folds) {
  const std::string name = fmt::format("fold {} of {}", fold + 1, folds);
  TrainingRequest request = whole;
  request.split = fold_of(whole.split.value_or(whole.options.split()), folds, fold);
  request.intervals = false;
  if (whole.checkpoint) {
    *request.checkpoint += fmt::format(".fold-{}-of-{}", fold + 1, folds);
  }
  if (whole.progress) {
    request.progress = [&whole, fold, folds](TrainingProgress progress) {
      progress.fold = static_cast<int>(fold + 1);
      progress.folds = static_cast<int>(folds);
      whole.progress(progress);
    };
  }
  if (whole.say) {
    request.say = [&whole, name](const std::string& text) {
      whole.say(fmt::format("{}: {}", name, text));
    };
  }
  return request;
}

void keep_scores(CrossValidation& all, const TrainingResult& result, std::size_t fold) {
  const Detector& detector = result.detector;
  for (const std::uint32_t g : result.split.test) {
    const double score = result.scores[g];
    all.graphs[g] = {.fold = static_cast<std::int32_t>(fold),
                     .score = score,
                     .probability = detector.probability(score),
                     .anomalous = score > detector.threshold()};
  }
}

}  // namespace

ResampledMean CrossValidation::mean(double Metrics::*metric) const {
  std::vector<double> values;
  values.reserve(folds.size());
  for (const FoldResult& fold : folds) {
    values.push_back(fold.test.*metric);
  }
  ResampledMean mean = resampled_mean(values, 1 / (static_cast<double>(folds.size()) - 1));
  // Student's t knows no bounds, but all metrics have some.
  mean.low = std::max(mean.low, 0.0);
  if (metric != &Metrics::enrichment_1) {
    mean.high = std::min(mean.high, 1.0);
  }
  return mean;
}

CrossValidation cross_validate(const GraphSet& graphs, const TrainingRequest& request,
                               std::size_t folds) {
  if (folds < 2) {
    throw UsageError("folds", "expected at least 2");
  }
  CrossValidation all;
  all.graphs.resize(graphs.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    try {
      TrainingResult result = train(graphs, request_of_fold(request, fold, folds));
      keep_scores(all, result, fold);
      all.labels = std::move(result.labels);
      all.folds.push_back({.split = std::move(result.split),
                           .members = std::move(result.members),
                           .validation = result.validation,
                           .test = result.test,
                           .seconds = result.seconds});
    } catch (const Cancelled& stopped) {
      throw Cancelled(fmt::format("fold {} of {}: {}", fold + 1, folds, stopped.what()));
    }
  }
  return all;
}

}  // namespace rayleigh
