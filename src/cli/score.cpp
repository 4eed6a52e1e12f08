#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

#include "rayleigh/detector.h"
#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/version.h"

#include "cli/reading.h"
#include "cli/score_piece.h"
#include "cli/score_rows.h"
#include "cli/verbs.h"
#include "core/hash.h"
#include "core/in_order.h"
#include "core/progress.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "core/thread_pool.h"
#include "io/output_file.h"
#include "io/resumable_file.h"
#include "learn/detector_state.h"

namespace rayleigh::cli {
namespace {

/// Rows that a thread takes at a time: enough to share the model's fixed costs, few enough that no
/// thread is left with much at the end.
constexpr std::size_t kPieceRows = 1024;
constexpr std::size_t kLongestPath = 4096;
constexpr double kSecondsBeforeFirstSave = 0.1;
constexpr double kSecondsBetweenSaves = 1;

double parse_threshold(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    throw UsageError(
        fmt::format("--threshold: '{}' is not valid, expected a number", core::printable(text)));
  }
  return value;
}

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

class ScoreVerb : public Verb {
 public:
  std::string name() const override { return "score"; }
  std::string summary() const override {
    return "scores the graphs of DATA, one row each, in order";
  }
  Arguments arguments() const override { return {"MODEL DATA", 2, 2}; }
  std::vector<std::string> examples() const override {
    return {
        "rayleigh score nci.model new.jsonl > scores.csv",
        "rayleigh score hiv.model library.smi.gz -o scores.csv.gz   # --resume goes on if killed",
        "rayleigh score hiv.model library.sdf.gz --top 100 --format sdf -o best.sdf",
        "generator | rayleigh score nci.model - --format jsonl",
        "zcat library.smi.gz | rayleigh score hiv.model - --input smi"};
  }
  std::vector<std::pair<std::string, Format>> formats() const override {
    return {{"csv", Format::csv},
            {"json", Format::json},
            {"jsonl", Format::json},
            {"sdf", Format::sdf}};
  }

  void declare(core::ParameterSet& parameters) override {
    parameters
        .add("output", output_, "FILE",
             "where the rows go, packed when the name ends in .gz; stdout when not given")
        .shortcut('o')
        .without_effect();
    parameters.add("top", top_, "only the N rows with the highest scores, the best first")
        .without_effect();
    parameters.add("resume", resume_, "go on with FILE where a run of the same command was killed")
        .without_effect();
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
    check_flags();
    if (resume_ && io::ResumableFile::is_finished(*output_)) {
      log().info(fmt::format("{} is finished, nothing is left to do", *output_));
      return 0;
    }
    Detector detector = Detector::load(arguments[0]);
    model_ = fmt::format("{:016x}", core::hash64(detector.metadata()));
    if (threshold_) {
      detector.set_threshold(parse_threshold(*threshold_));
    }
    settle_reading(*this, read_);
    follow_reading_record(detector.state().record, *parameters_);
    read_.molecules.classes = false;
    read_.molecules.structure = RowWriter::needed(common.format);
    const auto reader = io::open(arguments[1], read_);
    if (common.format == Format::sdf && !reader->structure()) {
      throw UsageError("--format sdf is for molecules, and these graphs are none");
    }
    std::optional<io::OutputFile> embeddings;
    if (embeddings_) {
      embeddings.emplace(*embeddings_);
    }
    const RowWriter writer(common.format, reader->structure());
    begin_output(arguments[1], *reader, writer);
    const core::Stopwatch clock;
    score_all(detector, *reader, writer, embeddings);
    end_output(writer);
    if (embeddings) {
      embeddings->commit();
    }
    return report(arguments[1], *reader, clock.seconds());
  }

 private:
  void check_flags() const {
    if (resume_ && !output_) {
      throw UsageError("--resume needs --output FILE, the file to go on with");
    }
    if (resume_ && embeddings_) {
      throw UsageError("--resume cannot go on with --embeddings: leave one of them out");
    }
    if (top_ && *top_ == 0) {
      throw UsageError("--top: 0 is not valid, expected at least 1");
    }
  }

