#include "rayleigh/spectral/spectrum.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <numeric>

#include "rayleigh/error.h"

#include "core/thread_pool.h"
#include "spectral/shards.h"
#include "spectral/symmetric_eigenvalues.h"

namespace rayleigh::spectral {
namespace {

void load(const Laplacian& L, SymmetricEigenvalues& solver) {
  const auto matrix = solver.matrix(L.nodes());
  L.fill_dense(matrix, solver.stride());
}

/// The graphs of a shard by size, so that two solved side by side are about equally large.
std::vector<std::size_t> by_size(const Spectra& spectra, core::Range range) {
  std::vector<std::size_t> order;
  for (std::size_t g = range.begin; g < range.end; ++g) {
    if (!spectra[g].empty()) {
      order.push_back(g);
    }
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t g) { return spectra[g].size(); });
  return order;
}

}  // namespace

std::vector<double> eigenvalues(const Laplacian& L) {
  SymmetricEigenvalues solver;
  load(L, solver);
  const auto values = solver.compute();
  return {values.begin(), values.end()};
}

EigenDecomposition eigen_decomposition(const Laplacian& L) {
  const auto n = static_cast<Eigen::Index>(L.nodes());
  const std::vector<double> matrix = L.dense();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::Map<const Eigen::MatrixXd>(matrix.data(), n, n));
  if (solver.info() != Eigen::Success) {
    throw Error(ErrorKind::failed, "the eigenvectors of a graph did not converge");
  }
  const auto& values = solver.eigenvalues();
  const auto& vectors = solver.eigenvectors();
  return {{values.data(), values.data() + values.size()},
          {vectors.data(), vectors.data() + vectors.size()}};
}

std::vector<double> EigenDecomposition::transform(std::span<const double> x) const {
  assert(x.size() == size());
  std::vector<double> coefficients(size());
  for (std::size_t k = 0; k < size(); ++k) {
    const auto u = vector(k);
    coefficients[k] = std::inner_product(u.begin(), u.end(), x.begin(), 0.0);
  }
  return coefficients;
}

Spectra spectra(const GraphSet& graphs, LaplacianOptions options, const RunOptions& run,
                std::size_t dense_limit) {
  Spectra result;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::uint32_t nodes = graphs.graph_ptr()[g + 1] - graphs.graph_ptr()[g];
    result.graph_ptr.push_back(result.graph_ptr.back() + (nodes <= dense_limit ? nodes : 0));
  }
  result.values.resize(result.graph_ptr.back());
  core::ThreadPool pool(run);
  const auto shards = shards_of(graphs);
  for_each_shard(shards, pool, [&](std::size_t, core::Range range) {
    SymmetricEigenvalues x;
    SymmetricEigenvalues y;
    const auto store = [&](std::size_t g, const SymmetricEigenvalues& solver) {
      std::ranges::copy(solver.values(), result.values.begin() + result.graph_ptr[g]);
    };
    const auto order = by_size(result, range);
    for (std::size_t at = 0; at + 1 < order.size(); at += 2) {
      load(Laplacian(graphs, order[at], options), x);
      load(Laplacian(graphs, order[at + 1], options), y);
      SymmetricEigenvalues::compute_both(x, y);
      store(order[at], x);
      store(order[at + 1], y);
    }
    if (order.size() % 2 == 1) {
      load(Laplacian(graphs, order.back(), options), x);
      x.compute();
      store(order.back(), x);
    }
  });
  return result;
}

}  // namespace rayleigh::spectral
