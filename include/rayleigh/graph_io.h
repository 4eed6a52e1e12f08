// Graphs from files and into files: TU (folder or .zip), JSONL and molecules (.smi, .csv, .tsv,
// .sdf; these through RDKit), each also gzipped.
// load() for a whole set; open() to go through any number of graphs in constant memory.
// A set the size of NCI-H23 (37,348 graphs, 44 MB of text in a zip) loads in about 0.2 s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"

namespace rayleigh::io {

/// How an input is written; automatic goes by its name and takes stdin for JSONL.
enum class InputFormat { automatic, jsonl, smi, csv, tsv, sdf };

/// What the label of an atom tells: "N", "N+", or "n+:3", which adds the number of its heavy
/// neighbours and, by a small letter, that it is aromatic.
enum class AtomLabels { element, element_charge, detailed };

enum class Fragments { largest, all };

/// How a molecule is written.
enum class Structure { smiles, mol_block };

/// Only for molecules. Columns that are not named are guessed from the header of a table.
struct MoleculeOptions {
  std::optional<std::string> smiles_column{};
  std::optional<std::string> id_column{};
  std::optional<std::string> label{};  ///< column of a table, property of an SDF file
  AtomLabels atoms = AtomLabels::element;
  Fragments fragments = Fragments::largest;  ///< of a salt or mixture; by atoms
  bool scaffolds = false;                    ///< find them, for GraphSet::scaffold()
  bool fingerprints = false;                 ///< compute them, for GraphSet::fingerprint()
  bool classes = true;                       ///< false: no class column is guessed
  /// Wanted for every row: where the input has the other kind, Row::other_structure has this one.
  std::optional<Structure> structure{};
};

struct ReadOptions {
  /// A stop ends reading with Cancelled, also while it waits for standard input.
  RunOptions run{};
  /// An archive that expands to more is refused before anything is allocated.
  std::uint64_t max_expanded_bytes = std::uint64_t{8} << 30U;
  /// A larger graph is refused: the methods here are made for many small graphs.
  std::uint64_t max_nodes = 100'000;
  /// A JSONL set of more nodes is refused by load(): a few bytes of text can claim many nodes.
  std::uint64_t max_total_nodes = std::uint64_t{1} << 28U;
  InputFormat input = InputFormat::automatic;
  MoleculeOptions molecules{};
  /// Takes remarks for people, such as what the reader guessed; called by the reading thread.
  std::function<void(const std::string&)> say{};
};

/// Sets what GraphSet::reading() names: "atoms" to "detailed". DataError for anything else.
void set_reading(ReadOptions& options, std::string_view name, std::string_view value);

/// One input row of a stream: a graph, or the reason why there is none.
struct Row {
  std::string id;          ///< the graph's own name, or its number in the input from 1
  Place place;             ///< where it is in the input
  bool ok = true;          ///< it has a graph, the next one of the chunk
  std::string reason{};    ///< what is wrong with it
  bool too_large = false;  ///< it is not ok because of ReadOptions::max_nodes
  /// Of a molecule: its SMILES or mol block as the input has it, also where it cannot be read.
  std::string structure{};
  /// Where MoleculeOptions::structure asks for it and the molecule can be read: the mol block of a
  /// SMILES, with flat coordinates, or the SMILES of a mol block; "" where RDKit cannot write it.
  std::string other_structure{};
};

/// A piece of a stream. Rows that are ok correspond, in order, to the graphs of the set.
struct Chunk {
  GraphSet graphs;
  std::vector<Row> rows;
};

/// Rows that were taken from the input and not parsed yet.
struct PendingChunk {
  std::size_t rows = 0;
  /// Parses their next part, of a bounded number of nodes. Call it until it has given all rows, on
  /// one thread at a time and while the reader lives.
  std::function<Chunk()> parse;
};

/// Goes through an input piece by piece. Every input row appears exactly once, in order.
/// A defect that cannot be tied to one row (a torn archive, line counts that disagree) throws.
class GraphReader {
 public:
  virtual ~GraphReader() = default;
  /// At most `max_rows` rows (0 counts as 1), fewer where their graphs are large; nothing at the
  /// end. Each chunk has vocabularies of its own. Row::id names a graph in every format; graph
  /// names of a chunk may be empty.
  virtual std::optional<Chunk> next_chunk(std::size_t max_rows) = 0;
  /// The same in two steps, for programs that parse several pieces at once. Taking is for one
  /// thread at a time and cheap, except for TU, which is parsed here.
  virtual std::optional<PendingChunk> next_pending(std::size_t max_rows);
  /// Skips rows and returns how many there were. Molecules are not parsed for it.
  virtual std::size_t skip(std::size_t rows);
  /// How much of the input was taken, from 0 to 1; none for stdin and archives.
  virtual std::optional<double> fraction_read() const { return std::nullopt; }
  /// Before the first chunk: what comes has fingerprints, whatever MoleculeOptions said. False
  /// where the rows are not molecules.
  virtual bool add_fingerprints() { return false; }
  /// How Row::structure is written; none where the rows are not molecules.
  virtual std::optional<Structure> structure() const { return std::nullopt; }
};

/// DATA is a TU folder or .zip; a .jsonl, .smi, .csv, .tsv or .sdf, plain, as .gz or alone in a
/// .zip; "-" for stdin; or, where no such path exists, the name of a set in the data folder
/// (RAYLEIGH_DATA, by default ~/.local/share/rayleigh), into which `rayleigh fetch` downloads.
std::unique_ptr<GraphReader> open(const std::string& data, const ReadOptions& options = {});

/// Whether DATA are molecules, by its name or the names in an archive; nothing of it is read. False
/// where there is no such data.
bool holds_molecules(const std::string& data, const ReadOptions& options = {});

/// The whole set; the first defect throws DataError with its place. Molecules that RDKit refuses
/// are left out and counted in the findings.
GraphSet load(const std::string& data, const ReadOptions& options = {});

/// Writes NAME_A.txt and its companions, which appear together. NAME is the name of the folder.
void save_tu(const GraphSet& graphs, const std::filesystem::path& folder);

/// One JSON object per line; gzipped when the name ends in .gz.
void save_jsonl(const GraphSet& graphs, const std::filesystem::path& file);

/// A hash of all that DATA holds, which tells whether it is still that of an earlier run. None for
/// stdin, FIFOs and what cannot be read. Reads the file, or the files of the folder, once.
std::optional<std::uint64_t> data_hash(const std::string& name_or_path);

}  // namespace rayleigh::io
