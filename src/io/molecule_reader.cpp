#include "io/molecule_reader.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "rayleigh/error.h"

#include "core/text.h"
#include "core/thread_pool.h"
#include "io/chunk_parts.h"
#include "io/molecule_graph.h"
#include "io/molecule_records.h"
#include "io/reading.h"

namespace rayleigh::io {
namespace {

constexpr std::size_t kBlockRecords = 4096;
constexpr std::size_t kMoleculeBlockBytes = std::size_t{16} << 20U;
/// Of a piece of a stream, several of which are under way at a time. Usual molecules take less.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20U;
constexpr std::size_t kRecordPieces =
    32;  // fixed, so that results never depend on the thread count

struct MoleculeChunk {
  graph::RawGraphs graphs;
  std::vector<MoleculeRow> rows;
};

/// Records of the source, read by the toolkit on all threads, still raw.
class RecordReader {
 public:
  RecordReader(std::unique_ptr<ByteSource> source, InputFormat format, std::string set_name,
               const ReadOptions& options, const MoleculeToolkit& toolkit)
      : records_(open_molecule_records(std::move(source), format, options)),
        parser_(records_->name(), records_->structure(), records_->label_source(), toolkit,
                options),
        pool_(options.run),
        set_name_(std::move(set_name)),
        reading_(reading_of(options.molecules)),
        stop_(options.run.stop) {}

  const std::string& name() const { return records_->name(); }
  const std::stop_token& stop() const { return stop_; }
  Structure structure() const { return records_->structure(); }
  void add_fingerprints() { parser_.add_fingerprints(); }
  std::uint64_t rows() const { return number_; }
  std::optional<double> fraction_read() const { return records_->fraction_read(); }
  std::vector<Finding> findings() const { return records_->findings(); }

  struct Records {
    std::vector<MoleculeRecord> records;
    std::uint64_t first = 0;  ///< number of the first one in the input, from 1
  };

  /// No records at the end of the input.
  Records take(std::size_t max_rows, std::size_t max_bytes) {
    Records taken{next_records(std::clamp<std::size_t>(max_rows, 1, kBlockRecords), max_bytes),
                  number_ + 1};
    number_ += taken.records.size();
    return taken;
  }

  /// May be called by several threads at once, with pools of their own.
  MoleculeChunk parse(Records&& taken, core::ThreadPool& pool) const {
    auto& records = taken.records;
    const std::uint64_t first = taken.first;
    const std::size_t pieces = std::min(pool.size() > 1 ? kRecordPieces : 1, records.size());
    std::vector<MoleculeChunk> parsed(pieces);
    pool.run(pieces, [&](std::size_t piece) {
      const auto range = core::part_of(records.size(), pieces, piece);
      parsed[piece].rows.reserve(range.end - range.begin);
      for (std::size_t i = range.begin; i < range.end; ++i) {
        parsed[piece].rows.push_back(parser_.parse(records[i], first + i, parsed[piece].graphs));
        parsed[piece].rows.back().row.structure = std::move(records[i].structure);
      }
    });
    MoleculeChunk chunk;
    chunk.rows.reserve(records.size());
    for (auto& piece : parsed) {
      graph::append(chunk.graphs, std::move(piece.graphs));
      std::ranges::move(piece.rows, std::back_inserter(chunk.rows));
    }
    return chunk;
  }

  /// No rows at the end of the input.
  MoleculeChunk next(std::size_t max_rows, std::size_t max_bytes) {
    return parse(take(max_rows, max_bytes), pool_);
  }

  GraphSet finish(graph::RawGraphs&& raw) { return finish(std::move(raw), pool_); }
  GraphSet finish(graph::RawGraphs&& raw, core::ThreadPool& pool) const {
    raw.name = set_name_;
    raw.reading = reading_;
    raw.edge_file = name();
    if (std::ranges::all_of(raw.graph_name, &std::string::empty)) {
      raw.graph_name.clear();
    }
    return graph::canonicalise(std::move(raw), pool);
  }

 private:
  std::vector<MoleculeRecord> next_records(std::size_t most, std::size_t max_bytes) {
    if (damage_) {
      std::rethrow_exception(damage_);
    }
    std::vector<MoleculeRecord> records;
    std::size_t bytes = 0;
    try {
      while (records.size() < most && bytes < max_bytes) {
        auto record = records_->next();
        if (!record) {
          break;
        }
        bytes += record->structure.size();
        records.push_back(std::move(*record));
      }
    } catch (const DataError&) {
      if (records.empty()) {
        throw;
      }
      damage_ = std::current_exception();
    }
    return records;
  }

  std::unique_ptr<MoleculeRecords> records_;
  MoleculeParser parser_;
  core::ThreadPool pool_;
  std::string set_name_;
  std::vector<std::pair<std::string, std::string>> reading_;
  std::stop_token stop_;
  std::uint64_t number_ = 0;
  std::exception_ptr damage_;  ///< of the input, behind the records that were given out
};

class MoleculeReader : public GraphReader {
 public:
  explicit MoleculeReader(std::unique_ptr<RecordReader> reader) : reader_(std::move(reader)) {}

