#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "graph/raw_graphs.h"

namespace rayleigh::graph {
namespace {

constexpr std::size_t kShards = 64;  // fixed, so that results never depend on the thread count
constexpr std::uint64_t kNoLine = std::numeric_limits<std::uint64_t>::max();

/// A raw edge, and where its file has it: graph after graph is not always the order of the lines.
struct EdgeAt {
  std::uint64_t line = kNoLine;
  std::uint64_t edge = 0;
  std::size_t graph = 0;
};

/// How often something happened, and where first.
struct Tally {
  std::uint64_t count = 0;
  EdgeAt first;

  void note(const EdgeAt& at, std::uint64_t times = 1) {
    count += times;
    if (at.line < first.line) {
      first = at;
    }
  }
  void merge(const Tally& other) { note(other.first, other.count); }
};

struct Tallies {
  Tally self_loops;
  Tally duplicates;
  Tally one_directional;
  Tally disagreeing_labels;
  Tally disagreeing_attributes;

  void merge(const Tallies& other) {
    self_loops.merge(other.self_loops);
    duplicates.merge(other.duplicates);
    one_directional.merge(other.one_directional);
    disagreeing_labels.merge(other.disagreeing_labels);
    disagreeing_attributes.merge(other.disagreeing_attributes);
  }
};

/// One direction of a raw edge, as seen from its first node.
struct HalfEdge {
  std::uint32_t to;
  bool reversed;        ///< the source lists it the other way round
  std::uint64_t index;  ///< raw edge
};

struct Shard {
  std::vector<std::uint32_t> degree;
  std::vector<std::uint32_t> col;
  std::vector<std::uint32_t> multiplicity;
  std::vector<std::uint32_t> edge_label;
  std::vector<float> edge_attributes;
  std::vector<Direction> direction;  ///< empty where no graph of the set is directed
  bool repeats = false;
  bool one_way = false;
  Tallies tallies;
};

class ShardBuilder {
 public:
  ShardBuilder(const RawGraphs& raw, bool directed, Shard& shard)
      : raw_(raw), directed_(directed), shard_(shard) {}

  void add_graph(std::size_t graph, std::uint32_t first_node, std::uint64_t first_edge) {
    const std::uint32_t nodes = raw_.node_count[graph];
    place_half_edges(graph, nodes, first_edge);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      const auto begin = half_edges_.begin() + static_cast<std::ptrdiff_t>(start_[node]);
      const auto end = half_edges_.begin() + static_cast<std::ptrdiff_t>(start_[node + 1]);
      std::sort(begin, end, [](const HalfEdge& a, const HalfEdge& b) {
        return a.to != b.to ? a.to < b.to : a.index < b.index;
      });
      std::uint32_t degree = 0;
      for (auto run = begin; run != end; ++degree) {
        const auto next =
            std::find_if(run, end, [&](const HalfEdge& h) { return h.to != run->to; });
        add_entry(graph, node, first_node, {run, next});
        run = next;
      }
      shard_.degree.push_back(degree);
    }
  }

 private:
  using HalfEdges = std::span<const HalfEdge>;

  EdgeAt at(std::uint64_t edge, std::size_t graph) const {
    return {raw_.edge_line.empty() ? edge : raw_.edge_line[edge], edge, graph};
  }

