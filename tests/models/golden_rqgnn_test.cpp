#include <gtest/gtest.h>
#include <numeric>

#include "golden.h"
#include "models/rqgnn_paper.h"
#include "models/rqgnn_published.h"
#include "nn/optimizer.h"

namespace rayleigh::models {
namespace {

using test::GoldenCase;

RqgnnOptions options_of(const GoldenCase& golden) {
  const auto number = [&](const char* key) { return golden.setting(key).get<double>(); };
  const auto size = [&](const char* key) { return golden.setting(key).get<std::size_t>(); };
  const bool paper = golden.about().at("hyperparameters").contains("profile");
  RqgnnOptions options;
  options.profile = paper ? Profile::paper : Profile::published;
  options.hidden = size(paper ? "hidden" : "hdim");
  options.width = size(paper ? "q" : "width");
  options.depth = size(paper ? "K" : "depth");
  options.dropout = number("dropout");
  options.loss.beta = number("beta");
  options.loss.gamma = number("gamma");
  options.loss.class_counts = {size("n0"), size("n1")};
  if (paper) {
    options.attention =
        golden.setting("attention") == "learned" ? Attention::learned : Attention::tiled;
  }
  return options;
}

template <typename Real>
void assign(nn::Matrix<Real> to, const std::vector<double>& from) {
  ASSERT_EQ(to.size(), from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    to.data[i] = static_cast<Real>(from[i]);
  }
}

/// Filters are one matrix with us: row (order, input), column (filter, output).
template <typename Real>
void load_filters(const GoldenCase& golden, const RqgnnOptions& options, std::size_t labels,
                  nn::Weights<Real>& weights) {
  const auto weight = weights.value(weights.find("filters.weight").value());
  const auto bias = weights.value(weights.find("filters.bias").value());
  for (std::size_t i = 0; i < options.width; ++i) {
    const std::string filter = "frozen/cheb." + std::to_string(i);
    const auto b = golden.tensor(filter + ".bias");
    for (std::size_t out = 0; out < labels; ++out) {
      bias(0, i * labels + out) = static_cast<Real>(b[out]);
    }
    for (std::size_t k = 0; k < options.depth; ++k) {
      const auto coefficients = golden.tensor(filter + ".coef." + std::to_string(k));
      for (std::size_t out = 0; out < labels; ++out) {
        for (std::size_t in = 0; in < labels; ++in) {
          weight(k * labels + in, i * labels + out) =
              static_cast<Real>(coefficients[out * labels + in]);
        }
      }
    }
  }
}

template <typename Real>
void load(const GoldenCase& golden, const RqgnnOptions& options, std::size_t labels,
          nn::Weights<Real>& weights) {
  weights.allocate();
  for (const nn::WeightInfo& info : weights.all()) {
    if (info.name.starts_with("filters")) {
      continue;
    }
    const std::string group = info.role == nn::Role::buffer ? "buf/" : "w/";
    assign(weights.value(weights.find(info.name).value()), golden.tensor(group + info.name));
  }
  if (options.profile == Profile::published) {
    load_filters(golden, options, labels, weights);
  }
}

class GoldenRqgnn : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const GoldenCase golden(GetParam());
    for (const auto label : golden.file().values<std::int64_t>("graph/graph_label")) {
      targets_.push_back(static_cast<float>(label));
    }
    all_.resize(targets_.size());
    std::iota(all_.begin(), all_.end(), 0U);
  }

  static bool paper() { return options_of(GoldenCase(GetParam())).profile == Profile::paper; }

  template <typename Real>
  void compare(double tolerance, double gradient_tolerance, bool general = false) {
    if (paper()) {
      compare_all<Real, RqgnnPaper<Real>>(tolerance, gradient_tolerance, general);
    } else {
      compare_all<Real, RqgnnPublished<Real>>(tolerance, gradient_tolerance, general);
    }
  }