  /// Everything that changes a row, for --resume.
  std::map<std::string, std::string> description(const std::string& data) const {
    std::map<std::string, std::string> run{{"version", std::string(kVersion)},
                                           {"model", model_},
                                           {"data", core::printable(data, kLongestPath)}};
    std::error_code error;
    if (const auto bytes = std::filesystem::file_size(data, error); !error) {
      run["bytes of data"] = core::with_commas(bytes);
    }
    constexpr std::array<std::string_view, 6> kHarmless{"output", "resume",     "threads",
                                                        "quiet",  "embeddings", "config"};
    for (const auto& parameter : parameters_->all()) {
      if (std::ranges::find(kHarmless, parameter.name) == kHarmless.end()) {
        const auto value = parameter.value();
        run[parameter.name] = value.is_null() ? ""
                              : value.is_string()
                                  ? core::printable(value.get<std::string>(), kLongestPath)
                                  : value.dump();
      }
    }
    return run;
  }

  void begin_output(const std::string& data, io::GraphReader& reader, const RowWriter& writer) {
    if (top_) {
      best_.emplace(*top_);
    }
    if (!output_) {
      if (!best_) {
        print_out(writer.header());
      }
      return;
    }
    file_.emplace(*output_);
    packed_ = output_->ends_with(".gz");
    run_ = description(data);
    if (resume_ && go_on(reader)) {
      return;
    }
    file_->start_anew();
    if (!best_) {
      write_packed(writer.header());
    }
  }

  /// True when there was a killed run to go on with.
  bool go_on(io::GraphReader& reader) {
    const auto progress = file_->progress();
    if (!progress) {
      log().info(fmt::format("no killed run of {}: scoring starts anew", *output_));
      return false;
    }
    check_same_run(*progress);
    const auto counts = RowCounts::from_json(progress->value("counts", nlohmann::json()));
    if (!counts || (best_ && !best_->take_json(progress->value("top", nlohmann::json())))) {
      throw DataError({*output_ + ".progress", 0},
                      "the file is damaged: delete it and start anew without --resume");
    }
    counts_ = *counts;
    skipped_ = counts->rows;
    if (reader.skip(skipped_) != skipped_) {
      throw DataError({*output_ + ".progress", 0},
                      fmt::format("{} were scored before, but DATA has fewer now: start anew "
                                  "without --resume",
                                  core::counted(skipped_, "row")));
    }
    file_->go_on(*progress);
    log().info(fmt::format("going on after {}", core::counted(skipped_, "row")));
    return true;
  }

  void check_same_run(const nlohmann::json& progress) const {
    const auto before = progress.value("run", nlohmann::json::object());
    const auto shown = [](const std::string& value) { return value.empty() ? "not given" : value; };
    for (const auto& [key, value] : run_) {
      const bool known = before.is_object() && before.contains(key) && before[key].is_string();
      const auto old = known ? before[key].get<std::string>() : std::string();
      if (old != value) {
        throw UsageError(fmt::format("--resume: {}.part belongs to another run: {} was {}, is {}",
                                     *output_, key, shown(old), shown(value)));
      }
    }
  }

  void score_all(const Detector& detector, io::GraphReader& reader, const RowWriter& writer,
                 std::optional<io::OutputFile>& embeddings) {
    core::ProgressBar bar("Scoring", reader.structure() ? "molecules" : "graphs", 0,
                          show_progress());
    std::atomic<double> least = best_ ? best_->least() : 0;
    const auto threads =
        static_cast<std::size_t>(common.threads > 0 ? common.threads : core::available_cores());
    std::vector<std::unique_ptr<PieceWorker>> workers(threads);
    SizeEstimate estimate;
    std::size_t next_row = skipped_;
    core::Stopwatch clock;
    double next_save = kSecondsBeforeFirstSave;
    using Work = core::InOrder<ScorePiece, WrittenPiece>;
    const Work::Steps steps{
        .take = [&]() -> std::optional<ScorePiece> {
          auto pending = reader.next_pending(kPieceRows);
          if (!pending) {
            return std::nullopt;
          }
          const std::size_t first = std::exchange(next_row, next_row + pending->rows);
          return ScorePiece{std::move(*pending), first,
                            estimate.after(first, reader.fraction_read())};
        },
        .work =
            [&](ScorePiece&& piece, std::size_t number) {
              auto& worker = workers[number];
              if (!worker) {
                worker = std::make_unique<PieceWorker>(
                    PieceWorker::Job{&detector, &writer, unknown_, embeddings.has_value(), packed_,
                                     best_ ? &least : nullptr});
              }
              return worker->work(piece);
            },
        .give =
            [&](WrittenPiece&& written) {
              counts_.add(written.counts);
              if (embeddings) {
                write_embeddings(written.embeddings, *embeddings);
              }
              if (best_) {
                for (auto& entry : written.best) {
                  best_->add(std::move(entry));
                }
                least = best_->least();
              } else if (file_) {
                file_->write(written.text);
              } else {
                print_out(written.text);
              }
              bar.set_total(written.estimated > skipped_ ? written.estimated - skipped_ : 0);
              bar.advance(written.counts.rows);
              if (file_ && clock.seconds() >= next_save) {
                const double begin = clock.seconds();
                save();
                // However much there is to save, it takes a small part of the time.
                constexpr double kShare = 20;
                const double took = clock.seconds() - begin;
                next_save = clock.seconds() + std::max(kSecondsBetweenSaves, kShare * took);
              }
            }};
    try {
      Work::run(threads, steps);
    } catch (const Error&) {
      if (file_ && file_->keeps_parts() && counts_.rows > 0) {
        save();
        bar.finish();
        log().warn(fmt::format("the {} before it are in {}.part",
                               core::counted(counts_.rows, "row"), *output_));
      }
      throw;
    }
    bar.finish();
  }

