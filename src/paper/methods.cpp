#include "paper/methods.h"

#include <algorithm>
#include <array>

namespace rayleigh::paper {
namespace {

constexpr std::array<Method, 11> kMethods{{{"chebynet", "ChebyNet", MethodKind::graph_network},
                                           {"bernnet", "BernNet", MethodKind::graph_network},
                                           {"gmt", "GMT", MethodKind::graph_network},
                                           {"gmixup", "Gmixup", MethodKind::graph_network},
                                           {"tvgnn", "TVGNN", MethodKind::graph_network},
                                           {"ocgin", "OCGIN", MethodKind::one_class},
                                           {"ocgtl", "OCGTL", MethodKind::one_class},
                                           {"glocalkd", "GLocalKD", MethodKind::one_class},
                                           {"himnet", "HimNet", MethodKind::one_class},
                                           {"igad", "iGAD", MethodKind::anomaly_network},
                                           {"rqgnn", "RQGNN", MethodKind::subject}}};

constexpr std::array<std::string_view, 6> kLengthOfLearning{"epochs",  "train-graphs", "patience",
                                                            "profile", "isa",          "split"};

/// A setting that says what the paper's row has anyway.
bool says_nothing_new(bool rqgnn, std::string_view key, std::string_view value) {
  return std::ranges::find(kLengthOfLearning, key) != kLengthOfLearning.end() ||
         (key == "loss" && value == (rqgnn ? "cb-focal" : "cross-entropy")) ||
         (rqgnn && ((key == "pool" && value == "rq") || (key == "no-rql" && value == "false")));
}

std::string variant_of_rqgnn(std::string_view key, std::string_view value) {
  if (key == "pool" && value == "mean") {
    return "RQGNN-1";
  }
  if (key == "no-rql" && value == "true") {
    return "RQGNN-2";
  }
  if (key == "loss" && value == "cross-entropy") {
    return "RQGNN-3";
  }
  return "";
}

}  // namespace

std::span<const Method> methods() { return kMethods; }

std::vector<std::string_view> methods_of(std::initializer_list<MethodKind> kinds) {
  std::vector<std::string_view> names;
  for (const Method& method : kMethods) {
    if (std::ranges::find(kinds, method.kind) != kinds.end()) {
      names.push_back(method.name);
    }
  }
  return names;
}

std::string method_in_paper(const compare::GridModel& model) {
  const auto* const at = std::ranges::find(kMethods, model.model, &Method::detector);
  if (at == kMethods.end()) {
    return "";
  }
  std::string name(at->name);
  const bool rqgnn = model.model == "rqgnn";
  bool of_the_paper = !rqgnn;  // profile rayleigh, the default, is not
  bool changed = false;
  for (const auto& [key, value] : model.settings) {
    if (key == "profile") {
      of_the_paper = value != "rayleigh";
    }
    if (says_nothing_new(rqgnn, key, value)) {
      continue;
    }
    if (changed) {
      return "";
    }
    changed = true;
    if (rqgnn) {
      name = variant_of_rqgnn(key, value);
    } else if (key == "loss" && value == "cb-focal") {
      name += "-CB";
    } else {
      name.clear();
    }
  }
  return of_the_paper ? name : "";
}

std::size_t order_in_paper(std::string_view detector) {
  return static_cast<std::size_t>(std::ranges::find(kMethods, detector, &Method::detector) -
                                  kMethods.begin());
}

}  // namespace rayleigh::paper