  /// Counting sort of both directions of the graph's edges by their first node.
  void place_half_edges(std::size_t graph, std::uint32_t nodes, std::uint64_t first_edge) {
    const auto edges = std::span(raw_.edges).subspan(first_edge, raw_.edge_count[graph]);
    start_.assign(std::size_t{nodes} + 2, 0);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].from == edges[i].to) {
        shard_.tallies.self_loops.note(at(first_edge + i, graph));
      } else {
        ++start_[edges[i].from + 2];
        ++start_[edges[i].to + 2];
      }
    }
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    half_edges_.resize(start_.back());
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const auto [from, to] = edges[i];
      if (from != to) {
        half_edges_[start_[from + 1]++] = {to, false, first_edge + i};
        half_edges_[start_[to + 1]++] = {from, true, first_edge + i};
      }
    }
  }

  /// Merges all mentions of the edge node—to into one entry.
  void add_entry(std::size_t graph, std::uint32_t node, std::uint32_t first_node,
                 HalfEdges mentions) {
    const std::uint32_t to = mentions.front().to;
    const auto reversed = static_cast<std::uint64_t>(
        std::ranges::count_if(mentions, [](const HalfEdge& h) { return h.reversed; }));
    const auto forward = static_cast<std::uint64_t>(mentions.size()) - reversed;
    const std::uint64_t times = std::max(forward, reversed);
    shard_.col.push_back(first_node + to);
    shard_.multiplicity.push_back(static_cast<std::uint32_t>(times));
    shard_.repeats = shard_.repeats || times > 1;
    if (!raw_.edge_label.empty()) {
      shard_.edge_label.push_back(raw_.edge_label[mentions.front().index]);
    }
    if (raw_.edge_attribute_count > 0) {
      const auto attributes = attributes_of(mentions.front());
      shard_.edge_attributes.insert(shard_.edge_attributes.end(), attributes.begin(),
                                    attributes.end());
    }
    if (directed_) {
      const bool one_way = raw_.directed[graph] != 0 && (forward == 0 || reversed == 0);
      shard_.direction.push_back(!one_way      ? Direction::both
                                 : forward > 0 ? Direction::out
                                               : Direction::in);
      shard_.one_way = shard_.one_way || one_way;
    }
    if (node < to) {  // count each undirected edge once
      tally(graph, forward, reversed, mentions);
    }
  }

  void tally(std::size_t graph, std::uint64_t forward, std::uint64_t reversed, HalfEdges mentions) {
    if (forward == 0 || reversed == 0) {
      shard_.tallies.one_directional.note(at(mentions.front().index, graph));
    }
    if (forward > 1 || reversed > 1) {
      const std::uint64_t distinct = (forward > 0 ? 1U : 0U) + (reversed > 0 ? 1U : 0U);
      // The place is that of the first mention that repeats an earlier one.
      shard_.tallies.duplicates.note(at(first_repeat(mentions), graph), mentions.size() - distinct);
    }
    if (!raw_.edge_label.empty()) {
      const auto label = raw_.edge_label[mentions.front().index];
      for (const auto& mention : mentions) {
        if (raw_.edge_label[mention.index] != label) {
          shard_.tallies.disagreeing_labels.note(at(mention.index, graph));
          break;
        }
      }
    }
    if (raw_.edge_attribute_count > 0) {
      const auto attributes = attributes_of(mentions.front());
      const auto other = std::ranges::find_if(mentions, [&](const HalfEdge& mention) {
        return !std::ranges::equal(attributes_of(mention), attributes);
      });
      if (other != mentions.end()) {
        shard_.tallies.disagreeing_attributes.note(at(other->index, graph));
      }
    }
  }

  std::span<const float> attributes_of(const HalfEdge& mention) const {
    return std::span(raw_.edge_attributes)
        .subspan(mention.index * raw_.edge_attribute_count, raw_.edge_attribute_count);
  }

  static std::uint64_t first_repeat(HalfEdges mentions) {
    bool seen[2] = {false, false};
    for (const auto& mention : mentions) {
      if (std::exchange(seen[mention.reversed ? 1 : 0], true)) {
        return mention.index;
      }
    }
    return mentions.front().index;
  }

  const RawGraphs& raw_;
  bool directed_;  ///< some graph of the set is
  Shard& shard_;
  std::vector<std::uint64_t> start_;
  std::vector<HalfEdge> half_edges_;
};

/// Sorted vocabulary of the words in use; rewrites `ids` from token ids to vocabulary ids.
template <typename Id>
Vocabulary compact(const TokenTable& tokens, std::vector<Id>& ids) {
  std::vector<bool> used(tokens.size(), false);
  for (const Id id : ids) {
    if (id != static_cast<Id>(kNoClass)) {
      used[static_cast<std::size_t>(id)] = true;
    }
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 0; id < tokens.size(); ++id) {
    if (used[id]) {
      order.push_back(id);
    }
  }
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return label_before(tokens.words()[a], tokens.words()[b]);
  });
  std::vector<std::string> words;
  std::vector<Id> renumber(tokens.size());
  for (const std::uint32_t id : order) {
    renumber[id] = static_cast<Id>(words.size());
    words.push_back(tokens.words()[id]);
  }
  for (Id& id : ids) {
    if (id != static_cast<Id>(kNoClass)) {
      id = renumber[static_cast<std::size_t>(id)];
    }
  }
  return Vocabulary(std::move(words));
}

