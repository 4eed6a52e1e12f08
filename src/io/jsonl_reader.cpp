#include "io/jsonl_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "rayleigh/error.h"

#include "core/text.h"
#include "core/thread_pool.h"
#include "io/chunk_parts.h"
#include "io/jsonl_parser.h"

namespace rayleigh::io {
namespace {

constexpr std::size_t kJsonlBlockBytes = std::size_t{8} << 20U;
constexpr std::uint64_t kLongestGraphLine = std::uint64_t{1} << 30U;
constexpr std::size_t kLinePieces = 32;  // fixed, so that results never depend on the thread count

using GraphChunk = ChunkParts::Part;

/// Lines of the source, parsed on all threads, still raw.
class GraphLineReader {
 public:
  GraphLineReader(std::unique_ptr<ByteSource> source, std::string set_name,
                  const ReadOptions& options)
      : options_(options),
        pool_(options.run),
        set_name_(std::move(set_name)),
        blocks_(std::move(source), kJsonlBlockBytes, kLongestGraphLine) {}

  core::ThreadPool& pool() { return pool_; }
  std::optional<double> fraction_read() const { return blocks_.fraction_read(); }

  /// Lines and what is known of their shape; the text is that of a block and lives as long.
  struct Lines {
    std::vector<JsonLine> lines;
    std::optional<JsonlShape> shape;
  };

  /// No lines at the end of the input.
  Lines take(std::size_t max_rows) {
    Lines taken{next_lines(std::max<std::size_t>(1, max_rows)), {}};
    learn_shape(taken.lines);
    taken.shape = shape_;
    return taken;
  }

  /// May be called by several threads at once, with pools of their own.
  GraphChunk parse(const Lines& taken, core::ThreadPool& pool) const {
    const auto& lines = taken.lines;
    const std::size_t pieces = std::min(pool.size() > 1 ? kLinePieces : 1, lines.size());
    std::vector<GraphChunk> parsed(pieces);
    pool.run(pieces, [&](std::size_t piece) {
      JsonlParser parser(blocks_.name(), options_.max_nodes);
      const auto range = core::part_of(lines.size(), pieces, piece);
      for (std::size_t i = range.begin; i < range.end; ++i) {
        parsed[piece].rows.push_back(parser.parse(lines[i], taken.shape, parsed[piece].graphs));
      }
    });
    GraphChunk chunk;
    for (auto& piece : parsed) {
      append(chunk.graphs, std::move(piece.graphs));
      std::ranges::move(piece.rows, std::back_inserter(chunk.rows));
    }
    return chunk;
  }

  /// No rows at the end of the input.
  GraphChunk next(std::size_t max_rows) { return parse(take(max_rows), pool_); }

  GraphSet finish(graph::RawGraphs&& raw) { return finish(std::move(raw), pool_); }
  GraphSet finish(graph::RawGraphs&& raw, core::ThreadPool& pool) const {
    raw.name = set_name_;
    raw.edge_file = blocks_.name();
    if (std::ranges::all_of(raw.graph_name, &std::string::empty)) {
      raw.graph_name.clear();
    }
    return graph::canonicalise(std::move(raw), pool);
  }

 private:
  /// Up to `max_rows` lines that are not blank, all from one block.
  std::vector<JsonLine> next_lines(std::size_t max_rows) {
    std::vector<JsonLine> lines;
    while (lines.empty()) {
      if (block_.empty()) {
        block_ = blocks_.next();
        if (block_.empty()) {
          break;
        }
      }
      while (!block_.empty() && lines.size() < max_rows) {
        // Two megabytes of gzip may hold billions of blank lines.
        const auto blank = std::min(block_.find_first_not_of('\n'), block_.size());
        line_number_ += blank;
        block_.remove_prefix(blank);
        if (block_.empty()) {
          break;
        }
        const auto end = block_.find('\n');
        auto line = block_.substr(0, end);
        block_.remove_prefix(end == std::string_view::npos ? block_.size() : end + 1);
        if (++line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) {
          line.remove_prefix(3);  // byte order mark
        }
        if (!core::trim(line).empty()) {
          lines.push_back({line, line_number_});
        }
      }
    }
    return lines;
  }

  void learn_shape(const std::vector<JsonLine>& lines) {
    if (shape_ && shape_->edge_labels) {
      return;
    }
    JsonlParser parser(blocks_.name(), options_.max_nodes);
    for (const auto& line : lines) {
      if (parser.learn_shape(line, shape_)) {
        return;
      }
    }
  }

