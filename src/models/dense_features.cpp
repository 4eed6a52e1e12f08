#include "models/dense_features.h"

#include <algorithm>
#include <cmath>

#include "nn/ops_elementwise.h"

namespace rayleigh::models {

AttributeScale fit_attribute_scale(const GraphSet& graphs, std::span<const std::uint32_t> chosen) {
  const std::size_t width = graphs.attribute_count();
  AttributeScale scale{.mean = core::Vector<double>(width, 0.0),
                       .inverse = core::Vector<double>(width, 1.0)};
  double nodes = 0;
  const auto for_each = [&](auto&& use) {
    for (const std::uint32_t g : chosen) {
      for (std::size_t i = graphs.graph_ptr()[g]; i < graphs.graph_ptr()[g + 1]; ++i) {
        use(graphs.attributes(i));
      }
    }
  };
  for_each([&](std::span<const float> row) {
    nodes += 1;
    for (std::size_t a = 0; a < width; ++a) {
      scale.mean[a] += static_cast<double>(row[a]);
    }
  });
  for (double& mean : scale.mean) {
    mean /= std::max(1.0, nodes);
  }
  core::Vector<double> squares(width, 0.0);
  for_each([&](std::span<const float> row) {
    for (std::size_t a = 0; a < width; ++a) {
      const double d = static_cast<double>(row[a]) - scale.mean[a];
      squares[a] += d * d;
    }
  });
  for (std::size_t a = 0; a < width; ++a) {
    const double deviation = std::sqrt(squares[a] / std::max(1.0, nodes));
    scale.inverse[a] = deviation > 1e-12 ? 1 / deviation : 0.0;  // a constant says nothing
  }
  return scale;
}

template <typename Real>
std::unique_ptr<DenseFeatures<Real>> dense_features(const GraphSet& graphs,
                                                    const spectral::NodeLabels& labels,
                                                    std::size_t known_labels, NodeFeatures which,
                                                    const AttributeScale& scale) {
  auto features = std::make_unique<DenseFeatures<Real>>();
  DenseFeatures<Real>& f = *features;
  f.shifted = graph_matrix<Real>(graphs, Propagation::shifted);
  const std::size_t one_hot = which == NodeFeatures::attributes ? 0 : known_labels;
  const std::size_t attributes = which == NodeFeatures::labels ? 0 : scale.mean.size();
  f.width = one_hot + attributes;
  f.x.assign(graphs.nodes() * f.width, Real{0});
  for (std::size_t i = 0; i < graphs.nodes(); ++i) {
    Real* row = &f.x[i * f.width];
    if (labels.of_node[i] < one_hot) {
      row[labels.of_node[i]] = 1;
    }
    for (std::size_t a = 0; a < attributes; ++a) {
      const double value = static_cast<double>(graphs.attributes(i)[a]);
      row[one_hot + a] = static_cast<Real>((value - scale.mean[a]) * scale.inverse[a]);
    }
  }
  // x'Lx = Σ over edges of w (s_i x_i - s_j x_j)², with the multiplicity of edges as their weight.
  const auto weight = [&](std::size_t e) {
    return graphs.multiplicity().empty() ? 1.0 : static_cast<double>(graphs.multiplicity()[e]);
  };
  core::Vector<double> root(graphs.nodes(), 0.0);
  for (std::size_t i = 0; i < graphs.nodes(); ++i) {
    double degree = 0;
    for (std::size_t e = graphs.row_ptr()[i]; e < graphs.row_ptr()[i + 1]; ++e) {
      degree += weight(e);
    }
    root[i] = degree > 0 ? 1 / std::sqrt(degree) : 0;
  }
  f.forms.assign(graphs.size() * f.width, Real{0});
  core::Vector<double> sums(f.width);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t i = graphs.graph_ptr()[g]; i < graphs.graph_ptr()[g + 1]; ++i) {
      for (std::size_t e = graphs.row_ptr()[i]; e < graphs.row_ptr()[i + 1]; ++e) {
        const std::size_t j = graphs.col()[e];
        for (std::size_t c = 0; c < f.width; ++c) {
          const double d = root[i] * static_cast<double>(f.x[i * f.width + c]) -
                           root[j] * static_cast<double>(f.x[j * f.width + c]);
          sums[c] += 0.5 * weight(e) * d * d;
        }
      }
    }
    for (std::size_t c = 0; c < f.width; ++c) {
      f.forms[g * f.width + c] = static_cast<Real>(sums[c]);
    }
  }
  return features;
}

template <typename Real>
DenseBatch<Real> dense_batch(nn::Tape<Real>& tape, const DenseFeatures<Real>& features,
                             std::span<const std::uint32_t> graphs) {
  const auto block = block_matrix(tape, features.shifted, graphs);
  const std::size_t width = features.width;
  const nn::Matrix<Real> x = tape.scratch(block.first_row.back(), width);
  const nn::Matrix<Real> forms = tape.scratch(graphs.size(), width);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::size_t g = graphs[i];
    const std::size_t begin = features.shifted.graph_ptr[g];
    const std::size_t nodes = features.shifted.graph_ptr[g + 1] - begin;
    std::copy_n(&features.x[begin * width], nodes * width, x.data + block.first_row[i] * width);
    std::copy_n(&features.forms[g * width], width, forms.data + i * width);
  }
  return {.shifted = block.matrix,
          .x = tape.constant(x),
          .forms = tape.constant(forms),
          .first_row = block.first_row};
}

template <typename Real>
std::span<nn::Value> chebyshev_orders(nn::Tape<Real>& tape, const nn::Csr<Real>& shifted,
                                      nn::Value x, std::size_t orders) {
  const auto t = tape.template array<nn::Value>(orders);
  for (std::size_t k = 0; k < orders; ++k) {
    if (k == 0) {
      t[0] = x;
    } else if (k == 1) {
      t[1] = nn::spmm_symmetric(tape, shifted, x);
    } else {
      t[k] = nn::subtract(tape, nn::scale(tape, nn::spmm_symmetric(tape, shifted, t[k - 1]), 2.0),
                          t[k - 2]);
    }
  }
  return t;
}

template std::unique_ptr<DenseFeatures<float>> dense_features(const GraphSet&,
                                                              const spectral::NodeLabels&,
                                                              std::size_t, NodeFeatures,
                                                              const AttributeScale&);
template DenseBatch<float> dense_batch(nn::Tape<float>&, const DenseFeatures<float>&,
                                       std::span<const std::uint32_t>);
template std::span<nn::Value> chebyshev_orders(nn::Tape<float>&, const nn::Csr<float>&, nn::Value,
                                               std::size_t);
template std::unique_ptr<DenseFeatures<double>> dense_features(const GraphSet&,
                                                               const spectral::NodeLabels&,
                                                               std::size_t, NodeFeatures,
                                                               const AttributeScale&);
template DenseBatch<double> dense_batch(nn::Tape<double>&, const DenseFeatures<double>&,
                                        std::span<const std::uint32_t>);
template std::span<nn::Value> chebyshev_orders(nn::Tape<double>&, const nn::Csr<double>&, nn::Value,
                                               std::size_t);

}  // namespace rayleigh::models
