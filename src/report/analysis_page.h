// What `rayleigh analyze` leaves behind for people: figures and one self-contained page.
// Made from an Analysis alone; nothing is computed here.
// Some hundred kilobytes.
#pragma once

#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/spectral/analysis.h"

#include "plot/named_text.h"

namespace rayleigh::report {

/// The figures, each a .svg.
std::vector<plot::NamedText> analysis_figures(const GraphSet& graphs,
                                              const spectral::Analysis& analysis);

/// report.html, with all figures inside.
std::string analysis_page(const GraphSet& graphs, const spectral::Analysis& analysis);

}  // namespace rayleigh::report
