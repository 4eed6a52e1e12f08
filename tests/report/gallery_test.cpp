#include "report/gallery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rayleigh/graph_set_builder.h"

#include "xml.h"

namespace rayleigh::report {
namespace {

using testing::HasSubstr;
using testing::Not;

plot::DrawnGraph star(int nodes) {
  GraphSetBuilder builder("test");
  builder.begin_graph("g", "0");
  for (int i = 0; i < nodes; ++i) {
    builder.add_node(i == 0 ? "<1>" : "2");
  }
  for (int i = 1; i < nodes; ++i) {
    builder.add_edge(0, static_cast<std::uint32_t>(i));
  }
  return {.graph = builder.build()};
}

Gallery example() {
  Gallery gallery;
  gallery.model = "rqgnn, profile rayleigh";
  gallery.data = "data";
  gallery.selection = "the highest score of 2 graphs";
  gallery.threshold = 0.5;
  ExplainedGraph graph{.index = 7, .id = "a,<b>", .class_name = "1", .drawn = star(3)};
  graph.score = {.score = 0.75, .probability = 0.5, .anomalous = true};
  graph.explanation = {.method = ExplainMethod::shares,
                       .margin = 1,
                       .constant = -0.5,
                       .labels = {{"C(1:N)", 0.25}},
                       .nodes = {2, -1, 0.25}};
  graph.nearest.push_back({.index = 3,
                           .id = "near",
                           .class_name = "0",
                           .distance = 0.5,
                           .score = 0.1,
                           .drawn = star(2)});
  gallery.graphs.push_back(graph);
  return gallery;
}

TEST(Gallery, PageShowsWhatTheGraphIsMadeOf) {
  Gallery gallery = example();
  gallery.reference = "training.csv";
  gallery.touched = TouchedNodes{.graphs = 5, .shares_auc = 0.625, .leave_one_out_auc = 0.75};
  const std::string page = gallery_page(gallery);
  for (const char* words : {"a,&lt;b&gt;", "score 0.75", "class 1", "called anomalous",
                            "margin +1.00 = constant −0.50, labels +0.25, nodes +1.25",
                            "C(1:N) +0.25", "near, class 0", "training.csv", "0.625", "0.750"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
}

TEST(Gallery, PageOfLeaveOneOutSpeaksOfNoShares) {
  Gallery gallery = example();
  gallery.graphs[0].explanation.method = ExplainMethod::leave_one_out;
  gallery.graphs[0].explanation.labels.clear();
  EXPECT_THAT(gallery_page(gallery), Not(HasSubstr("share")));
}

TEST(Gallery, TableHasARowForEveryShare) {
  EXPECT_EQ(shares_csv(example()),
            "index,id,method,kind,node,label,share\n"
            "7,\"a,<b>\",shares,constant,,,-0.5\n"
            "7,\"a,<b>\",shares,label,,C(1:N),0.25\n"
            "7,\"a,<b>\",shares,node,0,<1>,2\n"
            "7,\"a,<b>\",shares,node,1,2,-1\n"
            "7,\"a,<b>\",shares,node,2,2,0.25\n");
}

TEST(Gallery, JsonHasTheSame) {
  const auto json = gallery_json(example());
  const auto& graph = json["graphs"][0];
  EXPECT_EQ(graph["id"], "a,<b>");
  EXPECT_EQ(graph["nodes"][1]["share"], -1);
  EXPECT_EQ(graph["labels"][0]["label"], "C(1:N)");
  EXPECT_EQ(graph["nearest"][0]["distance"], 0.5);
  EXPECT_TRUE(json["reference"].is_null());
  EXPECT_FALSE(json.contains("touched"));
}

}  // namespace
}  // namespace rayleigh::report
