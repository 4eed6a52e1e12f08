// A stand-in for the chemistry: every letter of a SMILES is an atom bonded to the one before it.
// For tests of the readers that must also run without RDKit, and for fuzzing.
// Nothing here is part of the library.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

#include "io/molecule_toolkit.h"

namespace rayleigh::test {

/// Refuses text with an exclamation mark. A mol block counts by its fourth line. The scaffold is
/// the first letter, the fingerprint has a bit for each letter.
class LetterToolkit : public io::MoleculeToolkit {
 public:
  io::Molecule read(io::Structure kind, const std::string& text,
                    const io::ToolkitOptions& options) const override {
    io::Molecule molecule;
    if (text.find('!') != std::string::npos) {
      molecule.error = "exclamation marks\nare no atoms";
      return molecule;
    }
    for (const char c : kind == io::Structure::smiles ? text : fourth_line(text)) {
      if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
        continue;
      }
      io::Atom& atom = molecule.atoms.emplace_back();
      atom.symbol[0] = c;
      const auto last = static_cast<std::uint32_t>(molecule.atoms.size() - 1);
      if (last > 0) {
        molecule.bonds.push_back({last - 1, last, io::BondOrder::one});
      }
    }
    molecule.fragments = 1 + static_cast<std::size_t>(std::ranges::count(text, '.'));
    molecule.scaffold = options.scaffold ? text.substr(0, 1) : "";
    if (options.fingerprint) {
      for (const io::Atom& atom : molecule.atoms) {
        molecule.fingerprint.push_back(static_cast<std::uint16_t>(atom.symbol[0]));
      }
      std::ranges::sort(molecule.fingerprint);
      const auto end = std::unique(molecule.fingerprint.begin(), molecule.fingerprint.end());
      molecule.fingerprint.erase(end, molecule.fingerprint.end());
    }
    return molecule;
  }

  std::string draw(io::Structure /*kind*/, const std::string& /*text*/,
                   const io::ToolkitOptions& /*options*/,
                   const io::MoleculePicture& /*picture*/) const override {
    return {};
  }
  std::string draw(const io::Molecule& /*molecule*/,
                   const io::MoleculePicture& /*picture*/) const override {
    return {};
  }

 private:
  static std::string fourth_line(const std::string& block) {
    std::size_t begin = 0;
    for (int line = 0; line < 3 && begin != std::string::npos; ++line) {
      begin = block.find('\n', begin);
      begin = begin == std::string::npos ? begin : begin + 1;
    }
    return begin == std::string::npos ? "" : block.substr(begin, block.find('\n', begin) - begin);
  }
};

}  // namespace rayleigh::test
