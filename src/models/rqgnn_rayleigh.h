// Profile `rayleigh`: ours. Node labels say more (refined, with fallback), filters are trained,
// node layers are normalised, and the explicit branch sees the quadratic forms of Weisfeiler-Leman
// labels, which contain substructure counts as a special case.
// See rqgnn.h and docs/method.md.
#pragma once

#include "models/layers.h"
#include "models/rqgnn.h"

namespace rayleigh::models {

template <typename Real>
class RqgnnRayleigh : public Model<Real> {
 public:
  /// The first vocabulary is that of the nodes, the others are those of the quadratic forms.
  RqgnnRayleigh(const RqgnnOptions& options, std::span<const LabelEncoder> labels);

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

 private:
  void draw(std::uint64_t seed) override;
  /// The features of every label: the sum of its own row and those of its coarser labels. Training
  /// passes leave out own rows of refined labels at random.
  nn::Value label_table(nn::Tape<Real>& tape, const nn::StepRandom& random) const;
  /// The implicit branch: filtered, mixed and pooled nodes.
  nn::Value pool_training(nn::Tape<Real>& tape, const nn::RowBatch<Real>& batch, nn::Value table,
                          nn::Value query) const;
  nn::Value pool_scoring(nn::Tape<Real>& tape, const nn::RowBatch<Real>& batch, nn::Value table,
                         nn::Value query) const;
  /// The query of the attention, one row per graph.
  nn::Value make_query(nn::Tape<Real>& tape, const nn::RowBatch<Real>& own) const;

  RqgnnOptions options_;
  std::vector<std::uint32_t> parents_;    ///< of each label; labels_ = none
  std::size_t labels_;                    ///< without "other"
  std::vector<std::size_t> form_labels_;  ///< of each further vocabulary, and columns of bins
  nn::WeightId embedding_;                ///< one row per label
  nn::WeightId filters_;                  ///< row (order, feature), column hidden
  nn::BatchNorm node_norm1_;
  Linear mix_;
  nn::BatchNorm node_norm2_;
  Linear attention1_;
  Linear attention2_;
  Linear explicit1_;
  Linear explicit2_;
  nn::BatchNorm norm_;
  Linear classifier_;
};

}  // namespace rayleigh::models
