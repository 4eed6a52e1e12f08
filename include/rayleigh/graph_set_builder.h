// Builds a GraphSet graph by graph from your own data structures.
// Use it to embed Rayleigh where no file is involved; io::load uses the same canonical form.
// Linear in nodes and edges, plus a sort of each node's neighbours.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"

namespace rayleigh {

/// Canonical form, decided here once: undirected (either direction of an edge is enough; of
/// directed graphs the direction stays as a mark), repeated edges merged, self-loops dropped; both
/// counted in GraphSet::findings(). Wrong use (an edge to a node that does not exist, labels on
/// some nodes only, attribute rows of different length, a graph without nodes) throws DataError.
class GraphSetBuilder {
 public:
  explicit GraphSetBuilder(std::string set_name = "graphs");
  ~GraphSetBuilder();
  GraphSetBuilder(GraphSetBuilder&&) noexcept;
  GraphSetBuilder& operator=(GraphSetBuilder&&) noexcept;

  /// Starts the next graph. `graph_class` is its label; leave it out, or empty, when unknown.
  void begin_graph(std::string_view graph_name = {},
                   std::optional<std::string_view> graph_class = {});
  /// Adds a node and returns its number in this graph. An empty label means "none".
  std::uint32_t add_node(std::string_view label = {}, std::span<const float> attributes = {});
  /// Connects two nodes of the current graph. An empty label means "none".
  void add_edge(std::uint32_t from, std::uint32_t to, std::string_view label = {},
                std::span<const float> attributes = {});
  /// Edges of the current graph go from their first node to their second.
  void set_directed();

  /// Finishes; the builder is empty afterwards.
  GraphSet build(const RunOptions& run = {.threads = 1});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rayleigh
