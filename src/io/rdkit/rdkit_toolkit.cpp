// The module librayleigh_molecules.so: everything that knows RDKit.
#include <DataStructs/ExplicitBitVect.h>
#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolDraw2D/MolDraw2DUtils.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/RingInfo.h>
#include <GraphMol/SanitException.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>
#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/mol_block_counts.h"
#include "io/molecule_toolkit.h"

namespace rayleigh::io {
namespace {

/// RDKit goes round rings recursively: far more atoms overflow the stack.
constexpr unsigned kMostAtoms = 20'000;
/// Canonical SMILES of large fused systems take RDKit minutes.
constexpr std::size_t kMostScaffoldAtoms = 1000;
/// And so do fingerprints of long chains.
constexpr std::size_t kMostFingerprintAtoms = 1000;
/// The search for stereo centres and the layout take cubic time: a chain of 3,000 atoms minutes.
constexpr std::size_t kMostLayoutAtoms = 400;
/// Finding rings takes seconds for a hundred atoms that are all bonded to each other. Cages and
/// sheets have at most two bonds per atom.
constexpr std::size_t kMostBondsPerAtom = 3;
constexpr std::size_t kFurtherBonds = 30;
constexpr std::size_t kLongestSmiles = 100'000;

using MoleculePointer = std::unique_ptr<RDKit::RWMol>;

void refuse_large(std::size_t atoms) {
  if (atoms > kMostAtoms) {
    throw std::length_error("the molecule has " + std::to_string(atoms) +
                            " atoms, expected at most " + std::to_string(kMostAtoms));
  }
}

void refuse_dense(std::size_t atoms, std::size_t bonds) {
  const std::size_t most = kMostBondsPerAtom * atoms + kFurtherBonds;
  if (bonds > most) {
    throw std::length_error("the molecule has " + std::to_string(bonds) + " bonds between " +
                            std::to_string(atoms) + " atoms, expected at most " +
                            std::to_string(most));
  }
}

/// RDKit makes room for what a block claims to hold.
void check_claims(const std::string& block) {
  const auto claimed = claimed_counts(block);
  if (!claimed.fit()) {
    throw std::length_error("the counts line claims " + std::to_string(claimed.atoms) +
                            " atoms and " + std::to_string(claimed.bonds) +
                            " bonds, more than the " + std::to_string(claimed.lines) +
                            " lines of the record");
  }
  refuse_large(claimed.atoms);
}

MoleculePointer parse(Structure kind, const std::string& text) {
  // What we need of RDKit's clean-up is done by sanitize(); its search for stereo centres is not.
  if (kind == Structure::mol_block) {
    check_claims(text);
    return MoleculePointer(RDKit::MolBlockToMol(text, false, false, true));
  }
  RDKit::SmilesParserParams parameters;
  parameters.sanitize = false;
  parameters.removeHs = false;
  parameters.allowCXSMILES = false;
  parameters.parseName = false;
  return MoleculePointer(RDKit::SmilesToMol(text, parameters));
}

bool has_hydrogens(const RDKit::RWMol& molecule) {
  bool hydrogens = false;
  for (const RDKit::Atom* atom : molecule.atoms()) {
    hydrogens = hydrogens || atom->getAtomicNum() == 1;
  }
  return hydrogens;
}

/// Hydrogens become implicit, valences are checked, rings and aromatic bonds found.
void sanitize(RDKit::RWMol& molecule) {
  refuse_large(molecule.getNumAtoms());
  refuse_dense(molecule.getNumAtoms(), molecule.getNumBonds());
  if (has_hydrogens(molecule)) {
    RDKit::MolOps::RemoveHsParameters parameters;
    parameters.removeIsotopes = true;
    parameters.removeDefiningBondStereo = true;
    parameters.showWarnings = false;
    RDKit::MolOps::removeHs(molecule, parameters, false);
  }
  using namespace RDKit::MolOps;
  constexpr unsigned kOperations = SANITIZE_CLEANUP | SANITIZE_PROPERTIES | SANITIZE_SYMMRINGS |
                                   SANITIZE_KEKULIZE | SANITIZE_SETAROMATICITY | SANITIZE_ADJUSTHS;
  unsigned failed = 0;
  sanitizeMol(molecule, failed, kOperations);
}

BondOrder order_of(const RDKit::Bond& bond) {
  if (bond.getIsAromatic()) {
    return BondOrder::aromatic;
  }
  switch (bond.getBondType()) {
    case RDKit::Bond::SINGLE:
      return BondOrder::one;
    case RDKit::Bond::DOUBLE:
      return BondOrder::two;
    case RDKit::Bond::TRIPLE:
      return BondOrder::three;
    case RDKit::Bond::QUADRUPLE:
      return BondOrder::four;
    case RDKit::Bond::AROMATIC:
      return BondOrder::aromatic;
    case RDKit::Bond::DATIVE:
      return BondOrder::dative;
    default:
      return BondOrder::other;
  }
}

/// The fragment with the most atoms, the first of equals.
int largest_of(const std::vector<int>& fragment_of_atom, unsigned fragments) {
  std::vector<unsigned> atoms(fragments, 0);
  for (const int fragment : fragment_of_atom) {
    ++atoms[static_cast<std::size_t>(fragment)];
  }
  return static_cast<int>(std::max_element(atoms.begin(), atoms.end()) - atoms.begin());
}

/// The part that describe() keeps, sound again.
MoleculePointer kept_part(const RDKit::RWMol& molecule) {
  std::vector<int> fragment_of_atom;
  const unsigned fragments = RDKit::MolOps::getMolFrags(molecule, fragment_of_atom);
  const auto parts = RDKit::MolOps::getMolFrags(molecule, false, nullptr, nullptr, false);
  const auto kept = static_cast<std::size_t>(largest_of(fragment_of_atom, fragments));
  auto part = std::make_unique<RDKit::RWMol>(*parts[kept]);
  // Parts know neither their rings nor which of them are aromatic ones.
  sanitize(*part);
  return part;
}

std::string scaffold_of(const RDKit::ROMol& molecule) {
  if (molecule.getRingInfo()->numRings() == 0) {
    return {};
  }
  const std::unique_ptr<RDKit::ROMol> scaffold(RDKit::MurckoDecompose(molecule));
  RDKit::SmilesWriteParams parameters;
  parameters.doIsomericSmiles = false;
  return RDKit::MolToSmiles(*scaffold, parameters);
}

std::vector<std::uint16_t> morgan_bits(const RDKit::ROMol& molecule) {
  if (molecule.getNumAtoms() > kMostFingerprintAtoms) {
    throw std::length_error("the molecule has more than " + std::to_string(kMostFingerprintAtoms) +
                            " atoms, too many for a fingerprint");
  }
  constexpr unsigned kRadius = 2;
  const std::unique_ptr<ExplicitBitVect> found(
      RDKit::MorganFingerprints::getFingerprintAsBitVect(molecule, kRadius, kFingerprintBits));
  IntVect on;
  found->getOnBits(on);
  return {on.begin(), on.end()};
}

/// RDKit's usual clean-up keeps some hydrogens as atoms, heavy ones for example, and sanitize()
/// none: fingerprints are to be those that everybody else has. Without any it is the same.
std::vector<std::uint16_t> fingerprint_of(Structure kind, const std::string& text,
                                          const RDKit::RWMol& molecule, bool hydrogens) {
  if (hydrogens) {
    const MoleculePointer usual(kind == Structure::smiles ? RDKit::SmilesToMol(text)
                                                          : RDKit::MolBlockToMol(text));
    if (usual) {
      return morgan_bits(*usual);
    }
  }
  return morgan_bits(molecule);
}

Molecule describe(const RDKit::RWMol& molecule, const ToolkitOptions& options) {
  Molecule out;
  std::vector<int> fragment_of_atom;
  const unsigned fragments = RDKit::MolOps::getMolFrags(molecule, fragment_of_atom);
  out.fragments = fragments;
  const bool cut = options.largest_fragment && fragments > 1;
  const int kept = cut ? largest_of(fragment_of_atom, fragments) : 0;
  std::vector<std::uint32_t> number(molecule.getNumAtoms(), 0);
  out.atoms.reserve(molecule.getNumAtoms());
  for (const RDKit::Atom* atom : molecule.atoms()) {
    if (cut && fragment_of_atom[atom->getIdx()] != kept) {
      continue;
    }
    if (atom->getAtomicNum() == 0) {
      out.error = "atom " + std::to_string(atom->getIdx() + 1) +
                  " is a dummy atom (*), expected elements only";
      return out;
    }
    number[atom->getIdx()] = static_cast<std::uint32_t>(out.atoms.size());
    Atom& plain = out.atoms.emplace_back();
    atom->getSymbol().copy(plain.symbol.data(), plain.symbol.size() - 1);
    plain.charge = atom->getFormalCharge();
    plain.aromatic = atom->getIsAromatic();
  }
  out.bonds.reserve(molecule.getNumBonds());
  for (const RDKit::Bond* bond : molecule.bonds()) {
    if (!cut || fragment_of_atom[bond->getBeginAtomIdx()] == kept) {
      out.bonds.push_back(
          {number[bond->getBeginAtomIdx()], number[bond->getEndAtomIdx()], order_of(*bond)});
    }
  }
  if (options.scaffold) {
    if (out.atoms.size() > kMostScaffoldAtoms) {
      out.error = "the molecule has more than " + std::to_string(kMostScaffoldAtoms) +
                  " atoms, too many to find its scaffold";
    } else if (cut) {
      out.scaffold = scaffold_of(*kept_part(molecule));
    } else {
      out.scaffold = scaffold_of(molecule);
    }
  }
  return out;
}

RDKit::Bond::BondType bond_type(BondOrder order) {
  switch (order) {
    case BondOrder::two:
      return RDKit::Bond::DOUBLE;
    case BondOrder::three:
      return RDKit::Bond::TRIPLE;
    case BondOrder::four:
      return RDKit::Bond::QUADRUPLE;
    case BondOrder::aromatic:
      return RDKit::Bond::AROMATIC;
    case BondOrder::dative:
      return RDKit::Bond::DATIVE;
    default:
      return RDKit::Bond::SINGLE;
  }
}

/// As it stands, with no hydrogens but those named.
MoleculePointer build(const Molecule& plain) {
  auto molecule = std::make_unique<RDKit::RWMol>();
  for (const Atom& atom : plain.atoms) {
    const int number = RDKit::PeriodicTable::getTable()->getAtomicNumber(atom.symbol.data());
    RDKit::Atom made(static_cast<unsigned>(number));
    made.setFormalCharge(atom.charge);
    made.setNoImplicit(true);
    molecule->addAtom(&made, false, false);
  }
  for (const Bond& bond : plain.bonds) {
    molecule->addBond(bond.from, bond.to, bond_type(bond.order));
  }
  molecule->updatePropertyCache(false);
  RDKit::MolOps::fastFindRings(*molecule);
  return molecule;
}

/// `sound` molecules get their double bonds and wedges; others are drawn as they stand.
std::string paint(RDKit::RWMol& molecule, const MoleculePicture& picture, bool sound) {
  if (molecule.getNumAtoms() != picture.grounds.size()) {
    return {};
  }
  std::vector<int> coloured;
  std::map<int, RDKit::DrawColour> colours;
  for (std::size_t a = 0; a < picture.grounds.size(); ++a) {
    if (const auto& ground = picture.grounds[a]) {
      coloured.push_back(static_cast<int>(a));
      colours[static_cast<int>(a)] = RDKit::DrawColour(ground->red, ground->green, ground->blue);
    }
  }
  RDDepict::compute2DCoords(molecule, nullptr, true);
  if (sound) {
    RDKit::MolOps::assignStereochemistry(molecule, true);
    RDKit::MolDraw2DUtils::prepareMolForDrawing(molecule, true, false, true);
  }
  RDKit::MolDraw2DSVG drawer(picture.width, picture.height, -1, -1, true);
  auto& options = drawer.drawOptions();
  options.prepareMolsBeforeDrawing = false;
  options.clearBackground = false;
  options.highlightRadius = 0.38;
  options.circleAtoms = true;
  options.flagCloseContactsDist = -1;
  options.atomHighlightsAreCircles = true;
  options.maxFontSize = 14;
  options.fixedBondLength = 26;
  RDKit::assignBWPalette(options.atomColourPalette);
  drawer.drawMolecule(molecule, "", &coloured, &colours);
  drawer.finishDrawing();
  const std::string svg = drawer.getDrawingText();
  // What stands before belongs to a file, not to a page.
  const auto begin = svg.find("<svg");
  return begin == std::string::npos ? std::string() : svg.substr(begin);
}

/// With RDKit's usual clean-up, so that stereochemistry is kept. Large molecules would take
/// minutes: their SMILES are left out, and their blocks have neither coordinates nor
/// stereochemistry.
std::string other_structure(Structure kind, const std::string& text, const RDKit::RWMol& plain) {
  if (kind == Structure::mol_block) {
    if (plain.getNumAtoms() > kMostScaffoldAtoms) {
      return {};
    }
    const MoleculePointer molecule(RDKit::MolBlockToMol(text));
    return molecule ? RDKit::MolToSmiles(*molecule) : std::string();
  }
  if (plain.getNumAtoms() > kMostLayoutAtoms) {
    return RDKit::MolToMolBlock(plain, false);
  }
  const MoleculePointer molecule(RDKit::SmilesToMol(text));
  if (!molecule) {
    return {};
  }
  RDDepict::compute2DCoords(*molecule);
  return RDKit::MolToMolBlock(*molecule);
}

/// What RDKit wrote to its log, without the clock and on one line.
std::string tidy(const std::string& log) {
  std::string text;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[') && line.find("] ") != std::string::npos) {
      line.erase(0, line.find("] ") + 2);
    }
    const auto begin = line.find_first_not_of(" ~^*\t");
    if (begin == std::string::npos || line.starts_with("Failed parsing") ||
        line.find(" Failed parsing ") != std::string::npos) {
      continue;
    }
    line.erase(std::min(line.find(" for input: "), line.size()));
    text += (text.empty() ? "" : "; ") + line.substr(begin);
  }
  return text;
}

class RdkitToolkit : public MoleculeToolkit {
 public:
  RdkitToolkit() {
    RDLog::InitLogs();
    for (const auto& log : all_logs()) {
      log->df_enabled = false;
    }
    // RDKit fills its tables of elements and valences at the first molecule.
    static_cast<void>(read_quietly(Structure::smiles, "C[N+](C)(C)Cc1ccccc1.[H][H]",
                                   {.largest_fragment = true,
                                    .scaffold = true,
                                    .fingerprint = true,
                                    .other_structure = true}));
    static_cast<void>(
        read_quietly(Structure::mol_block, "\n\n\n  0  0  0  0  0 V2000\nM  END\n", {}));
  }

