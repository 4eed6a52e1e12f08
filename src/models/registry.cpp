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
  return {{{"rqgnn", "Rayleigh quotient graph neural network, three profiles", true},
           make_rqgnn_recipe}};
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
