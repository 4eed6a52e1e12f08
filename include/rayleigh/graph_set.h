// GraphSet: many small graphs packed into flat arrays, in canonical form, immutable once built.
// The one form in which every other part takes graphs; make one with GraphSetBuilder or io::load.
// Memory: 8 bytes per graph (+ 4 and its name), 8 per node (+ 4 per attribute), 4 per directed edge
// (+ 4 with edge labels, + 4 per edge attribute, + 4 where the source repeats edges, + 1 where
// graphs are directed); memory_bytes() tells the sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rayleigh/error.h"

namespace rayleigh {

/// Sorted distinct words with their positions: numbers by value, other words by their bytes.
class Vocabulary {
 public:
  Vocabulary() = default;
  /// `words` must be sorted by label_before() and distinct.
  explicit Vocabulary(std::vector<std::string> words);

  std::size_t size() const { return words_.size(); }
  const std::string& operator[](std::size_t id) const { return words_[id]; }
  std::span<const std::string> words() const { return words_; }
  std::optional<std::uint32_t> find(std::string_view word) const;

  friend bool operator==(const Vocabulary& a, const Vocabulary& b) { return a.words_ == b.words_; }

 private:
  std::vector<std::string> words_;
};

/// The order of a vocabulary: whole numbers first and by value, then other words by their bytes.
bool label_before(std::string_view a, std::string_view b);

/// Something the reader merged, dropped or found odd: never an error, never silent.
struct Finding {
  std::string kind;         ///< stable key, e.g. "duplicate_edges"
  std::string description;  ///< for people, without the count
  std::uint64_t count = 0;
  Place first;  ///< the first occurrence
};

/// Where node labels come from. Graphs without labels take each node's degree as its label.
enum class LabelSource { given, degree };

/// Which way an edge goes, seen from the node whose entry of col() it is. Edges of undirected
/// graphs go both ways.
enum class Direction : std::uint8_t { both, out, in };

class GraphSet;

/// One graph of a set. Node numbers here are local: 0 … nodes()-1. Valid while the set lives.
class GraphView {
 public:
  GraphView(const GraphSet& set, std::size_t index);

  const GraphSet& set() const { return *set_; }
  /// Its number in the set.
  std::size_t index() const { return index_; }

  std::size_t nodes() const { return row_ptr_.size() - 1; }
  /// Undirected edges.
  std::size_t edges() const { return (row_ptr_.back() - row_ptr_.front()) / 2; }
  std::size_t degree(std::size_t node) const { return row_ptr_[node + 1] - row_ptr_[node]; }
  std::uint32_t label(std::size_t node) const { return labels_[node]; }
  /// Neighbours as node numbers of the whole set; subtract first_node() for local ones.
  std::span<const std::uint32_t> neighbours(std::size_t node) const {
    return col_.subspan(row_ptr_[node], degree(node));
  }
  std::uint32_t first_node() const { return first_node_; }
  /// Position of the node's first entry in the set's col(), edge_label() and multiplicity().
  std::size_t first_entry(std::size_t node) const { return row_ptr_[node]; }

 private:
  const GraphSet* set_;
  std::size_t index_;
  std::uint32_t first_node_;
  std::span<const std::uint32_t> row_ptr_;
  std::span<const std::uint32_t> col_;
  std::span<const std::uint32_t> labels_;
};

inline constexpr std::int32_t kNoClass = -1;

/// Bits of a molecule's fingerprint.
inline constexpr std::size_t kFingerprintBits = 2048;

/// The packed arrays. What a GraphSet is made of; valid only as canonicalise() leaves it.
struct GraphSetData {
  std::string name;
  std::vector<std::uint32_t> graph_ptr{0};  ///< first node of each graph, and the node count
  std::vector<std::uint32_t> row_ptr{0};  ///< first entry of each node in col, and the entry count
  std::vector<std::uint32_t> col;         ///< neighbours, both directions of an edge, ascending
  std::vector<std::uint32_t> node_label;
  std::vector<std::uint32_t> edge_label;    ///< parallel to col; empty = no edge labels
  std::vector<std::uint32_t> multiplicity;  ///< parallel to col; empty = every edge once
  std::vector<Direction> direction;         ///< parallel to col; empty = every edge goes both ways
  std::vector<float> edge_attributes;       ///< those of each entry of col together
  std::uint32_t edge_attribute_count = 0;
  std::vector<float> attributes;  ///< node-major
  std::uint32_t attribute_count = 0;
  std::vector<std::int32_t> graph_class;  ///< kNoClass where the label is missing
  std::vector<std::uint32_t> name_ptr;    ///< offsets into name_text; empty = no names
  std::string name_text;
  std::vector<std::uint64_t> scaffold;  ///< of each molecule, hashed; empty = not asked for
  /// First of each molecule in fingerprint, and their count; empty = not asked for.
  std::vector<std::uint32_t> fingerprint_ptr;
  std::vector<std::uint16_t> fingerprint;  ///< bits that are set, ascending
  Vocabulary node_labels;
  Vocabulary edge_labels;
  Vocabulary classes;
  LabelSource label_source = LabelSource::given;
  std::vector<Finding> findings;
  /// How other graphs must be read to mean the same: settings of the reader by name, without those
  /// that have their usual value.
  std::vector<std::pair<std::string, std::string>> reading;
};

class GraphSet {
 public:
  GraphSet() = default;
  explicit GraphSet(GraphSetData data);

