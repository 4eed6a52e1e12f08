#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <tuple>

#include "rayleigh/error.h"

#include "core/text.h"
#include "models/detectors.h"
#include "models/recipe.h"

namespace rayleigh::models {

std::vector<std::unique_ptr<Recipe>> all_recipes() {
  std::vector<std::unique_ptr<Recipe>> all;
  all.reserve(std::size(kDetectors));
  for (auto* make : kDetectors) {
    all.push_back(make());
  }
  std::ranges::sort(all, {}, [](const std::unique_ptr<Recipe>& recipe) {
    const Standing standing = recipe->standing();
    return std::tuple(standing.origin, standing.place, recipe->name());
  });
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
