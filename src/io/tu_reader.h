// Reads TU datasets: load_tu() the whole set on all cores, open_tu() graph after graph.
// Use through rayleigh/graph_io.h; here are the parts that work on any Folder.
// Loading is bound by unpacking the archive; streaming keeps one chunk and the graph labels.
#pragma once

#include <memory>
#include <string>

#include "rayleigh/graph_io.h"

#include "io/folder.h"

namespace rayleigh::io {

GraphSet load_tu(std::shared_ptr<const Folder> folder, const std::string& where,
                 const ReadOptions& options);

std::unique_ptr<GraphReader> open_tu(std::shared_ptr<const Folder> folder, const std::string& where,
                                     const ReadOptions& options);

}  // namespace rayleigh::io
