#include "paper/reproduction_page.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "paper/matches.h"
#include "plot/html_page.h"

namespace rayleigh::paper {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string signed_four(double value) {
  return fmt::format("{}{:.4f}", value < 0 ? "−" : "+", std::abs(value));
}

void add_misses(plot::HtmlPage& page, const Reproduction& r, const std::vector<Match>& all) {
  Rows rows{{"", "data", "method", "metric", "ours", "the paper", "difference", "what differs"}};
  for (const Match& m : all) {
    if (m.difference() < -kMatch) {
      rows.push_back({short_name(m.experiment), m.data, m.method,
                      std::string(short_title(m.metric)), core::four_digits(m.ours),
                      core::four_digits(m.paper), signed_four(m.difference()), m.why});
    }
  }
  if (rows.size() > 1) {
    page.table(
        rows, fmt::format("Where we are more than {} below the paper. {}", kMatch, protocol_of(r)));
  }
}

void add_summary(plot::HtmlPage& page, const Reproduction& r) {
  const auto all = matches(r);
  page.heading("Summary");
  Tally sum{.title = "all"};
  Rows rows{{"", "cells", fmt::format("within {}", kMatch), "above", "below", "mean difference"}};
  for (const Tally& tally : tallies(all)) {
    rows.push_back({tally.title, fmt::format("{}", tally.cells), fmt::format("{}", tally.within),
                    fmt::format("{}", tally.above), fmt::format("{}", tally.below),
                    signed_four(tally.mean_difference)});
    sum.cells += tally.cells;
    sum.within += tally.within;
    sum.above += tally.above;
    sum.below += tally.below;
  }
  if (!all.empty()) {
    page.facts({{fmt::format("{}", sum.cells), "values that the paper and we both have"},
                {fmt::format("{}", sum.within), fmt::format("match: within {}", kMatch)},
                {fmt::format("{}", sum.above), "beat it by more"},
                {fmt::format("{}", sum.below), "miss it by more"}});
  }
  if (!r.missing.empty()) {
    page.paragraph(
        fmt::format("Datasets of the paper that were not there: {}.", fmt::join(r.missing, ", ")));
  }
  if (!r.failed.empty()) {
    Rows failed{{"what failed", "why"}};
    for (const auto& [what, why] : r.failed) {
      failed.push_back({what, why});
    }
    page.table(failed, "What could not be done. The same command tries it again.");
  }
  if (!all.empty()) {
    page.table(rows,
               "Our mean over seeds minus the paper's one run, over methods and datasets of E1, E2 "
               "and E3; COLORS-3-ind and E5, whose definitions are ours, do not count. " +
                   protocol_of(r));
    add_misses(page, r, all);
  }
}

}  // namespace

std::string reproduction_page(const Reproduction& r) {
  plot::HtmlPage page("RQGNN, reproduced",
                      r.quick ? protocol_of(r) : "the paper's experiments, E0 to E10");
  add_summary(page, r);
  for (const Experiment* const experiment : all_experiments()) {
    if (experiment->has_results(r)) {
      page.heading(experiment->heading());
      experiment->show(r, page);
    }
  }
  return page.html();
}

}  // namespace rayleigh::paper
