// Profile `paper`: what the text of the paper says, its gaps closed as docs/method.md tells.
// See rqgnn.h.
#pragma once

#include <vector>

#include "models/attribute_inputs.h"
#include "models/layers.h"
#include "models/rqgnn.h"

namespace rayleigh::models {

template <typename Real>
class RqgnnPaper : public Model<Real> {
 public:
  RqgnnPaper(const RqgnnOptions& options, std::size_t labels);

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

  struct Trace {
    nn::Value table;      ///< X~, one row per label or per node
    nn::Value filtered;   ///< h_j of every node, general way only
    nn::Value quotient;   ///< RQ
    nn::Value attention;  ///< the query, q * d wide
    nn::Value pooled;     ///< Σ_j a_j h_j
    nn::Value h_att;      ///< σ of it
    nn::Value h_rq;
    nn::Value embedding;   ///< [h_Att, h_RQ]
    nn::Value normalised;  ///< after batch norm
    nn::Value head;
    nn::Value logits;
  };
  Trace trace(nn::Tape<Real>& tape, const Features& features, std::span<const std::uint32_t> graphs,
              const nn::StepRandom& random) const;

 private:
  void draw(std::uint64_t seed) override;

  void pool_fast(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs, Trace& t) const;
  void pool_general(nn::Tape<Real>& tape, const Features& features,
                    std::span<const std::uint32_t> graphs, Trace& t) const;
  /// The query of the pooling, from the quotient.
  nn::Value make_query(nn::Tape<Real>& tape, nn::Value quotient) const;
  bool general() const {
    return options_.general_path || options_.features != NodeFeatures::labels;
  }

  RqgnnOptions options_;
  std::size_t labels_;
  AttributeInputs attributes_;
  std::vector<std::vector<double>> series_;  ///< Chebyshev coefficients of the wavelets
  Linear node1_;
  Linear node2_;
  Linear rq1_;
  Linear rq2_;
  Linear attention1_;
  Linear attention2_;
  nn::BatchNorm norm_;
  Linear head_;
  Linear classifier_;
};

}  // namespace rayleigh::models
