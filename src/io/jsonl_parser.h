// Turns lines of JSON into raw graphs; one parser per thread.
// Used by the JSONL reader; knows the schema of docs/formats.md and nothing of files.
// About 200 MB of JSON a second.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/raw_graphs.h"
#include "rayleigh/graph_io.h"

namespace rayleigh::io {

/// What every graph of a file must have in common, taken from its first lines.
struct JsonlShape {
  bool node_labels = false;
  std::uint32_t attribute_count = 0;
  std::optional<bool> edge_labels;  ///< unknown until a graph has edges
  std::uint64_t line = 0;           ///< where it was seen
};

struct JsonLine {
  std::string_view text;
  std::uint64_t number;
};

class JsonlParser {
 public:
  JsonlParser(std::string file, std::uint64_t max_nodes)
      : file_(std::move(file)), max_nodes_(max_nodes) {}

  /// Adds to what is known of the shape; true once everything is. A line that is no graph at all
  /// says nothing.
  bool learn_shape(const JsonLine& line, std::optional<JsonlShape>& shape);

  /// Appends the graph to `raw`, or leaves `raw` as it was and returns a failed row.
  Row parse(const JsonLine& line, const JsonlShape& shape, graph::RawGraphs& raw);

 private:
  std::string file_;
  std::uint64_t max_nodes_;
  simdjson::dom::parser parser_;
};

}  // namespace rayleigh::io
