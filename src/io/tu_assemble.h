// From the parsed columns of TU files to raw graphs: who belongs to whom, and what is wrong.
// Shared by the loader (the whole file at once) and the stream (a run of graphs at a time).
// Linear, one pass over nodes and one over edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/raw_graphs.h"
#include "io/tu_files.h"
#include "io/tu_text.h"

namespace rayleigh::io {

/// What concerns the dataset as a whole and is read before any graph.
struct TuContext {
  const TuFiles& files;
  IntTable graph_labels;  ///< a row per graph id; no columns = file absent
  std::vector<std::string> graph_names;
  std::vector<std::string> graph_label_names;
  std::vector<std::string> node_label_names;
  std::vector<std::string> edge_label_names;
};

/// Reads graph labels and names. `limit` bounds each expanded file.
TuContext read_context(const TuFiles& files, std::uint64_t limit, core::ThreadPool& pool);

/// Columns of a run of whole graphs.
struct TuColumns {
  std::vector<std::int64_t> graph_ids;    ///< of the graphs that have nodes, ascending
  std::vector<std::uint32_t> node_count;  ///< parallel to graph_ids
  std::uint64_t first_node = 0;           ///< node ids of this run start at first_node + 1
  std::uint64_t total_nodes = 0;          ///< in the whole file, for messages; 0 = not known yet
  std::uint64_t first_edge_line = 1;
  IntTable edges;
  IntTable node_labels;
  FloatTable node_attributes;
  IntTable edge_labels;
  FloatTable edge_attributes;
};

/// Names are given to the graphs when the files have them or when ids are missing (`named_by_id`).
graph::RawGraphs assemble(const TuContext& context, TuColumns&& columns, bool named_by_id,
                          core::ThreadPool& pool);

/// Checks one graph id as it is read: range, order, label present.
void check_graph_id(const TuContext& context, std::int64_t id, std::int64_t previous,
                    std::uint64_t line);

/// Checks that the last graph id is the last line of the files with one line per graph.
void check_graph_count(const TuContext& context, std::int64_t last_id);

/// Throws: the file has no bytes at all, or none that count.
[[noreturn]] void reject_empty(const TuFiles& files, TuPart part);

/// Throws: line `line` of `longer` has no partner, because `shorter` ends before it.
[[noreturn]] void reject_unpaired(const TuFiles& files, TuPart longer, std::uint64_t line,
                                  TuPart shorter);

/// Throws unless the two parts have the same number of lines.
void check_equal_lines(const TuFiles& files, TuPart a, std::uint64_t a_lines, TuPart b,
                       std::uint64_t b_lines);

/// Graph ids that have no node.
struct TuGaps {
  std::uint64_t count = 0;
  std::int64_t first = 0;
  std::uint64_t line = 0;  ///< of graph_indicator, where the first is skipped
};

/// Findings about the dataset as a whole: unused files, graphs without nodes.
std::vector<Finding> describe(const TuContext& context, const TuGaps& gaps);

}  // namespace rayleigh::io
