// How well a number separates two samples: ROC-AUC, Kolmogorov-Smirnov, Wasserstein distance.
// Use to see at once how much signal a quantity carries, before any model is trained.
// One sort of both samples.
#pragma once

#include <span>

namespace rayleigh::core {

/// Probability that a random value of `positive` exceeds one of `negative`; ties count one half.
/// Neither may be empty.
double auc(std::span<const double> negative, std::span<const double> positive);

struct KolmogorovSmirnov {
  double statistic = 0;  ///< largest distance of the two empirical distribution functions
  double p_value = 1;    ///< two-sided, asymptotic with Stephens' correction for small samples
};
KolmogorovSmirnov kolmogorov_smirnov(std::span<const double> a, std::span<const double> b);

/// Area between the two empirical distribution functions.
double wasserstein(std::span<const double> a, std::span<const double> b);

}  // namespace rayleigh::core
