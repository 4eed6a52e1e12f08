#include "io/molecule_toolkit.h"

#include "rayleigh/error.h"

#include "io/module.h"

namespace rayleigh::io {

const MoleculeToolkit& molecule_toolkit() {
  static const auto& toolkit = open_module<MoleculeToolkit>(
      {.file = "librayleigh_molecules.so",
       .does = "reads molecules",
       .needed = "molecules are read by RDKit",
       .advice = "install RDKit (Debian: librdkit-dev; scripts/setup.sh build does it) and build "
                 "rayleigh again",
       .links = "RDKit (Debian: librdkit1)",
       .factory = kToolkitFactory,
       .version = kToolkitVersion});
  return toolkit;
}

bool has_molecule_toolkit() {
  static const bool there = [] {
    try {
      molecule_toolkit();
      return true;
    } catch (const Error&) {
      return false;
    }
  }();
  return there;
}

}  // namespace rayleigh::io
