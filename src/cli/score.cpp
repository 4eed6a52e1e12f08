#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/detector.h"
#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/progress.h"
#include "core/text.h"
#include "io/output_file.h"
#include "learn/detector_state.h"
#include "report/csv.h"

namespace rayleigh::cli {
namespace {

enum class UnknownLabel { other, error };

/// One line of output.
struct OutputRow {
  std::size_t index;
  std::string id;
  std::optional<Score> score;  ///< none where the row failed
  std::string status;
  std::string reason;
};

double parse_threshold(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    throw UsageError(
        fmt::format("--threshold: '{}' is not valid, expected a number", core::printable(text)));
  }
  return value;
}

class ScoreVerb : public Verb {
 public:
  std::string name() const override { return "score"; }
  std::string summary() const override {
    return "scores the graphs of DATA, one row each, in order";
  }
  Arguments arguments() const override { return {"MODEL DATA", 2, 2}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh score nci.model new.jsonl > scores.csv",
            "generator | rayleigh score nci.model - --format json",
            "zcat library.smi.gz | rayleigh score hiv.model - --input smi"};
  }
  std::vector<std::pair<std::string, Format>> formats() const override {
    return {{"csv", Format::csv}, {"json", Format::json}};
  }

  void declare(core::ParameterSet& parameters) override {
    parameters
        .add("threshold", threshold_, "X",
             "score above which a graph is called anomalous; the "
             "model's own when not given")
        .without_effect();
    parameters.add("unknown-label", unknown_,
                   "a node label the model never saw: counts as other, or the row fails",
                   {{"other", UnknownLabel::other}, {"error", UnknownLabel::error}});
    parameters
        .add("embeddings", embeddings_, "FILE", "CSV with what the last layer sees of each graph")
        .without_effect();
    parameters_ = &parameters;
    declare_reading(parameters, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    Detector detector = Detector::load(arguments[0]);
    if (threshold_) {
      detector.set_threshold(parse_threshold(*threshold_));
    }
    std::optional<io::OutputFile> embeddings;
    if (embeddings_) {
      embeddings.emplace(*embeddings_);
    }
    settle_reading(*this, read_);
    follow_reading_record(detector.state().record, *parameters_);
    const auto reader = io::open(arguments[1], read_);
    core::ProgressBar bar("Scoring", "graphs", 0, show_progress());
    if (common.format == Format::csv) {
      print_out("index,id,score,probability,anomalous,status,reason\n");
    }
    constexpr std::size_t kRows = 4096;
    while (auto chunk = reader->next_chunk(kRows)) {
      score_chunk(detector, *chunk, embeddings);
      bar.advance(chunk->rows.size());
    }
    bar.finish();
    if (embeddings) {
      embeddings->commit();
    }
    if (failed_ + unknown_rows_ > 0) {
      log().warn(fmt::format("{} of {} failed, {} with labels the model never saw", failed_,
                             core::counted(index_, "row"), unknown_rows_));
      return 4;
    }
    return 0;
  }

 private:
  void score_chunk(const Detector& detector, const io::Chunk& chunk,
                   std::optional<io::OutputFile>& embeddings) {
    const std::size_t most = detector.most_nodes();
    std::vector<std::uint32_t> whole;  // graphs that can have a score
    for (std::size_t g = 0; g < chunk.graphs.size(); ++g) {
      if (chunk.graphs[g].nodes() > 0 && chunk.graphs[g].nodes() <= most) {
        whole.push_back(static_cast<std::uint32_t>(g));
      }
    }
    const bool all = whole.size() == chunk.graphs.size();
    const GraphSet some = all ? GraphSet{} : chunk.graphs.subset(whole);
    const GraphSet& scored = all ? chunk.graphs : some;
    const auto scores = detector.score(scored, common.threads);
    const auto vectors = embeddings ? detector.embed(scored, common.threads) : std::vector<float>{};
    const std::size_t width = scored.empty() ? 0 : vectors.size() / scored.size();
    std::string text;
    std::size_t graph = 0;
    std::size_t at = 0;
    for (const io::Row& row : chunk.rows) {
      OutputRow out{.index = index_++, .id = row.id, .score = {}, .status = "ok", .reason = ""};
      const std::size_t nodes = row.ok ? chunk.graphs[graph++].nodes() : 0;
      if (!row.ok) {
        out.status = "error";
        out.reason = row.reason;
      } else if (nodes == 0) {
        out.status = "error";
        out.reason = "the graph has no node";
      } else if (nodes > most) {
        out.status = "too-large";
        out.reason =
            fmt::format("the graph has {} nodes, the model was made for up to {}", nodes, most);
      } else {
        take_score(scores[at], out);
        if (embeddings && out.score) {
          write_embedding(out, std::span(vectors).subspan(at * width, width), *embeddings);
        }
        ++at;
      }
      failed_ += out.score ? 0 : 1;
      text += common.format == Format::json ? json_line(out) : csv_line(out);
    }
    print_out(text);
  }

  void take_score(const Score& score, OutputRow& out) {
    if (!score.unknown_label) {
      out.score = score;
    } else if (unknown_ == UnknownLabel::other) {
      out.score = score;
      out.status = "unknown-label";
      out.reason = "a node label was never seen in training";
      ++unknown_rows_;
    } else {
      out.status = "error";
      out.reason = "a node label was never seen in training";
    }
  }

  void write_embedding(const OutputRow& row, std::span<const float> vector, io::OutputFile& file) {
    if (!embedding_header_) {
      std::string header = "index,id";
      for (std::size_t c = 0; c < vector.size(); ++c) {
        header += fmt::format(",e{}", c);
      }
      file.write(header + "\n");
      embedding_header_ = true;
    }
    std::string line = fmt::format("{},{}", row.index, report::csv_text(row.id));
    for (const float x : vector) {
      line += fmt::format(",{}", x);
    }
    file.write(line + "\n");
  }

  static std::string csv_line(const OutputRow& row) {
    if (!row.score) {
      return fmt::format("{},{},,,,{},{}\n", row.index, report::csv_text(row.id), row.status,
                         report::csv_text(row.reason));
    }
    return fmt::format("{},{},{},{},{},{},{}\n", row.index, report::csv_text(row.id),
                       row.score->score, report::csv_number(row.score->probability),
                       row.score->anomalous ? 1 : 0, row.status, report::csv_text(row.reason));
  }

  static std::string json_line(const OutputRow& row) {
    nlohmann::ordered_json json{{"index", row.index}, {"id", row.id}};
    if (row.score) {
      json["score"] = row.score->score;
      json["probability"] = row.score->probability;
      json["anomalous"] = row.score->anomalous;
    } else {
      json["score"] = nullptr;
      json["probability"] = nullptr;
      json["anomalous"] = nullptr;
    }
    json["status"] = row.status;
    json["reason"] = row.reason;
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  core::ParameterSet* parameters_ = nullptr;
  std::optional<std::string> threshold_;
  UnknownLabel unknown_ = UnknownLabel::other;
  std::optional<std::string> embeddings_;
  bool embedding_header_ = false;
  io::ReadOptions read_;
  std::size_t index_ = 0;
  std::size_t failed_ = 0;
  std::size_t unknown_rows_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_score() { return std::make_unique<ScoreVerb>(); }

}  // namespace rayleigh::cli
