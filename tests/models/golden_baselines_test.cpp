#include <fmt/format.h>

#include "models/golden_model.h"
#include "models/made_model.h"

namespace rayleigh::models {
namespace {

using test::GoldenCase;

struct CaseSettings {
  explicit CaseSettings(const GoldenCase& from) : golden(from) {}
  /// As a flag would say it.
  std::string text(const char* key) const {
    const auto value = golden.setting(key);
    return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
  }
  std::size_t size(const char* key) const { return golden.setting(key).get<std::size_t>(); }
  double number(const char* key) const { return golden.setting(key).get<double>(); }
  std::size_t labels() const {
    return static_cast<std::size_t>(golden.file().value<std::int64_t>("graph/num_labels"));
  }
  const GoldenCase& golden;
};

/// conv.coef.k (outputs x inputs) of all orders.
std::vector<std::string> orders_of(const std::string& conv, std::size_t orders) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < orders; ++k) {
    names.push_back(conv + ".coef." + std::to_string(k));
  }
  return names;
}

template <typename Real>
void compare_chebynet(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const std::size_t h = s.size("hidden");
  const std::size_t orders = s.size("K");
  const std::size_t labels = s.labels();
  GoldenRun<Real> run(
      name,
      make_model<Real>("chebynet",
                       {{"hidden", s.text("hidden")}, {"depth", s.text("K")}, {"dropout", "0"}},
                       labels),
      {{"conv1.weight",
        {orders_of("conv1", orders),
         [=](std::size_t k, std::size_t i) { return (k * labels + i % labels) * h + i / labels; }}},
       {"conv2.weight", {orders_of("conv2", orders), [=](std::size_t k, std::size_t i) {
                           return i / h * orders * h + k * h + i % h;
                         }}}});
  run.compare_outputs("logits", "prob_anomaly");
  run.compare_training({.rate = s.number("lr"), .l2 = s.number("weight_decay")});
}

template <typename Real>
void compare_bernnet(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const Settings settings{{"hidden", s.text("hidden")},
                          {"depth", s.text("K")},
                          {"dropout", "0"},
                          {"filter-dropout", "0"}};
  GoldenRun<Real> run(name, make_model<Real>("bernnet", settings, s.labels()));
  run.compare_outputs("logits", "prob_anomaly");
  run.compare_training({.rate = s.number("lr"), .l2 = s.number("weight_decay")});
}

template <typename Real>
void compare_igad(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const Settings settings{{"hidden", s.text("f_hidden")},
                          {"out", s.text("f_out")},
                          {"walk-hidden", s.text("t_hidden")},
                          {"walk-out", s.text("t_out")},
                          {"hidden-graphs", s.text("n_subgraphs")},
                          {"hidden-nodes", s.text("size_subgraphs")},
                          {"steps", std::to_string(s.size("max_step") - 1)}};
  GoldenRun<Real> run(name, make_model<Real>("igad", settings, s.labels(),
                                             {.class_counts = {s.size("n0"), s.size("n1")}}));
  run.double_tolerance = 1e-6;  // 1 / n passes through single precision in the original
  run.compare_outputs("logits", "prob_anomaly");
  run.compare_training({.rate = s.number("lr")});
}

template <typename Real>
void compare_gmt(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const bool cluster = golden.setting("cluster").get<bool>();
  const Settings settings{
      {"hidden", s.text("hidden")}, {"heads", s.text("heads")},
      {"seeds", s.text("k1")},      {"dropout", "0"},
      {"layer-norm", s.text("ln")}, {"softmax-over-keys", cluster ? "false" : "true"}};
  GoldenRun<Real> run(name, make_model<Real>("gmt", settings, s.labels()));
  run.compare_outputs("logits", "prob_anomaly", "embedding");
  run.compare_training(
      {.rate = s.number("lr"), .l2 = s.number("weight_decay"), .clip_norm = s.number("grad_clip")});
}

