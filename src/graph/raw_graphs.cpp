#include "graph/raw_graphs.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

namespace rayleigh::graph {
namespace {

template <typename T>
void move_behind(std::vector<T>& all, std::vector<T>&& more) {
  if (all.empty()) {
    all = std::move(more);
  } else {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  }
}

/// Appends ids of one token table to ids of another, renumbered.
template <typename Id>
void append_ids(std::vector<Id>& all, TokenTable& all_tokens, const std::vector<Id>& more,
                const TokenTable& more_tokens) {
  std::vector<std::uint32_t> renumber;
  renumber.reserve(more_tokens.size());
  for (const auto& word : more_tokens.words()) {
    renumber.push_back(all_tokens.intern(word));
  }
  all.reserve(all.size() + more.size());
  for (const Id id : more) {
    all.push_back(id == static_cast<Id>(kNoClass)
                      ? id
                      : static_cast<Id>(renumber[static_cast<std::size_t>(id)]));
  }
}

/// Appends the ids of a run, renumbered; words that no id of the run means are left out.
template <typename Id>
void copy_ids(std::span<const Id> run, const TokenTable& tokens, std::vector<Id>& to,
              TokenTable& to_tokens) {
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> renumber(tokens.size(), kNone);
  to.reserve(run.size());
  for (const Id id : run) {
    if (id == static_cast<Id>(kNoClass)) {
      to.push_back(id);
      continue;
    }
    auto& number = renumber[static_cast<std::size_t>(id)];
    if (number == kNone) {
      number = to_tokens.intern(tokens.words()[static_cast<std::size_t>(id)]);
    }
    to.push_back(static_cast<Id>(number));
  }
}

/// The numbers from `begin` on of a column; nothing where there is no such column.
template <typename T>
std::span<const T> run_of(const std::vector<T>& column, std::size_t begin, std::size_t count) {
  return column.empty() ? std::span<const T>{} : std::span<const T>(column).subspan(begin, count);
}

template <typename T>
std::vector<T> copy_of(const std::vector<T>& column, std::size_t begin, std::size_t count) {
  const auto run = run_of(column, begin, count);
  return {run.begin(), run.end()};
}

}  // namespace

void note(std::vector<Finding>& findings, Finding finding) {
  constexpr std::size_t kMost = 24;
  const auto find_equal = [&] {
    return std::ranges::find_if(findings, [&](const Finding& known) {
      return known.kind == finding.kind && known.description == finding.description;
    });
  };
  auto equal = find_equal();
  if (equal == findings.end() && findings.size() >= kMost) {
    finding.description = "and others of this kind";
    equal = find_equal();
  }
  if (equal == findings.end()) {
    findings.push_back(std::move(finding));
  } else {
    equal->count += finding.count;
  }
}

std::uint32_t TokenTable::intern(std::string_view word) {
  if (const auto it = ids_.find(word); it != ids_.end()) {
    return it->second;
  }
  const auto id = static_cast<std::uint32_t>(words_.size());
  words_.emplace_back(word);
  ids_.emplace(words_.back(), id);
  return id;
}

Place RawGraphs::place_of(std::size_t graph, std::size_t edge) const {
  if (edge_file.empty()) {
    return {};
  }
  if (!graph_line.empty()) {
    return {edge_file, graph_line[graph]};
  }
  return {edge_file, edge_line.empty() ? edge + 1 : edge_line[edge]};
}

void append(RawGraphs& all, RawGraphs&& more) {
  append_ids(all.graph_class, all.class_tokens, more.graph_class, more.class_tokens);
  append_ids(all.node_label, all.node_tokens, more.node_label, more.node_tokens);
  append_ids(all.edge_label, all.edge_tokens, more.edge_label, more.edge_tokens);
  move_behind(all.node_count, std::move(more.node_count));
  move_behind(all.edge_count, std::move(more.edge_count));
  move_behind(all.graph_name, std::move(more.graph_name));
  move_behind(all.graph_line, std::move(more.graph_line));
  move_behind(all.scaffold, std::move(more.scaffold));
  move_behind(all.fingerprint_size, std::move(more.fingerprint_size));
  move_behind(all.fingerprint, std::move(more.fingerprint));
  move_behind(all.directed, std::move(more.directed));
  move_behind(all.attributes, std::move(more.attributes));
  move_behind(all.edge_attributes, std::move(more.edge_attributes));
  move_behind(all.edges, std::move(more.edges));
  move_behind(all.edge_line, std::move(more.edge_line));
  if (all.attribute_count == 0) {
    all.attribute_count = more.attribute_count;
  }
  if (all.edge_attribute_count == 0) {  // a run of graphs without edges does not know it
    all.edge_attribute_count = more.edge_attribute_count;
  }
  for (auto& finding : more.findings) {
    note(all.findings, std::move(finding));
  }
}

RawGraphs copy_run(const RawGraphs& all, std::size_t graphs, RawPosition& from) {
  RawGraphs run;
  run.name = all.name;
  run.edge_file = all.edge_file;
  run.both_directions_expected = all.both_directions_expected;
  run.attribute_count = all.attribute_count;
  run.edge_attribute_count = all.edge_attribute_count;
  run.node_count = copy_of(all.node_count, from.graph, graphs);
  run.edge_count = copy_of(all.edge_count, from.graph, graphs);
  run.graph_name = copy_of(all.graph_name, from.graph, graphs);
  run.graph_line = copy_of(all.graph_line, from.graph, graphs);
  run.scaffold = copy_of(all.scaffold, from.graph, graphs);
  run.fingerprint_size = copy_of(all.fingerprint_size, from.graph, graphs);
  run.directed = copy_of(all.directed, from.graph, graphs);
  const auto sum = [](const auto& counts) {
    return std::reduce(counts.begin(), counts.end(), std::size_t{0});
  };
  const std::size_t nodes = sum(run.node_count);
  const std::size_t edges = sum(run.edge_count);
  const std::size_t bits = sum(run.fingerprint_size);
  run.attributes =
      copy_of(all.attributes, from.node * all.attribute_count, nodes * all.attribute_count);
  run.edges = copy_of(all.edges, from.edge, edges);
  run.edge_attributes = copy_of(all.edge_attributes, from.edge * all.edge_attribute_count,
                                edges * all.edge_attribute_count);
  run.edge_line = copy_of(all.edge_line, from.edge, edges);
  run.fingerprint = copy_of(all.fingerprint, from.fingerprint, bits);
  copy_ids(run_of(all.graph_class, from.graph, graphs), all.class_tokens, run.graph_class,
           run.class_tokens);
  copy_ids(run_of(all.node_label, from.node, nodes), all.node_tokens, run.node_label,
           run.node_tokens);
  copy_ids(run_of(all.edge_label, from.edge, edges), all.edge_tokens, run.edge_label,
           run.edge_tokens);
  from = {from.graph + graphs, from.node + nodes, from.edge + edges, from.fingerprint + bits};
  return run;
}

}  // namespace rayleigh::graph
