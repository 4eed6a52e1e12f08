#include "io/tu_assemble.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::io {
namespace {

constexpr std::int64_t kMostGraphs = std::numeric_limits<std::int32_t>::max();

/// A line of each part holds one …
std::string_view content_of(TuPart part) {
  switch (part) {
    case TuPart::edges:
      return "edge row";
    case TuPart::graph_indicator:
    case TuPart::node_labels:
    case TuPart::node_attributes:
      return "node";
    case TuPart::edge_labels:
    case TuPart::edge_attributes:
      return "edge row";
    default:
      return "graph";
  }
}

std::vector<std::string> read_names(const TuFiles& files, TuPart part, std::uint64_t limit) {
  std::vector<std::string> names;
  if (!files.has(part)) {
    return names;
  }
  const auto source = files.open(part);
  const std::string text = read_all(*source, limit, files.bytes(part));
  std::string_view left = text;
  while (!left.empty()) {
    const auto end = left.find('\n');
    auto line = left.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (core::find_invalid_utf8(line) != std::string_view::npos) {
      throw DataError({files.place(part), names.size() + 1}, "the name is not valid UTF-8");
    }
    if (line.empty() && part != TuPart::graph_names) {
      throw DataError({files.place(part), names.size() + 1},
                      "the name is empty, expected the name of a label");
    }
    names.emplace_back(line);
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  return names;
}

/// Turns label rows into token ids. Small whole numbers, the usual case, go through a flat table.
class LabelInterner {
 public:
  LabelInterner(const TuFiles& files, TuPart part, const std::vector<std::string>& names,
                graph::TokenTable& tokens)
      : files_(files), part_(part), names_(names), tokens_(tokens), small_(kSmall, kUnknown) {}

  std::uint32_t intern(std::span<const std::int64_t> row, std::uint64_t line) {
    if (row.size() > 1) {
      return tokens_.intern(fmt::format("{}", fmt::join(row, ",")));
    }
    const std::int64_t value = row[0];
    if (value >= 0 && value < kSmall) {
      auto& id = small_[static_cast<std::size_t>(value)];
      if (id == kUnknown) {
        id = tokens_.intern(word(value, line));
      }
      return id;
    }
    const auto [it, fresh] = large_.try_emplace(value, 0);
    if (fresh) {
      it->second = tokens_.intern(word(value, line));
    }
    return it->second;
  }

 private:
  static constexpr std::int64_t kSmall = 4096;
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  std::string word(std::int64_t value, std::uint64_t line) const {
    if (names_.empty()) {
      return std::to_string(value);
    }
    if (value < 0 || static_cast<std::uint64_t>(value) >= names_.size()) {
      throw DataError({files_.place(part_), line},
                      fmt::format("label {} has no name, the names file has {}", value,
                                  core::counted(names_.size(), "line")));
    }
    return names_[static_cast<std::size_t>(value)];
  }

  const TuFiles& files_;
  TuPart part_;
  const std::vector<std::string>& names_;
  graph::TokenTable& tokens_;
  std::vector<std::uint32_t> small_;
  std::unordered_map<std::int64_t, std::uint32_t> large_;
};

std::vector<std::uint32_t> intern_all(const TuFiles& files, TuPart part,
                                      const std::vector<std::string>& names,
                                      graph::TokenTable& tokens, const IntTable& table,
                                      std::uint64_t first_line) {
  LabelInterner interner(files, part, names, tokens);
  std::vector<std::uint32_t> ids(table.rows());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    ids[row] = interner.intern(std::span(table.values).subspan(row * table.columns, table.columns),
                               first_line + row);
  }
  return ids;
}

/// Maps node ids of a run of graphs to graph and local node.
class NodeIndex {
 public:
  NodeIndex(const TuFiles& files, const TuColumns& columns)
      : files_(files), columns_(columns), start_(columns.node_count.size() + 1, 0) {
    std::inclusive_scan(columns.node_count.begin(), columns.node_count.end(), start_.begin() + 1,
                        std::plus<>{}, std::uint64_t{0});
    graph_of_.resize(start_.back());
    for (std::size_t g = 0; g < columns.node_count.size(); ++g) {
      std::fill_n(graph_of_.begin() + static_cast<std::ptrdiff_t>(start_[g]), columns.node_count[g],
                  static_cast<std::uint32_t>(g));
    }
  }

