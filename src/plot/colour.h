// The colours of all pictures.
// Named by what they stand for, so that the same thing looks the same everywhere.
// A constant each.
#pragma once

#include <cstddef>
#include <string>

namespace rayleigh::plot {

/// Colours that people with any common colour blindness can tell apart (Okabe and Ito), also in
/// grey: `normal` is darker than `anomalous`.
enum class Colour { normal, anomalous, third, fourth, fifth, sixth, grey };

std::string hex(Colour colour);

/// Of the curves of a figure: so many colours in turn, no grey.
inline constexpr std::size_t kCurveColours = 6;
Colour colour_of(std::size_t curve);

}  // namespace rayleigh::plot
