#include "rayleigh/spectral/profile.h"

#include <algorithm>

#include "rayleigh/spectral/density.h"
#include "rayleigh/spectral/energy.h"
#include "rayleigh/spectral/lanczos.h"

#include "core/thread_pool.h"
#include "spectral/shards.h"

namespace rayleigh::spectral {
namespace {

SpectralProfile exact_profile(const Laplacian& L, std::span<const std::uint32_t> labels,
                              std::span<const double> thresholds, std::span<double> out) {
  const EigenDecomposition decomposition = eigen_decomposition(L);
  const SpectralEnergy energy = label_energy(decomposition, labels);
  std::ranges::transform(thresholds, out.begin(),
                         [&](double t) { return energy.high_frequency(t); });
  SpectralProfile profile{.lambda_2 = std::nullopt, .lambda_max = decomposition.values().back()};
  if (decomposition.size() > 1) {
    profile.lambda_2 = std::max(0.0, decomposition.values()[1]);
  }
  return profile;
}

SpectralProfile estimated_profile(const Laplacian& L, std::span<const std::uint32_t> labels,
                                  std::span<const double> thresholds, std::span<double> out) {
  const SpectralDensity density = label_energy_density(L, labels);
  std::ranges::transform(thresholds, out.begin(),
                         [&](double t) { return density.high_frequency(t); });
  const ExtremeEigenvalues extremes = extreme_eigenvalues(L);
  return {.lambda_2 = extremes.lambda_2, .lambda_max = extremes.lambda_max, .exact = false};
}

}  // namespace

SpectralProfiles spectral_profiles(const GraphSet& graphs, std::span<const double> thresholds,
                                   LaplacianOptions options, const RunOptions& run,
                                   std::size_t dense_limit,
                                   const std::function<void(std::size_t)>& progress) {
  SpectralProfiles result;
  result.graph.resize(graphs.size());
  result.thresholds = thresholds.size();
  result.high_frequency.resize(graphs.size() * thresholds.size());
  core::ThreadPool pool(run);
  const auto shards = shards_of(graphs);
  for_each_shard(shards, pool, [&](std::size_t, core::Range range) {
    for (std::size_t g = range.begin; g < range.end; ++g) {
      const Laplacian L(graphs, g, options);
      const auto labels = graphs.node_label().subspan(graphs.graph_ptr()[g], L.nodes());
      const auto out =
          std::span(result.high_frequency).subspan(g * thresholds.size(), thresholds.size());
      result.graph[g] = L.nodes() <= dense_limit ? exact_profile(L, labels, thresholds, out)
                                                 : estimated_profile(L, labels, thresholds, out);
      if (progress) {
        progress(1);
      }
    }
  });
  return result;
}

}  // namespace rayleigh::spectral
