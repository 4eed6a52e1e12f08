// Golden files: the graphs they hold, and comparison of tensors by their own rules.
// Include from tests that compare with ../shared/golden; its README tells the rules.
// Nothing here is part of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"

#include "io/safetensors.h"
#include "support.h"

namespace rayleigh::test {

inline Vocabulary numbers_below(std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) {
    words.push_back(std::to_string(i));
  }
  return Vocabulary(std::move(words));
}

/// The graph/ group of a golden file, every repetition of a row counted as multiplicity.
inline GraphSet golden_graphs(const io::Safetensors& golden) {
  const auto node_graph = golden.values<std::int64_t>("graph/node_graph");
  const auto node_label = golden.values<std::int64_t>("graph/node_label");
  const auto edges = golden.values<std::int64_t>("graph/edges");
  GraphSetData data;
  data.name = "golden";
  data.node_labels =
      numbers_below(static_cast<std::size_t>(golden.value<std::int64_t>("graph/num_labels")));
  std::vector<std::vector<std::uint32_t>> rows(node_graph.size());
  for (std::size_t e = 0; e + 1 < edges.size(); e += 2) {
    rows[static_cast<std::size_t>(edges[e])].push_back(static_cast<std::uint32_t>(edges[e + 1]));
  }
  bool repeats = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && node_graph[i] != node_graph[i - 1]) {
      data.graph_ptr.push_back(static_cast<std::uint32_t>(i));
    }
    std::ranges::sort(rows[i]);
    for (std::size_t e = 0; e < rows[i].size(); ++e) {
      if (e > 0 && rows[i][e] == rows[i][e - 1]) {
        ++data.multiplicity.back();
        repeats = true;
      } else {
        data.col.push_back(rows[i][e]);
        data.multiplicity.push_back(1);
      }
    }
    data.row_ptr.push_back(static_cast<std::uint32_t>(data.col.size()));
    data.node_label.push_back(static_cast<std::uint32_t>(node_label[i]));
  }
  data.graph_ptr.push_back(static_cast<std::uint32_t>(rows.size()));
  data.graph_class.assign(data.graph_ptr.size() - 1, kNoClass);
  if (!repeats) {
    data.multiplicity.clear();
  }
  return GraphSet(std::move(data));
}

inline io::Safetensors read_golden(const std::string& name) {
  return io::Safetensors::read(shared_folder() / "golden" / (name + ".safetensors"));
}

/// Names of the golden files that begin with `prefix`, sorted; none without the folder.
inline std::vector<std::string> golden_cases(const std::string& prefix) {
  std::vector<std::string> names;
  const auto folder = shared_folder() / "golden";
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() == ".safetensors" && name.starts_with(prefix)) {
        names.push_back(name);
      }
    }
  }
  std::ranges::sort(names);
  return names;
}

/// One golden file with its description.
class GoldenCase {
 public:
  explicit GoldenCase(const std::string& name)
      : file_(read_golden(name)),
        about_(nlohmann::json::parse(read_text(shared_folder() / "golden" / (name + ".json")))) {}

  const io::Safetensors& file() const { return file_; }
  const nlohmann::json& about() const { return about_; }
  const nlohmann::json& setting(const std::string& key) const {
    return about_.at("hyperparameters").at(key);
  }

  /// In double, whatever the file holds; weights may be given by a formula instead.
  std::vector<double> tensor(const std::string& name) const {
    if (!has(name)) {
      if (auto numbers = by_formula(name); !numbers.empty()) {
        return numbers;
      }
    }
    if (file_.info(name).dtype == io::DType::f64) {
      return file_.values<double>(name);
    }
    const auto single = file_.values<float>(name);
    return {single.begin(), single.end()};
  }

  /// max|a - b| <= max(least, 10 * noise of the tensor) * max|b|.
  template <typename Range>
  void expect(const std::string& name, const Range& actual, double least) const {
    expect_close(name, actual, tensor(name), std::max(least, 10 * noise(name)));
  }

