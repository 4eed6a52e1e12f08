// RQGNN (ICLR 2024): the explicit branch learns from Rayleigh quotients, the implicit branch
// filters node features with Chebyshev wavelets and pools them with the quotient as attention.
// Three profiles: `published` computes what the authors' code computes, `paper` what the text says,
// `rayleigh` is ours. Per node one hidden x hidden product and a few sparse rows.
#pragma once

#include <memory>
#include <vector>

#include "rayleigh/spectral/laplacian.h"
#include "rayleigh/spectral/wavelets.h"

#include "graph/attribute_bins.h"
#include "models/class_loss.h"
#include "models/dense_features.h"
#include "models/label_encoder.h"
#include "models/model.h"
#include "nn/ops_rows.h"

namespace rayleigh::models {

/// σ of the paper.
inline constexpr auto kSigma = nn::Activation::leaky_relu;

enum class Profile { published, paper, rayleigh };
/// The query of the paper's pooling: the quotient once per wavelet, or an MLP of it.
enum class Attention { tiled, learned };

struct RqgnnOptions {
  Profile profile = Profile::rayleigh;
  std::size_t hidden = 64;
  std::size_t width = 4;  ///< q, the number of filters
  std::size_t depth = 6;  ///< K
  double dropout = 0.4;
  nn::Pool pool = nn::Pool::attention;
  bool explicit_branch = true;  ///< false is RQGNN-2
  ClassLoss loss{};
  NodeFeatures features = NodeFeatures::labels;
  bool general_path = false;    ///< take the general way also where the label basis would do
  AttributeScale attributes{};  ///< of the training nodes; only its size matters for a stored model
  graph::AttributeBins bins{};  ///< what profile `rayleigh` sees of attributes

  // Profile `paper` only.
  Attention attention = Attention::tiled;
  spectral::LaplacianKind quotient_laplacian = spectral::LaplacianKind::normalised;
  spectral::KernelFamily kernel = spectral::KernelFamily::mexican_hat;
  std::vector<double> scales{};  ///< empty = the family's own

  // Profile `rayleigh` only.
  double label_dropout = 0.2;  ///< share of refined labels that count as their coarser one
  double form_dropout = 0.5;   ///< share of quadratic forms left out
  double form_scale = 0.05;    ///< bound of the first explicit layer's start values
};

/// `labels` are the vocabularies: of the nodes, and for profile `rayleigh` of the quadratic forms.
template <typename Real>
std::unique_ptr<Model<Real>> make_rqgnn(const RqgnnOptions& options,
                                        std::span<const LabelEncoder> labels);

}  // namespace rayleigh::models
