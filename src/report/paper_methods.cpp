#include <algorithm>
#include <array>

#include "report/paper_results.h"

namespace rayleigh::report {
namespace {

struct Method {
  std::string_view detector;
  std::string_view in_paper;
};
constexpr std::array<Method, 11> kMethods{{{"chebynet", "ChebyNet"},
                                           {"bernnet", "BernNet"},
                                           {"gmt", "GMT"},
                                           {"gmixup", "Gmixup"},
                                           {"tvgnn", "TVGNN"},
                                           {"ocgin", "OCGIN"},
                                           {"ocgtl", "OCGTL"},
                                           {"glocalkd", "GLocalKD"},
                                           {"himnet", "HimNet"},
                                           {"igad", "iGAD"},
                                           {"rqgnn", "RQGNN"}}};

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

std::optional<PaperFigure> paper_figure(std::string_view data, std::string_view method) {
  const auto figures = paper_figures();
  const auto at = std::ranges::find_if(figures, [&](const PaperFigure& figure) {
    return figure.data == data && figure.method == method;
  });
  return at == figures.end() ? std::nullopt : std::optional(*at);
}

std::string method_in_paper(const compare::GridModel& model) {
  const auto* const at = std::ranges::find(kMethods, model.model, &Method::detector);
  if (at == kMethods.end()) {
    return "";
  }
  std::string name(at->in_paper);
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

}  // namespace rayleigh::report
