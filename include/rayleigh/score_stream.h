// Scores any number of graphs as they are read: every input row gives one output row, in order,
// also where it cannot be read or scored. This is what `rayleigh score` does.
// Keeps a few pieces of the input per thread in memory, however long the input is.
// Parsing and scoring run on all threads.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/run_options.h"

namespace rayleigh {

enum class RowStatus {
  ok,
  unknown_label,  ///< has a score, but a node label was never seen in training
  parse_error,
  too_large,
  error
};
/// "ok", "unknown-label", "parse-error", "too-large", "error".
std::string_view status_name(RowStatus status);

struct ScoredRow {
  std::size_t index = 0;  ///< of the row in the input, from 0
  io::Row input;          ///< as it was read
  RowStatus status = RowStatus::ok;
  std::string reason{};            ///< why it is not ok
  std::optional<Score> score{};    ///< none where the row failed
  std::vector<float> embedding{};  ///< where it was asked for and the row has a score
};

/// What became of the rows.
struct RowCounts {
  std::size_t rows = 0;
  std::size_t parse_error = 0;
  std::size_t too_large = 0;
  std::size_t error = 0;
  std::size_t unknown_label = 0;  ///< with a score

  std::size_t failed() const { return parse_error + too_large + error; }
  void add(RowStatus status);
};

/// Consecutive rows of the input.
struct ScoredPiece {
  std::vector<ScoredRow> rows;
  std::string text;                ///< what StreamOptions::render made of them
  std::size_t estimated_rows = 0;  ///< of the whole input; 0 = unknown
};

enum class UnknownLabel { other, error };

struct StreamOptions {
  RunOptions run{};
  UnknownLabel unknown = UnknownLabel::other;  ///< counts as other, or the row fails
  bool embeddings = false;
  std::size_t first_index = 0;  ///< rows of the input that were skipped before
  /// Optional: makes text of rows. Called by several threads at once.
  std::function<std::string(std::span<const ScoredRow>)> render{};
};

/// Reads to the end and hands every piece to `take`: in order, one at a time, on any thread. An
/// exception, Cancelled too, comes out after the pieces before it have been taken.
void score_stream(const Detector& detector, io::GraphReader& reader, const StreamOptions& options,
                  const std::function<void(ScoredPiece&&)>& take);

}  // namespace rayleigh
