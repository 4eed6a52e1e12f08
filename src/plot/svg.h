// Pieces of SVG that all pictures share: the opening, words, the ink.
// Used by the makers of figures only.
// A formatted string each.
#pragma once

#include <string>
#include <string_view>

namespace rayleigh::plot {

inline constexpr std::string_view kInk = "#222222";
/// Keeps words readable that lie on a curve.
inline constexpr std::string_view kHalo =
    R"( stroke="#ffffff" stroke-width="3" paint-order="stroke")";

/// Text safe inside XML.
std::string escape(std::string_view text);

std::string open_svg(double width, double height, std::string_view title);

/// `anchor` is start, middle or end; `more` further attributes, a blank before each.
std::string text_at(double x, double y, double size, std::string_view anchor, std::string_view text,
                    std::string_view more = "");

}  // namespace rayleigh::plot