void label_by_degree(GraphSetData& data) {
  const std::size_t nodes = data.row_ptr.size() - 1;
  data.node_label.resize(nodes);
  std::uint32_t largest = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    data.node_label[node] = data.row_ptr[node + 1] - data.row_ptr[node];
    largest = std::max(largest, data.node_label[node]);
  }
  std::vector<std::uint32_t> id_of_degree(std::size_t{largest} + 1, 0);
  for (const std::uint32_t degree : data.node_label) {
    id_of_degree[degree] = 1;
  }
  std::vector<std::string> words;
  for (std::uint32_t degree = 0; degree <= largest; ++degree) {
    if (id_of_degree[degree] != 0) {
      id_of_degree[degree] = static_cast<std::uint32_t>(words.size());
      words.push_back(std::to_string(degree));
    }
  }
  for (std::uint32_t& label : data.node_label) {
    label = id_of_degree[label];
  }
  data.node_labels = Vocabulary(nodes == 0 ? std::vector<std::string>{} : std::move(words));
  data.label_source = LabelSource::degree;
}

void add_finding(std::vector<Finding>& findings, const RawGraphs& raw, const Tally& tally,
                 std::string kind, std::string description) {
  if (tally.count > 0) {
    findings.push_back({std::move(kind), std::move(description), tally.count,
                        raw.place_of(tally.first.graph, tally.first.edge)});
  }
}

void report(std::vector<Finding>& findings, const RawGraphs& raw, const Tallies& tallies) {
  add_finding(findings, raw, tallies.self_loops, "self_loops", "self-loops dropped");
  add_finding(findings, raw, tallies.duplicates, "duplicate_edges", "repeated edge rows merged");
  if (raw.both_directions_expected) {
    add_finding(findings, raw, tallies.one_directional, "one_directional_edges",
                "edges listed in one direction only, completed");
  }
  add_finding(findings, raw, tallies.disagreeing_labels, "disagreeing_edge_labels",
              "edges whose rows disagree on the edge label, first row kept");
  add_finding(findings, raw, tallies.disagreeing_attributes, "disagreeing_edge_attributes",
              "edges whose rows disagree on the edge attributes, first row kept");
}

void check_sizes(std::uint64_t nodes, std::uint64_t edges) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (nodes >= kMost || 2 * edges >= kMost) {
    throw DataError({}, fmt::format("{} nodes and {} edges are more than one set holds (2^32 nodes "
                                    "or directed edges); split the data",
                                    nodes, edges));
  }
}

void add_fingerprints(RawGraphs& raw, GraphSetData& data) {
  if (raw.fingerprint_size.empty()) {
    return;
  }
  if (raw.fingerprint.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw DataError({}, fmt::format("{} bits of fingerprints are more than one set holds (2^32); "
                                    "split the data",
                                    raw.fingerprint.size()));
  }
  data.fingerprint = std::move(raw.fingerprint);
  data.fingerprint_ptr.assign(raw.fingerprint_size.size() + 1, 0);
  std::partial_sum(raw.fingerprint_size.begin(), raw.fingerprint_size.end(),
                   data.fingerprint_ptr.begin() + 1);
}

void add_names(const std::vector<std::string>& names, GraphSetData& data) {
  if (names.empty()) {
    return;
  }
  std::uint64_t bytes = 0;
  for (const auto& name : names) {
    bytes += name.size();
  }
  if (bytes >= std::numeric_limits<std::uint32_t>::max()) {
    throw DataError({}, "the names of the graphs are longer than one set holds (4 GB)");
  }
  data.name_text.reserve(bytes);
  data.name_ptr.reserve(names.size() + 1);
  data.name_ptr.push_back(0);
  for (const auto& name : names) {
    data.name_text += name;
    data.name_ptr.push_back(static_cast<std::uint32_t>(data.name_text.size()));
  }
}