template <typename Real>
void compare_gmixup(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  GoldenRun<Real> run(name, make_model<Real>("gmixup", {{"hidden", s.text("hidden")}}, s.labels()));
  run.double_tolerance = 1e-6;  // targets are in single precision
  run.compare_outputs("logits", "prob_anomaly", "pooled");
  run.compare_training({.rate = s.number("lr"), .l2 = s.number("weight_decay")});
}

template <typename Real>
void compare_ocgin_a(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const Settings settings{
      {"version", "a"}, {"hidden", s.text("nhid")}, {"layers", s.text("nlayer")}};
  GoldenRun<Real> run(name, make_model<Real>("ocgin", settings, s.labels()));
  run.skip_moved = name == "ocgin_a_default";
  run.begin_training();
  run.compare_weight("centre", "epoch0/center");
  for (const std::string statistic : {"running_mean", "running_var"}) {
    run.compare_weight("input.bn." + statistic, "epoch0/input.bn." + statistic);
    run.compare_weight("gin.0.bn." + statistic, "epoch0/gin.0.bn." + statistic);
  }
  run.compare_outputs("score", "score", "embedding");
  run.compare_training({.rate = s.number("lr")});
}

template <typename Real>
void compare_ocgin_b(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const Settings settings{
      {"version", "b"}, {"hidden", s.text("hidden_dim")}, {"layers", s.text("num_layers")}};
  GoldenRun<Real> run(name, make_model<Real>("ocgin", settings, s.labels()));
  run.begin_training();
  run.compare_weight("centre", "epoch0/center");
  run.compare_outputs("score", "score", "embedding");
  run.compare_training({.rate = s.number("lr")});
}

template <typename Real>
void compare_ocgtl(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const Settings settings{{"hidden", s.text("hidden_dim")},
                          {"layers", s.text("num_layers")},
                          {"views", s.text("num_trans")}};
  GoldenRun<Real> run(name, make_model<Real>("ocgtl", settings, s.labels()));
  run.compare_outputs("score", "score", "views_shifted");
  run.compare_training({.rate = s.number("lr")});
}

template <typename Real>
void compare_tvgnn(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  // Half and a quarter of n_max are k1 and k2, the numbers of clusters.
  const auto with_run = [&](const std::string& variation, const std::string& balance, auto work) {
    const Settings settings{
        {"hidden", s.text("channels")},  {"pool-hidden", s.text("mlp_channels")},
        {"delta", s.text("delta")},      {"epsilon", s.text("eps")},
        {"variation-weight", variation}, {"balance-weight", balance}};
    GoldenRun<Real> run(
        name, make_model<Real>("tvgnn", settings, s.labels(), {.largest_graph = s.size("n_max")}));
    run.double_tolerance = 1e-8;
    run.single_tolerance = 1e-4;
    // Gradients are ill-conditioned; of the larger case single precision tells nothing.
    run.single_gradient_tolerance = name == "tvgnn_small" ? 5e-2 : 100;
    return work(run);
  };
  const std::string variation = s.text("totvar_coeff");
  const std::string balance = s.text("balance_coeff");
  with_run(variation, balance, [&](GoldenRun<Real>& run) {
    run.compare_outputs("logits", "prob_anomaly", "pooled");
    run.compare_training({.rate = s.number("lr")});
  });
  const double classes =
      with_run("0", "0", [](GoldenRun<Real>& run) { return run.compare_loss("train/ce"); });
  with_run(variation, "0", [=](GoldenRun<Real>& run) { run.compare_loss("train/tv", classes); });
  with_run("0", balance, [=](GoldenRun<Real>& run) { run.compare_loss("train/balance", classes); });
}

