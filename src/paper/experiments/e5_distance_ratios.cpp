#include "paper/experiments/e5_distance_ratios.h"

#include <nlohmann/json.hpp>

#include "paper/printed_ratios.h"
#include "paper/quotients.h"
#include "paper/reproduction.h"

namespace rayleigh::paper {

bool DistanceRatiosExperiment::has_results(const Reproduction& result) const {
  return !result.quotients.empty();
}

void DistanceRatiosExperiment::add_json(const Reproduction& result,
                                        nlohmann::ordered_json& json) const {
  for (const QuotientFacts& facts : result.quotients) {
    json["E5"].push_back(ratio_json(facts, printed_ratios(facts.name)));
  }
}

void DistanceRatiosExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  page.paragraph(
      "For each of ten bins: the mean distance between the frequencies of the two classes, divided "
      "by that between samples of one class. This reading is ours; no definition we tried gives "
      "the paper's numbers, so both are shown and neither counts as match or miss.");
  add_ratio_table(page, result.quotients, printed_ratios(),
                  "By dataset and bin, normalised Laplacian, bins over the range of each sample. " +
                      sample_of(result));
}

}  // namespace rayleigh::paper