  std::optional<Chunk> next_chunk(std::size_t max_rows) override {
    if (left_.empty()) {
      left_ = parts_of(reader_->next(max_rows, kPieceBytes));
    }
    if (left_.empty()) {
      return std::nullopt;
    }
    auto part = left_.next(std::max<std::size_t>(1, max_rows));
    return Chunk{reader_->finish(std::move(part.graphs)), std::move(part.rows)};
  }
  std::optional<PendingChunk> next_pending(std::size_t max_rows) override {
    if (!left_.empty()) {
      return GraphReader::next_pending(max_rows);
    }
    const auto taken = std::make_shared<Taken>(Taken{reader_->take(max_rows, kPieceBytes), {}});
    const std::size_t rows = taken->records.records.size();
    if (rows == 0) {
      return std::nullopt;
    }
    return PendingChunk{
        rows, [this, taken] {
          core::ThreadPool alone(1, reader_->stop());
          if (!taken->parts) {
            taken->parts = parts_of(reader_->parse(std::exchange(taken->records, {}), alone));
          }
          auto part = taken->parts->next(std::numeric_limits<std::size_t>::max());
          return Chunk{reader_->finish(std::move(part.graphs), alone), std::move(part.rows)};
        }};
  }
  std::size_t skip(std::size_t rows) override {
    std::size_t skipped = left_.skip(rows);
    while (skipped < rows) {
      const std::size_t taken = reader_->take(rows - skipped, kPieceBytes).records.size();
      if (taken == 0) {
        break;
      }
      skipped += taken;
    }
    return skipped;
  }
  std::optional<double> fraction_read() const override { return reader_->fraction_read(); }
  bool add_fingerprints() override {
    reader_->add_fingerprints();
    return true;
  }
  std::optional<Structure> structure() const override { return reader_->structure(); }

 private:
  struct Taken {
    RecordReader::Records records;
    std::optional<ChunkParts> parts;  ///< once the records are parsed
  };

  static ChunkParts parts_of(MoleculeChunk&& raw) {
    std::vector<Row> rows;
    rows.reserve(raw.rows.size());
    for (MoleculeRow& row : raw.rows) {
      rows.push_back(std::move(row.row));
    }
    return ChunkParts({std::move(raw.graphs), std::move(rows)});
  }

  std::unique_ptr<RecordReader> reader_;
  ChunkParts left_;  ///< parsed, and too much for the chunk before
};

/// The rows that loading leaves out.
struct LeftOut {
  std::uint64_t count = 0;
  Row first;

  /// DataError for a row that is malformed rather than no molecule.
  void take(const MoleculeRow& row) {
    if (row.row.ok) {
      return;
    }
    if (!row.refused_by_chemistry) {
      throw DataError(row.row.place, row.row.reason);
    }
    if (count++ == 0) {
      first = row.row;
    }
  }
};

}  // namespace

GraphSet load_molecules(std::unique_ptr<ByteSource> source, InputFormat format,
                        const std::string& set_name, const ReadOptions& options,
                        const MoleculeToolkit& toolkit) {
  RecordReader reader(std::move(source), format, set_name, options, toolkit);
  graph::RawGraphs all;
  LeftOut left_out;
  std::uint64_t nodes = 0;
  while (true) {
    auto chunk = reader.next(kBlockRecords, kMoleculeBlockBytes);
    if (chunk.rows.empty()) {
      break;
    }
    std::ranges::for_each(chunk.rows, [&](const MoleculeRow& row) { left_out.take(row); });
    nodes += std::reduce(chunk.graphs.node_count.begin(), chunk.graphs.node_count.end(),
                         std::uint64_t{0});
    if (nodes > options.max_total_nodes) {
      throw DataError(chunk.rows.back().row.place,
                      fmt::format("more than {} atoms up to here, which is the limit of one set; "
                                  "split the file",
                                  core::with_commas(options.max_total_nodes)));
    }
    graph::append(all, std::move(chunk.graphs));
  }
  if (reader.rows() == 0) {
    throw DataError({reader.name(), 0},
                    "no molecules here, expected one per row behind any header");
  }
  if (all.node_count.empty()) {
    throw DataError(left_out.first.place,
                    fmt::format("none of {} can be read as a molecule, the first: {}",
                                core::counted(reader.rows(), "row"), left_out.first.reason));
  }
  if (left_out.count > 0) {
    all.findings.insert(all.findings.begin(),
                        {"not_a_molecule",
                         fmt::format("rows left out because they cannot be read as a molecule (the "
                                     "first: {})",
                                     left_out.first.reason),
                         left_out.count, left_out.first.place});
  }
  std::ranges::move(reader.findings(), std::back_inserter(all.findings));
  return reader.finish(std::move(all));
}

std::unique_ptr<GraphReader> open_molecules(std::unique_ptr<ByteSource> source, InputFormat format,
                                            const std::string& set_name, const ReadOptions& options,
                                            const MoleculeToolkit& toolkit) {
  return std::make_unique<MoleculeReader>(
      std::make_unique<RecordReader>(std::move(source), format, set_name, options, toolkit));
}

}  // namespace rayleigh::io
