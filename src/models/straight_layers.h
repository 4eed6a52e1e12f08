// Piecewise linear layers at one input, where they are a straight line: what takes a margin apart.
// Used by explain() of the profiles of RQGNN, in double precision.
// As much work as the layers themselves.
#pragma once

#include <span>
#include <vector>

#include "models/label_features.h"
#include "models/layers.h"
#include "models/margin_shares.h"
#include "nn/ops_norm.h"
#include "nn/ops_rows.h"

namespace rayleigh::models {

/// Linear layers at one input, where they are a straight line.
class StraightLayers {
 public:
  template <typename Real>
  void add(const nn::Weights<Real>& p, const Linear& layer, nn::Activation activation) {
    add(p.value(layer.weight), p.value(layer.bias), nn::slope_of<double>(activation));
  }
  template <typename Real>
  void add(nn::Matrix<const Real> weight, nn::Matrix<const Real> bias, double slope_below_zero) {
    Layer layer{.inputs = weight.cols,
                .weight = {weight.flat().begin(), weight.flat().end()},
                .bias = {bias.flat().begin(), bias.flat().end()},
                .below_zero = slope_below_zero,
                .slope = {}};
    layers_.push_back(std::move(layer));
  }

  std::size_t inputs() const { return layers_.front().inputs; }
  /// The value at x; remembers the slopes there.
  std::vector<double> at(std::vector<double> x);
  /// The gradient of <g, value> with respect to x; adds what does not depend on x to `constant`.
  std::vector<double> pull_back(std::vector<double> g, double& constant) const;

 private:
  struct Layer {
    std::size_t inputs;
    std::vector<double> weight;  ///< outputs x inputs
    std::vector<double> bias;
    double below_zero;          ///< slope of the activation there
    std::vector<double> slope;  ///< of each output at the last x
  };
  std::vector<Layer> layers_;
};

/// A batch norm in scoring passes, by which a gradient goes back: adds the offset's part to
/// `constant`.
template <typename Real>
std::vector<double> pull_back(const nn::NormLine<Real>& line, std::span<const double> g,
                              double& constant) {
  std::vector<double> back(g.size());
  for (std::size_t c = 0; c < g.size(); ++c) {
    back[c] = g[c] * static_cast<double>(line.factor[c]);
    constant += g[c] * static_cast<double>(line.offset[c]);
  }
  return back;
}

/// Shares of nodes h_j that are pooled and weighed by g: <query, h_j> <g, h_j> and so on.
template <typename Real>
std::vector<double> node_shares(nn::Matrix<const Real> nodes, nn::Pool pool,
                                std::span<const Real> query, std::span<const double> g) {
  std::vector<double> shares(nodes.rows);
  for (std::size_t j = 0; j < nodes.rows; ++j) {
    double along = 0;
    double attention = 0;
    for (std::size_t c = 0; c < nodes.cols; ++c) {
      const auto h = static_cast<double>(nodes(j, c));
      along += g[c] * h;
      attention += pool == nn::Pool::attention ? static_cast<double>(query[c]) * h : 0;
    }
    shares[j] = along * (pool == nn::Pool::attention ? attention
                         : pool == nn::Pool::mean    ? 1 / static_cast<double>(nodes.rows)
                                                     : 1);
  }
  return shares;
}

/// Spreads <g, mean> of the mean training graph over the nodes and puts it into the constant.
template <typename Real>
void relative_to(std::span<const Real> mean, std::span<const double> g, MarginShares& explanation) {
  double base = 0;
  for (std::size_t c = 0; c < g.size(); ++c) {
    base += g[c] * static_cast<double>(mean[c]);
  }
  explanation.constant += base;
  for (double& share : explanation.nodes) {
    share -= base / static_cast<double>(explanation.nodes.size());
  }
}

/// Margin and constant of a classifier of two logits behind a batch norm; the slopes of the margin
/// with respect to the norm's inputs.
template <typename Real>
std::vector<double> margin_of_norm(nn::Tape<Real>& tape, const nn::Weights<Real>& p,
                                   const nn::BatchNorm& norm, const Linear& classifier,
                                   nn::Value logits, MarginShares& explanation) {
  const nn::Matrix<const Real> z = tape.value(logits);
  explanation.margin = static_cast<double>(z(0, 1)) - static_cast<double>(z(0, 0));
  const nn::Matrix<const Real> weight = p.value(classifier.weight);
  const nn::Matrix<const Real> bias = p.value(classifier.bias);
  explanation.constant += static_cast<double>(bias(0, 1)) - static_cast<double>(bias(0, 0));
  std::vector<double> g(weight.cols);
  for (std::size_t c = 0; c < g.size(); ++c) {
    g[c] = static_cast<double>(weight(1, c)) - static_cast<double>(weight(0, c));
  }
  return pull_back(nn::norm_line(tape, p, norm), g, explanation.constant);
}

/// Shares of the entries of a graph's row, which layers turn into what g weighs. `first_column` are
/// the first columns of vocabularies 1, 2, …, if there are several; vocabulary 0 otherwise.
template <typename Real>
void add_label_shares(StraightLayers& layers, const GraphRows<Real>& rows, std::size_t graph,
                      std::span<const double> g, std::span<const std::size_t> first_column,
                      MarginShares& explanation) {
  std::vector<double> x(layers.inputs(), 0.0);
  const auto entries =
      std::span(rows.entries)
          .subspan(rows.row_ptr[graph], rows.row_ptr[graph + 1] - rows.row_ptr[graph]);
  for (const auto& entry : entries) {
    x[entry.column] = static_cast<double>(entry.value);
  }
  static_cast<void>(layers.at(x));
  const auto slope = layers.pull_back({g.begin(), g.end()}, explanation.constant);
  for (const auto& entry : entries) {
    LabelShare share{
        .vocabulary = 0, .label = entry.column, .share = slope[entry.column] * x[entry.column]};
    for (std::size_t v = 0; v < first_column.size() && entry.column >= first_column[v]; ++v) {
      share.vocabulary = v + 1;
      share.label = static_cast<std::uint32_t>(entry.column - first_column[v]);
    }
    explanation.labels.push_back(share);
  }
}

}  // namespace rayleigh::models
