#include "cli/score_piece.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/scorable.h"
#include "io/resumable_file.h"
#include "report/csv.h"

namespace rayleigh::cli {
namespace {

constexpr const char* kNeverSeen = "a node label was never seen in training";

}  // namespace

void RowCounts::add(const RowCounts& other) {
  rows += other.rows;
  parse_error += other.parse_error;
  too_large += other.too_large;
  error += other.error;
  unknown_label += other.unknown_label;
}

nlohmann::json RowCounts::to_json() const {
  return {rows, parse_error, too_large, error, unknown_label};
}

std::optional<RowCounts> RowCounts::from_json(const nlohmann::json& json) {
  if (!json.is_array() || json.size() != 5 ||
      !std::ranges::all_of(json, [](const auto& n) { return n.is_number_unsigned(); })) {
    return std::nullopt;
  }
  return RowCounts{json[0], json[1], json[2], json[3], json[4]};
}

WrittenPiece PieceWorker::work(const ScorePiece& piece) {
  WrittenPiece out;
  out.estimated = piece.estimated;
  while (out.counts.rows < piece.rows.rows) {
    add(piece.rows.parse(), piece.first + out.counts.rows, out);
  }
  if (job_.packed && !out.text.empty()) {
    out.text = io::gzip_member(out.text);
  }
  return out;
}

void PieceWorker::add(const io::Chunk& chunk, std::size_t first, WrittenPiece& out) {
  out.counts.rows += chunk.rows.size();
  const std::size_t most = job_.detector->most_nodes();
  const auto whole = scorable(chunk.graphs, *job_.detector);
  const bool all = whole.size() == chunk.graphs.size();
  const GraphSet some = all ? GraphSet{} : chunk.graphs.subset(whole);
  const GraphSet& scored = all ? chunk.graphs : some;
  const auto scores = scorer_.score(scored);
  const auto vectors = job_.embeddings ? job_.detector->embed(scored, 1) : std::vector<float>{};
  const std::size_t width = scored.empty() ? 0 : vectors.size() / scored.size();
  std::size_t graph = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < chunk.rows.size(); ++i) {
    const io::Row& row = chunk.rows[i];
    ScoredRow line{.index = first + i, .row = &row, .score = {}, .status = "ok"};
    const std::size_t nodes = row.ok ? chunk.graphs[graph++].nodes() : 0;
    std::string too_large;
    if (!row.ok) {
      line.status = row.too_large ? "too-large" : "parse-error";
      line.reason = row.reason;
      ++(row.too_large ? out.counts.too_large : out.counts.parse_error);
    } else if (nodes == 0) {
      line.status = "error";
      line.reason = "the graph has no node";
      ++out.counts.error;
    } else if (nodes > most) {
      line.status = "too-large";
      too_large =
          fmt::format("the graph has {} nodes, the model was made for up to {}", nodes, most);
      line.reason = too_large;
      ++out.counts.too_large;
    } else {
      take_score(scores[at], line, out.counts);
      if (job_.embeddings && line.score) {
        write_embedding(line, std::span(vectors).subspan(at * width, width), out.embeddings);
      }
      ++at;
    }
    write(line, out);
  }
}

void PieceWorker::take_score(const Score& score, ScoredRow& line, RowCounts& counts) const {
  if (!score.unknown_label) {
    line.score = score;
    return;
  }
  line.reason = kNeverSeen;
  if (job_.unknown == UnknownLabel::other) {
    line.score = score;
    line.status = "unknown-label";
    ++counts.unknown_label;
  } else {
    line.status = "error";
    ++counts.error;
  }
}

void PieceWorker::write(const ScoredRow& line, WrittenPiece& out) const {
  if (job_.least == nullptr) {
    job_.writer->write(line, out.text);
  } else if (line.score && line.score->score >= *job_.least) {
    TopRows::Entry entry{line.score->score, line.index, {}};
    job_.writer->write(line, entry.text);
    out.best.push_back(std::move(entry));
  }
}

void PieceWorker::write_embedding(const ScoredRow& row, std::span<const float> vector,
                                  std::string& text) {
  if (text.empty()) {
    // The header, which only the first piece with rows gets to the file.
    text = "index,id";
    for (std::size_t c = 0; c < vector.size(); ++c) {
      text += fmt::format(",e{}", c);
    }
    text += '\n';
  }
  text += fmt::format("{},{}", row.index, report::csv_text(row.row->id));
  for (const float x : vector) {
    text += fmt::format(",{}", x);
  }
  text += '\n';
}

}  // namespace rayleigh::cli
