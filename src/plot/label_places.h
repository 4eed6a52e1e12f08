// Places for the names of points, so that no name covers another name or a point.
// For figures with a dozen named points; what cannot be placed freely covers as little as possible.
// Tries some tens of places per point against all others.
#pragma once

#include <span>
#include <vector>

namespace rayleigh::plot {

/// In pixels, y downwards.
struct LabelPoint {
  double x;
  double y;
  double width;  ///< of the name
};

struct LabelPlace {
  double x;  ///< left end of the name
  double y;  ///< its base line
  bool far;  ///< so far from its point that a line should tie them
};

struct LabelFrame {
  double left;
  double top;
  double right;
  double bottom;
};

std::vector<LabelPlace> place_labels(std::span<const LabelPoint> points, const LabelFrame& frame);

}  // namespace rayleigh::plot