  /// The graph of an edge; throws when its ends are not nodes of one graph of this run.
  std::size_t graph_of_edge(std::int64_t from, std::int64_t to, std::uint64_t line) const {
    const auto a = position(from, line);
    const auto b = position(to, line);
    if (graph_of_[a] != graph_of_[b]) {
      throw DataError({files_.place(TuPart::edges), line},
                      fmt::format("edge {}, {} joins graph {} and graph {}, expected both nodes in "
                                  "one graph",
                                  from, to, columns_.graph_ids[graph_of_[a]],
                                  columns_.graph_ids[graph_of_[b]]));
    }
    return graph_of_[a];
  }

  graph::RawEdge local(std::size_t graph, std::int64_t from, std::int64_t to) const {
    const auto first = static_cast<std::int64_t>(columns_.first_node + start_[graph] + 1);
    return {static_cast<std::uint32_t>(from - first), static_cast<std::uint32_t>(to - first)};
  }

 private:
  std::size_t position(std::int64_t id, std::uint64_t line) const {
    if (id >= 1) {
      const auto position = static_cast<std::uint64_t>(id) - 1 - columns_.first_node;
      if (position < graph_of_.size()) {  // also when the subtraction wrapped around
        return position;
      }
    }
    const Place place{files_.place(TuPart::edges), line};
    if (id < 1) {
      throw DataError(place, fmt::format("node id {}, expected ids from 1", id));
    }
    if (columns_.total_nodes > 0 && static_cast<std::uint64_t>(id) > columns_.total_nodes) {
      throw DataError(
          place, fmt::format("node id {}, but {} has {}", id, files_.place(TuPart::graph_indicator),
                             core::counted(columns_.total_nodes, "line")));
    }
    throw DataError(place, fmt::format("node id {} belongs to another graph than its neighbour or "
                                       "to none, expected both nodes in one graph",
                                       id));
  }

  const TuFiles& files_;
  const TuColumns& columns_;
  std::vector<std::uint64_t> start_;
  std::vector<std::uint32_t> graph_of_;
};

/// Stable sort of the edges by graph, for files that mix the edges of several graphs.
void group_by_graph(graph::RawGraphs& raw, const std::vector<std::uint32_t>& graph_of_edge,
                    std::uint64_t first_line) {
  std::vector<std::uint64_t> next(raw.edge_count.size() + 1, 0);
  std::inclusive_scan(raw.edge_count.begin(), raw.edge_count.end(), next.begin() + 1, std::plus<>{},
                      std::uint64_t{0});
  std::vector<graph::RawEdge> edges(raw.edges.size());
  std::vector<std::uint32_t> labels(raw.edge_label.size());
  std::vector<float> attributes(raw.edge_attributes.size());
  const std::uint32_t width = raw.edge_attribute_count;
  raw.edge_line.resize(raw.edges.size());
  for (std::size_t i = 0; i < raw.edges.size(); ++i) {
    const std::uint64_t to = next[graph_of_edge[i]]++;
    edges[to] = raw.edges[i];
    raw.edge_line[to] = first_line + i;
    if (!labels.empty()) {
      labels[to] = raw.edge_label[i];
    }
    std::copy_n(raw.edge_attributes.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                attributes.begin() + static_cast<std::ptrdiff_t>(to * width));
  }
  raw.edges = std::move(edges);
  raw.edge_label = std::move(labels);
  raw.edge_attributes = std::move(attributes);
}

/// Returns the graph of each edge where the edges are not grouped by graph, else nothing.
std::vector<std::uint32_t> add_edges(const TuContext& context, const TuColumns& columns,
                                     graph::RawGraphs& raw) {
  const NodeIndex index(context.files, columns);
  const std::size_t rows = columns.edges.rows();
  raw.edges.resize(rows);
  raw.edge_count.assign(columns.graph_ids.size(), 0);
  std::vector<std::uint32_t> graph_of_edge(rows);
  bool grouped = true;
  std::size_t previous = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t from = columns.edges.values[2 * row];
    const std::int64_t to = columns.edges.values[2 * row + 1];
    const std::size_t graph = index.graph_of_edge(from, to, columns.first_edge_line + row);
    raw.edges[row] = index.local(graph, from, to);
    graph_of_edge[row] = static_cast<std::uint32_t>(graph);
    ++raw.edge_count[graph];
    grouped = grouped && graph >= previous;
    previous = graph;
  }
  if (grouped) {
    graph_of_edge.clear();
  }
  return graph_of_edge;
}

