// Horizontal bars as SVG, each with a label before and a text behind it.
// For rankings of up to some tens of things.
// A few kilobytes.
#pragma once

#include <span>
#include <string>

#include "plot/colour.h"

namespace rayleigh::plot {

struct Bar {
  std::string label;
  double value;
  std::string text;  ///< shown at its end
  Colour colour = Colour::normal;
};

/// Horizontal bars from `origin`, one per row, in the given order.
std::string bar_chart(const std::string& title, const std::string& value_title,
                      std::span<const Bar> bars, double origin, double low, double high);

}  // namespace rayleigh::plot
