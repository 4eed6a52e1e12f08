// What `rayleigh analyze` leaves behind for programs: CSV tables and JSON.
// Made from an Analysis alone; nothing is computed here.
// A megabyte or two, most of it the table of graphs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/spectral/analysis.h"
#include "rayleigh/spectral/label_forms.h"

#include "plot/named_text.h"

namespace rayleigh::report {

/// graphs.csv: one row per graph. `forms` adds the quotient of every label; leave it out for none.
std::string graphs_csv(const GraphSet& graphs, const spectral::Analysis& analysis,
                       const spectral::LabelForms* forms);

/// distributions.csv, distance_ratios.csv, labels.csv, separation.csv.
std::vector<plot::NamedText> analysis_tables(const GraphSet& graphs,
                                             const spectral::Analysis& analysis);

/// Everything the page shows.
nlohmann::ordered_json analysis_json(const GraphSet& graphs, const spectral::Analysis& analysis);

}  // namespace rayleigh::report
