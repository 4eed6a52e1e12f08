// Turns lines of JSON into raw graphs; one parser per thread.
// Used by the JSONL reader; knows the schema of docs/formats.md and nothing of files.
// About 200 MB of JSON per second.
#pragma once

#include <cstdint>
#include <optional>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/graph_io.h"

#include "graph/raw_graphs.h"

namespace rayleigh::io {

/// What every graph of a file must have in common, taken from its first good lines. It binds only
/// the lines from there on, so that a line is judged alike however the input is cut into chunks.
struct JsonlShape {
  bool node_labels = false;
  std::uint32_t attribute_count = 0;
  std::uint64_t line = 0;                  ///< where these two were seen
  std::optional<bool> edge_labels;         ///< unknown until a graph has edges
  std::uint32_t edge_attribute_count = 0;  ///< known with edge_labels
  std::uint64_t edge_line = 0;             ///< where these two were seen
};

struct JsonLine {
  std::string_view text;
  std::uint64_t number;
};

class JsonlParser {
 public:
  JsonlParser(std::string file, std::uint64_t max_nodes)
      : file_(std::move(file)), max_nodes_(max_nodes) {}

  /// Adds to what is known of the shape; true once everything is. A bad line says nothing.
  bool learn_shape(const JsonLine& line, std::optional<JsonlShape>& shape);

  /// Appends the graph to `raw`, or leaves `raw` as it was and returns a failed row. Without a
  /// shape the line only has to agree with itself.
  Row parse(const JsonLine& line, const std::optional<JsonlShape>& shape, graph::RawGraphs& raw);

 private:
  std::string file_;
  std::uint64_t max_nodes_;
  simdjson::dom::parser parser_;
};

}  // namespace rayleigh::io