  template <typename Range>
  static void expect_close(const std::string& what, const Range& actual,
                           const std::vector<double>& expected, double tolerance,
                           double absolute = 0) {
    ASSERT_EQ(std::size(actual), expected.size()) << what;
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double difference = std::abs(static_cast<double>(std::data(actual)[i]) - expected[i]);
      worst = std::isnan(difference) ? difference : std::max(worst, difference);
    }
    EXPECT_LE(worst, std::max(tolerance * largest(expected), absolute)) << what;
  }

  static double largest(const std::vector<double>& numbers) {
    double most = 0;
    for (const double number : numbers) {
      most = std::max(most, std::abs(number));
    }
    return most;
  }

  /// Numbers of one parameter before and after two Adam steps, and its first gradient.
  struct Moved {
    std::vector<double> before;
    std::vector<double> after;
    std::vector<double> gradient;
  };

  /// Parameters after two Adam steps: only where the gradient is not lost in rounding.
  template <typename Range>
  void expect_moved(const std::string& parameter, const Range& actual) const {
    expect_moved(
        parameter, actual,
        {tensor("w/" + parameter), tensor("adam2/" + parameter), tensor("grad/" + parameter)});
  }
  template <typename Range>
  void expect_moved(const std::string& parameter, const Range& actual, const Moved& moved) const {
    ASSERT_EQ(std::size(actual), moved.after.size()) << parameter;
    const auto& rule = about_.at("adam2_noise").at("recommended");
    const double rate = setting("lr").get<double>();
    const double most = largest(moved.gradient);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < moved.after.size(); ++i) {
      if (std::abs(moved.gradient[i]) > rule.at("t").get<double>() * most) {
        const double step = static_cast<double>(std::data(actual)[i]) - moved.before[i];
        EXPECT_NEAR(step, moved.after[i] - moved.before[i],
                    rule.at("tolerance_over_lr").get<double>() * rate)
            << parameter << " entry " << i;
        ++compared;
      }
    }
    EXPECT_TRUE(compared > 0 || most == 0) << parameter;
  }

  double noise(const std::string& name) const {
    const auto& info = about_.at("tensors").at(name);
    return info.contains("f32_noise") ? info.at("f32_noise").get<double>() : 0;
  }
  /// Whether the tensor is nothing but rounding noise, by its description.
  bool is_noise(const std::string& name) const {
    const auto what = about_.at("tensors").at(name).at("what").get<std::string>();
    return what.find("in exact arithmetic") != std::string::npos;
  }
  bool has(const std::string& name) const { return about_.at("tensors").contains(name); }

 private:
  std::vector<double> by_formula(const std::string& name) const {
    if (!about_.contains("weights_by_formula")) {
      return {};
    }
    const auto& formula = about_.at("weights_by_formula");
    for (const auto& tensor : formula.at("tensors")) {
      if (tensor.at("name") != name) {
        continue;
      }
      std::size_t size = 1;
      for (const auto& side : tensor.at("shape")) {
        size *= side.get<std::size_t>();
      }
      std::vector<double> numbers(size, 0.0);
      if (tensor.at("log2scale").is_null()) {
        return numbers;
      }
      const std::uint64_t start = (formula.at("seed").get<std::uint64_t>() << 48U) +
                                  (tensor.at("stream").get<std::uint64_t>() << 32U);
      for (std::size_t k = 0; k < size; ++k) {
        std::uint64_t z = (start + k + 1) * 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        z ^= z >> 31U;
        const auto draw = static_cast<double>(z >> 40U) - 0x1.0p23;
        numbers[k] = std::ldexp(draw, tensor.at("log2scale").get<int>() - 23);
      }
      return numbers;
    }
    return {};
  }

  io::Safetensors file_;
  nlohmann::json about_;
};

}  // namespace rayleigh::test
