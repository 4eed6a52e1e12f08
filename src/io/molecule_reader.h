// Reads molecules (docs/formats.md) in blocks and in parallel, in the order of the input.
// Use through rayleigh/graph_io.h; takes any ByteSource, so also stdin, gzip or memory.
// Memory is one block of records and their graphs; the toolkit takes about 0.1 ms per molecule.
#pragma once

#include <memory>
#include <string>

#include "rayleigh/graph_io.h"

#include "io/byte_source.h"
#include "io/molecule_toolkit.h"

namespace rayleigh::io {

/// `format` is smi, csv, tsv or sdf; `set_name` becomes the name of the loaded set. Malformed rows
/// throw; molecules that the toolkit refuses are left out and counted, unless none is left.
GraphSet load_molecules(std::unique_ptr<ByteSource> source, InputFormat format,
                        const std::string& set_name, const ReadOptions& options,
                        const MoleculeToolkit& toolkit);

/// The toolkit must outlive the reader.
std::unique_ptr<GraphReader> open_molecules(std::unique_ptr<ByteSource> source, InputFormat format,
                                            const std::string& set_name, const ReadOptions& options,
                                            const MoleculeToolkit& toolkit);

}  // namespace rayleigh::io
