// What `rayleigh explain` leaves behind: one page with a picture of every explained graph, and the
// shares as CSV and JSON.
// Made from explanations alone; nothing is computed here.
// About ten kilobytes per graph.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/detector.h"

#include "plot/graph_picture.h"

namespace rayleigh::report {

/// A graph like the explained one.
struct Neighbour {
  std::size_t index = 0;  ///< in the reference data, from 0
  std::string id;
  std::optional<std::string> class_name{};
  double distance = 0;  ///< of embeddings
  double score = 0;
  plot::DrawnGraph drawn{};
};

struct ExplainedGraph {
  std::size_t index = 0;  ///< in the data, from 0
  std::string id;
  std::optional<std::string> class_name{};
  Score score{};
  Explanation explanation{};
  plot::DrawnGraph drawn{};
  std::vector<Neighbour> nearest{};
};

/// How well the nodes that were changed are found: mean over graphs of the AUC within each.
struct TouchedNodes {
  std::size_t graphs = 0;  ///< that have both kinds of nodes
  std::optional<double> shares_auc{};
  double leave_one_out_auc = 0;
};

struct Gallery {
  std::string model;      ///< its name and profile
  std::string data;       ///< its name
  std::string selection;  ///< "the 12 highest scores of 500 graphs"
  double threshold = 0;
  std::vector<ExplainedGraph> graphs;  ///< highest score first
  std::optional<std::string> reference{};
  std::optional<TouchedNodes> touched{};
};

/// "shares" or "leave-one-out".
std::string method_name(ExplainMethod method);

/// report.html.
std::string gallery_page(const Gallery& gallery);
/// shares.csv: one row per constant, label and node.
std::string shares_csv(const Gallery& gallery);
/// explanations.json.
nlohmann::ordered_json gallery_json(const Gallery& gallery);

}  // namespace rayleigh::report