  ReadOptions options_;
  core::ThreadPool pool_;
  std::string set_name_;
  LineBlocks blocks_;
  std::string_view block_;
  std::uint64_t line_number_ = 0;
  std::optional<JsonlShape> shape_;
};

class JsonlReader : public GraphReader {
 public:
  JsonlReader(std::unique_ptr<ByteSource> source, const std::string& set_name,
              const ReadOptions& options)
      : reader_(std::move(source), set_name, options) {}

  std::optional<Chunk> next_chunk(std::size_t max_rows) override {
    if (left_.empty()) {
      left_ = ChunkParts(reader_.next(max_rows));
    }
    if (left_.empty()) {
      return std::nullopt;
    }
    auto part = left_.next(std::max<std::size_t>(1, max_rows));
    return Chunk{reader_.finish(std::move(part.graphs)), std::move(part.rows)};
  }

  std::optional<PendingChunk> next_pending(std::size_t max_rows) override {
    if (!left_.empty()) {
      return GraphReader::next_pending(max_rows);
    }
    const auto taken = std::make_shared<OwnLines>(reader_.take(max_rows));
    if (taken->lines.lines.empty()) {
      return std::nullopt;
    }
    return PendingChunk{
        taken->lines.lines.size(), [this, taken] {
          core::ThreadPool alone(1);
          if (!std::exchange(taken->parsed, true)) {
            taken->parts = ChunkParts(reader_.parse(taken->lines, alone));
          }
          auto part = taken->parts.next(std::numeric_limits<std::size_t>::max());
          return Chunk{reader_.finish(std::move(part.graphs), alone), std::move(part.rows)};
        }};
  }
  std::size_t skip(std::size_t rows) override {
    std::size_t skipped = left_.skip(rows);
    while (skipped < rows) {
      const auto taken = reader_.take(rows - skipped);
      if (taken.lines.empty()) {
        break;
      }
      skipped += taken.lines.size();
    }
    return skipped;
  }
  std::optional<double> fraction_read() const override { return reader_.fraction_read(); }

 private:
  /// Lines with a copy of their text, which outlives the block.
  struct OwnLines {
    explicit OwnLines(GraphLineReader::Lines taken) : lines(std::move(taken)) {
      std::size_t bytes = 0;
      for (const JsonLine& line : lines.lines) {
        bytes += line.text.size();
      }
      text.reserve(bytes);
      for (JsonLine& line : lines.lines) {
        const std::size_t at = text.size();
        text += line.text;
        line.text = std::string_view(text).substr(at, line.text.size());
      }
    }
    OwnLines(const OwnLines&) = delete;
    OwnLines& operator=(const OwnLines&) = delete;

    GraphLineReader::Lines lines;
    std::string text;
    bool parsed = false;
    ChunkParts parts;
  };

  GraphLineReader reader_;
  ChunkParts left_;  ///< parsed, and too much for the chunk before
};

}  // namespace

GraphSet load_jsonl(std::unique_ptr<ByteSource> source, const std::string& set_name,
                    const ReadOptions& options) {
  const std::string name = source->name();
  GraphLineReader reader(std::move(source), set_name, options);
  graph::RawGraphs all;
  std::uint64_t nodes = 0;
  while (true) {
    auto chunk = reader.next(std::numeric_limits<std::size_t>::max());
    if (chunk.rows.empty()) {
      break;
    }
    const auto bad = std::ranges::find(chunk.rows, false, &Row::ok);
    if (bad != chunk.rows.end()) {
      throw DataError(bad->place, bad->reason);
    }
    nodes += std::reduce(chunk.graphs.node_count.begin(), chunk.graphs.node_count.end(),
                         std::uint64_t{0});
    if (nodes > options.max_total_nodes) {
      throw DataError(chunk.rows.back().place,
                      fmt::format("more than {} nodes up to here, which is the limit of one set; "
                                  "split the file",
                                  core::with_commas(options.max_total_nodes)));
    }
    append(all, std::move(chunk.graphs));
  }
  if (all.node_count.empty()) {
    throw DataError({name, 0}, "no graphs here, expected one JSON object per line");
  }
  return reader.finish(std::move(all));
}

std::unique_ptr<GraphReader> open_jsonl(std::unique_ptr<ByteSource> source,
                                        const std::string& set_name, const ReadOptions& options) {
  return std::make_unique<JsonlReader>(std::move(source), set_name, options);
}

}  // namespace rayleigh::io
