#include "graph/raw_graphs.h"

#include <algorithm>
#include <iterator>
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
  move_behind(all.attributes, std::move(more.attributes));
  move_behind(all.edges, std::move(more.edges));
  move_behind(all.edge_line, std::move(more.edge_line));
  if (all.attribute_count == 0) {
    all.attribute_count = more.attribute_count;
  }
  for (auto& finding : more.findings) {
    note(all.findings, std::move(finding));
  }
}

}  // namespace rayleigh::graph
