// Pictures of molecules as chemists draw them, atoms coloured, as SVG.
// For explanations and reports; needs the chemistry module, without it nothing is drawn.
// A few milliseconds and kilobytes each. One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rayleigh/graph_io.h"
#include "rayleigh/graph_set.h"

namespace rayleigh::io {

/// Each from 0 to 1.
struct Colour {
  double red = 1;
  double green = 1;
  double blue = 1;
};

struct MoleculePicture {
  int width = 300;
  int height = 240;
  std::vector<std::optional<Colour>> grounds{};  ///< behind each atom; none = left uncoloured
};

/// Whether all labels of the graph are those of atoms.
bool is_molecule(const GraphSet& graphs, std::size_t graph);

/// SVG of a molecule as an input writes it, its atoms in the order in which they were read; "" when
/// it cannot be drawn, has another number of atoms than the picture, or there is no chemistry
/// module.
std::string draw_molecule(Structure written, const std::string& structure, Fragments fragments,
                          const MoleculePicture& picture);
/// The same of the graph's own atoms and bonds, whether or not chemistry allows them.
std::string draw_molecule(const GraphSet& graphs, std::size_t graph,
                          const MoleculePicture& picture);

}  // namespace rayleigh::io
