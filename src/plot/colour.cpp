#include "plot/colour.h"

#include <array>
#include <string_view>

namespace rayleigh::plot {

std::string hex(Colour colour) {
  constexpr std::array<std::string_view, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                     "#56B4E9", "#E69F00", "#7F7F7F"};
  return std::string(kColours[static_cast<std::size_t>(colour)]);
}

Colour colour_of(std::size_t curve) { return static_cast<Colour>(curve % kCurveColours); }

}  // namespace rayleigh::plot