  Molecule read(Structure kind, const std::string& text,
                const ToolkitOptions& options) const override {
    return read_quietly(kind, text, options);
  }

  std::string draw(Structure kind, const std::string& text, const ToolkitOptions& options,
                   const MoleculePicture& picture) const override {
    return drawn_quietly([&] {
      auto molecule = parse(kind, text);
      if (!molecule) {
        return std::string();
      }
      sanitize(*molecule);
      std::vector<int> fragment_of_atom;
      if (options.largest_fragment && RDKit::MolOps::getMolFrags(*molecule, fragment_of_atom) > 1) {
        molecule = kept_part(*molecule);
      }
      return paint(*molecule, picture, true);
    });
  }

  std::string draw(const Molecule& molecule, const MoleculePicture& picture) const override {
    return drawn_quietly([&] { return paint(*build(molecule), picture, false); });
  }

 private:
  template <typename Draw>
  std::string drawn_quietly(const Draw& draw) const {
    const std::shared_lock quiet(logging_);
    try {
      return draw();
    } catch (...) {
      return {};
    }
  }

  Molecule read_quietly(Structure kind, const std::string& text,
                        const ToolkitOptions& options) const {
    Molecule failed;
    if (kind == Structure::smiles && text.size() > kLongestSmiles) {
      failed.error = "the SMILES has " + std::to_string(text.size()) +
                     " characters, expected at most " + std::to_string(kLongestSmiles);
      return failed;
    }
    try {
      {
        const std::shared_lock quiet(logging_);
        if (const MoleculePointer molecule = parse(kind, text)) {
          const bool hydrogens = options.fingerprint && has_hydrogens(*molecule);
          sanitize(*molecule);
          Molecule out = describe(*molecule, options);
          if (options.fingerprint && out.error.empty()) {
            out.fingerprint = fingerprint_of(kind, text, *molecule, hydrogens);
          }
          if (options.other_structure && out.error.empty()) {
            out.other_structure = other_structure_or_none(kind, text, *molecule);
          }
          return out;
        }
      }
      failed.error = explain(kind, text);
    } catch (const std::exception& error) {
      failed.error = error.what();
    } catch (...) {
      failed.error = "RDKit gave up without saying why";
    }
    if (failed.error.empty()) {
      failed.error = "RDKit gave up without saying why";
    }
    return failed;
  }

