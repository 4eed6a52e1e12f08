#include "paper/experiments/e8_case_study.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "rayleigh/training.h"

#include "core/text.h"
#include "paper/case_study.h"
#include "paper/datasets.h"
#include "paper/json_number.h"
#include "paper/reproduction.h"
#include "paper/session.h"
#include "plot/figure.h"

namespace rayleigh::paper {
namespace {

using plot::Colour;
using plot::Figure;
using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

Json distance_json(const SampleDistance& distance) {
  return {{"value", json_number(distance.value)},
          {"low", json_number(distance.low)},
          {"high", json_number(distance.high)},
          {"by_chance", json_number(distance.by_chance)}};
}

Json case_json(const CaseStudy& study) {
  Json groups = Json::array();
  for (const CaseGroup& group : study.groups) {
    groups.push_back({{"anomalous", group.anomalous},
                      {"training", group.training.size()},
                      {"right", group.right.size()},
                      {"wrong", group.wrong.size()},
                      {"wasserstein_right", distance_json(group.wasserstein_right)},
                      {"wasserstein_wrong", distance_json(group.wasserstein_wrong)},
                      {"ks_right", distance_json(group.ks_right)},
                      {"ks_wrong", distance_json(group.ks_wrong)},
                      {"bears_out_the_paper",
                       group.bears_out_the_paper() ? Json(*group.bears_out_the_paper()) : Json()}});
  }
  return {{"data", study.data}, {"groups", groups}};
}

/// Training, right and wrong graphs over the same ten bins.
std::string case_figure(const CaseGroup& group) {
  constexpr std::size_t kBins = 10;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto* part : {&group.training, &group.right, &group.wrong}) {
    for (const double value : *part) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  std::vector<double> edges;
  for (std::size_t b = 0; b <= kBins; ++b) {
    edges.push_back(low + (high - low) * static_cast<double>(b) / kBins);
  }
  Figure figure(group.anomalous ? "anomalous graphs" : "normal graphs",
                {"scalar Rayleigh quotient"}, {"share of graphs"});
  const auto add = [&](const std::vector<double>& values, Colour colour, const char* label) {
    std::vector<double> heights(kBins, 0.0);
    for (const double value : values) {
      const auto bin = static_cast<std::size_t>((value - low) / (high - low + 1e-300) * kBins);
      heights[std::min(bin, kBins - 1)] += 1 / static_cast<double>(values.size());
    }
    if (!values.empty()) {
      figure.histogram(edges, heights, colour, label);
    }
  };
  add(group.training, Colour::grey, "training");
  add(group.right, Colour::normal, "test, right");
  add(group.wrong, Colour::anomalous, "test, wrong");
  return figure.svg();
}

std::string interval(const SampleDistance& distance) {
  return std::isfinite(distance.value)
             ? fmt::format("{:.3f} ({:.3f} … {:.3f})", distance.value, distance.low, distance.high)
             : "-";
}

std::string chance(const SampleDistance& distance) {
  return std::isfinite(distance.by_chance) ? fmt::format("{:.3f}", distance.by_chance) : "-";
}

}  // namespace

void CaseStudyExperiment::run(const Session& session, Reproduction& result) const {
  const FoundDataset* const at = find(session.request().datasets.found, kCaseDataset);
  const auto checkpoint = session.request().output / "cells" /
                          (session.quick() ? "E8_quick.checkpoint" : "E8.checkpoint");
  if (at == nullptr || (!session.wants(id()) && !std::filesystem::exists(checkpoint))) {
    return;
  }
  session.attempt("E8: " + at->name, result, [&] {
    const GraphSet graphs = session.thinned_if_quick(at->load());
    auto model = compare::parse_grid_model("rqgnn:profile=published");
    compare::grant(model, {.seeds = 1,
                           .epochs = session.quick() ? std::optional(kQuickEpochs) : std::nullopt});
    TrainingRequest request;
    request.options = compare::make_options(model, 1);
    request.run = session.run();
    request.intervals = false;
    request.checkpoint = checkpoint;
    request.resume = std::filesystem::exists(checkpoint) ? Resume::if_usable : Resume::no;
    request.say = [&](const std::string& text) { session.say("E8: " + text); };
    request.progress = [&](const TrainingProgress& progress) {
      constexpr int kTold = 10;
      if (progress.epoch.epoch % kTold == 0 && !progress.restored) {
        session.say(fmt::format("E8: epoch {} of {}", progress.epoch.epoch, progress.epochs));
      }
    };
    const TrainingResult trained = train(graphs, request);
    result.case_study = study_case(graphs, trained.split, trained.labels, trained.scores, 1);
  });
}

bool CaseStudyExperiment::has_results(const Reproduction& result) const {
  return result.case_study.has_value();
}

void CaseStudyExperiment::add_json(const Reproduction& result, Json& json) const {
  if (result.case_study) {
    json["E8"] = case_json(*result.case_study);
  }
}

std::vector<ReportFigure> CaseStudyExperiment::figures(const Reproduction& r) const {
  std::vector<ReportFigure> figures;
  if (!r.case_study) {
    return figures;
  }
  for (const auto& group : r.case_study->groups) {
    const char* const name = group.anomalous ? "anomalous" : "normal";
    figures.push_back(
        {fmt::format("E8_{}", name), case_figure(group),
         fmt::format("{}: quotients of {} graphs, {} of them for training. Profile published, seed "
                     "1. {}",
                     r.case_study->data, name, core::with_commas(group.training.size()),
                     protocol_of(r))});
  }
  return figures;
}

std::vector<ReportTable> CaseStudyExperiment::fact_tables(const Reproduction& result) const {
  Rows rows{{"class", "called", "graphs", "Wasserstein", "by chance", "Kolmogorov-Smirnov",
             "by chance", "the paper's claim"}};
  for (const auto& group : result.case_study->groups) {
    const char* const name = group.anomalous ? "anomalous" : "normal";
    const auto verdict = group.bears_out_the_paper();
    rows.push_back({name, "right", core::with_commas(group.right.size()),
                    interval(group.wasserstein_right), chance(group.wasserstein_right),
                    interval(group.ks_right), chance(group.ks_right),
                    !verdict   ? "untested"
                    : *verdict ? "borne out"
                               : "not borne out"});
    rows.push_back({"", "wrong", core::with_commas(group.wrong.size()),
                    interval(group.wasserstein_wrong), chance(group.wasserstein_wrong),
                    interval(group.ks_wrong), chance(group.ks_wrong), ""});
  }
  return {{std::move(rows),
           "Distances of test graphs to the training graphs of their class, with 95 % bootstrap "
           "intervals. By chance: how often equally many test graphs of the class, whatever they "
           "were called, are at least as far. The claim is borne out when that is below 0.05 for "
           "wrong ones and not for right ones, with both distances. Profile published, seed 1. " +
               protocol_of(result)}};
}

void CaseStudyExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  page.paragraph(
      "The paper claims that test graphs which are classified correctly have quotients distributed "
      "like those of training graphs, and that those which are not have others. If so, wrong ones "
      "are farther from training graphs than equally many graphs drawn by chance.");
  show_figures(result, page);
  show_fact_tables(result, page);
}

}  // namespace rayleigh::paper
