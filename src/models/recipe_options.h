// Options that several detectors share, declared in the same words, and the recipe of a detector
// with one vocabulary.
// Used by recipes only.
#pragma once

#include <string>

#include "core/option_set.h"
#include "models/class_loss.h"
#include "models/label_encoder.h"
#include "models/padded_batch.h"
#include "models/recipe.h"

namespace rayleigh::models {

inline void declare_class_loss(core::OptionSet& p, ClassLoss& loss, const std::string& help) {
  p.add("loss", loss.kind, help,
        {{"cb-focal", LossKind::cb_focal}, {"cross-entropy", LossKind::cross_entropy}});
  p.add("beta", loss.beta, "beta of the class-balanced weights", {0, 0.999999999});
  p.add("gamma", loss.gamma, "gamma of the focal loss", {0, 10});
}

inline void declare_labels(core::OptionSet& p, EncoderOptions& labels) {
  using graph::LabelLevel;
  p.add("labels", labels.level, "how much a node label says; finer ones fall back on coarser",
        {{"plain", LabelLevel::plain},
         {"degree", LabelLevel::degree},
         {"edges", LabelLevel::edges},
         {"wl1", LabelLevel::wl1},
         {"wl2", LabelLevel::wl2}});
  p.add("max-labels", labels.max_labels, "most frequent labels kept of each level", {1, 1'000'000});
}

inline void declare_padding(core::OptionSet& p, PaddingOptions& padding) {
  p.add("norm", padding.norm,
        "over nodes of one position in the batch, as the authors train, while scoring sees one "
        "graph at a time; or over the numbers of a node in both",
        {{"position", NormOver::position}, {"node", NormOver::node}});
  p.add(
      "empty-rows", padding.empty,
      "those up to the largest graph count in means, as the authors have it, so that scores depend "
      "on the size of a graph; or are ignored",
      {{"count", EmptyRows::count}, {"ignore", EmptyRows::ignored}});
}

/// The recipe of a detector with one vocabulary, that of its nodes. declare() calls declare_labels.
template <typename Derived>
class LabelRecipe : public RecipeOf<Derived> {
 public:
  std::vector<EncoderOptions> encoders() const override { return {labels_}; }

 protected:
  EncoderOptions labels_;
};

}  // namespace rayleigh::models
