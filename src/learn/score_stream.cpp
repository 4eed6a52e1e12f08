#include "rayleigh/score_stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "rayleigh/error.h"
#include "rayleigh/scoring_session.h"

#include "core/in_order.h"
#include "core/thread_pool.h"

namespace rayleigh {
namespace {

/// Rows that a thread takes at a time: enough to share the model's fixed costs, few enough that no
/// thread is left with much at the end.
constexpr std::size_t kPieceRows = 1024;

/// Rows of the whole input, from how much of it was read. A reader takes blocks of bytes, so the
/// fraction is true for the rows taken when it jumps.
class SizeEstimate {
 public:
  std::size_t after(std::size_t rows, std::optional<double> fraction) {
    if (fraction && *fraction > last_) {
      if (last_ > 0) {
        estimate_ = static_cast<std::size_t>(static_cast<double>(rows) / last_);
      }
      last_ = *fraction;
    }
    return std::max(estimate_, estimate_ > 0 ? rows : 0);
  }

 private:
  double last_ = 0;
  std::size_t estimate_ = 0;
};

struct TakenPiece {
  io::PendingChunk rows;
  std::size_t first = 0;      ///< index of its first row
  std::size_t estimated = 0;  ///< rows of the whole input, 0 = unknown
};

/// Each thread has one.
class PieceScorer {
 public:
  PieceScorer(const Detector& detector, const StreamOptions& options)
      : detector_(detector),
        options_(options),
        session_(detector, {.threads = 1, .stop = options.run.stop}) {}

  ScoredPiece score(const TakenPiece& piece) {
    ScoredPiece out{.rows = {}, .text = {}, .estimated_rows = piece.estimated};
    out.rows.reserve(piece.rows.rows);
    while (out.rows.size() < piece.rows.rows) {
      add(piece.rows.parse(), piece.first + out.rows.size(), out.rows);
    }
    if (options_.render) {
      out.text = options_.render(out.rows);
    }
    return out;
  }

 private:
  /// A part of a piece; `first` is the index of its first row.
  void add(io::Chunk&& chunk, std::size_t first, std::vector<ScoredRow>& rows) {
    std::vector<std::uint32_t> scorable;
    for (std::uint32_t g = 0; g < chunk.graphs.size(); ++g) {
      if (detector_.can_score(chunk.graphs[g])) {
        scorable.push_back(g);
      }
    }
    const bool all = scorable.size() == chunk.graphs.size();
    const GraphSet some = all ? GraphSet{} : chunk.graphs.subset(scorable);
    const GraphSet& graphs = all ? chunk.graphs : some;
    const auto scores = session_.score(graphs);
    const Embeddings embeddings =
        options_.embeddings ? detector_.embed(graphs, {.threads = 1, .stop = options_.run.stop})
                            : Embeddings{};
    std::size_t graph = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < chunk.rows.size(); ++i) {
      ScoredRow row{.index = first + i, .input = std::move(chunk.rows[i])};
      if (!row.input.ok) {
        row.status = row.input.too_large ? RowStatus::too_large : RowStatus::parse_error;
        row.reason = row.input.reason;
      } else if (const GraphView view = chunk.graphs[graph++]; detector_.can_score(view)) {
        take_score(scores[at], row);
        if (options_.embeddings && row.score) {
          const auto vector = embeddings.row(at);
          row.embedding.assign(vector.begin(), vector.end());
        }
        ++at;
      } else {
        refuse(view.nodes(), row);
      }
      rows.push_back(std::move(row));
    }
  }

  void take_score(const Score& score, ScoredRow& row) const {
    if (!std::isfinite(score.score)) {
      row.reason =
          "the score is not a finite number: the graph's numbers are too large for the model";
      row.status = RowStatus::error;
      return;
    }
    if (score.unknown_label) {
      row.reason = "a node label was never seen in training";
      row.status =
          options_.unknown == UnknownLabel::other ? RowStatus::unknown_label : RowStatus::error;
    }
    if (row.status != RowStatus::error) {
      row.score = score;
    }
  }

  void refuse(std::size_t nodes, ScoredRow& row) const {
    row.status = nodes == 0 ? RowStatus::error : RowStatus::too_large;
    row.reason = nodes == 0 ? std::string("the graph has no node")
                            : fmt::format("the graph has {} nodes, the model was made for up to {}",
                                          nodes, detector_.most_nodes());
  }

  const Detector& detector_;
  const StreamOptions& options_;
  ScoringSession session_;
};

}  // namespace

std::string_view status_name(RowStatus status) {
  constexpr std::array<std::string_view, 5> kNames{"ok", "unknown-label", "parse-error",
                                                   "too-large", "error"};
  return kNames[static_cast<std::size_t>(status)];
}

void RowCounts::add(RowStatus status) {
  ++rows;
  parse_error += status == RowStatus::parse_error ? 1 : 0;
  too_large += status == RowStatus::too_large ? 1 : 0;
  error += status == RowStatus::error ? 1 : 0;
  unknown_label += status == RowStatus::unknown_label ? 1 : 0;
}

void score_stream(const Detector& detector, io::GraphReader& reader, const StreamOptions& options,
                  const std::function<void(ScoredPiece&&)>& take) {
  if (detector.reading().molecules.fingerprints && !reader.add_fingerprints()) {
    throw UsageError(
        fmt::format("{} needs molecules (.smi, .csv, .tsv or .sdf), and these graphs are "
                    "not",
                    detector.options().detector()));
  }
  const auto threads = static_cast<std::size_t>(options.run.threads > 0 ? options.run.threads
                                                                        : core::available_cores());
  std::vector<std::unique_ptr<PieceScorer>> scorers(threads);
  SizeEstimate estimate;
  std::size_t next_row = options.first_index;
  using Work = core::InOrder<TakenPiece, ScoredPiece>;
  const Work::Steps steps{.take = [&]() -> std::optional<TakenPiece> {
                            if (options.run.stop.stop_requested()) {
                              throw Cancelled();
                            }
                            auto pending = reader.next_pending(kPieceRows);
                            if (!pending) {
                              return std::nullopt;
                            }
                            const std::size_t first =
                                std::exchange(next_row, next_row + pending->rows);
                            return TakenPiece{std::move(*pending), first,
                                              estimate.after(first, reader.fraction_read())};
                          },
                          .work =
                              [&](TakenPiece&& piece, std::size_t worker) {
                                auto& scorer = scorers[worker];
                                if (!scorer) {
                                  scorer = std::make_unique<PieceScorer>(detector, options);
                                }
                                return scorer->score(piece);
                              },
                          .give = [&](ScoredPiece&& piece) { take(std::move(piece)); }};
  Work::run(threads, steps);
}

}  // namespace rayleigh
