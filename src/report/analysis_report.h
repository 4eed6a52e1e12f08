// What `rayleigh analyze` leaves behind: tables, figures and one self-contained page.
// Made from an Analysis alone; nothing is computed here.
// A megabyte or two, most of it the table of graphs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/spectral/analysis.h"
#include "rayleigh/spectral/label_forms.h"

#include "report/named_text.h"

namespace rayleigh::report {

/// graphs.csv: one row per graph. `forms` adds the quotient of every label; leave it out for none.
std::string graphs_csv(const GraphSet& graphs, const spectral::Analysis& analysis,
                       const spectral::LabelForms* forms);

/// distributions.csv, distance_ratios.csv, labels.csv, separation.csv.
std::vector<NamedText> analysis_tables(const GraphSet& graphs, const spectral::Analysis& analysis);

/// The figures, each a .svg.
std::vector<NamedText> analysis_figures(const GraphSet& graphs, const spectral::Analysis& analysis);

/// report.html, with all figures inside.
std::string analysis_page(const GraphSet& graphs, const spectral::Analysis& analysis);

/// Everything the page shows.
nlohmann::ordered_json analysis_json(const GraphSet& graphs, const spectral::Analysis& analysis);

}  // namespace rayleigh::report
