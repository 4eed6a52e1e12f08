// The registry, which CMake makes of the files of src/models.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "rayleigh/error.h"

#include "models/recipe.h"

namespace rayleigh::models {
namespace {

TEST(Registry, HasEveryNameOnce) {
  std::set<std::string> names;
  for (const auto& recipe : all_recipes()) {
    EXPECT_TRUE(names.insert(recipe->name()).second) << recipe->name();
    EXPECT_EQ(make_recipe(recipe->name())->name(), recipe->name());
    EXPECT_FALSE(recipe->summary().empty()) << recipe->name();
  }
  EXPECT_GE(names.size(), 13U);
  EXPECT_THROW(make_recipe("no such detector"), UsageError);
}

TEST(Registry, BeginsWithOursAndEndsWithYardsticks) {
  const auto recipes = all_recipes();
  EXPECT_EQ(recipes.front()->name(), "rqgnn");
  EXPECT_TRUE(std::ranges::is_sorted(recipes, {},
                                     [](const auto& recipe) { return recipe->standing().origin; }));
  EXPECT_TRUE(recipes.back()->is_yardstick());
}

/// "| `name` | learns from | …" lines of a table, its first two cells.
std::vector<std::pair<std::string, std::string>> first_cells(std::istream& text) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("| `")) {
      const auto name = line.substr(3, line.find('`', 3) - 3);
      const auto begin = line.find("| ", 3) + 2;
      rows.emplace_back(name, line.substr(begin, line.find(" |", begin) - begin));
    } else if (!rows.empty()) {
      break;  // the first table only
    }
  }
  return rows;
}

TEST(Registry, IsWhatTheTableOfDetectorsInTheDocsShows) {
  std::ifstream docs(RAYLEIGH_SOURCE_DIR "/docs/baselines.md");
  std::vector<std::pair<std::string, std::string>> expected;
  for (const auto& recipe : all_recipes()) {
    if (recipe->standing().origin != Origin::ours) {
      expected.emplace_back(recipe->name(), recipe->learns_from() == LearnsFrom::both_classes
                                                ? "both classes"
                                                : "normal graphs");
    }
  }
  EXPECT_EQ(first_cells(docs), expected) << "docs/baselines.md must have a row for each detector";
}

}  // namespace
}  // namespace rayleigh::models
