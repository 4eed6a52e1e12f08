// ReferenceSet: known graphs to compare others with, by their embeddings.
// Fill it with known graphs once, then ask for the nearest of any other.
// Keeps one embedding per graph; a search goes through all of them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"

namespace rayleigh {

struct NearGraph {
  std::size_t index = 0;  ///< in the order of adding, from 0; graphs without a score count too
  double distance = 0;    ///< Euclidean
  double score = 0;
};

class ReferenceSet {
 public:
  explicit ReferenceSet(Detector detector) : detector_(std::move(detector)) {}

  /// Graphs that cannot be scored are never found.
  void add(const GraphSet& graphs, const RunOptions& run = {});
  /// Graphs that can be found.
  std::size_t size() const { return graphs_.size(); }

  /// The nearest first; of equals the one that was added first. `embedding` is that of one graph;
  /// UsageError for one of another width.
  std::vector<NearGraph> nearest(std::span<const float> embedding, std::size_t count) const;

 private:
  struct Known {
    std::size_t index;
    double score;
  };

  Detector detector_;
  std::size_t added_ = 0;
  std::vector<Known> graphs_;
  std::vector<float> embeddings_;
};

}  // namespace rayleigh
