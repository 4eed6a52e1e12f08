// report.html of a reproduction, self-contained: where we match, beat and miss the paper, then a
// section for each experiment.
// Made from results alone.
// A page of some megabytes, most of it distributions.
#pragma once

#include <string>

#include "paper/reproduction.h"

namespace rayleigh::paper {

std::string reproduction_page(const Reproduction& reproduction);

}  // namespace rayleigh::paper