  void save() {
    nlohmann::json state{{"run", run_}, {"counts", counts_.to_json()}};
    if (best_) {
      state["top"] = best_->to_json();
    }
    file_->save(std::move(state));
  }

  void end_output(const RowWriter& writer) {
    if (best_) {
      const std::string text = writer.header() + best_->text();
      if (file_) {
        write_packed(text);
      } else {
        print_out(text);
      }
    }
    if (file_) {
      file_->finish();
    }
  }

  void write_packed(const std::string& text) {
    if (!text.empty()) {
      file_->write(packed_ ? io::gzip_member(text) : text);
    }
  }

  void write_embeddings(std::string_view text, io::OutputFile& file) {
    if (text.empty()) {
      return;
    }
    if (std::exchange(embedding_header_, true)) {
      text.remove_prefix(text.find('\n') + 1);
    }
    file.write(text);
  }

  int report(const std::string& data, const io::GraphReader& reader, double seconds) const {
    if (counts_.rows == 0) {
      log().warn(fmt::format("{} has no rows", data));
    }
    if (counts_.failed() + counts_.unknown_label > 0) {
      log().warn(fmt::format("{} of {} failed, {} with labels the model never saw",
                             counts_.failed(), core::counted(counts_.rows, "row"),
                             counts_.unknown_label));
    }
    const std::size_t scored = counts_.rows - skipped_;
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(scored) / seconds);
    const char* unit = reader.structure() ? "molecule" : "graph";
    std::vector<std::string> kinds;
    const auto kind = [&](const char* status, std::size_t count) {
      if (count > 0) {
        kinds.push_back(fmt::format("{} {}", status, core::with_commas(count)));
      }
    };
    kind("parse-error", counts_.parse_error);
    kind("too-large", counts_.too_large);
    kind("error", counts_.error);
    log().info(fmt::format(
        "scored {} in {}, {} {}s/s{}", core::counted(scored, unit), core::human_seconds(seconds),
        core::with_commas(rate), unit,
        kinds.empty() ? ""
                      : fmt::format("; {} failed ({})", core::with_commas(counts_.failed()),
                                    fmt::join(kinds, ", "))));
    return counts_.failed() + counts_.unknown_label > 0 ? 4 : 0;
  }

  core::ParameterSet* parameters_ = nullptr;
  std::optional<std::string> output_;
  std::optional<std::uint64_t> top_;
  bool resume_ = false;
  std::optional<std::string> threshold_;
  UnknownLabel unknown_ = UnknownLabel::other;
  std::optional<std::string> embeddings_;
  io::ReadOptions read_;

  std::string model_;                       ///< hash of its file's content
  std::map<std::string, std::string> run_;  ///< what a run that goes on must have in common
  std::optional<io::ResumableFile> file_;
  bool packed_ = false;
  std::optional<TopRows> best_;
  std::size_t skipped_ = 0;  ///< rows of the run that was killed
  RowCounts counts_;         ///< of that run too
  bool embedding_header_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_score() { return std::make_unique<ScoreVerb>(); }

}  // namespace rayleigh::cli