void join_shards(std::vector<Shard>& shards, const std::vector<std::size_t>& first_node,
                 bool edge_labels, core::ThreadPool& pool, GraphSetData& data) {
  const std::size_t attributes = data.edge_attribute_count;
  bool one_way = false;
  std::vector<std::size_t> first_entry(shards.size() + 1, 0);
  bool repeats = false;
  for (std::size_t s = 0; s < shards.size(); ++s) {
    first_entry[s + 1] = first_entry[s] + shards[s].col.size();
    repeats = repeats || shards[s].repeats;
    one_way = one_way || shards[s].one_way;
  }
  const std::size_t entries = first_entry.back();
  data.col.resize(entries);
  data.edge_label.resize(edge_labels ? entries : 0);
  data.multiplicity.resize(repeats ? entries : 0);
  data.direction.resize(one_way ? entries : 0);
  data.edge_attributes.resize(entries * attributes);
  pool.run(shards.size(), [&](std::size_t s) {
    auto& shard = shards[s];
    auto entry = static_cast<std::uint32_t>(first_entry[s]);
    for (std::size_t i = 0; i < shard.degree.size(); ++i) {
      entry += shard.degree[i];
      data.row_ptr[first_node[s] + i + 1] = entry;
    }
    const auto at = static_cast<std::ptrdiff_t>(first_entry[s]);
    std::ranges::copy(shard.col, data.col.begin() + at);
    if (edge_labels) {
      std::ranges::copy(shard.edge_label, data.edge_label.begin() + at);
    }
    if (repeats) {
      std::ranges::copy(shard.multiplicity, data.multiplicity.begin() + at);
    }
    if (one_way) {
      std::ranges::copy(shard.direction, data.direction.begin() + at);
    }
    std::ranges::copy(shard.edge_attributes,
                      data.edge_attributes.begin() + at * static_cast<std::ptrdiff_t>(attributes));
    shard = {};
  });
}

}  // namespace

GraphSet canonicalise(RawGraphs&& raw, core::ThreadPool& pool) {
  const std::size_t graphs = raw.node_count.size();
  const auto nodes = std::reduce(raw.node_count.begin(), raw.node_count.end(), std::uint64_t{0});
  check_sizes(nodes, raw.edges.size());

  GraphSetData data;
  data.name = std::move(raw.name);
  data.graph_ptr.assign(graphs + 1, 0);
  std::partial_sum(raw.node_count.begin(), raw.node_count.end(), data.graph_ptr.begin() + 1);
  data.row_ptr.assign(nodes + 1, 0);

  data.edge_attribute_count = raw.edge_attribute_count;
  const bool directed = std::ranges::find(raw.directed, 1) != raw.directed.end();
  const std::size_t shard_count = std::min(kShards, std::max<std::size_t>(1, graphs));
  std::vector<Shard> shards(shard_count);
  std::vector<std::size_t> first_node(shard_count);
  std::vector<std::uint64_t> first_edge(graphs + 1, 0);
  for (std::size_t g = 0; g < graphs; ++g) {
    first_edge[g + 1] = first_edge[g] + raw.edge_count[g];
  }
  pool.run(shard_count, [&](std::size_t s) {
    const auto range = core::part_of(graphs, shard_count, s);
    first_node[s] = data.graph_ptr[range.begin];
    ShardBuilder builder(raw, directed, shards[s]);
    for (std::size_t g = range.begin; g < range.end; ++g) {
      builder.add_graph(g, data.graph_ptr[g], first_edge[g]);
    }
  });

  Tallies tallies;
  for (const auto& shard : shards) {
    tallies.merge(shard.tallies);
  }
  data.findings = std::move(raw.findings);
  report(data.findings, raw, tallies);

  const bool edge_labels = !raw.edge_label.empty();
  join_shards(shards, first_node, edge_labels, pool, data);
  data.edge_labels = compact(raw.edge_tokens, data.edge_label);
  if (data.col.empty()) {  // as of labels, nothing is left of attributes that no edge has
    data.edge_attribute_count = 0;
  }

  if (raw.node_label.empty()) {
    label_by_degree(data);
  } else {
    data.node_label = std::move(raw.node_label);
    data.node_labels = compact(raw.node_tokens, data.node_label);
  }
  data.graph_class = std::move(raw.graph_class);
  data.classes = compact(raw.class_tokens, data.graph_class);
  data.scaffold = std::move(raw.scaffold);
  add_fingerprints(raw, data);
  data.reading = std::move(raw.reading);
  data.attributes = std::move(raw.attributes);
  data.attribute_count = raw.attribute_count;

  add_names(raw.graph_name, data);
  data.node_label.shrink_to_fit();
  data.attributes.shrink_to_fit();
  data.graph_class.shrink_to_fit();
  return GraphSet(std::move(data));
}

}  // namespace rayleigh::graph
