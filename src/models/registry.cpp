#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rayleigh/error.h"

#include "core/text.h"
#include "models/recipe.h"

namespace rayleigh::models {

std::vector<std::unique_ptr<Recipe>> all_recipes() {
  std::vector<std::unique_ptr<Recipe>> all;
  for (auto* make : {make_rqgnn_recipe, make_chebynet_recipe, make_bernnet_recipe, make_gmt_recipe,
                     make_gmixup_recipe, make_tvgnn_recipe, make_igad_recipe, make_ocgin_recipe,
                     make_ocgtl_recipe, make_glocalkd_recipe, make_himnet_recipe, make_size_recipe,
                     make_label_counts_recipe}) {
    all.push_back(make());
  }
  return all;
}

std::unique_ptr<Recipe> make_recipe(std::string_view name) {
  std::vector<std::string> names;
  for (auto& recipe : all_recipes()) {
    if (recipe->name() == name) {
      return std::move(recipe);
    }
    names.push_back(recipe->name());
  }
  throw UsageError("model",
                   fmt::format("'{}' is unknown, expected one of {}{}", core::printable(name),
                               fmt::join(names, ", "), core::did_you_mean(name, names)));
}

}  // namespace rayleigh::models
