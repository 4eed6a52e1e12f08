// The detectors the paper compares RQGNN with, one file each; here are their options.
// Defaults are those of their authors. The recipes of registry.cpp make them from flags; tests make
// them from the options directly, in both precisions.
// docs/baselines.md describes each.
#pragma once

#include <memory>

#include "models/class_loss.h"
#include "models/model.h"
#include "models/padded_batch.h"

namespace rayleigh::models {

enum class Readout { mean, sum };

/// Two Chebyshev convolutions of K matrices each, pooled nodes, one linear layer.
struct ChebynetOptions {
  std::size_t hidden = 64;
  std::size_t depth = 3;  ///< K, so polynomials have degree K - 1
  double dropout = 0.5;
  Readout readout = Readout::mean;
  ClassLoss loss{.kind = LossKind::cross_entropy};
};
template <typename Real>
std::unique_ptr<Model<Real>> make_chebynet(const ChebynetOptions& options, std::size_t labels);

/// What the Bernstein filter works on: the two logits of a node, as its authors have it, or its
/// hidden features.
enum class Filtered { logits, hidden };

/// A linear network on the labels of nodes, filtered by a polynomial in the Bernstein basis.
struct BernnetOptions {
  std::size_t hidden = 64;
  std::size_t depth = 10;  ///< K, the degree
  double dropout = 0.5;
  double filter_dropout = 0.5;  ///< of what is filtered
  Filtered filtered = Filtered::logits;
  ClassLoss loss{.kind = LossKind::cross_entropy};
};
template <typename Real>
std::unique_ptr<Model<Real>> make_bernnet(const BernnetOptions& options, std::size_t labels);

/// Propagated attributes and counts of walks; the loss corrects for the sizes of the classes.
struct IgadOptions {
  std::size_t hidden = 64;        ///< of the first propagation and the self branch
  std::size_t out = 32;           ///< of the second propagation and the attribute branch
  std::size_t walk_hidden = 32;   ///< of the walk branch and the head
  std::size_t walk_out = 16;      ///< of the walk branch
  std::size_t hidden_graphs = 5;  ///< learned graphs that inputs are compared with
  std::size_t hidden_nodes = 10;  ///< of each of them
  std::size_t steps = 5;          ///< longest walk
  std::array<std::size_t, 2> class_counts = {1, 1};
};
template <typename Real>
std::unique_ptr<Model<Real>> make_igad(const IgadOptions& options, std::size_t labels);

/// Graph multiset transformer: graph convolutions, then attention pooling with learned queries.
struct GmtOptions {
  std::size_t hidden = 128;
  std::size_t heads = 4;
  std::size_t seeds = 7;  ///< queries of the first pooling
  double dropout = 0.5;
  bool layer_norm = false;
  bool cluster = true;  ///< softmax over the queries instead of the nodes
  ClassLoss loss{.kind = LossKind::cross_entropy};
};
template <typename Real>
std::unique_ptr<Model<Real>> make_gmt(const GmtOptions& options, std::size_t labels);

enum class GmixupFeatures { degrees, labels };

/// How many graphs G-Mixup makes up, and of what.
struct MixupOptions {
  double share = 0.15;        ///< made-up graphs for each training graph
  std::size_t mixtures = 10;  ///< graphons they are drawn from
  double least = 0.005;       ///< weight of the first graphon of a mixture
  double most = 0.01;
  double threshold = 0.2;  ///< singular values below this times the root of the size are dropped
};

/// Graph isomorphism network, trained on graphs drawn from mixtures of both classes' graphons too.
struct GmixupOptions {
  std::size_t hidden = 64;
  std::size_t layers = 5;
  GmixupFeatures features = GmixupFeatures::labels;
  MixupOptions mixup{};
  ClassLoss loss{.kind = LossKind::cross_entropy};
};
template <typename Real>
std::unique_ptr<Model<Real>> make_gmixup(const GmixupOptions& options, std::size_t labels);
/// Steps that lower the total variation of node features, between poolings of nodes into soft
/// clusters; how well these are cut and how even they are is part of the loss.
struct TvgnnOptions {
  std::size_t hidden = 32;
  std::size_t pool_hidden = 32;                  ///< of the networks that choose clusters
  std::array<std::size_t, 2> clusters = {8, 4};  ///< of the two poolings
  double delta = 2;                              ///< length of a step
  double epsilon = 1e-3;                         ///< least distance between neighbours
  double variation_weight = 0.5;                 ///< of the total variation of the clusters
  double balance_weight = 0.5;
  bool padded_balance = true;  ///< graphs of a batch count as large as the largest of them
  ClassLoss loss{.kind = LossKind::cross_entropy};
};
template <typename Real>
std::unique_ptr<Model<Real>> make_tvgnn(const TvgnnOptions& options, std::size_t labels);

/// The number of nodes, a yardstick: it learns nothing.
template <typename Real>
std::unique_ptr<Model<Real>> make_size();

/// Gradient boosting on label counts, a yardstick: it sees no edge.
struct LabelCountsOptions {
  std::size_t rounds = 100;
  std::size_t tree_depth = 3;
  double shrinkage = 0.1;
  std::size_t least_graphs = 20;  ///< of a leaf
};
template <typename Real>
std::unique_ptr<Model<Real>> make_label_counts(const LabelCountsOptions& options,
                                               std::size_t labels);

enum class OcginVersion {
  a,  ///< of the first authors: batch norm, mean pooling, layers summed
  b,  ///< of the authors of OCGTL: graph norm, sum pooling, no biases
};

/// Squared distance of a GIN embedding to the mean of the training graphs before training.
struct OcginOptions {
  OcginVersion version = OcginVersion::b;
  std::size_t hidden = 32;
  std::size_t layers = 4;
  double dropout = 0;  ///< version a
};
template <typename Real>
std::unique_ptr<Model<Real>> make_ocgin(const OcginOptions& options, std::size_t labels);

/// Several GINs as learned transformations of a graph, told apart by contrast.
struct OcgtlOptions {
  std::size_t hidden = 32;
  std::size_t layers = 4;
  std::size_t views = 6;
};
template <typename Real>
std::unique_ptr<Model<Real>> make_ocgtl(const OcgtlOptions& options, std::size_t labels);

/// A student that imitates a random teacher on normal graphs.
struct GlocalkdOptions {
  std::size_t hidden = 512;
  std::size_t out = 256;
  double dropout = 0.1;  ///< of the student
  PaddingOptions padding{};
  bool squared_loss = true;  ///< gradients are those of loss^2 / 2, as the authors have it
};
template <typename Real>
std::unique_ptr<Model<Real>> make_glocalkd(const GlocalkdOptions& options, std::size_t labels);

/// An autoencoder whose codes are mixtures of a few learned ones.
struct HimnetOptions {
  std::size_t hidden = 512;
  std::size_t out = 256;
  std::size_t node_blocks = 4;
  std::size_t graph_blocks = 3;
  double shrink = 0.2;    ///< shares below this part of an equal one are cut
  double entropy = 0.01;  ///< weight of the mixtures' entropies in the loss
  PaddingOptions padding{};
};
template <typename Real>
std::unique_ptr<Model<Real>> make_himnet(const HimnetOptions& options, std::size_t labels);

}  // namespace rayleigh::models
