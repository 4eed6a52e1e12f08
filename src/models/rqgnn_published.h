// Profile `published`: what the authors' code computes (spec: section 2.1 of the baselines).
// See rqgnn.h.
#pragma once

#include "models/attribute_inputs.h"
#include "models/layers.h"
#include "models/rqgnn.h"

namespace rayleigh::models {

template <typename Real>
class RqgnnPublished : public Model<Real> {
 public:
  RqgnnPublished(const RqgnnOptions& options, std::size_t labels);

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode mode,
                                    core::ThreadPool& pool) const override;
  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& random) const override;
  nn::Value loss(nn::Tape<Real>& tape, const Output& out,
                 std::span<const float> targets) const override;
  std::optional<MarginShares> explain(nn::Tape<Real>& tape, const Features& features,
                                      std::uint32_t graph) const override;

  /// Everything between the graphs and the logits that can be looked at.
  struct Trace {
    nn::Value h1;  ///< node features after the input layers: one row per label or per node
    std::span<nn::Value> orders;  ///< T_k of them, general way only
    nn::Value mixed;              ///< after mix_lin1, general way only
    nn::Value nodes;              ///< after mix_lin2, general way only
    nn::Value attention;          ///< v
    nn::Value pooled;             ///< P
    nn::Value explicit_part;      ///< e
    nn::Value embedding;          ///< [P, e]
    nn::Value normalised;         ///< after batch norm
    nn::Value logits;
  };
  Trace trace(nn::Tape<Real>& tape, const Features& features, std::span<const std::uint32_t> graphs,
              const nn::StepRandom& random) const;

 private:
  void draw(std::uint64_t seed) override;

  /// What the label basis is multiplied with: filters and first mixing layer in one table.
  struct LabelTable {
    nn::Value weight;
    nn::Value bias;
  };
  LabelTable label_table(nn::Tape<Real>& tape, std::size_t labels_of_basis, Trace& t) const;
  /// The pooled nodes by the label basis, or by sparse products.
  void pool_fast(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs, Trace& t) const;
  void pool_general(nn::Tape<Real>& tape, const Features& features,
                    std::span<const std::uint32_t> graphs, Trace& t) const;
  bool general() const {
    return options_.general_path || options_.features != NodeFeatures::labels;
  }

  RqgnnOptions options_;
  std::size_t labels_;
  AttributeInputs attributes_;
  std::size_t width_;  ///< of the node features
  Linear node1_;
  Linear node2_;
  nn::WeightId filters_;      ///< row (k, in), column (i, out): matrix of order k of filter i
  nn::WeightId filter_bias_;  ///< 1 x (i, out)
  Linear mix1_;
  Linear mix2_;
  Linear attention1_;
  Linear attention2_;
  Linear explicit1_;
  Linear explicit2_;
  nn::BatchNorm norm_;
  Linear classifier_;
};

}  // namespace rayleigh::models
