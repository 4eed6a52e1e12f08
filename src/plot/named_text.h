// A file that a report leaves behind: its name and all of its text.
// What the makers of tables and figures return.
// As large as the file.
#pragma once

#include <string>
#include <utility>

namespace rayleigh::plot {

/// A file by its name.
using NamedText = std::pair<std::string, std::string>;

}  // namespace rayleigh::plot
