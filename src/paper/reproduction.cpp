#include "paper/reproduction.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/text.h"
#include "paper/options.h"

namespace rayleigh::paper {

const report::Comparison* Reproduction::table(ExperimentId experiment) const {
  const auto at = std::ranges::find(tables, experiment, &ExperimentTable::experiment);
  return at == tables.end() ? nullptr : &at->comparison;
}

bool Reproduction::complete() const {
  return failed.empty() && std::ranges::all_of(tables, [](const ExperimentTable& table) {
           return table.comparison.failures() == 0;
         });
}

std::string protocol_of(const Reproduction& r) {
  return r.quick ? fmt::format(
                       "QUICK RUN: at most {} graphs per set, one seed, {} epochs; split "
                       "70/15/15 per class. The paper: all graphs, one run of 100 epochs.",
                       core::with_commas(kQuickGraphs), kQuickEpochs)
                 : fmt::format(
                       "Split 70/15/15 per class, moved by the seed; up to {} seeds, 100 "
                       "epochs{}; the paper has one run on one split.",
                       r.seeds, r.full ? "" : ", less for slow methods");
}

std::string sample_of(const Reproduction& r) {
  return r.quick ? fmt::format("QUICK RUN: at most {} graphs, drawn by class; no training.",
                               core::with_commas(kQuickGraphs))
                 : "All graphs, no training, no split.";
}

}  // namespace rayleigh::paper
