#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rayleigh/error.h"

#include "core/text.h"
#include "models/recipe.h"

namespace rayleigh::models {
namespace {

struct Registered {
  ModelInfo info;
  std::unique_ptr<Recipe> (*make)();
};

std::vector<Registered> registered() {
  return {{{"rqgnn", "Rayleigh quotient graph neural network, three profiles",
            LearnsFrom::both_classes},
           make_rqgnn_recipe},
          {{"chebynet", "Chebyshev graph convolutions (Defferrard et al. 2016)",
            LearnsFrom::both_classes},
           make_chebynet_recipe},
          {{"bernnet", "learned spectral filter in the Bernstein basis (He et al. 2021)",
            LearnsFrom::both_classes},
           make_bernnet_recipe},
          {{"gmt", "graph multiset transformer (Baek et al. 2021)", LearnsFrom::both_classes},
           make_gmt_recipe},
          {{"igad", "attributes and random walks, prior-corrected (Zhang et al. 2022)",
            LearnsFrom::both_classes},
           make_igad_recipe},
          {{"ocgin", "distance to the centre of normal graphs (Zhao and Akoglu 2021)",
            LearnsFrom::normal_graphs},
           make_ocgin_recipe},
          {{"ocgtl", "learned views of a graph, told apart by contrast (Qiu et al. 2022)",
            LearnsFrom::normal_graphs},
           make_ocgtl_recipe},
          {{"size", "yardstick: the number of nodes", LearnsFrom::normal_graphs}, make_size_recipe},
          {{"label-counts", "yardstick: gradient boosting on label counts, no edges",
            LearnsFrom::both_classes},
           make_label_counts_recipe}};
}

}  // namespace

std::vector<ModelInfo> all_models() {
  std::vector<ModelInfo> infos;
  for (const Registered& model : registered()) {
    infos.push_back(model.info);
  }
  return infos;
}

std::unique_ptr<Recipe> make_recipe(std::string_view name) {
  std::vector<std::string> names;
  for (const Registered& model : registered()) {
    if (model.info.name == name) {
      return model.make();
    }
    names.push_back(model.info.name);
  }
  throw UsageError(fmt::format("--model: '{}' is unknown, expected one of {}{}",
                               core::printable(name), fmt::join(names, ", "),
                               core::did_you_mean(name, names)));
}

}  // namespace rayleigh::models
