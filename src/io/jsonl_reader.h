// Reads graphs from JSON lines, one object per graph (docs/formats.md), in blocks and in parallel.
// Use through rayleigh/graph_io.h; takes any ByteSource, so also stdin, gzip or memory.
// Memory is one block of lines and their graphs.
#pragma once

#include <memory>
#include <string>

#include "rayleigh/graph_io.h"

#include "io/byte_source.h"

namespace rayleigh::io {

/// `set_name` becomes the name of the loaded set.
GraphSet load_jsonl(std::unique_ptr<ByteSource> source, const std::string& set_name,
                    const ReadOptions& options);

std::unique_ptr<GraphReader> open_jsonl(std::unique_ptr<ByteSource> source,
                                        const std::string& set_name, const ReadOptions& options);

}  // namespace rayleigh::io
