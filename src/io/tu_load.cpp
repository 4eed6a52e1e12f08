#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <utility>

#include "rayleigh/error.h"

#include "io/limits.h"
#include "io/tu_assemble.h"
#include "io/tu_reader.h"

namespace rayleigh::io {
namespace {

constexpr std::array kColumnParts{TuPart::edges,           TuPart::graph_indicator,
                                  TuPart::node_labels,     TuPart::edge_labels,
                                  TuPart::node_attributes, TuPart::edge_attributes};

/// The text of the big files, unpacked side by side, the largest first.
class Texts {
 public:
  Texts(const TuFiles& files, std::uint64_t limit, core::ThreadPool& pool) {
    std::vector<TuPart> parts;
    std::ranges::copy_if(kColumnParts, std::back_inserter(parts),
                         [&](TuPart part) { return files.has(part); });
    std::ranges::sort(parts, std::greater{}, [&](TuPart part) { return files.bytes(part); });
    pool.run(parts.size(), [&](std::size_t i) {
      const auto source = files.open(parts[i]);
      (*this)[parts[i]] = read_all(*source, limit, files.bytes(parts[i]));
    });
  }

  std::string& operator[](TuPart part) { return texts_[static_cast<std::size_t>(part)]; }
  /// The text, which is freed once the caller is done with it.
  std::string take(TuPart part) { return std::move((*this)[part]); }

 private:
  std::array<std::string, kTuParts> texts_;
};

/// Cuts the graph_indicator column into graphs and counts the ids that have no node.
TuGaps cut_into_graphs(const TuContext& context, const IntTable& indicator, std::uint64_t max_nodes,
                       TuColumns& columns) {
  TuGaps gaps;
  std::int64_t previous = 0;
  for (std::size_t node = 0; node < indicator.rows(); ++node) {
    const std::int64_t id = indicator.values[node];
    if (id != previous || node == 0) {
      check_graph_id(context, id, previous, node + 1);
      if (id > previous + 1) {
        if (gaps.count == 0) {
          gaps.first = previous + 1;
          gaps.line = node + 1;
        }
        gaps.count += static_cast<std::uint64_t>(id - previous - 1);
      }
      columns.graph_ids.push_back(id);
      columns.node_count.push_back(0);
      previous = id;
    }
    ++columns.node_count.back();
  }
  check_graph_count(context, previous);
  std::uint64_t first_node = 0;
  for (std::size_t g = 0; g < columns.graph_ids.size(); ++g) {
    const std::uint64_t nodes = columns.node_count[g];
    if (nodes > max_nodes) {
      throw DataError({context.files.place(TuPart::graph_indicator), first_node + max_nodes + 1},
                      too_large(fmt::format("graph {}", columns.graph_ids[g]), nodes, max_nodes));
    }
    first_node += nodes;
  }
  return gaps;
}

}  // namespace

GraphSet load_tu(std::shared_ptr<const Folder> folder, const std::string& where,
                 const ReadOptions& options) {
  const TuFiles files(std::move(folder), where);
  core::ThreadPool pool(options.run);
  const auto limit = options.max_expanded_bytes;
  const TuContext context = read_context(files, limit, pool);
  Texts texts(files, limit, pool);

  const auto ints = [&](TuPart part, std::size_t columns, const char* what) {
    const auto text = texts.take(part);
    return parse_table<std::int64_t>(text, files.place(part), columns, what, pool);
  };
  TuColumns columns;
  const auto indicator = ints(TuPart::graph_indicator, 1, "one graph id per line");
  const std::size_t nodes = indicator.rows();
  if (nodes == 0) {
    reject_empty(files, TuPart::graph_indicator);
  }
  columns.total_nodes = nodes;
  const TuGaps gaps = cut_into_graphs(context, indicator, options.max_nodes, columns);

  // A set without edges has one blank line; no bytes at all is a file that was cut off.
  if (texts[TuPart::edges].empty()) {
    reject_empty(files, TuPart::edges);
  }
  columns.edges = ints(TuPart::edges, 2, "\"row, col\", two node ids");
  if (files.has(TuPart::node_labels)) {
    columns.node_labels = ints(TuPart::node_labels, 0, "the label of a node");
    check_equal_lines(files, TuPart::node_labels, columns.node_labels.rows(),
                      TuPart::graph_indicator, nodes);
  }
  if (files.has(TuPart::edge_labels)) {
    columns.edge_labels = ints(TuPart::edge_labels, 0, "the label of an edge");
    check_equal_lines(files, TuPart::edge_labels, columns.edge_labels.rows(), TuPart::edges,
                      columns.edges.rows());
  }
  const auto floats = [&](TuPart part, const char* what) {
    const auto text = texts.take(part);
    return parse_table<float>(text, files.place(part), 0, what, pool);
  };
  if (files.has(TuPart::edge_attributes)) {
    columns.edge_attributes = floats(TuPart::edge_attributes, "the attributes of an edge");
    check_equal_lines(files, TuPart::edge_attributes, columns.edge_attributes.rows(), TuPart::edges,
                      columns.edges.rows());
  }
  if (files.has(TuPart::node_attributes)) {
    columns.node_attributes = floats(TuPart::node_attributes, "the attributes of a node");
    check_equal_lines(files, TuPart::node_attributes, columns.node_attributes.rows(),
                      TuPart::graph_indicator, nodes);
  }
  auto raw = assemble(context, std::move(columns), gaps.count > 0, pool);
  raw.findings = describe(context, gaps);
  return graph::canonicalise(std::move(raw), pool);
}

}  // namespace rayleigh::io
