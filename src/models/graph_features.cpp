#include "models/graph_features.h"

#include <algorithm>
#include <cmath>

namespace rayleigh::models {
namespace {

/// An entry of P as a function of the degrees of its two ends.
double weight_of(Propagation propagation, std::size_t degree_a, std::size_t degree_b) {
  switch (propagation) {
    case Propagation::shifted:
      return -1 / std::sqrt(static_cast<double>(degree_a) * static_cast<double>(degree_b));
    case Propagation::gcn:
      return 1 / std::sqrt(static_cast<double>(degree_a + 1) * static_cast<double>(degree_b + 1));
    case Propagation::adjacency:
    case Propagation::self_loops:
      break;
  }
  return 1;
}

bool has_diagonal(Propagation propagation) {
  return propagation == Propagation::self_loops || propagation == Propagation::gcn;
}

/// Adds `weight` to the entry of a label among those from `begin` on.
template <typename Real>
void add_entry(std::vector<spectral::BasisEntry<Real>>& entries, std::size_t begin,
               std::uint32_t label, double weight) {
  for (std::size_t e = begin; e < entries.size(); ++e) {
    if (entries[e].column == label) {
      entries[e].value += static_cast<Real>(weight);
      return;
    }
  }
  entries.push_back({label, static_cast<Real>(weight)});
}

}  // namespace

template <typename Real>
std::unique_ptr<GraphFeatures<Real>> graph_features(const GraphSet& graphs,
                                                    const spectral::NodeLabels& labels,
                                                    std::size_t known, Propagation propagation) {
  auto features = std::make_unique<GraphFeatures<Real>>();
  GraphFeatures<Real>& f = *features;
  const bool weighted = propagation == Propagation::shifted || propagation == Propagation::gcn;
  f.own_ptr.push_back(0);
  f.graph_ptr.push_back(0);
  f.row_ptr.push_back(0);
  f.first_ptr.push_back(0);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const GraphView graph = graphs[g];
    for (std::uint32_t i = 0; i < graph.nodes(); ++i) {
      const std::size_t begin = f.first.size();
      const auto add = [&](std::uint32_t j, double weight) {
        f.col.push_back(j);
        if (weighted) {
          f.value.push_back(static_cast<Real>(weight));
        }
        if (const std::uint32_t label = labels.of_node[graph.first_node() + j]; label < known) {
          add_entry(f.first, begin, label, weight);
        }
      };
      bool diagonal = has_diagonal(propagation);
      for (const std::uint32_t far : graph.neighbours(i)) {
        const std::uint32_t j = far - graph.first_node();
        if (diagonal && j > i) {
          add(i, weight_of(propagation, graph.degree(i), graph.degree(i)));
          diagonal = false;
        }
        add(j, weight_of(propagation, graph.degree(i), graph.degree(j)));
      }
      if (diagonal) {
        add(i, weight_of(propagation, graph.degree(i), graph.degree(i)));
      }
      if (const std::uint32_t label = labels.of_node[graph.first_node() + i]; label < known) {
        f.own.push_back({label, Real{1}});
      }
      f.own_ptr.push_back(static_cast<std::uint32_t>(f.own.size()));
      f.row_ptr.push_back(static_cast<std::uint32_t>(f.col.size()));
      f.first_ptr.push_back(static_cast<std::uint32_t>(f.first.size()));
    }
    f.graph_ptr.push_back(static_cast<std::uint32_t>(f.row_ptr.size() - 1));
  }
  return features;
}

template <typename Real>
MessageBatch<Real> message_batch(nn::Tape<Real>& tape, const GraphFeatures<Real>& f,
                                 std::span<const std::uint32_t> graphs) {
  const auto first_row = tape.template array<std::uint32_t>(graphs.size() + 1);
  const auto first_entry = tape.template array<std::uint32_t>(graphs.size() + 1);
  const auto own = tape.template array<nn::SparseRows<Real>>(graphs.size());
  const auto first = tape.template array<nn::SparseRows<Real>>(graphs.size());
  first_row[0] = 0;
  first_entry[0] = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::size_t begin = f.graph_ptr[graphs[i]];
    const std::size_t end = f.graph_ptr[graphs[i] + 1];
    first_row[i + 1] = first_row[i] + static_cast<std::uint32_t>(end - begin);
    first_entry[i + 1] = first_entry[i] + (f.row_ptr[end] - f.row_ptr[begin]);
    own[i] = {f.own.data(), &f.own_ptr[begin], end - begin};
    first[i] = {f.first.data(), &f.first_ptr[begin], end - begin};
  }
  const auto row_ptr = tape.template array<std::uint32_t>(first_row[graphs.size()] + 1);
  const auto col = tape.template array<std::uint32_t>(first_entry[graphs.size()]);
  const auto value = tape.template array<Real>(f.value.empty() ? 0 : col.size());
  row_ptr[0] = 0;
  tape.for_rows(graphs.size(), 512, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::size_t begin = f.graph_ptr[graphs[i]];
      const std::size_t nodes = f.graph_ptr[graphs[i] + 1] - begin;
      const std::uint32_t old_entry = f.row_ptr[begin];
      for (std::size_t node = 0; node < nodes; ++node) {
        row_ptr[first_row[i] + node + 1] = f.row_ptr[begin + node + 1] - old_entry + first_entry[i];
      }
      const std::size_t entries = first_entry[i + 1] - first_entry[i];
      for (std::size_t e = 0; e < entries; ++e) {
        col[first_entry[i] + e] = f.col[old_entry + e] + first_row[i];
      }
      if (!value.empty()) {
        std::copy_n(&f.value[old_entry], entries, &value[first_entry[i]]);
      }
    }
  });
  return {.matrix = {row_ptr, col, value},
          .own = {.graphs = own, .first_row = first_row},
          .first = {.graphs = first, .first_row = first_row},
          .first_row = first_row};
}

template std::unique_ptr<GraphFeatures<float>> graph_features(const GraphSet&,
                                                              const spectral::NodeLabels&,
                                                              std::size_t, Propagation);
template std::unique_ptr<GraphFeatures<double>> graph_features(const GraphSet&,
                                                               const spectral::NodeLabels&,
                                                               std::size_t, Propagation);
template MessageBatch<float> message_batch(nn::Tape<float>&, const GraphFeatures<float>&,
                                           std::span<const std::uint32_t>);
template MessageBatch<double> message_batch(nn::Tape<double>&, const GraphFeatures<double>&,
                                            std::span<const std::uint32_t>);

}  // namespace rayleigh::models
