#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "rayleigh/generators.h"
#include "rayleigh/graph_set_builder.h"

#include "core/random.h"

namespace rayleigh::generate {
namespace {

constexpr std::size_t kMostBonds = 4;
constexpr double kInnerShare = 0.18;
constexpr double kTerminalShare = 0.55;

/// Relative frequencies of hetero-atoms inside chains and rings, and at the end of chains.
struct Element {
  std::string_view symbol;
  double weight;
};
constexpr std::array kInner{Element{"N", 0.48}, Element{"O", 0.40}, Element{"S", 0.12}};
constexpr std::array kTerminal{Element{"O", 0.62}, Element{"Cl", 0.18}, Element{"F", 0.14},
                               Element{"Br", 0.06}};

template <std::size_t N>
std::string_view pick(const std::array<Element, N>& elements, core::Generator& random) {
  double left = random.uniform();
  for (const auto& element : elements) {
    left -= element.weight;
    if (left < 0) {
      return element.symbol;
    }
  }
  return elements.back().symbol;
}

/// A skeleton of carbon that is grown piece by piece and then decorated.
class Molecule {
 public:
  explicit Molecule(core::Generator random) : random_(random) {}

  void grow() {
    const std::uint32_t rings = 1 + random_.below(4);
    add_ring(std::nullopt);
    for (std::uint32_t i = 1; i < rings; ++i) {
      if (random_.chance(0.4)) {
        fuse_ring();
      } else {
        std::uint32_t at = open_atom();
        for (std::uint32_t length = random_.below(4); length > 0; --length) {
          at = add_atom(at, '1');
        }
        add_ring(at);
      }
    }
    for (std::uint32_t branches = 2 + random_.below(7); branches > 0; --branches) {
      std::uint32_t at = open_atom();
      for (std::uint32_t length = 1 + random_.below(3); length > 0; --length) {
        at = add_atom(at, '1');
      }
    }
  }

  /// Turns carbons into hetero-atoms. Ends of chains do not depend on the class; inside chains and
  /// rings the same number of hetero-atoms sits apart from each other, or side by side.
  void decorate(bool clustered) {
    std::vector<std::uint32_t> inner;
    for (std::uint32_t atom = 0; atom < bonds_.size(); ++atom) {
      if (bonds_[atom].size() > 1) {
        inner.push_back(atom);
      } else if (random_.chance(kTerminalShare)) {
        symbol_[atom] = pick(kTerminal, random_);
      }
    }
    random_.shuffle(std::span(inner));
    const auto wanted = std::max<std::size_t>(
        2, static_cast<std::size_t>(std::lround(kInnerShare * static_cast<double>(inner.size()))));
    std::vector<bool> hetero(bonds_.size(), false);
    for (std::size_t placed = 0; placed < wanted; ++placed) {
      const std::uint32_t atom = choose(inner, hetero, clustered);
      hetero[atom] = true;
      symbol_[atom] = pick(kInner, random_);
    }
    double_bonds();
  }

  void write(GraphSetBuilder& builder) const {
    for (const auto symbol : symbol_) {
      builder.add_node(symbol);
    }
    for (std::uint32_t atom = 0; atom < bonds_.size(); ++atom) {
      for (const auto& bond : bonds_[atom]) {
        if (atom < bond.to) {
          builder.add_edge(atom, bond.to, std::string_view(&bond.order, 1));
        }
      }
    }
  }

 private:
  struct Bond {
    std::uint32_t to;
    char order;
  };

  std::uint32_t new_atom() {
    bonds_.emplace_back();
    symbol_.emplace_back("C");
    return static_cast<std::uint32_t>(bonds_.size() - 1);
  }

  void connect(std::uint32_t a, std::uint32_t b, char order) {
    bonds_[a].push_back({b, order});
    bonds_[b].push_back({a, order});
  }

  std::uint32_t add_atom(std::uint32_t to, char order) {
    const std::uint32_t atom = new_atom();
    connect(to, atom, order);
    return atom;
  }

  /// An atom that can take one more bond.
  std::uint32_t open_atom() {
    while (true) {
      const auto atom = random_.below(static_cast<std::uint32_t>(bonds_.size()));
      if (bonds_[atom].size() < kMostBonds - 1) {
        return atom;
      }
    }
  }

  /// A ring of its own, bonded to `attached_to` if given.
  void add_ring(std::optional<std::uint32_t> attached_to) {
    const bool six = random_.chance(0.75);
    const char order = six && random_.chance(0.8) ? '4' : '1';
    const std::uint32_t first = new_atom();
    std::uint32_t last = first;
    for (int i = 1; i < (six ? 6 : 5); ++i) {
      last = add_atom(last, order);
    }
    connect(last, first, order);
    if (attached_to) {
      connect(*attached_to, first, '1');
    }
  }

  /// A ring that shares one bond with what is there.
  void fuse_ring() {
    const std::uint32_t a = open_atom();
    const auto partner = std::ranges::find_if(
        bonds_[a], [&](const Bond& bond) { return bonds_[bond.to].size() < kMostBonds - 1; });
    if (partner == bonds_[a].end()) {
      add_ring(a);
      return;
    }
    const std::uint32_t b = partner->to;
    const char order = partner->order;
    std::uint32_t last = a;
    for (int i = 0; i < (random_.chance(0.75) ? 4 : 3); ++i) {
      last = add_atom(last, order);
    }
    connect(last, b, order);
  }

  std::uint32_t choose(const std::vector<std::uint32_t>& order, const std::vector<bool>& hetero,
                       bool beside) const {
    const auto near = [&](std::uint32_t atom) {
      return std::ranges::any_of(bonds_[atom], [&](const Bond& b) { return hetero[b.to]; });
    };
    for (const std::uint32_t atom : order) {
      if (!hetero[atom] && near(atom) == beside) {
        return atom;
      }
    }
    return *std::ranges::find_if(order, [&](std::uint32_t atom) { return !hetero[atom]; });
  }

  /// Some terminal oxygens are carbonyls.
  void double_bonds() {
    for (std::uint32_t atom = 0; atom < bonds_.size(); ++atom) {
      if (symbol_[atom] != "O" || bonds_[atom].size() != 1 || !random_.chance(0.6)) {
        continue;
      }
      const std::uint32_t other = bonds_[atom][0].to;
      bonds_[atom][0].order = '2';
      std::ranges::find(bonds_[other], atom, &Bond::to)->order = '2';
    }
  }

  core::Generator random_;
  std::vector<std::vector<Bond>> bonds_;
  std::vector<std::string_view> symbol_;
};

}  // namespace

GraphSet molecules(const MoleculesOptions& options) {
  const core::RandomStream stream(options.seed, "generate molecules");
  GraphSetBuilder builder("molecules");
  const auto anomalous = static_cast<std::size_t>(std::lround(options.anomalous * options.graphs));
  std::vector<bool> is_anomalous(static_cast<std::size_t>(options.graphs), false);
  std::vector<std::uint32_t> order(is_anomalous.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  auto shuffler = core::RandomStream(options.seed, "generate molecules classes").at(0);
  shuffler.shuffle(std::span(order));
  for (std::size_t i = 0; i < anomalous; ++i) {
    is_anomalous[order[i]] = true;
  }
  for (std::size_t g = 0; g < is_anomalous.size(); ++g) {
    Molecule molecule(stream.at(g));
    molecule.grow();
    molecule.decorate(is_anomalous[g]);
    builder.begin_graph({}, is_anomalous[g] ? "1" : "0");
    molecule.write(builder);
  }
  return builder.build();
}

}  // namespace rayleigh::generate
