#include "models/rqgnn.h"

#include <fmt/format.h>

#include "rayleigh/error.h"

#include "models/recipe_options.h"
#include "models/rqgnn_paper.h"
#include "models/rqgnn_published.h"
#include "models/rqgnn_rayleigh.h"

namespace rayleigh::models {

template <typename Real>
std::unique_ptr<Model<Real>> make_rqgnn(const RqgnnOptions& options,
                                        std::span<const LabelEncoder> labels) {
  switch (options.profile) {
    case Profile::published:
      return std::make_unique<RqgnnPublished<Real>>(options, labels[0].size());
    case Profile::paper:
      return std::make_unique<RqgnnPaper<Real>>(options, labels[0].size());
    case Profile::rayleigh:
      break;
  }
  return std::make_unique<RqgnnRayleigh<Real>>(options, labels);
}

template std::unique_ptr<Model<float>> make_rqgnn(const RqgnnOptions&,
                                                  std::span<const LabelEncoder>);
template std::unique_ptr<Model<double>> make_rqgnn(const RqgnnOptions&,
                                                   std::span<const LabelEncoder>);

namespace {

class RqgnnRecipe : public RecipeOf<RqgnnRecipe> {
 public:
  std::string name() const override { return "rqgnn"; }
  std::string summary() const override {
    return "Rayleigh quotient graph neural network, three profiles";
  }
  Standing standing() const override { return {Origin::ours}; }
  std::vector<std::string> rows_in_comparison() const override {
    return {"profile=published", "profile=rayleigh"};
  }
  std::string variant() const override {
    switch (options_.profile) {
      case Profile::published:
        return "published";
      case Profile::paper:
        return "paper";
      case Profile::rayleigh:
        break;
    }
    return "rayleigh";
  }

  void declare(core::OptionSet& p) override {
    const auto in_paper = [this] { return options_.profile == Profile::paper; };
    const auto in_rayleigh = [this] { return options_.profile == Profile::rayleigh; };
    p.add("profile", options_.profile,
          "rayleigh: ours; published: the authors' code; paper: the text",
          {{"rayleigh", Profile::rayleigh},
           {"published", Profile::published},
           {"paper", Profile::paper}});
    p.add("hidden", options_.hidden, "width of the hidden layers", {1, 4096});
    p.add("width", options_.width, "number of wavelets q; profile rayleigh has none", {1, 64});
    p.add("depth", options_.depth,
          "K: published filters have orders 0 … K-1, wavelet i of paper 0 … iK", {1, 64});
    p.add("dropout", options_.dropout, "share dropped before the last layer", {0, 0.99});
    p.add("pool", options_.pool, "how nodes become a graph; mean is RQGNN-1",
          {{"rq", nn::Pool::attention}, {"mean", nn::Pool::mean}, {"sum", nn::Pool::sum}});
    p.add("no-rql", no_explicit_, "leave out the explicit branch (RQGNN-2)");
    declare_class_loss(p, options_.loss, "cross-entropy is RQGNN-3");
    p.add("attention", options_.attention, "profile paper: quotient once per filter, or an MLP",
          {{"tiled", Attention::tiled}, {"learned", Attention::learned}})
        .only_with("`profile` paper", in_paper);
    p.add("quotient-laplacian", options_.quotient_laplacian, "profile paper: L of the quotient",
          {{"normalised", spectral::LaplacianKind::normalised},
           {"regular", spectral::LaplacianKind::regular}})
        .only_with("`profile` paper", in_paper);
    p.add("kernel", options_.kernel, "profile paper: wavelets of the filter bank",
          {{"mexican-hat", spectral::KernelFamily::mexican_hat},
           {"heat", spectral::KernelFamily::heat},
           {"beta", spectral::KernelFamily::beta},
           {"meyer", spectral::KernelFamily::meyer}})
        .only_with("`profile` paper", in_paper);
    p.add("scales", scales_, "profile paper: scales of the wavelets instead of the usual")
        .only_with("`profile` paper", in_paper);
    p.add("features", options_.features,
          "what a node shows: its label, its real attributes, or both (profiles published and "
          "paper)",
          {{"labels", NodeFeatures::labels},
           {"attributes", NodeFeatures::attributes},
           {"both", NodeFeatures::both}})
        .only_with("`profile` published or paper",
                   [this] { return options_.profile != Profile::rayleigh; });
    p.add("label-dropout", options_.label_dropout,
          "profile rayleigh: share of refined labels a step takes as their coarser ones", {0, 1})
        .only_with("`profile` rayleigh", in_rayleigh);
    p.add("form-labels", form_labels_,
          "profile rayleigh: labels of each Weisfeiler-Leman level whose quadratic forms are seen",
          {1, 1'000'000})
        .only_with("`profile` rayleigh", in_rayleigh);
    p.add("form-dropout", options_.form_dropout,
          "profile rayleigh: share of quadratic forms left out", {0, 0.99})
        .only_with("`profile` rayleigh", in_rayleigh);
    p.add("form-scale", options_.form_scale, "profile rayleigh: start of their weights", {0, 10})
        .only_with("`profile` rayleigh", in_rayleigh);
    declare_labels(p, labels_);
  }

  TrainingDefaults defaults() const override {
    TrainingDefaults defaults;
    if (options_.profile == Profile::rayleigh) {
      defaults.epochs = 40;
      defaults.patience = 15;
    }
    return defaults;
  }

  std::vector<EncoderOptions> encoders() const override {
    std::vector<EncoderOptions> encoders = {labels_};
    if (options_.profile == Profile::rayleigh && !no_explicit_) {
      for (const auto level :
           {graph::LabelLevel::plain, graph::LabelLevel::wl1, graph::LabelLevel::wl2}) {
        encoders.push_back({.level = level, .max_labels = form_labels_, .fall_back = false});
      }
    }
    return encoders;
  }
  bool vocabulary_of_all() const override { return options_.profile != Profile::rayleigh; }

  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    RqgnnOptions options = options_;
    options.explicit_branch = !no_explicit_;
    options.loss.class_counts = inputs.class_counts;
    // Scales double from wavelet to wavelet: further ones are spikes no polynomial can follow.
    if (constexpr std::size_t kMostWavelets = 16;
        options.profile == Profile::paper && options.width > kMostWavelets) {
      throw UsageError("width",
                       fmt::format("profile paper takes at most {} wavelets", kMostWavelets));
    }
    options.attributes = inputs.attributes;
    options.bins = inputs.bins;
    if (options.features != NodeFeatures::labels) {
      if (inputs.attributes.mean.empty()) {
        throw UsageError("features", "the graphs have no node attributes");
      }
    }
    options.scales = scales_;
    return make_rqgnn<Real>(options, inputs.labels);
  }

 private:
  RqgnnOptions options_;
  bool no_explicit_ = false;
  std::vector<double> scales_;
  EncoderOptions labels_;
  std::size_t form_labels_ = 3000;
};

}  // namespace

std::unique_ptr<Recipe> make_rqgnn_recipe() { return std::make_unique<RqgnnRecipe>(); }

}  // namespace rayleigh::models
