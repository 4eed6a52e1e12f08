#include "paper/experiments/e9_theory.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/generators.h"

#include "core/text.h"
#include "paper/datasets.h"
#include "paper/json_number.h"
#include "paper/reproduction.h"
#include "paper/session.h"
#include "paper/theory.h"

namespace rayleigh::paper {
namespace {

using Rows = std::vector<std::vector<std::string>>;

}  // namespace

void TheoryExperiment::run(const Session& session, Reproduction& result) const {
  const auto measure = [&](const std::string& name, const GraphSet& graphs) {
    result.theory = measure_theory(graphs);
    result.theory_data = name;
  };
  for (const FoundDataset& dataset : session.request().datasets.found) {
    if (main_dataset(dataset.name) != nullptr &&
        session.attempt("E9: theory", result, [&] { measure(dataset.name, dataset.load()); })) {
      return;
    }
  }
  session.say("E9: theory");
  measure("generated molecules", generate::molecules({.seed = 1, .graphs = 500}));
}

bool TheoryExperiment::has_results(const Reproduction& result) const {
  return !result.theory.empty();
}

void TheoryExperiment::add_json(const Reproduction& result, nlohmann::ordered_json& json) const {
  for (const TheoryMargin& margin : result.theory) {
    json["E9"].push_back({{"data", result.theory_data},
                          {"claim", margin.claim},
                          {"measure", margin.measure},
                          {"cases", margin.cases},
                          {"worst", json_number(margin.worst)},
                          {"bound", margin.bound},
                          {"holds", margin.holds()},
                          {"note", margin.note}});
  }
}

std::vector<ReportTable> TheoryExperiment::fact_tables(const Reproduction& result) const {
  Rows rows{{"claim", "what is measured", "cases", "worst", "bound", "", "note"}};
  for (const auto& margin : result.theory) {
    rows.push_back({margin.claim, margin.measure, core::with_commas(margin.cases),
                    fmt::format("{:.3g}", margin.worst), fmt::format("{:.3g}", margin.bound),
                    margin.cases == 0 ? "untested"
                    : margin.holds()  ? "holds"
                                      : "fails",
                    margin.note});
  }
  return {{std::move(rows),
           fmt::format("Random signals and perturbations on up to 500 graphs of {}, seed 1; every "
                       "claim is a property test too.",
                       result.theory_data)}};
}

void TheoryExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  show_fact_tables(result, page);
}

}  // namespace rayleigh::paper