void add_classes(const TuContext& context, const std::vector<std::int64_t>& graph_ids,
                 graph::RawGraphs& raw) {
  raw.graph_class.assign(graph_ids.size(), kNoClass);
  if (context.graph_labels.columns == 0) {
    return;
  }
  LabelInterner interner(context.files, TuPart::graph_labels, context.graph_label_names,
                         raw.class_tokens);
  for (std::size_t g = 0; g < graph_ids.size(); ++g) {
    const auto row = static_cast<std::size_t>(graph_ids[g] - 1);
    raw.graph_class[g] = static_cast<std::int32_t>(
        interner.intern(std::span(context.graph_labels.values).subspan(row, 1), row + 1));
  }
}

}  // namespace

TuContext read_context(const TuFiles& files, std::uint64_t limit, core::ThreadPool& pool) {
  TuContext context{.files = files,
                    .graph_labels = {},
                    .graph_names = read_names(files, TuPart::graph_names, limit),
                    .graph_label_names = read_names(files, TuPart::graph_label_names, limit),
                    .node_label_names = read_names(files, TuPart::node_label_names, limit),
                    .edge_label_names = read_names(files, TuPart::edge_label_names, limit)};
  if (files.has(TuPart::graph_labels)) {
    const auto source = files.open(TuPart::graph_labels);
    const auto text = read_all(*source, limit, files.bytes(TuPart::graph_labels));
    context.graph_labels = parse_table<std::int64_t>(text, files.place(TuPart::graph_labels), 1,
                                                     "one graph label per line", pool);
    if (context.graph_labels.rows() == 0) {
      reject_empty(files, TuPart::graph_labels);
    }
    if (!context.graph_names.empty()) {
      check_equal_lines(files, TuPart::graph_names, context.graph_names.size(),
                        TuPart::graph_labels, context.graph_labels.rows());
    }
  }
  return context;
}

void check_graph_id(const TuContext& context, std::int64_t id, std::int64_t previous,
                    std::uint64_t line) {
  const auto fail = [&](const std::string& message) {
    throw DataError({context.files.place(TuPart::graph_indicator), line}, message);
  };
  if (id < 1) {
    fail(fmt::format("graph id {}, expected ids from 1", id));
  }
  if (id > kMostGraphs) {
    fail(fmt::format("graph id {}, expected at most {}", id, kMostGraphs));
  }
  if (id < previous) {
    fail(fmt::format("graph id {} after {}, expected ids that never decrease", id, previous));
  }
  const auto known = context.graph_labels.rows();
  if (context.graph_labels.columns != 0 && static_cast<std::uint64_t>(id) > known) {
    fail(fmt::format("graph id {}, but {} has {}", id, context.files.place(TuPart::graph_labels),
                     core::counted(known, "line")));
  }
  if (!context.graph_names.empty() && static_cast<std::uint64_t>(id) > context.graph_names.size()) {
    fail(fmt::format("graph id {}, but {} has {}", id, context.files.place(TuPart::graph_names),
                     core::counted(context.graph_names.size(), "line")));
  }
}

void check_graph_count(const TuContext& context, std::int64_t last_id) {
  const auto check = [&](TuPart part, std::uint64_t lines) {
    if (lines > static_cast<std::uint64_t>(last_id)) {
      throw DataError(
          {context.files.place(part), static_cast<std::uint64_t>(last_id) + 1},
          fmt::format("graph {} has no nodes, {} ends with graph {}; expected as many "
                      "graphs in both",
                      last_id + 1, context.files.place(TuPart::graph_indicator), last_id));
    }
  };
  check(TuPart::graph_labels, context.graph_labels.rows());
  check(TuPart::graph_names, context.graph_names.size());
}