  const std::string& name() const { return data_.name; }
  std::size_t size() const { return data_.graph_ptr.size() - 1; }
  bool empty() const { return size() == 0; }
  std::size_t nodes() const { return data_.row_ptr.size() - 1; }
  std::size_t directed_edges() const { return data_.col.size(); }

  std::span<const std::uint32_t> graph_ptr() const { return data_.graph_ptr; }
  std::span<const std::uint32_t> row_ptr() const { return data_.row_ptr; }
  std::span<const std::uint32_t> col() const { return data_.col; }
  std::span<const std::uint32_t> node_label() const { return data_.node_label; }
  std::span<const std::uint32_t> edge_label() const { return data_.edge_label; }
  /// How often the source repeats the edge; empty when it never does.
  std::span<const std::uint32_t> multiplicity() const { return data_.multiplicity; }
  /// Of each entry of col(); empty when all edges go both ways.
  std::span<const Direction> direction() const { return data_.direction; }
  std::uint32_t attribute_count() const { return data_.attribute_count; }
  std::span<const float> attributes(std::size_t node) const;
  std::uint32_t edge_attribute_count() const { return data_.edge_attribute_count; }
  /// Of an entry of col(); the two entries of an edge agree.
  std::span<const float> edge_attributes(std::size_t entry) const;
  std::span<const std::int32_t> graph_class() const { return data_.graph_class; }

  const Vocabulary& node_labels() const { return data_.node_labels; }
  const Vocabulary& edge_labels() const { return data_.edge_labels; }
  const Vocabulary& classes() const { return data_.classes; }
  LabelSource label_source() const { return data_.label_source; }
  std::span<const Finding> findings() const { return data_.findings; }

  const std::vector<std::pair<std::string, std::string>>& reading() const { return data_.reading; }

  /// Molecules of one number share their Bemis-Murcko scaffold; empty unless the reader was asked.
  std::span<const std::uint64_t> scaffold() const { return data_.scaffold; }

  /// Whether the reader was asked for fingerprints and the graphs are molecules.
  bool has_fingerprints() const { return empty() || !data_.fingerprint_ptr.empty(); }
  /// The bits that a molecule sets, ascending, below kFingerprintBits: Morgan, radius 2 (ECFP4).
  std::span<const std::uint16_t> fingerprint(std::size_t graph) const;

  bool has_names() const { return !data_.name_ptr.empty(); }
  /// The graph's own name, or "" when the set has none.
  std::string_view graph_name(std::size_t graph) const;
  GraphView operator[](std::size_t graph) const { return {*this, graph}; }

  /// The packed arrays themselves.
  const GraphSetData& data() const { return data_; }
  std::size_t memory_bytes() const;

  /// The chosen graphs in the given order, with the same vocabularies. Copies.
  GraphSet subset(std::span<const std::uint32_t> graphs) const;

  /// Same graphs, labels, classes and names; the set's name, scaffolds, fingerprints and findings
  /// do not count.
  friend bool operator==(const GraphSet& a, const GraphSet& b);

 private:
  GraphSetData data_;
};

}  // namespace rayleigh