  static std::string other_structure_or_none(Structure kind, const std::string& text,
                                             const RDKit::RWMol& plain) {
    try {
      return other_structure(kind, text, plain);
    } catch (const std::exception&) {
      return {};
    }
  }

  static std::vector<RDLogger> all_logs() {
    std::vector<RDLogger> logs;
    for (const auto& log :
         {rdAppLog, rdDebugLog, rdInfoLog, rdErrorLog, rdWarningLog, rdStatusLog}) {
      if (log) {
        logs.push_back(log);
      }
    }
    return logs;
  }

  /// Parses once more with RDKit's log turned to us. The log is common to all threads, so none may
  /// read meanwhile.
  std::string explain(Structure kind, const std::string& text) const {
    const std::unique_lock alone(logging_);
    std::ostringstream words;
    std::ostream* const usual = std::exchange(rdErrorLog->dp_dest, &words);
    rdErrorLog->df_enabled = true;
    std::string thrown;
    try {
      static_cast<void>(parse(kind, text));
    } catch (const std::exception& error) {
      thrown = error.what();
    }
    rdErrorLog->df_enabled = false;
    rdErrorLog->dp_dest = usual;
    return thrown.empty() ? tidy(words.str()) : thrown;
  }

  mutable std::shared_mutex logging_;
};

}  // namespace
}  // namespace rayleigh::io

extern "C" __attribute__((visibility("default"))) const rayleigh::io::MoleculeToolkit*
rayleigh_molecule_toolkit(int version) {
  if (version != rayleigh::io::kToolkitVersion) {
    return nullptr;
  }
  static const rayleigh::io::RdkitToolkit toolkit;
  return &toolkit;
}