void reject_empty(const TuFiles& files, TuPart part) {
  throw DataError({files.place(part), 0},
                  fmt::format("the file is empty, expected one line per {}{}", content_of(part),
                              part == TuPart::edges ? " (one blank line for no edges)" : ""));
}

void reject_unpaired(const TuFiles& files, TuPart longer, std::uint64_t line, TuPart shorter) {
  throw DataError(
      {files.place(longer), line},
      fmt::format("this line has no partner in {}, which has {}; expected as many "
                  "lines in both, one per {}",
                  files.place(shorter), core::counted(line - 1, "line"), content_of(longer)));
}

void check_equal_lines(const TuFiles& files, TuPart a, std::uint64_t a_lines, TuPart b,
                       std::uint64_t b_lines) {
  for (const auto& [part, lines] : {std::pair{a, a_lines}, std::pair{b, b_lines}}) {
    // No edges at all is a set of single nodes, not an empty file.
    if (lines == 0 && a_lines != b_lines && part != TuPart::edges) {
      reject_empty(files, part);
    }
  }
  if (a_lines != b_lines) {
    reject_unpaired(files, a_lines > b_lines ? a : b, std::min(a_lines, b_lines) + 1,
                    a_lines > b_lines ? b : a);
  }
}

graph::RawGraphs assemble(const TuContext& context, TuColumns&& columns, bool named_by_id,
                          core::ThreadPool& pool) {
  graph::RawGraphs raw;
  raw.name = context.files.name();
  raw.edge_file = context.files.place(TuPart::edges);
  raw.both_directions_expected = true;
  std::vector<std::uint32_t> graph_of_edge;
  const std::array<std::function<void()>, 3> tasks{
      [&] {
        if (context.files.has(TuPart::edge_labels)) {
          raw.edge_label =
              intern_all(context.files, TuPart::edge_labels, context.edge_label_names,
                         raw.edge_tokens, columns.edge_labels, columns.first_edge_line);
        }
      },
      [&] { graph_of_edge = add_edges(context, columns, raw); },
      [&] {
        if (context.files.has(TuPart::node_labels)) {
          raw.node_label = intern_all(context.files, TuPart::node_labels, context.node_label_names,
                                      raw.node_tokens, columns.node_labels, columns.first_node + 1);
        }
      }};
  pool.run(tasks.size(), [&](std::size_t i) { tasks[i](); });
  raw.edge_attributes.assign(columns.edge_attributes.values.begin(),
                             columns.edge_attributes.values.end());
  raw.edge_attribute_count = static_cast<std::uint32_t>(columns.edge_attributes.columns);
  if (!graph_of_edge.empty()) {
    group_by_graph(raw, graph_of_edge, columns.first_edge_line);
  } else if (columns.first_edge_line != 1) {
    raw.edge_line.resize(raw.edges.size());
    std::iota(raw.edge_line.begin(), raw.edge_line.end(), columns.first_edge_line);
  }
  raw.attributes.assign(columns.node_attributes.values.begin(),
                        columns.node_attributes.values.end());
  raw.attribute_count = static_cast<std::uint32_t>(columns.node_attributes.columns);
  add_classes(context, columns.graph_ids, raw);
  for (const std::int64_t id : columns.graph_ids) {
    if (!context.graph_names.empty()) {
      raw.graph_name.push_back(context.graph_names[static_cast<std::size_t>(id - 1)]);
    } else if (named_by_id) {
      raw.graph_name.push_back(std::to_string(id));
    }
  }
  raw.node_count = std::move(columns.node_count);
  return raw;
}

std::vector<Finding> describe(const TuContext& context, const TuGaps& gaps) {
  std::vector<Finding> findings;
  const auto& files = context.files;
  if (gaps.count > 0) {
    findings.push_back(
        {"graphs_without_nodes",
         fmt::format("graph ids without any node, left out (first: graph {})", gaps.first),
         gaps.count,
         {files.place(TuPart::graph_indicator), gaps.line}});
  }
  if (files.has(TuPart::graph_attributes)) {
    findings.push_back({"graph_attributes_unused",
                        "file of graph attributes not used by any method",
                        1,
                        {files.place(TuPart::graph_attributes), 0}});
  }
  return findings;
}

}  // namespace rayleigh::io
