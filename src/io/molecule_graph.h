// From a molecule record to a graph: labels of atoms and bonds, the class, or why there is none.
// And back, as far as labels tell. One parser per thread; all of them share the toolkit, which
// takes almost all of the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rayleigh/graph_io.h"

#include "graph/raw_graphs.h"
#include "io/molecule_records.h"
#include "io/molecule_toolkit.h"

namespace rayleigh::io {

/// "N", "N+", "Ca+2", "n+:3"; `degree` counts the neighbours.
std::string atom_label(const Atom& atom, std::size_t degree, AtomLabels labels);

/// "1", "2", "3", "4", "aromatic", "dative" or "other".
std::string_view bond_label(BondOrder order);

/// The molecule whose atoms and bonds have these labels; none when a label is not that of an atom.
/// Bonds with other labels, or none, are single.
std::optional<Molecule> molecule_of(const GraphSet& graphs, std::size_t graph);

struct MoleculeRow {
  Row row;
  /// The row is well-formed but its molecule cannot be had: loading leaves it out and counts it.
  bool refused_by_chemistry = false;
};

class MoleculeParser {
 public:
  /// `file` and `label_source` are named in messages; the toolkit must outlive the parser.
  MoleculeParser(std::string file, Structure structure, std::string label_source,
                 const MoleculeToolkit& toolkit, const ReadOptions& options);

  /// From now on; what was parsed before has none.
  void add_fingerprints() { options_.fingerprints = true; }

  /// Appends the graph to `raw`, or leaves `raw` as it was and returns a failed row. `number` is
  /// that of the record in the input, from 1.
  MoleculeRow parse(const MoleculeRecord& record, std::uint64_t number,
                    graph::RawGraphs& raw) const;

 private:
  void append(const Molecule& molecule, graph::RawGraphs& raw) const;

  std::string file_;
  Structure structure_;
  std::string label_source_;
  const MoleculeToolkit* toolkit_;
  std::uint64_t max_nodes_;
  MoleculeOptions options_;
};

}  // namespace rayleigh::io
