#include "rayleigh/molecule_picture.h"

#include "io/molecule_graph.h"
#include "io/molecule_toolkit.h"

namespace rayleigh::io {

bool is_molecule(const GraphSet& graphs, std::size_t graph) {
  return molecule_of(graphs, graph).has_value();
}

std::string draw_molecule(Structure written, const std::string& structure, Fragments fragments,
                          const MoleculePicture& picture) {
  if (!has_molecule_toolkit()) {
    return {};
  }
  return molecule_toolkit().draw(written, structure,
                                 {.largest_fragment = fragments == Fragments::largest}, picture);
}

std::string draw_molecule(const GraphSet& graphs, std::size_t graph,
                          const MoleculePicture& picture) {
  const auto molecule = molecule_of(graphs, graph);
  if (!molecule || !has_molecule_toolkit()) {
    return {};
  }
  return molecule_toolkit().draw(*molecule, picture);
}

}  // namespace rayleigh::io
