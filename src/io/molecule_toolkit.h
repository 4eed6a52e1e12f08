// What a chemistry library does for us: molecules as plain atoms and bonds, their scaffolds,
// fingerprints and pictures.
// The only implementation uses RDKit and is a module of its own (rdkit/rdkit_toolkit.cpp), which is
// loaded when the first molecule is read, so that nothing else pays for RDKit's start.
// Reading a drug-like SMILES takes about 0.1 ms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/graph_io.h"
#include "rayleigh/molecule_picture.h"

namespace rayleigh::io {

enum class BondOrder : std::uint8_t { one, two, three, four, aromatic, dative, other };

struct Atom {
  std::array<char, 4> symbol{};  ///< "C", "Cl"; ends with a zero
  int charge = 0;
  bool aromatic = false;

  friend bool operator==(const Atom&, const Atom&) = default;
};

struct Bond {
  std::uint32_t from;
  std::uint32_t to;
  BondOrder order;
};

/// Hydrogens are implicit: only those are atoms here that belong to no single heavy atom.
struct Molecule {
  std::vector<Atom> atoms;
  std::vector<Bond> bonds;
  std::size_t fragments = 0;  ///< before smaller ones were dropped
  std::string scaffold;       ///< canonical SMILES; "" for molecules without rings
  /// Morgan bits of radius 2 that are set, ascending. Of the whole molecule as it is written, with
  /// RDKit's usual clean-up: what everybody else's fingerprint of this text is.
  std::vector<std::uint16_t> fingerprint;
  std::string other_structure;  ///< "" where RDKit cannot write it
  std::string error;            ///< why there is no molecule; then nothing else counts
};

struct ToolkitOptions {
  bool largest_fragment = true;  ///< by atoms, the first of equals; else all
  bool scaffold = false;
  bool fingerprint = false;
  /// The whole molecule as the other kind of structure: the mol block of a SMILES, with flat
  /// coordinates, or the SMILES of a mol block.
  bool other_structure = false;
};

class MoleculeToolkit {
 public:
  MoleculeToolkit() = default;
  virtual ~MoleculeToolkit() = default;
  MoleculeToolkit(const MoleculeToolkit&) = delete;
  MoleculeToolkit& operator=(const MoleculeToolkit&) = delete;

  /// May be called by several threads at once. Never throws for bad structures.
  virtual Molecule read(Structure kind, const std::string& text,
                        const ToolkitOptions& options) const = 0;

  /// SVG of the molecule that read() gives, its atoms in the same order; "" when that cannot be
  /// drawn or has another number of atoms than the picture. One thread at a time.
  virtual std::string draw(Structure kind, const std::string& text, const ToolkitOptions& options,
                           const MoleculePicture& picture) const = 0;
  /// The same of plain atoms and bonds, whether or not chemistry allows them.
  virtual std::string draw(const Molecule& molecule, const MoleculePicture& picture) const = 0;
};

/// Changes with every change of the interface: a module of another build is refused.
inline constexpr int kToolkitVersion = 3;
/// The module's factory, (int version) -> const MoleculeToolkit*: one toolkit for the whole
/// process, or null for another version. Must first be called while no other thread uses it.
inline constexpr const char* kToolkitFactory = "rayleigh_molecule_toolkit";

/// Loads the module on first use. Error that says how to get it when there is none.
const MoleculeToolkit& molecule_toolkit();
/// Whether molecule_toolkit() gives one.
bool has_molecule_toolkit();

}  // namespace rayleigh::io
