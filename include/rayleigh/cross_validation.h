// Cross-validation: a detector trained once per fold, each time tested on graphs it never saw,
// until every graph has a score of a detector that did not learn from it. Says how good a detector
// of these options is on all of the data; `rayleigh train --folds` then trains the one that is kept
// on all of it. As many trainings as folds.
#pragma once

#include <cstdint>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/metrics.h"
#include "rayleigh/resampled_mean.h"
#include "rayleigh/training.h"

namespace rayleigh {

struct FoldResult {
  Split split;
  std::vector<TrainedMember> members;
  Metrics validation;
  Metrics test;
  TrainingSeconds seconds;
};

/// A graph as the detector of the other folds sees it.
struct OutOfFold {
  std::int32_t fold = -1;  ///< from 0; -1 = in none, and nothing else is known
  double score = 0;
  double probability = 0;  ///< NaN where the detector has none
  bool anomalous = false;  ///< above the threshold of its detector
};

struct CrossValidation {
  std::vector<FoldResult> folds;
  std::vector<OutOfFold> graphs;    ///< every graph of the data
  std::vector<std::int8_t> labels;  ///< as in TrainingResult

  /// Over the folds that have the metric.
  ResampledMean mean(double Metrics::*metric) const;
};

/// Options, threads, stop and progress as in train(); `split` must be a rule, and of the options
/// that say it the test share is not used. The checkpoint of fold k of K is the request's with
/// ".fold-k-of-K" behind it, k from 1. UsageError as of train(), and for more folds than there are
/// anomalous graphs.
CrossValidation cross_validate(const GraphSet& graphs, const TrainingRequest& request,
                               std::size_t folds);

}  // namespace rayleigh
