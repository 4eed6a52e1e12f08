// A piece of the input of `rayleigh score` on its way to rows of text, on one thread.
// Used by the score verb, which has many of them under way at a time.
// Almost all the time is that of reading and scoring the graphs.
#pragma once

#include <atomic>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/graph_io.h"

#include "cli/score_rows.h"
#include "learn/detector_state.h"

namespace rayleigh::cli {

enum class UnknownLabel { other, error };

/// What became of the rows.
struct RowCounts {
  std::size_t rows = 0;
  std::size_t parse_error = 0;
  std::size_t too_large = 0;
  std::size_t error = 0;
  std::size_t unknown_label = 0;  ///< with a score

  std::size_t failed() const { return parse_error + too_large + error; }
  void add(const RowCounts& other);
  nlohmann::json to_json() const;
  /// None when it is not what to_json() gave.
  static std::optional<RowCounts> from_json(const nlohmann::json& json);
};

struct ScorePiece {
  io::PendingChunk rows;
  std::size_t first = 0;      ///< index of its first row
  std::size_t estimated = 0;  ///< rows of the whole input, 0 = unknown
};

struct WrittenPiece {
  RowCounts counts;
  std::string text;
  std::string embeddings;  ///< with a header
  std::vector<TopRows::Entry> best;
  std::size_t estimated = 0;
};

/// Each thread has one.
class PieceWorker {
 public:
  struct Job {
    const Detector* detector;
    const RowWriter* writer;
    UnknownLabel unknown;
    bool embeddings;
    bool packed;                       ///< the text is to be gzip data
    const std::atomic<double>* least;  ///< score of rows worth keeping; null = all are written
  };

  explicit PieceWorker(const Job& job) : job_(job), scorer_(*job.detector) {}

  WrittenPiece work(const ScorePiece& piece);

 private:
  /// Scores a part of a piece; `first` is the index of its first row.
  void add(const io::Chunk& chunk, std::size_t first, WrittenPiece& out);
  void take_score(const Score& score, ScoredRow& line, RowCounts& counts) const;
  void write(const ScoredRow& line, WrittenPiece& out) const;
  static void write_embedding(const ScoredRow& row, std::span<const float> vector,
                              std::string& text);

  Job job_;
  learn::SteadyScorer scorer_;
};

}  // namespace rayleigh::cli
