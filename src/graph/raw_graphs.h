// Graphs as a reader found them: any order, any direction, repeats and self-loops included.
// Readers and builders fill this; canonicalise() turns it into a GraphSet, the only place where
// graphs are normalised. Linear in nodes and edges, plus a sort of each node's neighbours.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rayleigh/graph_set.h"

#include "core/thread_pool.h"

namespace rayleigh::graph {

/// Words numbered in the order of their first appearance.
class TokenTable {
 public:
  std::uint32_t intern(std::string_view word);
  std::size_t size() const { return words_.size(); }
  const std::vector<std::string>& words() const { return words_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::vector<std::string> words_;
};

struct RawEdge {
  std::uint32_t from;  ///< local node numbers
  std::uint32_t to;
};

struct RawGraphs {
  std::string name;

  // A row per graph.
  std::vector<std::uint32_t> node_count;
  std::vector<std::uint32_t> edge_count;
  std::vector<std::int32_t> graph_class;        ///< token id or kNoClass
  std::vector<std::string> graph_name;          ///< empty = no names
  std::vector<std::uint64_t> graph_line;        ///< line of each graph; empty = see edge_line
  std::vector<std::uint64_t> scaffold;          ///< hashes; empty = none
  std::vector<std::uint32_t> fingerprint_size;  ///< bits of each that are set; empty = none
  std::vector<std::uint8_t> directed;           ///< 1 = edges go one way; empty = none do
  TokenTable class_tokens;

  // A row per node, graph after graph.
  std::vector<std::uint32_t> node_label;  ///< empty = no labels given: degrees are used
  std::vector<float> attributes;
  std::uint32_t attribute_count = 0;
  TokenTable node_tokens;

  // A row per edge, graph after graph.
  std::vector<RawEdge> edges;
  std::vector<std::uint32_t> edge_label;  ///< empty = none
  std::vector<float> edge_attributes;
  std::uint32_t edge_attribute_count = 0;
  std::vector<std::uint64_t> edge_line;  ///< empty = edge k stands in line k+1 of edge_file
  TokenTable edge_tokens;

  std::vector<std::uint16_t> fingerprint;  ///< the bits that are set, graph after graph

  std::string edge_file;                  ///< named in findings; empty = no file
  bool both_directions_expected = false;  ///< an edge listed once is worth a finding
  std::vector<Finding> findings;
  std::vector<std::pair<std::string, std::string>> reading;  ///< see GraphSetData::reading

  /// Where raw edge `edge` of graph `graph` was read.
  Place place_of(std::size_t graph, std::size_t edge) const;
};

/// Adds a finding, or counts it with an equal one. After a few dozen different ones all others are
/// counted together, so that no input makes the list long.
void note(std::vector<Finding>& findings, Finding finding);

/// Adds the graphs of `more` behind those of `all`. Both must agree on having names, labels, edge
/// labels and attributes (the readers check that, where they can say which line is at fault).
void append(RawGraphs& all, RawGraphs&& more);

/// Where a run of graphs begins.
struct RawPosition {
  std::size_t graph = 0;
  std::size_t node = 0;
  std::size_t edge = 0;
  std::size_t fingerprint = 0;
};

/// A copy of the `graphs` graphs from a position, which moves behind them. Findings stay behind.
RawGraphs copy_run(const RawGraphs& all, std::size_t graphs, RawPosition& from);

/// Undirected, repeats merged, self-loops dropped, neighbours ascending, vocabularies sorted and
/// free of unused words. The result does not depend on the number of threads.
GraphSet canonicalise(RawGraphs&& raw, core::ThreadPool& pool);

}  // namespace rayleigh::graph
