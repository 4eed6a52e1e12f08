#include "paper/experiments/e10_claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "paper/experiments/e6_perturbation.h"
#include "paper/experiments/e7_parameters.h"
#include "paper/json_number.h"
#include "paper/printed_values.h"
#include "paper/reproduction.h"
#include "paper/session.h"

namespace rayleigh::paper {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::optional<MethodValues> values_in_print(std::string_view data, std::string_view method) {
  const auto found = printed_value(data, method);
  return found ? std::optional(MethodValues{found->auc, found->macro_f1}) : std::nullopt;
}

Json check_json(const ClaimCheck& check) {
  return {{"verdict", word_of(check.verdict)},
          {"value", check.value ? json_number(*check.value) : Json()},
          {"words", check.words}};
}

}  // namespace

ValueSource our_values(const Reproduction& result) {
  return [&result](std::string_view data, std::string_view method) -> std::optional<MethodValues> {
    for (const ExperimentTable& table : result.tables) {
      for (const auto& row : table.comparison.entries) {
        for (const report::ComparisonEntry& entry : row) {
          if (entry.published && entry.published->data == data &&
              entry.published->method == method && entry.auc.count > 0) {
            // At a tuned threshold only where the paper has a value for such a method.
            const bool tuned =
                entry.macro_f1.count == 0 && std::isfinite(entry.published->macro_f1);
            return MethodValues{entry.auc.mean,
                                (tuned ? entry.macro_f1_tuned : entry.macro_f1).mean};
          }
        }
      }
    }
    return std::nullopt;
  };
}

OurCurves our_curves(const Reproduction& result) {
  OurCurves curves;
  for (const QuotientFacts& facts : result.quotients) {
    double between = 0;
    double within = 0;
    for (const auto& bin : facts.ratios) {
      between += bin.between;
      within += std::max(bin.within_anomalous, bin.within_normal);
    }
    curves.quotients.push_back(
        {.data = facts.name, .p_value = facts.p_value, .classes_apart = between > within});
  }
  if (result.case_study) {
    for (const CaseGroup& group : result.case_study->groups) {
      curves.cases.emplace_back(group.anomalous ? "anomalous" : "normal",
                                group.bears_out_the_paper());
    }
  }
  if (const report::Comparison* const table = result.table(ExperimentId::parameters)) {
    curves.parameter = [table](std::string_view data, std::string_view parameter) {
      return parameter_curve(*table, data, parameter);
    };
  }
  if (const report::Comparison* const table = result.table(ExperimentId::perturbation)) {
    for (std::size_t set = 0; set < table->data.size(); ++set) {
      for (std::size_t row = 0; row < table->rows.size(); ++row) {
        const report::ComparisonEntry& entry = table->entries[row][set];
        if (table->rows[row].title == "rqgnn published" && entry.auc.count > 0) {
          curves.perturbation.emplace_back(kPerturbations[set],
                                           MethodValues{entry.auc.mean, entry.macro_f1.mean});
        }
      }
    }
  }
  return curves;
}

void ClaimsExperiment::run(const Session& /*session*/, Reproduction& result) const {
  result.claims = check_claims(values_in_print, our_values(result), our_curves(result));
}

bool ClaimsExperiment::has_results(const Reproduction& result) const {
  return !result.claims.empty();
}

void ClaimsExperiment::add_json(const Reproduction& result, Json& json) const {
  for (const Claim& claim : result.claims) {
    json["E10"].push_back({{"where", claim.where},
                           {"claim", claim.text},
                           {"stated", claim.stated ? Json(*claim.stated) : Json()},
                           {"paper", check_json(claim.paper)},
                           {"ours", check_json(claim.ours)}});
  }
}

std::vector<ReportTable> ClaimsExperiment::fact_tables(const Reproduction& result) const {
  const auto cell = [](const ClaimCheck& check) {
    std::string text(word_of(check.verdict));
    if (check.value) {
      text += fmt::format(", {:.2f} %", *check.value);
    }
    return check.words.empty() ? text : text + " (" + check.words + ")";
  };
  std::array<std::size_t, 3> paper{};
  std::array<std::size_t, 3> ours{};
  Rows rows{{"section", "claim", "in its tables", "in ours"}};
  for (const Claim& claim : result.claims) {
    ++paper[static_cast<std::size_t>(claim.paper.verdict)];
    ++ours[static_cast<std::size_t>(claim.ours.verdict)];
    rows.push_back({claim.where, claim.text, cell(claim.paper), cell(claim.ours)});
  }
  return {{std::move(rows),
           fmt::format("{} claims, every numeric or ordinal one, recomputed. In the paper's own "
                       "tables {} are true, {} false, {} cannot be told; in ours {} are true, {} "
                       "false, {} untested. A lead counts as true in ours when it is a lead; its "
                       "size need not agree. {}",
                       result.claims.size(), paper[0], paper[1], paper[2], ours[0], ours[1],
                       ours[2], protocol_of(result))}};
}

void ClaimsExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  show_fact_tables(result, page);
}

}  // namespace rayleigh::paper
