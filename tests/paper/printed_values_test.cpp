#include "paper/printed_values.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "models/recipe.h"
#include "paper/datasets.h"
#include "paper/methods.h"
#include "paper/printed_ratios.h"

namespace rayleigh::paper {
namespace {

TEST(PrintedValues, AreFoundByOurNames) {
  const auto method = [](const char* entry) {
    return method_in_paper(compare::parse_grid_model(entry));
  };
  EXPECT_EQ(method("chebynet"), "ChebyNet");
  EXPECT_EQ(method("chebynet:loss=cb-focal"), "ChebyNet-CB");
  EXPECT_EQ(method("chebynet:loss=cross-entropy:epochs=7"), "ChebyNet");
  EXPECT_EQ(method("chebynet:hidden=128"), "");
  EXPECT_EQ(method("rqgnn:profile=published"), "RQGNN");
  EXPECT_EQ(method("rqgnn:profile=published:pool=mean"), "RQGNN-1");
  EXPECT_EQ(method("rqgnn:profile=paper:no-rql"), "RQGNN-2");
  EXPECT_EQ(method("rqgnn:profile=published:loss=cross-entropy"), "RQGNN-3");
  EXPECT_EQ(method("rqgnn:profile=rayleigh"), "") << "ours, not the paper's";
  EXPECT_EQ(method("size"), "");
  EXPECT_EQ(printed_value("UACC257", "RQGNN-3")->table, PrintedTable::class_balanced_loss);
  EXPECT_EQ(printed_value("SN12C", "iGAD")->table, PrintedTable::main);
  EXPECT_EQ(printed_value("COLORS-3", "RQGNN")->auc, 0.9378);
  EXPECT_FALSE(printed_value("MUTAG", "RQGNN"));
  for (const PrintedValue& value : printed_values()) {
    EXPECT_GT(value.auc, 0.4) << value.data << " " << value.method;
    EXPECT_LT(value.auc, 1);
  }
  EXPECT_EQ(main_datasets()[4].normal, 38296U);
  EXPECT_EQ(printed_ratios()[0].inter_over_anomalous[9], 17.696);
}

TEST(PrintedValues, SpeakOfTheDatasetsAndMethodsOfThePaper) {
  std::size_t of_main = 0;
  for (const PrintedValue& value : printed_values()) {
    if (value.table == PrintedTable::main) {
      EXPECT_NE(main_dataset(value.data), nullptr) << value.data;
      const auto name = value.method.starts_with("RQGNN-") ? "RQGNN" : value.method;
      EXPECT_NE(std::ranges::find(methods(), name, &Method::name), methods().end()) << value.method;
      ++of_main;
    }
  }
  EXPECT_EQ(of_main, 10U * 13U);
  for (const MainDataset& dataset : main_datasets()) {
    EXPECT_NE(printed_ratios(dataset.name), nullptr) << dataset.name;
  }
}

TEST(Methods, HaveTheOrderThatDetectorsState) {
  std::size_t before = 0;
  for (const auto& recipe : models::all_recipes()) {
    if (recipe->standing().origin == models::Origin::paper) {
      EXPECT_EQ(order_in_paper(recipe->name()), before++) << recipe->name();
    }
  }
}

}  // namespace
}  // namespace rayleigh::paper
