#include "rayleigh/graph_set.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/text.h"
#include "graph/copy_graph.h"

namespace rayleigh {
namespace {

template <typename T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

std::size_t bytes_of(const Vocabulary& vocabulary) {
  std::size_t bytes = vocabulary.size() * sizeof(std::string);
  const std::size_t kept_inside = std::string().capacity();
  for (const auto& word : vocabulary.words()) {
    bytes += word.capacity() > kept_inside ? word.capacity() + 1 : 0;
  }
  return bytes;
}

}  // namespace

bool label_before(std::string_view a, std::string_view b) {
  const auto number_a = core::canonical_integer(a);
  const auto number_b = core::canonical_integer(b);
  if (number_a && number_b) {
    return *number_a < *number_b;
  }
  if (number_a.has_value() != number_b.has_value()) {
    return number_a.has_value();
  }
  return a < b;
}

Vocabulary::Vocabulary(std::vector<std::string> words) : words_(std::move(words)) {
  assert(std::ranges::is_sorted(words_, label_before));
}

std::optional<std::uint32_t> Vocabulary::find(std::string_view word) const {
  const auto it = std::ranges::lower_bound(words_, word, label_before);
  if (it == words_.end() || *it != word) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(it - words_.begin());
}

GraphView::GraphView(const GraphSet& set, std::size_t index)
    : set_(&set), index_(index), first_node_(set.graph_ptr()[index]), col_(set.col()) {
  const std::size_t nodes = set.graph_ptr()[index + 1] - first_node_;
  row_ptr_ = set.row_ptr().subspan(first_node_, nodes + 1);
  labels_ = set.node_label().subspan(first_node_, nodes);
}

GraphSet::GraphSet(GraphSetData data) : data_(std::move(data)) {
  assert(data_.graph_ptr.back() + 1 == data_.row_ptr.size());
  assert(data_.row_ptr.back() == data_.col.size());
  assert(data_.node_label.size() == nodes() && data_.graph_class.size() == size());
  assert(data_.edge_attributes.size() == data_.col.size() * data_.edge_attribute_count);
}

std::span<const float> GraphSet::attributes(std::size_t node) const {
  return std::span(data_.attributes).subspan(node * data_.attribute_count, data_.attribute_count);
}

std::span<const float> GraphSet::edge_attributes(std::size_t entry) const {
  return std::span(data_.edge_attributes)
      .subspan(entry * data_.edge_attribute_count, data_.edge_attribute_count);
}

std::string_view GraphSet::graph_name(std::size_t graph) const {
  if (data_.name_ptr.empty()) {
    return {};
  }
  const std::uint32_t begin = data_.name_ptr[graph];
  return std::string_view(data_.name_text).substr(begin, data_.name_ptr[graph + 1] - begin);
}

std::span<const std::uint16_t> GraphSet::fingerprint(std::size_t graph) const {
  const std::uint32_t begin = data_.fingerprint_ptr[graph];
  return std::span(data_.fingerprint).subspan(begin, data_.fingerprint_ptr[graph + 1] - begin);
}

std::size_t GraphSet::memory_bytes() const {
  return sizeof(GraphSet) + bytes_of(data_.graph_ptr) + bytes_of(data_.row_ptr) +
         bytes_of(data_.col) + bytes_of(data_.node_label) + bytes_of(data_.edge_label) +
         bytes_of(data_.multiplicity) + bytes_of(data_.direction) +
         bytes_of(data_.edge_attributes) + bytes_of(data_.attributes) +
         bytes_of(data_.graph_class) + bytes_of(data_.name_ptr) + data_.name_text.capacity() +
         bytes_of(data_.scaffold) + bytes_of(data_.fingerprint_ptr) + bytes_of(data_.fingerprint) +
         bytes_of(data_.node_labels) + bytes_of(data_.edge_labels) + bytes_of(data_.classes);
}

GraphSet GraphSet::subset(std::span<const std::uint32_t> graphs) const {
  GraphSetData out;
  out.name = data_.name;
  out.node_labels = data_.node_labels;
  out.edge_labels = data_.edge_labels;
  out.classes = data_.classes;
  out.label_source = data_.label_source;
  out.reading = data_.reading;
  out.attribute_count = data_.attribute_count;
  out.edge_attribute_count = data_.edge_attribute_count;
  std::size_t nodes = 0;
  std::size_t entries = 0;
  std::size_t name_bytes = 0;
  for (const std::uint32_t g : graphs) {
    assert(g < size());
    nodes += data_.graph_ptr[g + 1] - data_.graph_ptr[g];
    entries += data_.row_ptr[data_.graph_ptr[g + 1]] - data_.row_ptr[data_.graph_ptr[g]];
    name_bytes += graph_name(g).size();
  }
  out.graph_ptr.reserve(graphs.size() + 1);
  out.graph_class.reserve(graphs.size());
  out.row_ptr.reserve(nodes + 1);
  out.node_label.reserve(nodes);
  out.attributes.reserve(nodes * attribute_count());
  out.col.reserve(entries);
  out.edge_label.reserve(data_.edge_label.empty() ? 0 : entries);
  out.multiplicity.reserve(data_.multiplicity.empty() ? 0 : entries);
  out.direction.reserve(data_.direction.empty() ? 0 : entries);
  out.edge_attributes.reserve(entries * edge_attribute_count());
  out.name_ptr.reserve(has_names() ? graphs.size() + 1 : 0);
  out.name_text.reserve(name_bytes);
  out.scaffold.reserve(data_.scaffold.empty() ? 0 : graphs.size());
  if (has_names()) {
    out.name_ptr.push_back(0);
  }
  if (!data_.fingerprint_ptr.empty()) {
    out.fingerprint_ptr.reserve(graphs.size() + 1);
    out.fingerprint_ptr.push_back(0);
  }
  for (const std::uint32_t g : graphs) {
    graph::copy_graph(*this, g, out);
    if (!data_.scaffold.empty()) {
      out.scaffold.push_back(data_.scaffold[g]);
    }
    if (!data_.fingerprint_ptr.empty()) {
      const auto bits = fingerprint(g);
      out.fingerprint.insert(out.fingerprint.end(), bits.begin(), bits.end());
      out.fingerprint_ptr.push_back(static_cast<std::uint32_t>(out.fingerprint.size()));
    }
    if (has_names()) {
      out.name_text += graph_name(g);
      out.name_ptr.push_back(static_cast<std::uint32_t>(out.name_text.size()));
    }
  }
  if (std::ranges::all_of(out.multiplicity, [](std::uint32_t times) { return times == 1; })) {
    out.multiplicity = {};
  }
  if (std::ranges::all_of(out.direction, [](Direction way) { return way == Direction::both; })) {
    out.direction = {};
  }
  return GraphSet(std::move(out));
}

bool operator==(const GraphSet& a, const GraphSet& b) {
  const auto& x = a.data_;
  const auto& y = b.data_;
  return x.graph_ptr == y.graph_ptr && x.row_ptr == y.row_ptr && x.col == y.col &&
         x.node_label == y.node_label && x.edge_label == y.edge_label &&
         x.multiplicity == y.multiplicity && x.direction == y.direction &&
         x.edge_attributes == y.edge_attributes &&
         x.edge_attribute_count == y.edge_attribute_count && x.attributes == y.attributes &&
         x.attribute_count == y.attribute_count && x.graph_class == y.graph_class &&
         x.name_ptr == y.name_ptr && x.name_text == y.name_text && x.node_labels == y.node_labels &&
         x.edge_labels == y.edge_labels && x.classes == y.classes &&
         x.label_source == y.label_source;
}

}  // namespace rayleigh
