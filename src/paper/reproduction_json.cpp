#include "paper/reproduction_json.h"

#include <nlohmann/json.hpp>

#include "paper/json_number.h"
#include "paper/matches.h"
#include "report/comparison_files.h"

namespace rayleigh::paper {

nlohmann::ordered_json reproduction_json(const Reproduction& reproduction) {
  // Tables come before what experiments add; E0 is always there.
  nlohmann::ordered_json json{{"quick", reproduction.quick},
                              {"full", reproduction.full},
                              {"seeds", reproduction.seeds},
                              {"missing", reproduction.missing},
                              {"failed", nlohmann::ordered_json::array()},
                              {"summary", nlohmann::ordered_json::array()},
                              {"E0", nlohmann::ordered_json::array()}};
  for (const auto& [what, why] : reproduction.failed) {
    json["failed"].push_back({{"what", what}, {"why", why}});
  }
  for (const Match& match : matches(reproduction)) {
    json["summary"].push_back({{"experiment", short_name(match.experiment)},
                               {"data", match.data},
                               {"method", match.method},
                               {"metric", short_title(match.metric)},
                               {"ours", json_number(match.ours)},
                               {"paper", match.paper},
                               {"difference", json_number(match.difference())},
                               {"why", match.why}});
  }
  for (const ExperimentTable& table : reproduction.tables) {
    json[short_name(table.experiment)] = report::comparison_json(table.comparison);
  }
  for (const Experiment* const experiment : all_experiments()) {
    experiment->add_json(reproduction, json);
  }
  return json;
}

}  // namespace rayleigh::paper
