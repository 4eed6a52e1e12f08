// A picture of one graph whose nodes are coloured by what they added: molecules as chemists draw
// them, through the chemistry module; other graphs by a layout of their own.
// For explanations; as SVG to be put into a page.
// A few milliseconds and kilobytes each.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "rayleigh/graph_io.h"
#include "rayleigh/molecule_picture.h"

namespace rayleigh::plot {

/// One graph and, of a molecule, how the input writes it.
struct DrawnGraph {
  GraphSet graph;  ///< of one graph
  std::optional<io::Structure> written{};
  std::string structure{};
  bool largest_fragment = true;  ///< is all that was kept of the structure
};

struct PictureSize {
  int width = 320;
  int height = 240;
};

/// Orange for what makes a graph anomalous, blue for what speaks against it, pale for little.
/// `part` is the value divided by the end of the scale and may lie beyond it.
io::Colour share_colour(double part);

/// Nodes with values[j] / limit as their colours; plain when there are no values. Says so in words
/// when the graph is too large to be drawn.
std::string graph_picture(const DrawnGraph& drawn, std::span<const double> values, double limit,
                          PictureSize size);

/// The colours from -limit to limit.
std::string colour_scale(double limit);

}  // namespace rayleigh::plot
