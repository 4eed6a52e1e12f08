// How sure a difference is where all seeds share their test graphs: the graphs are drawn again,
// many times, for both methods alike. For comparisons by scaffold, with parts that are given, or
// with one seed. A thousand passes over the test graphs of every run.
#pragma once

#include <optional>
#include <vector>

#include "rayleigh/run_options.h"

#include "report/paired.h"

namespace rayleigh::report {

/// By row, the differences to the reference on one dataset, mean over the seeds that both have,
/// with percentile intervals. Nothing where a run does not know the order of its test graphs, or
/// they are not the same. The same for any number of threads.
std::optional<std::vector<PairedEntry>> paired_bootstrap(
    const std::vector<const ComparisonEntry*>& rows, std::size_t reference, const RunOptions& run);

}  // namespace rayleigh::report
