// What the paper's text claims about its values, recomputed: from its own tables and from ours.
// Experiment E10.
// One pass over the tables per claim.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rayleigh::paper {

enum class Verdict { holds, fails, untested };

/// "true", "false" or "untested".
std::string_view word_of(Verdict verdict);

/// A claim held against one source of values.
struct ClaimCheck {
  Verdict verdict = Verdict::untested;
  std::optional<double> value{};  ///< what the claim puts into a number, recomputed
  std::string words{};            ///< what stands against it, or how much was looked at
};

struct Claim {
  std::string where;  ///< section of the paper
  std::string text;   ///< in our words
  std::optional<double> stated{};
  ClaimCheck paper{};
  ClaimCheck ours{};
};

struct MethodValues {
  double auc = 0;
  double macro_f1 = 0;  ///< NaN where there is none
};
/// Of a method on a dataset, by the paper's names.
using ValueSource =
    std::function<std::optional<MethodValues>(std::string_view data, std::string_view method)>;

/// What tables do not hold, where it was measured.
struct OurCurves {
  /// macro-F1 by value of an option of RQGNN, one list per dataset; empty where not run.
  std::function<std::vector<std::pair<double, double>>(std::string_view data,
                                                       std::string_view parameter)>
      parameter{};
  /// AUC and macro-F1 by the probability of E6.
  std::vector<std::pair<double, MethodValues>> perturbation{};
  /// E4 and E5.
  struct Quotients {
    std::string data;
    double p_value = 1;          ///< of the test that both classes have one distribution
    bool classes_apart = false;  ///< farther from each other than samples of a class
  };
  std::vector<Quotients> quotients{};
  /// E8: a class, and whether its graphs bear the claim out.
  std::vector<std::pair<std::string, std::optional<bool>>> cases{};
};

/// In the order of the text.
std::vector<Claim> check_claims(const ValueSource& paper, const ValueSource& ours,
                                const OurCurves& curves);

}  // namespace rayleigh::paper
