#include "rayleigh/spectral/label_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/thread_pool.h"
#include "spectral/local_labels.h"
#include "spectral/shards.h"
#include "spectral/workspace_forms.h"

namespace rayleigh::spectral {
namespace {

/// Up to here S of a graph is gathered in a small square; beyond, pairs are sorted.
constexpr std::size_t kSquareLimit = 32;

class Worker {
 public:
  Worker(const GraphSet& graphs, const NodeLabels& labels, const LaplacianOptions& options,
         LabelPairs pairs)
      : graphs_(graphs),
        labels_(labels),
        pairs_(pairs),
        multiplicity_(options.weight == EdgeWeight::multiplicity
                          ? graphs.multiplicity()
                          : std::span<const std::uint32_t>{}),
        normalised_(options.kind == LaplacianKind::normalised),
        isolated_diagonal_(normalised_ && options.isolated == IsolatedNode::one ? 1.0 : 0.0),
        local_(labels.count) {
    for (std::size_t degree = 0; degree < scale_table_.size(); ++degree) {
      scale_table_[degree] = inverse_root(static_cast<double>(degree));
    }
  }

  template <typename Forms>
  void add(std::size_t graph, Forms& out) {
    first_ = graphs_.graph_ptr()[graph];
    const std::size_t n = graphs_.graph_ptr()[graph + 1] - first_;
    local_.assign(labels_.of_node.subspan(first_, n));
    compute_scale(n);
    const auto labels = local_.labels();
    const std::size_t begin = out.label.size();
    out.label.insert(out.label.end(), labels.begin(), labels.end());
    out.count.resize(begin + labels.size(), 0);
    out.form.resize(begin + labels.size(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      ++out.count[begin + local_.of_node(i)];
    }
    const std::span form = std::span(out.form).subspan(begin);
    if (pairs_ == LabelPairs::none) {
      accumulate(n, form, [](std::uint32_t, std::uint32_t, double) {});
    } else if (labels.size() <= kSquareLimit) {
      square_.assign(labels.size() * labels.size(), 0.0);
      accumulate(n, form, [&](std::size_t a, std::size_t b, double value) {
        square_[a * labels.size() + b] += value;
      });
      append_square(labels, out.pair);
    } else {
      loose_.clear();
      accumulate(n, form, [&](std::uint32_t a, std::uint32_t b, double value) {
        if (a < b) {
          loose_.push_back({{a, b, value}, loose_.size()});
        }
      });
      append_loose(labels, out.pair);
    }
    out.label_ptr.push_back(static_cast<std::uint32_t>(out.label.size()));
    out.pair_ptr.push_back(static_cast<std::uint32_t>(out.pair.size()));
  }

 private:
  double weight(std::size_t entry) const {
    return multiplicity_.empty() ? 1.0 : static_cast<double>(multiplicity_[entry]);
  }

  static double inverse_root(double degree) { return degree > 0 ? 1 / std::sqrt(degree) : 0.0; }

  void compute_scale(std::size_t n) {
    scale_.resize(n);
    const auto row_ptr = graphs_.row_ptr().subspan(first_, n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      if (!normalised_) {
        scale_[i] = 1;
      } else if (multiplicity_.empty()) {
        const std::size_t degree = row_ptr[i + 1] - row_ptr[i];
        scale_[i] = degree < scale_table_.size() ? scale_table_[degree]
                                                 : inverse_root(static_cast<double>(degree));
      } else {
        double degree = 0;
        for (std::size_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
          degree += weight(e);
        }
        scale_[i] = inverse_root(degree);
      }
    }
  }

  template <typename AddPair>
  void accumulate(std::size_t n, std::span<double> form, AddPair add_pair) const {
    if (multiplicity_.empty()) {
      accumulate_weighted(n, form, add_pair, [](std::size_t) { return 1.0; });
    } else {
      accumulate_weighted(n, form, add_pair, [&](std::size_t entry) { return weight(entry); });
    }
  }

  /// x'Lx = Σ_edges w (s_i x_i - s_j x_j)²: an edge inside a label adds (s_i - s_j)² to it, half
  /// from either end; an edge between labels adds s_i² to the one and s_j² to the other. So S_aa is
  /// a sum of squares. Whether an edge stays inside a label is hard to predict: no branch hangs on
  /// it.
  template <typename AddPair, typename Weight>
  void accumulate_weighted(std::size_t n, std::span<double> form, AddPair add_pair,
                           Weight weight_of) const {
    const auto row_ptr = graphs_.row_ptr().subspan(first_, n + 1);
    const auto col = graphs_.col();
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t a = local_.of_node(i);
      const double here = scale_[i];
      double sum = row_ptr[i] == row_ptr[i + 1] ? isolated_diagonal_ : 0.0;
      for (std::size_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
        const std::size_t j = col[e] - first_;
        const std::uint32_t b = local_.of_node(j);
        const double inside = a == b ? 1.0 : 0.0;
        const double difference = here - inside * scale_[j];
        sum += weight_of(e) * (1 - 0.5 * inside) * difference * difference;
        add_pair(a, b, -weight_of(e) * here * scale_[j]);
      }
      form[a] += sum;
    }
  }

