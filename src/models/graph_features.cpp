#include "models/graph_features.h"

namespace rayleigh::models {
namespace {

/// Adds `weight` to the entry of a label among those from `begin` on.
template <typename Real>
void add_entry(core::Vector<spectral::BasisEntry<Real>>& entries, std::size_t begin,
               std::uint32_t label, Real weight) {
  for (std::size_t e = begin; e < entries.size(); ++e) {
    if (entries[e].column == label) {
      entries[e].value += weight;
      return;
    }
  }
  entries.push_back({label, weight});
}

}  // namespace

template <typename Real>
std::unique_ptr<GraphFeatures<Real>> graph_features(const GraphSet& graphs,
                                                    const spectral::NodeLabels& labels,
                                                    std::size_t known, Propagation propagation) {
  auto features = std::make_unique<GraphFeatures<Real>>();
  GraphFeatures<Real>& f = *features;
  f.matrix = graph_matrix<Real>(graphs, propagation);
  const GraphMatrix<Real>& m = f.matrix;
  f.own_ptr.push_back(0);
  f.first_ptr.push_back(0);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::uint32_t first_node = m.graph_ptr[g];
    for (std::uint32_t i = first_node; i < m.graph_ptr[g + 1]; ++i) {
      if (const std::uint32_t label = labels.of_node[i]; label < known) {
        f.own.push_back({label, Real{1}});
      }
      const std::size_t begin = f.first.size();
      for (std::size_t e = m.row_ptr[i]; e < m.row_ptr[i + 1]; ++e) {
        if (const std::uint32_t label = labels.of_node[first_node + m.col[e]]; label < known) {
          add_entry(f.first, begin, label, m.value.empty() ? Real{1} : m.value[e]);
        }
      }
      f.own_ptr.push_back(static_cast<std::uint32_t>(f.own.size()));
      f.first_ptr.push_back(static_cast<std::uint32_t>(f.first.size()));
    }
  }
  return features;
}

template <typename Real>
MessageBatch<Real> message_batch(nn::Tape<Real>& tape, const GraphFeatures<Real>& f,
                                 std::span<const std::uint32_t> graphs) {
  const auto block = block_matrix(tape, f.matrix, graphs);
  const auto own = tape.template array<nn::SparseRows<Real>>(graphs.size());
  const auto first = tape.template array<nn::SparseRows<Real>>(graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::size_t begin = f.matrix.graph_ptr[graphs[i]];
    const std::size_t nodes = f.matrix.graph_ptr[graphs[i] + 1] - begin;
    own[i] = {f.own.data(), &f.own_ptr[begin], nodes};
    first[i] = {f.first.data(), &f.first_ptr[begin], nodes};
  }
  return {.matrix = block.matrix,
          .own = {.graphs = own, .first_row = block.first_row},
          .first = {.graphs = first, .first_row = block.first_row},
          .first_row = block.first_row};
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
