// Models of any detector for tests: options set by name, in single or double precision.
// They come from the registry, so a new detector needs nothing here.
// Nothing here is part of the library.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rayleigh/graph_set_builder.h"

#include "models/recipe.h"

namespace rayleigh::models {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Options that flags set, and those that none does.
inline void declare_all(Recipe& recipe, core::OptionSet& options) {
  recipe.declare(options);
  recipe.declare_fixed(options);
}

inline std::unique_ptr<Recipe> recipe_with(std::string_view detector, const Settings& settings) {
  auto recipe = make_recipe(detector);
  core::OptionSet options;
  declare_all(*recipe, options);
  for (const auto& [name, value] : settings) {
    core::OptionSet::assign(options.at(name), std::string_view(value));
  }
  return recipe;
}

template <typename Real>
std::unique_ptr<Model<Real>> model_of(const Recipe& recipe, const ModelInputs& inputs) {
  if constexpr (std::is_same_v<Real, double>) {
    return recipe.make_double(inputs);
  } else {
    return recipe.make(inputs);
  }
}

/// A vocabulary of so many words.
inline LabelEncoder encoder_of(std::size_t labels) {
  GraphSetBuilder builder;
  builder.begin_graph();
  for (std::size_t label = 0; label < labels; ++label) {
    builder.add_node(std::to_string(label));
  }
  core::ThreadPool pool(1);
  return LabelEncoder::fit(builder.build(), std::vector<std::uint32_t>{0}, {}, pool);
}

/// For a detector with one vocabulary.
template <typename Real>
std::unique_ptr<Model<Real>> make_model(std::string_view detector, const Settings& settings,
                                        std::size_t labels, ModelInputs inputs = {}) {
  const std::vector<LabelEncoder> encoders{encoder_of(labels)};
  inputs.labels = encoders;
  return model_of<Real>(*recipe_with(detector, settings), inputs);
}

}  // namespace rayleigh::models
