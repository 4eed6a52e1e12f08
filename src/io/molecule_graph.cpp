#include "io/molecule_graph.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "core/text.h"
#include "io/limits.h"

namespace rayleigh::io {
namespace {

constexpr std::size_t kLongestReason = 200;
constexpr std::size_t kLongestMoleculeName = 1000;
constexpr std::size_t kBondOrders = 7;

bool is_missing(std::string_view label) {
  constexpr std::array<std::string_view, 6> kMissing{"", "NA", "NaN", "nan", "null", "NULL"};
  return std::ranges::find(kMissing, label) != kMissing.end();
}

/// The class a label stands for: 1.0 and 1 are the same. None for numbers that are not whole.
std::optional<std::string> class_of(const std::string& label) {
  double number = 0;
  const char* end = label.data() + label.size();
  const auto [stop, error] = std::from_chars(label.data(), end, number);
  if (error == std::errc::invalid_argument || stop != end) {
    return label;
  }
  if (error != std::errc{} || number != std::floor(number) || std::abs(number) >= 1e15) {
    return std::nullopt;
  }
  return std::to_string(static_cast<std::int64_t>(number));
}

constexpr std::array<std::string_view, kBondOrders> kBonds{"1",        "2",      "3",    "4",
                                                           "aromatic", "dative", "other"};

BondOrder bond_of(std::string_view label) {
  const auto* const found = std::ranges::find(kBonds, label);
  return found == kBonds.end() ? BondOrder::one : static_cast<BondOrder>(found - kBonds.begin());
}

/// What atom_label() made of it, as far as its form tells: "n+:3", "Ca+2", "C".
std::optional<Atom> atom_of(std::string_view label) {
  Atom atom;
  if (label.empty() || std::isalpha(static_cast<unsigned char>(label.front())) == 0) {
    return std::nullopt;
  }
  atom.aromatic = std::islower(static_cast<unsigned char>(label.front())) != 0;
  atom.symbol[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label.front())));
  label.remove_prefix(1);
  for (std::size_t at = 1;
       at < 3 && !label.empty() && std::islower(static_cast<unsigned char>(label.front())) != 0;
       ++at) {
    atom.symbol[at] = label.front();
    label.remove_prefix(1);
  }
  if (!label.empty() && (label.front() == '+' || label.front() == '-')) {
    const int sign = label.front() == '+' ? 1 : -1;
    label.remove_prefix(1);
    int size = 1;
    const auto* const digits = label.data();
    label.remove_prefix(static_cast<std::size_t>(
        std::from_chars(digits, digits + label.size(), size).ptr - digits));
    atom.charge = sign * size;
  }
  return label.empty() || label.front() == ':' ? std::optional(atom) : std::nullopt;
}

}  // namespace

std::string atom_label(const Atom& atom, std::size_t degree, AtomLabels labels) {
  std::string label(atom.symbol.data());
  if (labels == AtomLabels::element) {
    return label;
  }
  if (labels == AtomLabels::detailed && atom.aromatic && !label.empty()) {
    label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
  }
  if (atom.charge != 0) {
    label += atom.charge > 0 ? '+' : '-';
    if (std::abs(atom.charge) > 1) {
      label += std::to_string(std::abs(atom.charge));
    }
  }
  if (labels == AtomLabels::detailed) {
    label += fmt::format(":{}", degree);
  }
  return label;
}

std::string_view bond_label(BondOrder order) { return kBonds[static_cast<std::size_t>(order)]; }

std::optional<Molecule> molecule_of(const GraphSet& graphs, std::size_t graph) {
  const GraphView view = graphs[graph];
  Molecule molecule;
  molecule.fragments = 1;
  molecule.atoms.reserve(view.nodes());
  for (std::size_t node = 0; node < view.nodes(); ++node) {
    const auto atom = atom_of(graphs.node_labels()[view.label(node)]);
    if (!atom) {
      return std::nullopt;
    }
    molecule.atoms.push_back(*atom);
    std::size_t entry = view.first_entry(node);
    for (const std::uint32_t neighbour : view.neighbours(node)) {
      const std::uint32_t far = neighbour - view.first_node();
      if (node < far) {
        molecule.bonds.push_back({static_cast<std::uint32_t>(node), far,
                                  graphs.edge_label().empty()
                                      ? BondOrder::one
                                      : bond_of(graphs.edge_labels()[graphs.edge_label()[entry]])});
      }
      ++entry;
    }
  }
  return molecule;
}

MoleculeParser::MoleculeParser(std::string file, Structure structure, std::string label_source,
                               const MoleculeToolkit& toolkit, const ReadOptions& options)
    : file_(std::move(file)),
      structure_(structure),
      label_source_(std::move(label_source)),
      toolkit_(&toolkit),
      max_nodes_(options.max_nodes),
      options_(options.molecules) {}

