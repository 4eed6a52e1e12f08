#include "paper/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paper/printed_values.h"

namespace rayleigh::paper {
namespace {

std::optional<MethodValues> of_paper(std::string_view data, std::string_view method) {
  const auto found = printed_value(data, method);
  return found ? std::optional(MethodValues{found->auc, found->macro_f1}) : std::nullopt;
}

std::optional<MethodValues> none(std::string_view /*data*/, std::string_view /*method*/) {
  return std::nullopt;
}

const Claim& claim_with(const std::vector<Claim>& claims, std::string_view words) {
  for (const Claim& claim : claims) {
    if (claim.text.find(words) != std::string::npos) {
      return claim;
    }
  }
  throw std::runtime_error("no such claim");
}

TEST(Claims, OfThePaperAgainstItsOwnTables) {
  const auto claims = check_claims(of_paper, none, {});
  EXPECT_EQ(claim_with(claims, "highest AUC on all").paper.verdict, Verdict::holds);
  EXPECT_EQ(claim_with(claims, "leads ChebyNet by 20.72 %").paper.verdict, Verdict::holds);
  // The text says 0.09, its table 0.89.
  const Claim& slip = claim_with(claims, "leads RQGNN-2 by 0.09 %");
  EXPECT_EQ(slip.paper.verdict, Verdict::fails);
  EXPECT_NEAR(*slip.paper.value, 0.89, 0.01);
  for (const Claim& claim : claims) {
    EXPECT_EQ(claim.ours.verdict, Verdict::untested) << claim.text;
  }
}

TEST(Claims, OfAnyValuesSayWhatStandsAgainstThem) {
  const ValueSource ours = [](std::string_view data,
                              std::string_view method) -> std::optional<MethodValues> {
    if (data != "MCF-7") {
      return std::nullopt;
    }
    return method == "iGAD" ? MethodValues{0.9, 0.6} : MethodValues{0.8, 0.7};
  };
  const auto claims = check_claims(of_paper, ours, {});
  const Claim& highest = claim_with(claims, "highest AUC on all");
  EXPECT_EQ(highest.ours.verdict, Verdict::fails);
  EXPECT_THAT(highest.ours.words, testing::HasSubstr("RQGNN 0.8000 ≤ iGAD 0.9000 on MCF-7"));
  EXPECT_EQ(claim_with(claims, "iGAD by 6.74 %").ours.verdict, Verdict::holds);
}

TEST(Claims, OfCurvesNeedThem) {
  OurCurves curves;
  curves.perturbation = {{0.10, {0.5, 0.5}}, {0.15, {0.99, 0.95}}, {0.20, {0.97, 0.95}}};
  curves.parameter = [](std::string_view data, std::string_view) {
    return data == "SN12C" ? std::vector<std::pair<double, double>>{{3, 0.7}, {4, 0.8}, {5, 0.75}}
                           : std::vector<std::pair<double, double>>{};
  };
  const auto claims = check_claims(none, none, curves);
  EXPECT_EQ(claim_with(claims, "Width 4").ours.verdict, Verdict::holds);
  const Claim& perturbed = claim_with(claims, "From p = 0.15");
  EXPECT_EQ(perturbed.ours.verdict, Verdict::fails);
  EXPECT_THAT(perturbed.ours.words, testing::HasSubstr("p = 0.20"));
}

}  // namespace
}  // namespace rayleigh::paper