  template <typename Real>
  void compare_evaluation(const GoldenCase& golden, RqgnnPublished<Real>& model,
                          const Features& features, double tolerance) {
    tape_for<Real>().start_scoring();
    auto& tape = tape_for<Real>();
    const auto t = model.trace(tape, features, all_, random_);
    const auto same = [&](const std::string& name, nn::Value v) {
      golden.expect("eval/" + name, tape.value(v).flat(), tolerance);
    };
    if (t.nodes.exists()) {
      same("node_h1", t.h1);
      same("node_mix1", t.mixed);
      same("node_h", t.nodes);
      expect_filters(golden, model, t, tape, tolerance);
      expect_attention(golden, tape.value(t.nodes), tape.value(t.attention), tolerance);
    }
    same("attn_query", t.attention);
    same("pooled_P", t.pooled);
    same("explicit_e", t.explicit_part);
    same("embedding", t.embedding);
    same("embedding_bn", t.normalised);
    same("logits", t.logits);
    expect_probability(golden, model, t.logits, tape, tolerance);
  }

  template <typename Real>
  void compare_evaluation(const GoldenCase& golden, RqgnnPaper<Real>& model,
                          const Features& features, double tolerance) {
    tape_for<Real>().start_scoring();
    auto& tape = tape_for<Real>();
    const auto t = model.trace(tape, features, all_, random_);
    const auto same = [&](const std::string& name, nn::Value v) {
      golden.expect("eval/" + name, tape.value(v).flat(), tolerance);
    };
    same("rq", t.quotient);
    if (t.filtered.exists()) {
      same("x_tilde", t.table);
      same("filter_out", t.filtered);
      expect_attention(golden, tape.value(t.filtered), tape.value(t.attention), tolerance);
    }
    if (golden.setting("attention") == "learned") {
      same("attn_query", t.attention);
    }
    same("pooled", t.pooled);
    same("h_att", t.h_att);
    same("h_rq", t.h_rq);
    same("embedding", t.embedding);
    same("embedding_bn", t.normalised);
    same("head", t.head);
    same("logits", t.logits);
    expect_probability(golden, model, t.logits, tape, tolerance);
  }

  /// The merged filters never appear one by one: filter i is Σ_k T_k C_ik' + b_i.
  template <typename Real>
  void expect_filters(const GoldenCase& golden, RqgnnPublished<Real>& model,
                      const typename RqgnnPublished<Real>::Trace& t, nn::Tape<Real>& tape,
                      double tolerance) {
    auto& weights = model.weights();
    const auto weight = weights.value(weights.find("filters.weight").value());
    const auto bias = weights.value(weights.find("filters.bias").value());
    const std::size_t width = tape.cols(t.h1);
    for (std::size_t i = 0; i < weight.cols / width; ++i) {
      std::vector<double> out;
      for (std::size_t node = 0; node < tape.rows(t.h1); ++node) {
        for (std::size_t o = 0; o < width; ++o) {
          auto sum = static_cast<double>(bias(0, i * width + o));
          for (std::size_t k = 0; k < t.orders.size(); ++k) {
            for (std::size_t in = 0; in < width; ++in) {
              sum += static_cast<double>(tape.value(t.orders[k])(node, in)) *
                     static_cast<double>(weight(k * width + in, i * width + o));
            }
          }
          out.push_back(sum);
        }
      }
      golden.expect("eval/filter_out." + std::to_string(i), out, tolerance);
    }
  }

  template <typename Real>
  void expect_attention(const GoldenCase& golden, nn::Matrix<Real> nodes, nn::Matrix<Real> query,
                        double tolerance) {
    const auto node_graph = golden.file().template values<std::int64_t>("graph/node_graph");
    std::vector<double> score;
    for (std::size_t node = 0; node < nodes.rows; ++node) {
      double sum = 0;
      for (std::size_t c = 0; c < nodes.cols; ++c) {
        sum += static_cast<double>(nodes(node, c)) *
               static_cast<double>(query(static_cast<std::size_t>(node_graph[node]), c));
      }
      score.push_back(sum);
    }
    golden.expect("eval/attn_score", score, tolerance);
  }

  template <typename Real>
  void expect_probability(const GoldenCase& golden, Model<Real>& model, nn::Value logits,
                          nn::Tape<Real>& tape, double tolerance) {
    std::vector<double> scores(all_.size());
    model.scores(tape, logits, scores);
    golden.expect("eval/prob_anomaly", scores, tolerance);
  }

