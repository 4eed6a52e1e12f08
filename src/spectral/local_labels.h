// The distinct labels of one graph, ascending, and each node's position among them.
// Use it to work on a handful of columns per graph, whatever the size of the vocabulary.
// Linear in the nodes, plus a sort of the distinct labels; memory is kept from graph to graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/workspace.h"

namespace rayleigh::spectral {

class LocalLabels {
 public:
  explicit LocalLabels(std::size_t vocabulary) : position_(vocabulary, kAbsent) {}

  void assign(std::span<const std::uint32_t> node_label) {
    labels_.clear();
    for (const std::uint32_t label : node_label) {
      if (position_[label] == kAbsent) {
        position_[label] = 0;
        labels_.push_back(label);
      }
    }
    std::ranges::sort(labels_);
    for (std::size_t c = 0; c < labels_.size(); ++c) {
      position_[labels_[c]] = static_cast<std::uint32_t>(c);
    }
    of_node_.resize(node_label.size());
    for (std::size_t i = 0; i < node_label.size(); ++i) {
      of_node_[i] = position_[node_label[i]];
    }
    for (const std::uint32_t label : labels_) {
      position_[label] = kAbsent;
    }
  }

  std::span<const std::uint32_t> labels() const { return labels_; }
  std::size_t size() const { return labels_.size(); }
  /// Position of the node's label in labels().
  std::uint32_t of_node(std::size_t node) const { return of_node_[node]; }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffffU;
  core::Vector<std::uint32_t> position_;
  core::Vector<std::uint32_t> labels_;
  core::Vector<std::uint32_t> of_node_;
};

}  // namespace rayleigh::spectral
