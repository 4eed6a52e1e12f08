#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "rayleigh/detector.h"
#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/score_stream.h"
#include "rayleigh/version.h"

#include "cli/reading.h"
#include "cli/score_rows.h"
#include "cli/verbs.h"
#include "core/content_hash.h"
#include "core/output_file.h"
#include "core/progress.h"
#include "core/resumable_file.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "plot/csv.h"

namespace rayleigh::cli {
namespace {

constexpr std::size_t kLongestPath = 4096;
constexpr double kSecondsBeforeFirstSave = 0.1;
constexpr double kSecondsBetweenSaves = 1;

nlohmann::ordered_json to_json(const RowCounts& counts) {
  return {counts.rows, counts.parse_error, counts.too_large, counts.error, counts.unknown_label};
}

/// None when it is not what to_json() gave.
std::optional<RowCounts> counts_from(const nlohmann::ordered_json& json) {
  if (!json.is_array() || json.size() != 5 ||
      !std::ranges::all_of(json, [](const auto& n) { return n.is_number_unsigned(); })) {
    return std::nullopt;
  }
  return RowCounts{json[0], json[1], json[2], json[3], json[4]};
}

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

  bool can_stop() const override { return true; }

  void declare(core::OptionSet& parameters) override {
    parameters
        .add("output", output_, "FILE",
             "where the rows go, packed when the name ends in .gz; stdout when not given")
        .shortcut('o')
        .without_effect();
    parameters
        .add("top", top_, "only the N rows with the highest scores, the best first",
             {1, std::numeric_limits<std::uint64_t>::max()})
        .without_effect();
    parameters.add("resume", resume_, "go on with FILE where a run of the same command was killed")
        .without_effect();
    parameters
        .add("threshold", threshold_,
             "score above which a graph is called anomalous; the "
             "model's own when not given")
        .without_effect();
    parameters.add("unknown-label", unknown_,
                   "a node label the model never saw: counts as other, or the row fails",
                   {{"other", UnknownLabel::other}, {"error", UnknownLabel::error}});
    parameters
        .add("embeddings", embeddings_, "FILE", "CSV with what the last layer sees of each graph")
        .without_effect();
    options_ = &parameters;
    declare_reading(parameters, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    check_flags();
    Detector detector = load_model(arguments);
    if (output_) {
      model_ = fmt::format("{:016x}", core::content_hash(arguments[0]).value_or(0));
    }
    if (threshold_) {
      detector = detector.with_threshold(*threshold_);
    }
    settle_reading(*this, read_);
    read_like(detector, *options_, read_);
    read_.molecules.classes = false;
    read_.molecules.structure = RowWriter::needed(common.format);
    const auto reader = io::open(arguments[1], read_);
    if (common.format == Format::sdf && !reader->structure()) {
      throw UsageError("format", "sdf is for molecules, and these graphs are not");
    }
    if (read_.molecules.fingerprints && !reader->structure()) {
      throw DataError({arguments[1], 0},
                      fmt::format("{} needs molecules (.smi, .csv, .tsv or .sdf), and these graphs "
                                  "are not",
                                  detector.options().detector()));
    }
    if (output_) {
      run_ = description(arguments[1]);
      if (resume_ && core::ResumableFile::is_finished(*output_)) {
        return already_done();
      }
    }
    std::optional<core::OutputFile> embeddings;
    if (embeddings_) {
      embeddings.emplace(*embeddings_);
    }
    const RowWriter writer(common.format, reader->structure(),
                           detector.promised_false_alarms().has_value());
    begin_output(*reader, writer);
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
      throw UsageError("resume", "needs `output` FILE, the file to go on with");
    }
    if (resume_ && embeddings_) {
      throw UsageError("resume", "cannot go on with `embeddings`: leave one of them out");
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
    // Size and time do not tell: rows of other data would stand behind those of the old.
    if (const auto hash = io::data_hash(data)) {
      run["content of data"] = fmt::format("{:016x}", *hash);
    }
    constexpr std::array<std::string_view, 6> kHarmless{"output", "resume",     "threads",
                                                        "quiet",  "embeddings", "config"};
    for (const auto& parameter : options_->all()) {
      if (std::ranges::find(kHarmless, parameter.name()) == kHarmless.end()) {
        const auto value = parameter.value();
        run[parameter.name()] = value.is_null() ? ""
                                : value.is_string()
                                    ? core::printable(value.get<std::string>(), kLongestPath)
                                    : value.dump();
      }
    }
    return run;
  }

  /// FILE is whole: what is left is to make sure that it is of this run.
  int already_done() {
    const auto state = core::ResumableFile::finished_state(*output_);
    const auto counts =
        state ? counts_from(state->value("counts", nlohmann::ordered_json())) : std::nullopt;
    if (!counts) {
      throw UsageError("resume",
                       fmt::format("{} is there, but nothing tells which run wrote it: remove it, "
                                   "or leave out `resume` to replace it",
                                   *output_));
    }
    check_same_run(*state, *output_);
    counts_ = *counts;
    log().info(fmt::format("{} is finished with {}, nothing is left to do", *output_,
                           core::counted(counts_.rows, "row")));
    return exit_code();
  }

  void begin_output(io::GraphReader& reader, const RowWriter& writer) {
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
    check_same_run(*progress, *output_ + ".part");
    const auto counts = counts_from(progress->value("counts", nlohmann::ordered_json()));
    if (!counts || (best_ && !best_->take_json(progress->value("top", nlohmann::ordered_json())))) {
      throw DataError({*output_ + ".progress", 0},
                      "the file is damaged: delete it and start anew without `resume`");
    }
    counts_ = *counts;
    skipped_ = counts->rows;
    if (reader.skip(skipped_) != skipped_) {
      throw DataError({*output_ + ".progress", 0},
                      fmt::format("{} were scored before, but DATA has fewer now: start anew "
                                  "without `resume`",
                                  core::counted(skipped_, "row")));
    }
    file_->go_on(*progress);
    log().info(fmt::format("going on after {}", core::counted(skipped_, "row")));
    return true;
  }

  /// `file` is what the other run left.
  void check_same_run(const nlohmann::ordered_json& progress, const std::string& file) const {
    const auto before = progress.value("run", nlohmann::ordered_json::object());
    const auto shown = [](const std::string& value) { return value.empty() ? "not given" : value; };
    for (const auto& [key, value] : run_) {
      const bool known = before.is_object() && before.contains(key) && before[key].is_string();
      const auto old = known ? before[key].get<std::string>() : std::string();
      if (old != value) {
        throw UsageError("resume", fmt::format("{} belongs to another run: {} was {}, is {}", file,
                                               key, shown(old), shown(value)));
      }
    }
  }

  void score_all(const Detector& detector, io::GraphReader& reader, const RowWriter& writer,
                 std::optional<core::OutputFile>& embeddings) {
    core::ProgressBar bar("Scoring", reader.structure() ? "molecules" : "graphs", 0,
                          show_progress());
    StreamOptions options;
    options.run = run_options();
    options.unknown = unknown_;
    options.embeddings = embeddings.has_value();
    options.first_index = skipped_;
    if (!best_) {
      options.render = [&](std::span<const ScoredRow> rows) { return rendered(rows, writer); };
    }
    core::Stopwatch clock;
    double next_save = kSecondsBeforeFirstSave;
    try {
      score_stream(detector, reader, options, [&](ScoredPiece&& piece) {
        take(piece, writer);
        if (embeddings) {
          write_embeddings(piece.rows, *embeddings);
        }
        bar.set_total(piece.estimated_rows > skipped_ ? piece.estimated_rows - skipped_ : 0);
        bar.advance(piece.rows.size());
        if (file_ && clock.seconds() >= next_save) {
          const double begin = clock.seconds();
          save();
          // However much there is to save, it takes a small part of the time.
          constexpr double kShare = 20;
          const double took = clock.seconds() - begin;
          next_save = clock.seconds() + std::max(kSecondsBetweenSaves, kShare * took);
        }
      });
    } catch (const Cancelled&) {
      bar.finish();
      stop_here();
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

  /// Many threads at a time.
  std::string rendered(std::span<const ScoredRow> rows, const RowWriter& writer) const {
    std::string text;
    for (const ScoredRow& row : rows) {
      writer.write(row, text);
    }
    return packed_ && !text.empty() ? core::gzip_member(text) : text;
  }

  void take(const ScoredPiece& piece, const RowWriter& writer) {
    for (const ScoredRow& row : piece.rows) {
      counts_.add(row.status);
      if (best_ && row.score && row.score->score >= best_->least()) {
        TopRows::Entry entry{row.score->score, row.index, {}};
        writer.write(row, entry.text);
        best_->add(std::move(entry));
      }
    }
    if (best_) {
      return;
    }
    if (file_) {
      file_->write(piece.text);
    } else {
      print_out(piece.text);
    }
  }

  [[noreturn]] void stop_here() {
    const std::string where =
        fmt::format("scoring was stopped after {}", core::counted(counts_.rows, "row"));
    if (!file_ || !file_->keeps_parts()) {
      throw Cancelled(where);
    }
    save();
    throw Cancelled(fmt::format("{}, which are in {}.part{}", where, *output_,
                                embeddings_ ? "" : "; the same command with `resume` goes on"));
  }

  nlohmann::ordered_json state() const { return {{"run", run_}, {"counts", to_json(counts_)}}; }

  void save() {
    nlohmann::ordered_json state = this->state();
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
      file_->finish(resume_ ? std::optional(state()) : std::nullopt);
    }
  }

  void write_packed(const std::string& text) {
    if (!text.empty()) {
      file_->write(packed_ ? core::gzip_member(text) : text);
    }
  }

  void write_embeddings(const std::vector<ScoredRow>& rows, core::OutputFile& file) {
    std::string text;
    for (const ScoredRow& row : rows) {
      if (row.embedding.empty()) {
        continue;
      }
      if (!std::exchange(embedding_header_, true)) {
        text = "index,id";
        for (std::size_t c = 0; c < row.embedding.size(); ++c) {
          text += fmt::format(",e{}", c);
        }
        text += '\n';
      }
      text += fmt::format("{},{}", row.index, plot::csv_text(row.input.id));
      for (const float x : row.embedding) {
        text += fmt::format(",{}", x);
      }
      text += '\n';
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
    return exit_code();
  }

  /// A label never seen is a finding about a graph that has its score.
  int exit_code() const { return counts_.failed() > 0 ? kExitSomeFailed : 0; }

  const core::OptionSet* options_ = nullptr;
  std::optional<std::string> output_;
  std::optional<std::uint64_t> top_;
  bool resume_ = false;
  std::optional<double> threshold_;
  UnknownLabel unknown_ = UnknownLabel::other;
  std::optional<std::string> embeddings_;
  io::ReadOptions read_;

  std::string model_;                       ///< hash of its file's content
  std::map<std::string, std::string> run_;  ///< what a run that goes on must have in common
  std::optional<core::ResumableFile> file_;
  bool packed_ = false;
  std::optional<TopRows> best_;
  std::size_t skipped_ = 0;  ///< rows of the run that was killed
  RowCounts counts_;         ///< of that run too
  bool embedding_header_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_score() { return std::make_unique<ScoreVerb>(); }

}  // namespace rayleigh::cli
