// The vocabulary of a model: which (possibly refined) node labels it knows, and what a node with an
// unknown label counts as. Fitted on training graphs, stored with the model.
// A node takes the finest level whose key is known, else the next coarser, else "other".
// Encoding costs one hash look-up per node and level.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/spectral/node_labels.h"

#include "core/thread_pool.h"
#include "graph/refined_labels.h"

namespace simdjson::dom {
class element;
}

namespace rayleigh::models {

struct EncoderOptions {
  graph::LabelLevel level = graph::LabelLevel::plain;
  std::size_t max_labels = 512;  ///< most frequent ones kept of each level
  bool fall_back = true;         ///< else a node whose finest label is not kept is "other" at once
  std::size_t least_graphs = 1;  ///< that a label must occur in to be kept
  bool words = true;             ///< else labels have no words, which are long where they say much
};

/// The labels of a set in a model's numbering.
struct EncodedLabels {
  core::Vector<std::uint32_t> of_node;  ///< or of every item of level `edge`
  std::size_t count = 0;                ///< known labels and "other"
  core::Vector<std::uint8_t> unknown;   ///< of each graph: 1 if a node's own label is unknown

  spectral::NodeLabels view() const { return {of_node, count}; }
};

class LabelEncoder {
 public:
  LabelEncoder() = default;
  /// From the nodes of the chosen graphs; bins of edge attributes are part of refined labels.
  static LabelEncoder fit(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                          const EncoderOptions& options, core::ThreadPool& pool,
                          const graph::AttributeBins* edge_bins = nullptr);

  /// Of the finest labels: plain, degree, edges, wl1, wl2, …
  std::string_view level_name() const;
  /// Known labels; "other" has the number size().
  std::size_t size() const { return entries_.size(); }
  graph::LabelLevel finest() const { return options_.level; }
  /// The word for people; empty where the options want none.
  const std::string& word(std::size_t label) const { return entries_[label].word; }
  /// The coarser label that stands for it when the finer one is dropped; size() for plain ones.
  std::uint32_t parent(std::size_t label) const { return entries_[label].parent; }
  graph::LabelLevel level(std::size_t label) const { return entries_[label].level; }

  EncodedLabels encode(const GraphSet& graphs, core::ThreadPool& pool) const;
  /// The same with keys that several vocabularies share.
  EncodedLabels encode(const GraphSet& graphs, graph::LabelKeys& keys,
                       core::ThreadPool& pool) const;

  nlohmann::ordered_json to_json() const;
  /// Throws std::string with what is wrong.
  static LabelEncoder from_json(const simdjson::dom::element& json);

 private:
  struct Entry {
    graph::LabelLevel level;
    std::uint64_t key;
    std::uint32_t parent;
    std::string word;
  };

  /// Numbers of keys: open addressing, as every node of every graph is looked up.
  class KeyTable {
   public:
    static constexpr std::uint32_t kNone = 0xffffffffU;
    /// Room for so many keys, and no key yet.
    void start(std::size_t keys);
    void add(std::uint64_t key, std::uint32_t number);
    std::uint32_t find(std::uint64_t key) const {
      if (slots_.empty()) {
        return kNone;
      }
      for (std::size_t at = key & mask();; at = (at + 1) & mask()) {
        if (slots_[at].number == kNone || slots_[at].key == key) {
          return slots_[at].number;
        }
      }
    }
    std::size_t size() const { return size_; }

   private:
    struct Slot {
      std::uint64_t key = 0;
      std::uint32_t number = kNone;
    };
    std::size_t mask() const { return slots_.size() - 1; }

    std::vector<Slot> slots_;  ///< a power of two, at most half full
    std::size_t size_ = 0;
  };

  std::vector<graph::LabelLevel> chain() const;
  void index();

  EncoderOptions options_;
  std::vector<Entry> entries_;  ///< coarsest level first; plain labels in the order of vocabularies
  std::vector<graph::LabelLevel> levels_;  ///< chain()
  std::vector<KeyTable> known_;            ///< one per level
};

}  // namespace rayleigh::models