template <typename Real>
void compare_glocalkd(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const Settings settings{{"hidden", s.text("hidden")}, {"out", s.text("out")}, {"dropout", "0"}};
  GoldenRun<Real> run(
      name, make_model<Real>("glocalkd", settings, s.labels(), {.largest_graph = s.size("n_max")}));
  run.compare_outputs("", "score", "student_graph");
  run.compare_columns(nn::Mode::scoring, {"eval/node_mse", "eval/graph_mse"});
  // The original always takes the statistics of its batch, as training passes do here.
  run.compare_columns(nn::Mode::training, {"train/loss_node", "train/loss_graph"},
                      "eval/score_batch8", 2);
  run.compare_training({.rate = s.number("lr"), .clip_norm = s.number("clip")});
}

template <typename Real>
void compare_himnet(const std::string& name) {
  const GoldenCase golden(name);
  const CaseSettings s(golden);
  const Settings settings{{"hidden", s.text("hidden")},
                          {"out", s.text("out")},
                          {"node-blocks", s.text("mem_node")},
                          {"graph-blocks", s.text("mem_graph")},
                          {"entropy", s.text("alpha")}};
  GoldenRun<Real> run(
      name, make_model<Real>("himnet", settings, s.labels(), {.largest_graph = s.size("n_max")}));
  run.compare_outputs("", "score", "graph_embedding");
  run.compare_columns(nn::Mode::scoring,
                      {"eval/attribute_error", "eval/structure_error", "eval/graph_error"});
  run.compare_columns(nn::Mode::training,
                      {"train/loss_attribute", "train/loss_structure", "train/loss_graph",
                       "train/entropy_node", "train/entropy_graph"},
                      "eval/score_batch8", 3);
  run.compare_training({.rate = s.number("lr")});
}

struct Baseline {
  std::string prefix;
  void (*compare_float)(const std::string&);
  void (*compare_double)(const std::string&);
};

const std::vector<Baseline>& baselines() {
  static const std::vector<Baseline> all = {
      {"chebynet_", compare_chebynet<float>, compare_chebynet<double>},
      {"bernnet_", compare_bernnet<float>, compare_bernnet<double>},
      {"igad_", compare_igad<float>, compare_igad<double>},
      {"gmt_", compare_gmt<float>, compare_gmt<double>},
      {"gmixup_", compare_gmixup<float>, compare_gmixup<double>},
      {"tvgnn_", compare_tvgnn<float>, compare_tvgnn<double>},
      {"ocgin_a_", compare_ocgin_a<float>, compare_ocgin_a<double>},
      {"ocgin_b_", compare_ocgin_b<float>, compare_ocgin_b<double>},
      {"ocgtl_", compare_ocgtl<float>, compare_ocgtl<double>},
      {"glocalkd_", compare_glocalkd<float>, compare_glocalkd<double>},
      {"himnet_", compare_himnet<float>, compare_himnet<double>},
  };
  return all;
}

std::vector<std::string> all_cases() {
  std::vector<std::string> names;
  for (const Baseline& baseline : baselines()) {
    for (const std::string& name : test::golden_cases(baseline.prefix)) {
      if (name != "gmixup_graphon") {  // no model; graphon_test.cpp
        names.push_back(name);
      }
    }
  }
  return names;
}

class GoldenBaseline : public ::testing::TestWithParam<std::string> {
 protected:
  static const Baseline& baseline() {
    return *std::ranges::find_if(baselines(), [](const Baseline& candidate) {
      return GetParam().starts_with(candidate.prefix);
    });
  }
};

TEST_P(GoldenBaseline, AgreesInSinglePrecision) { baseline().compare_float(GetParam()); }
TEST_P(GoldenBaseline, AgreesInDoublePrecision) { baseline().compare_double(GetParam()); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldenBaseline);
INSTANTIATE_TEST_SUITE_P(Cases, GoldenBaseline, ::testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param; });

/// Without the folder the cases above do not exist; say so.
TEST(GoldenBaselineCases, AreThere) {
  RAYLEIGH_NEEDS_SHARED("golden");
  for (const Baseline& baseline : baselines()) {
    EXPECT_FALSE(test::golden_cases(baseline.prefix).empty()) << baseline.prefix;
  }
}

}  // namespace
}  // namespace rayleigh::models
