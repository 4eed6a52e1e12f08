// How molecules were read, as GraphSet::reading() records it.
// Written by the reader of molecules, taken back by set_reading().
// A few words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rayleigh/graph_io.h"

namespace rayleigh::io {

std::vector<std::pair<std::string, std::string>> reading_of(const MoleculeOptions& options);

}  // namespace rayleigh::io
