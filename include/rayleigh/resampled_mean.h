// The mean of a metric over repeated splits or folds, its 95 % interval and a test against zero.
// For the metrics of one detector, or for the differences of two on the same splits.
// A few sums.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace rayleigh {

/// NaN where there is none: everything but the mean needs two values.
struct ResampledMean {
  std::size_t count = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double deviation = std::numeric_limits<double>::quiet_NaN();  ///< of a sample
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  double p_value = std::numeric_limits<double>::quiet_NaN();  ///< two-sided, of a true mean of 0
};

/// Student's t with the correction of Nadeau and Bengio (2003). Training parts of repeated splits
/// overlap, so n values vary less than n independent ones: the variance of their mean is taken as
/// (1/n + test_per_train) times that of the values. `test_per_train` is the number of test graphs
/// per graph outside the test part; 0 takes the values for independent. Values that are not finite
/// are left out.
ResampledMean resampled_mean(std::span<const double> values, double test_per_train);

/// Probability that |t| is at least this large by chance.
double student_t_p_value(double t, double degrees);
/// The t that chance exceeds on either side with this probability.
double student_t_quantile(double p_value, double degrees);

}  // namespace rayleigh
