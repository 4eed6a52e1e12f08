#include "paper/experiments/e3_other_domains.h"

#include <fmt/format.h>
#include <functional>
#include <string>

#include "rayleigh/generators.h"

#include "paper/grid_plan.h"
#include "paper/tasks.h"

namespace rayleigh::paper {
namespace {

// What the paper does not say, its macro-F1 of calling all graphs normal tells: the share of
// anomalies in COLORS-3, and among the test graphs of COLORS-3-ind.
constexpr double kColorsShare = 0.090;
constexpr double kUnseenShare = 0.410;
// The task that the words out of distribution suggest: one more green node than ever seen. Its
// share is 0.38, so we show the pair that has 0.41 too.
constexpr std::string_view kKnownClass = "9";
constexpr std::string_view kUnseenClass = "10";

/// The dataset where it is there, otherwise made by its description.
std::function<GraphSet()> colors_of(const GridPlan& plan) {
  if (const FoundDataset* const found = plan.dataset("COLORS-3")) {
    return found->load;
  }
  return [] {
    GraphSetData data = generate::colors3({}).data();
    data.name = "COLORS-3, generated";
    return GraphSet(std::move(data));
  };
}

}  // namespace

OtherDomainsExperiment::OtherDomainsExperiment()
    : TableExperiment(
          ExperimentId::other_domains, "other domains",
          "COLORS-3: the class whose share is nearest 0.090 is anomalous; the paper does not "
          "name it, and the choice decides how hard the task is (--all-classes). DBLP_v1: all "
          "of one class, 5 % as many of the other. COLORS-3-ind: anomalies of one class train "
          "and validate, those of another test, normal graphs are cut 70/15/15. The paper does "
          "not name the two: ours are 9, seen, and 10, not seen; beside it stands the pair "
          "whose share of the test graphs is nearest the paper's 0.410.") {}

void OtherDomainsExperiment::plan(GridPlan& plan) const {
  const auto colors = colors_of(plan);
  const auto add_data = [&](const std::string& name,
                            std::function<GraphSet()> load) -> compare::GridData& {
    compare::GridData& data = plan.add_data(name, std::move(load));
    data.anomaly_class = kAnomalousClass;
    return data;
  };
  add_data("COLORS-3", [colors] { return one_class_against_rest(colors(), kColorsShare); });
  if (const FoundDataset* const dblp = plan.dataset("DBLP_v1")) {
    add_data("DBLP_v1", [load = dblp->load] { return rare_class(load(), 0.05, 1); });
  }
  add_data("COLORS-3-ind", [colors] {
    return two_classes_against_rest(colors(), kKnownClass, kUnseenClass);
  }).split = out_of_distribution_split;
  add_data("COLORS-3-ind, by share", [colors] {
    const GraphSet graphs = colors();
    const auto [known, unseen] = classes_by_share(graphs, kUnseenShare);
    return two_classes_against_rest(graphs, known, unseen);
  }).split = out_of_distribution_split;
  for (int c = 0; plan.options().all_classes && c <= 10; ++c) {
    const std::string name = fmt::format("COLORS-3, class {}", c);
    add_data(name,
             [colors, c, name] { return class_against_rest(colors(), std::to_string(c), name); });
  }
  for (const char* name : {"chebynet", "bernnet", "tvgnn", "gmt", "himnet", "igad"}) {
    plan.add_baseline(name, GridPlan::On::every_set);
  }
  plan.add_model("rqgnn:profile=published");
  plan.add_model("rqgnn:profile=rayleigh");
}

}  // namespace rayleigh::paper