MoleculeRow MoleculeParser::parse(const MoleculeRecord& record, std::uint64_t number,
                                  graph::RawGraphs& raw) const {
  const bool good_name = core::find_invalid_utf8(record.name) == std::string_view::npos;
  std::string name = good_name ? record.name : core::printable(record.name, kLongestMoleculeName);
  MoleculeRow out;
  out.row.id = name.empty() ? std::to_string(number) : name;
  out.row.place = {file_, record.line};
  const auto fail = [&](std::string reason, bool chemistry) {
    out.row.ok = false;
    out.row.reason = std::move(reason);
    out.refused_by_chemistry = chemistry;
    return out;
  };
  if (!record.defect.empty()) {
    return fail(record.defect, false);
  }
  if (record.no_structure) {
    return fail(structure_ == Structure::smiles ? "there is no SMILES here"
                                                : "there is no structure between two $$$$",
                true);
  }
  // Chemistry in C takes it for the end: what stands behind would be left out and nothing said.
  if (const auto at = record.structure.find('\0'); at != std::string::npos) {
    return fail(fmt::format("the structure has a NUL at byte {}, expected text", at + 1), true);
  }
  std::optional<std::string> graph_class;
  const bool missing = label_source_.empty() || is_missing(record.label);
  if (!missing) {
    graph_class = core::find_invalid_utf8(record.label) == std::string_view::npos
                      ? class_of(record.label)
                      : std::nullopt;
    if (!graph_class) {
      return fail(fmt::format("{} is '{}', expected a class: a whole number or a word",
                              label_source_, core::printable(record.label)),
                  false);
    }
  }
  Molecule molecule =
      toolkit_->read(structure_, record.structure,
                     {.largest_fragment = options_.fragments == Fragments::largest,
                      .scaffold = options_.scaffolds,
                      .fingerprint = options_.fingerprints,
                      .other_structure = options_.structure && *options_.structure != structure_});
  if (!molecule.error.empty()) {
    return fail(core::printable(molecule.error, kLongestReason), true);
  }
  if (molecule.atoms.empty()) {
    return fail("the molecule has no atoms", true);
  }
  if (molecule.atoms.size() > max_nodes_) {
    out.row.too_large = true;
    return fail(too_large("the molecule", molecule.atoms.size(), max_nodes_), false);
  }
  out.row.other_structure = std::move(molecule.other_structure);
  append(molecule, raw);
  raw.graph_class.push_back(
      missing ? kNoClass : static_cast<std::int32_t>(raw.class_tokens.intern(*graph_class)));
  raw.graph_name.push_back(std::move(name));
  raw.graph_line.push_back(record.line);
  const auto note = [&](const char* kind, std::string description) {
    graph::note(raw.findings, {kind, std::move(description), 1, out.row.place});
  };
  if (!label_source_.empty() && missing) {
    note("missing_label",
         fmt::format("molecules without a value in {}, of no class", label_source_));
  }
  if (molecule.fragments > 1 && options_.fragments == Fragments::largest) {
    note("fragments", "molecules of several fragments, the largest kept");
  }
  if (!good_name) {
    note("name_not_utf8", "names that are not UTF-8, shown with \\x");
  }
  return out;
}

void MoleculeParser::append(const Molecule& molecule, graph::RawGraphs& raw) const {
  std::vector<std::size_t> degree(molecule.atoms.size(), 0);
  // A molecule has a handful of different atoms and bonds: each is put into words once.
  std::array<std::optional<std::uint32_t>, kBondOrders> bond_numbers;
  for (const Bond& bond : molecule.bonds) {
    ++degree[bond.from];
    ++degree[bond.to];
    raw.edges.push_back({bond.from, bond.to});
    auto& number = bond_numbers[static_cast<std::size_t>(bond.order)];
    number = number ? number : raw.edge_tokens.intern(bond_label(bond.order));
    raw.edge_label.push_back(*number);
  }
  struct Known {
    Atom atom;
    std::size_t degree;
    std::uint32_t number;
  };
  std::vector<Known> known;
  const bool detailed = options_.atoms == AtomLabels::detailed;
  for (std::size_t a = 0; a < molecule.atoms.size(); ++a) {
    const Atom& atom = molecule.atoms[a];
    const std::size_t neighbours = detailed ? degree[a] : 0;
    auto at = std::ranges::find_if(known, [&](const Known& other) {
      return other.atom == atom && other.degree == neighbours;
    });
    if (at == known.end()) {
      const auto label = atom_label(atom, neighbours, options_.atoms);
      at = known.insert(at, {atom, neighbours, raw.node_tokens.intern(label)});
    }
    raw.node_label.push_back(at->number);
  }
  raw.node_count.push_back(static_cast<std::uint32_t>(molecule.atoms.size()));
  raw.edge_count.push_back(static_cast<std::uint32_t>(molecule.bonds.size()));
  if (options_.scaffolds) {
    raw.scaffold.push_back(core::hash64(molecule.scaffold));
  }
  if (options_.fingerprints) {
    raw.fingerprint_size.push_back(static_cast<std::uint32_t>(molecule.fingerprint.size()));
    raw.fingerprint.insert(raw.fingerprint.end(), molecule.fingerprint.begin(),
                           molecule.fingerprint.end());
  }
}

}  // namespace rayleigh::io