  template <typename Pairs>
  void append_square(std::span<const std::uint32_t> labels, Pairs& pairs) const {
    for (std::size_t a = 0; a < labels.size(); ++a) {
      for (std::size_t b = a + 1; b < labels.size(); ++b) {
        if (const double value = square_[a * labels.size() + b]; value != 0) {
          pairs.push_back({labels[a], labels[b], value});
        }
      }
    }
  }

  template <typename Pairs>
  void append_loose(std::span<const std::uint32_t> labels, Pairs& pairs) {
    // As a stable sort, which would take memory of its own.
    std::ranges::sort(loose_, {},
                      [](const Loose& l) { return std::tuple(l.pair.a, l.pair.b, l.place); });
    for (std::size_t at = 0; at < loose_.size();) {
      const LabelPair& first = loose_[at].pair;
      LabelPair sum{labels[first.a], labels[first.b], 0.0};
      for (; at < loose_.size() && loose_[at].pair.a == first.a && loose_[at].pair.b == first.b;
           ++at) {
        sum.value += loose_[at].pair.value;
      }
      pairs.push_back(sum);
    }
  }

  /// A summand of a pair of local labels, and which one it was.
  struct Loose {
    LabelPair pair;
    std::size_t place;
  };

  const GraphSet& graphs_;
  NodeLabels labels_;
  LabelPairs pairs_;
  std::span<const std::uint32_t> multiplicity_;
  bool normalised_;
  double isolated_diagonal_;
  LocalLabels local_;
  std::size_t first_ = 0;
  std::array<double, 64> scale_table_;
  core::Vector<double> scale_;
  core::Vector<double> square_;
  core::Vector<Loose> loose_;
};

/// The parts of all shards one behind the other. Pointers begin with a 0 in every part.
template <typename Forms, typename Vector>
Vector joined(std::span<const Forms> parts, Vector Forms::*member, bool pointers = false) {
  using T = typename Vector::value_type;
  std::size_t size = 0;
  for (const Forms& part : parts) {
    size += (part.*member).size();
  }
  Vector all;
  all.reserve(size + 1);
  if (!pointers) {
    for (const Forms& part : parts) {
      all.insert(all.end(), (part.*member).begin(), (part.*member).end());
    }
  } else if constexpr (std::is_integral_v<T>) {
    all.push_back(0);
    for (const Forms& part : parts) {
      const T base = all.back();
      std::transform((part.*member).begin() + 1, (part.*member).end(), std::back_inserter(all),
                     [base](T at) { return base + at; });
    }
  }
  return all;
}

template <typename Forms>
Forms build(const GraphSet& graphs, const NodeLabels& labels, const LaplacianOptions& options,
            core::ThreadPool& pool, LabelPairs pairs) {
  const auto shards = shards_of(graphs);
  core::Vector<Forms> parts(shards.size());
  for_each_shard(shards, pool, [&](std::size_t shard, core::Range range) {
    Worker worker(graphs, labels, options, pairs);
    for (std::size_t g = range.begin; g < range.end; ++g) {
      worker.add(g, parts[shard]);
    }
  });
  if (parts.size() == 1) {
    return std::move(parts.front());
  }
  const std::span<const Forms> all(parts);
  return {.label_ptr = joined(all, &Forms::label_ptr, true),
          .label = joined(all, &Forms::label),
          .count = joined(all, &Forms::count),
          .form = joined(all, &Forms::form),
          .pair_ptr = joined(all, &Forms::pair_ptr, true),
          .pair = joined(all, &Forms::pair)};
}

}  // namespace

template <template <typename> typename Allocator>
std::optional<double> BasicLabelForms<Allocator>::quotient(std::size_t graph,
                                                           std::uint32_t label_id) const {
  const auto present = labels(graph);
  const auto at = std::ranges::lower_bound(present, label_id);
  if (at == present.end() || *at != label_id) {
    return std::nullopt;
  }
  const std::size_t k = label_ptr[graph] + static_cast<std::size_t>(at - present.begin());
  return form[k] / count[k];
}

template <template <typename> typename Allocator>
double BasicLabelForms<Allocator>::scalar_quotient(std::size_t graph) const {
  double trace = 0;
  double nodes = 0;
  for (std::size_t k = label_ptr[graph]; k < label_ptr[graph + 1]; ++k) {
    trace += form[k];
    nodes += count[k];
  }
  return trace / nodes;
}

template struct BasicLabelForms<std::allocator>;
template struct BasicLabelForms<core::WorkspaceAllocator>;

LabelForms label_forms(const GraphSet& graphs, LaplacianOptions options, const RunOptions& run,
                       LabelPairs pairs) {
  return label_forms(graphs, NodeLabels(graphs), options, run, pairs);
}

LabelForms label_forms(const GraphSet& graphs, const NodeLabels& labels, LaplacianOptions options,
                       const RunOptions& run, LabelPairs pairs) {
  core::ThreadPool pool(run);
  return build<LabelForms>(graphs, labels, options, pool, pairs);
}

WorkspaceForms workspace_forms(const GraphSet& graphs, const NodeLabels& labels,
                               const LaplacianOptions& options, core::ThreadPool& pool,
                               LabelPairs pairs) {
  return build<WorkspaceForms>(graphs, labels, options, pool, pairs);
}

}  // namespace rayleigh::spectral