  template <typename Real, typename Network>
  void compare_all(double tolerance, double gradient_tolerance, bool general) {
    const GoldenCase golden(GetParam());
    const GraphSet graphs = test::golden_graphs(golden.file());
    const std::size_t labels = graphs.node_labels().size();
    RqgnnOptions options = options_of(golden);
    options.general_path = general;
    Network model(options, labels);
    auto& weights = model.weights();
    load(golden, options, labels, weights);
    EXPECT_EQ(weights.trained(),
              golden.about().at("trainable_parameters").template get<std::size_t>());
    const std::vector labels_of_nodes{spectral::NodeLabels(graphs)};
    const auto features = model.prepare(graphs, labels_of_nodes, nn::Mode::training, pool_);
    compare_evaluation(golden, model, *features, tolerance);

    nn::Adam<Real> adam(weights, {.rate = golden.setting("lr").template get<double>()});
    nn::Gradients<Real> gradients(weights);
    auto& tape = tape_for<Real>();
    for (int step = 1; step <= 2; ++step) {
      tape.start_training(weights, gradients);
      gradients.zero();
      const Output out = model.forward(tape, *features, all_, random_);
      const nn::Value loss = model.loss(tape, out, targets_);
      tape.backward(loss);
      if (step == 1) {
        golden.expect("train/logits", tape.value(out.result).flat(), tolerance);
        golden.expect("train/loss", tape.value(loss).flat(), tolerance);
        for (const nn::WeightInfo& info : weights.all()) {
          const nn::WeightId id = weights.find(info.name).value();
          if (info.role == nn::Role::trained) {
            golden.expect("grad/" + info.name, gradients.of(info).flat(), gradient_tolerance);
          } else if (info.role == nn::Role::buffer) {
            golden.expect("after1_buf/" + info.name, weights.value(id).flat(), tolerance);
          }
        }
      } else {
        golden.expect("train/loss_step2", tape.value(loss).flat(), 1e-3);
      }
      adam.step(weights, gradients);
    }
    for (const nn::WeightInfo& info : weights.all()) {
      const nn::WeightId id = weights.find(info.name).value();
      if (info.role == nn::Role::trained) {
        golden.expect_moved(info.name, weights.value(id).flat());
      }
    }
  }

  template <typename Real>
  nn::Tape<Real>& tape_for() {
    if constexpr (std::is_same_v<Real, float>) {
      return tape_float_;
    } else {
      return tape_double_;
    }
  }

  core::ThreadPool pool_{2};
  nn::Tape<float> tape_float_{pool_};
  nn::Tape<double> tape_double_{pool_};
  nn::StepRandom random_{core::RandomStream(1, "dropout")};
  std::vector<float> targets_;
  std::vector<std::uint32_t> all_;
};

TEST_P(GoldenRqgnn, AgreesInEvaluationLossGradientsAndTwoSteps) { compare<float>(1e-5, 1e-4); }

TEST_P(GoldenRqgnn, AgreesInDoublePrecision) {
  // The cases of the authors' code were computed in single precision.
  paper() ? compare<double>(1e-9, 1e-8) : compare<double>(1e-5, 1e-4);
}

/// Sparse products on a row a node instead of the label basis.
TEST_P(GoldenRqgnn, AgreesOnTheGeneralPathToo) {
  compare<float>(1e-5, 1e-4, true);
  if (paper()) {
    compare<double>(1e-9, 1e-8, true);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldenRqgnn);
INSTANTIATE_TEST_SUITE_P(Cases, GoldenRqgnn, ::testing::ValuesIn(test::golden_cases("rqgnn_")),
                         [](const auto& test) { return test.param; });

/// Without the folder the cases above do not exist; say so.
TEST(GoldenRqgnnCases, AreThere) {
  RAYLEIGH_NEEDS_SHARED("golden");
  EXPECT_FALSE(test::golden_cases("rqgnn_").empty());
}

}  // namespace
}  // namespace rayleigh::models
