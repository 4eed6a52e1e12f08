#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "rayleigh/detector.h"
#include "rayleigh/error.h"

#include "cli/reading.h"
#include "cli/reference.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "core/text_file.h"
#include "report/gallery.h"

namespace rayleigh::cli {
namespace {

using report::ExplainedGraph;

/// Changed nodes by the number of their graph.
using Touched = std::map<std::size_t, std::set<std::size_t>>;

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// Rows "graph,node" behind a header, both from 0, as `generate perturb` writes them.
Touched read_touched(const std::string& path) {
  constexpr std::uint64_t kMostTableBytes = std::uint64_t{1} << 30U;
  std::istringstream lines(core::read_text_file(path, kMostTableBytes));
  Touched touched;
  std::string line;
  for (std::uint64_t number = 1; std::getline(lines, line); ++number) {
    const std::string_view text = core::trim(line);
    if (number == 1) {
      if (text != "graph,node") {
        throw DataError({path, number}, "expected the header 'graph,node'");
      }
      continue;
    }
    const auto comma = text.find(',');
    const auto graph = whole_number(text.substr(0, comma));
    const auto node =
        comma == std::string_view::npos ? std::nullopt : whole_number(text.substr(comma + 1));
    if (!graph || !node) {
      throw DataError({path, number},
                      fmt::format("'{}' is not valid, expected two whole numbers from 0",
                                  core::printable(text)));
    }
    touched[*graph].insert(*node);
  }
  if (touched.empty()) {
    throw DataError({path, 0}, "no nodes here, expected rows 'graph,node'");
  }
  return touched;
}

/// Collects how well changed nodes are found, graph by graph.
class TouchedCheck {
 public:
  explicit TouchedCheck(const std::string& path) : path_(path), touched_(read_touched(path)) {}

  /// `index` is the number of the graph in the data.
  void take(const Detector& detector, const GraphSet& graph, std::size_t index,
            const RunOptions& run) {
    const auto found = touched_.find(index);
    if (found == touched_.end()) {
      return;
    }
    std::vector<std::int8_t> changed(graph.nodes(), 0);
    for (const std::size_t node : found->second) {
      if (node >= changed.size()) {
        throw DataError({path_, 0},
                        fmt::format("graph {} has {}, node {} is not one of them", index,
                                    core::counted(changed.size(), "node"), node));
      }
      changed[node] = 1;
    }
    touched_.erase(found);
    const auto effects = detector.explain(graph, ExplainMethod::leave_one_out, run).front().nodes;
    const auto effect_auc = changed_nodes_auc(effects, changed);
    if (!effect_auc) {
      return;
    }
    ++graphs_;
    effects_ += *effect_auc;
    const auto own = detector.explain(graph, ExplainMethod::automatic, run).front();
    if (own.method == ExplainMethod::shares) {
      exact_ = true;
      shares_ += *changed_nodes_auc(own.nodes, changed);
    }
  }

  report::TouchedNodes result() const {
    if (!touched_.empty()) {
      throw DataError({path_, 0},
                      fmt::format("names graph {}, which the data does not have or which has no "
                                  "score",
                                  touched_.begin()->first));
    }
    const auto mean = [&](double sum) {
      return graphs_ > 0 ? sum / static_cast<double>(graphs_) : std::nan("");
    };
    return {.graphs = graphs_,
            .shares_auc = exact_ ? std::optional(mean(shares_)) : std::nullopt,
            .leave_one_out_auc = mean(effects_)};
  }

 private:
  std::string path_;
  Touched touched_;
  std::size_t graphs_ = 0;
  double shares_ = 0;
  double effects_ = 0;
  bool exact_ = false;
};

std::string shown_name(const std::string& data) {
  return data == "-" ? "standard input" : std::filesystem::path(data).filename().string();
}

class Explain : public Verb {
 public:
  std::string name() const override { return "explain"; }
  std::string summary() const override {
    return "shows which nodes and labels made the scores of graphs";
  }
  Arguments arguments() const override { return {"MODEL DATA", 2, 2}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh explain hiv.model library.smi -o why --top 24",
            "rayleigh explain hiv.model library.smi -o why --ids CHEMBL25 CHEMBL521",
            "rayleigh explain hiv.model library.smi -o why --reference HIV.csv.gz"};
  }

  bool can_stop() const override { return true; }

  void declare(core::OptionSet& parameters) override {
    parameters
        .add("output", output_, "DIR", "folder for report.html, shares.csv and explanations.json")
        .shortcut('o')
        .must_be_given()
        .without_effect();
    parameters.add("top", top_, "explain the N graphs with the highest scores", {1, 10'000})
        .without_effect();
    parameters
        .add("ids", ids_, "ID",
             "explain these graphs instead: their names, or their numbers from 1 where they have "
             "none")
        .without_effect()
        .instead_of("top");
    parameters
        .add("method", method_,
             "shares that add up (rqgnn), or by how much the margin falls without a node",
             {{"auto", ExplainMethod::automatic},
              {"shares", ExplainMethod::shares},
              {"leave-one-out", ExplainMethod::leave_one_out}})
        .without_effect();
    parameters.add("reference", reference_, "DATA", "show the graphs of DATA that are most alike")
        .without_effect();
    parameters
        .add("reference-label", reference_label_, "NAME",
             "column or property of --reference with the classes; --label-column when not given")
        .without_effect();
    parameters.add("neighbours", neighbours_, "how many to show", {1, 20}).without_effect();
    parameters
        .add(
            "touched", touched_, "FILE",
            "nodes that were changed, as generate perturb writes them: say how well they are found")
        .without_effect();
    options_ = &parameters;
    declare_reading(parameters, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    for (const char* name : {"reference-label", "neighbours"}) {
      if (!reference_ && options_->at(name).given) {
        throw UsageError(name, "needs `reference`, the graphs to compare with");
      }
    }
    const Detector detector = load_model(arguments);
    settle_reading(*this, read_);
    read_like(detector, *options_, read_);
    core::AtomicFolder folder(output_);
    report::Gallery gallery;
    gallery.model = detector.options().title();
    gallery.data = shown_name(arguments[1]);
    gallery.threshold = detector.threshold();
    collect(detector, arguments[1], gallery);
    explain_all(detector, gallery);
    if (reference_) {
      add_neighbours(detector, gallery);
    }
    core::write_file_atomically(folder.file("report.html"), report::gallery_page(gallery));
    core::write_file_atomically(folder.file("shares.csv"), report::shares_csv(gallery));
    const std::string json = report::gallery_json(gallery).dump(
                                 1, ' ', false, nlohmann::json::error_handler_t::replace) +
                             "\n";
    core::write_file_atomically(folder.file("explanations.json"), json);
    folder.commit();
    print_out(common.format == Format::json ? json : text(gallery));
    log().info(fmt::format("pictures in {}/report.html", output_));
    return failed_ > 0 ? kExitSomeFailed : 0;
  }

 private:
  static constexpr std::size_t kWarnings = 5;

  /// Goes through the data and keeps the graphs that are to be explained.
  void collect(const Detector& detector, const std::string& data, report::Gallery& gallery) {
    constexpr std::size_t kRows = 4096;
    std::optional<TouchedCheck> check;
    if (touched_) {
      check.emplace(*touched_);
    }
    std::set<std::string> wanted(ids_.begin(), ids_.end());
    const auto reader = io::open(data, read_);
    core::ProgressBar bar("Choosing", "graphs", 0, show_progress());
    std::size_t first_row = 0;
    while (auto chunk = reader->next_chunk(kRows)) {
      auto chosen = scorable_graphs(chunk->graphs, detector);
      const auto rows = rows_of_graphs(*chunk);
      auto scores = detector.score(chunk->graphs.subset(chosen), run_options());
      keep_finite(chosen, scores);
      warn_of_lost(*chunk, chosen, rows, wanted);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::size_t row = rows[chosen[i]];
        const std::size_t index = first_row + row;
        if (check) {
          const std::array one{chosen[i]};
          check->take(detector, chunk->graphs.subset(one), index, run_options());
        }
        if (ids_.empty() ? is_among_best(scores[i].score, gallery.graphs)
                         : wanted.erase(chunk->rows[row].id) > 0) {
          gallery.graphs.push_back({.index = index,
                                    .id = chunk->rows[row].id,
                                    .class_name = class_name(chunk->graphs, chosen[i]),
                                    .score = scores[i],
                                    .drawn = drawn_graph(*chunk, chosen[i], chunk->rows[row],
                                                         reader->structure(), read_)});
          keep_best(gallery.graphs, ids_.empty() ? top_ : ids_.size());
        }
      }
      first_row += chunk->rows.size();
      bar.advance(chunk->rows.size());
    }
    bar.finish();
    if (failed_ > kWarnings) {
      log().warn(fmt::format("{} of {} have no score", core::with_commas(failed_),
                             core::counted(first_row, "graph")));
    }
    if (!wanted.empty()) {
      throw UsageError(
          "ids",
          fmt::format("there is no graph '{}' in {}{}", core::printable(*wanted.begin()), data,
                      wanted.size() > 1 ? fmt::format(" (nor {} others)", wanted.size() - 1)
                                        : std::string()));
    }
    if (gallery.graphs.empty()) {
      throw UsageError(
          fmt::format("{} has no graph with a score, there is nothing to explain", data));
    }
    gallery.selection =
        ids_.empty()
            ? fmt::format("the {} highest scores of {}", gallery.graphs.size(),
                          core::counted(first_row, "graph"))
            : fmt::format("{} chosen by name", core::counted(gallery.graphs.size(), "graph"));
    if (check) {
      gallery.touched = check->result();
    }
  }

  /// What overflows has no place among the highest scores, and no share of nodes.
  static void keep_finite(std::vector<std::uint32_t>& chosen, std::vector<Score>& scores) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (std::isfinite(scores[i].score)) {
        chosen[kept] = chosen[i];
        scores[kept++] = scores[i];
      }
    }
    chosen.resize(kept);
    scores.resize(kept);
  }

  /// With --ids only those that were asked for count.
  void warn_of_lost(const io::Chunk& chunk, const std::vector<std::uint32_t>& chosen,
                    const std::vector<std::size_t>& rows, std::set<std::string>& wanted) {
    std::vector<std::uint8_t> has_score(chunk.rows.size(), 0);
    for (const std::uint32_t g : chosen) {
      has_score[rows[g]] = 1;
    }
    for (std::size_t r = 0; r < chunk.rows.size(); ++r) {
      const io::Row& row = chunk.rows[r];
      if (has_score[r] != 0 || (!ids_.empty() && wanted.erase(row.id) == 0)) {
        continue;
      }
      if (failed_++ < kWarnings) {
        log().warn(fmt::format("{}: {} has no score: {}", row.place.text(), row.id,
                               row.ok ? "it has no node, more than the model was made for, or "
                                        "numbers that are too large"
                                      : command_words(row.reason)));
      }
    }
  }

  bool is_among_best(double score, const std::vector<ExplainedGraph>& best) const {
    return best.size() < top_ || score > best.back().score.score;
  }

  /// Highest score first; among equals the earlier.
  static void keep_best(std::vector<ExplainedGraph>& graphs, std::size_t most) {
    const auto place = std::upper_bound(graphs.begin(), graphs.end() - 1, graphs.back(),
                                        [](const ExplainedGraph& a, const ExplainedGraph& b) {
                                          return a.score.score > b.score.score;
                                        });
    std::rotate(place, graphs.end() - 1, graphs.end());
    if (graphs.size() > most) {
      graphs.pop_back();
    }
  }

  void explain_all(const Detector& detector, report::Gallery& gallery) {
    core::ProgressBar bar("Explaining", "graphs", gallery.graphs.size(), show_progress());
    for (ExplainedGraph& graph : gallery.graphs) {
      graph.explanation =
          std::move(detector.explain(graph.drawn.graph, method_, run_options()).front());
      bar.advance();
    }
  }

  void add_neighbours(const Detector& detector, report::Gallery& gallery) {
    core::ProgressBar bar("Reference", "graphs", 0, show_progress());
    io::ReadOptions options = read_;
    if (reference_label_) {
      options.molecules.label = reference_label_;
    }
    const Reference reference(*reference_, detector, options, run_options(), bar);
    bar.finish();
    gallery.reference = shown_name(*reference_);
    for (ExplainedGraph& graph : gallery.graphs) {
      graph.nearest =
          reference.nearest(detector.embed(graph.drawn.graph, run_options()).row(0), neighbours_);
    }
  }

  static std::string text(const report::Gallery& gallery) {
    std::string out =
        fmt::format("{}: {} ({}), by {}\n\n", gallery.data, gallery.selection, gallery.model,
                    report::method_name(gallery.graphs.front().explanation.method));
    Table table({"id", "score", "probability", "verdict", "class", "margin", "nodes that count"});
    for (const ExplainedGraph& graph : gallery.graphs) {
      table.add({core::printable(graph.id, 40), fmt::format("{:.4f}", graph.score.score),
                 std::isnan(graph.score.probability)
                     ? "-"
                     : fmt::format("{:.4f}", graph.score.probability),
                 graph.score.anomalous ? "anomalous" : "normal",
                 core::printable(graph.class_name.value_or("-")),
                 fmt::format("{:+.3f}", graph.explanation.margin), strongest(graph)});
    }
    out += table.text();
    if (gallery.touched) {
      const auto& touched = *gallery.touched;
      out += fmt::format(
          "\nchanged nodes of {} are found with a mean AUC of {}{:.3f} by leave-one-out\n",
          core::counted(touched.graphs, "graph"),
          touched.shares_auc ? fmt::format("{:.3f} by |share|, ", *touched.shares_auc)
                             : std::string(),
          touched.leave_one_out_auc);
    }
    return out;
  }

  static std::string strongest(const ExplainedGraph& graph) {
    constexpr std::size_t kShown = 3;
    const auto& shares = graph.explanation.nodes;
    std::vector<std::size_t> order(shares.size());
    for (std::size_t j = 0; j < order.size(); ++j) {
      order[j] = j;
    }
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t j) { return std::abs(shares[j]); });
    order.resize(std::min(kShown, order.size()));
    std::string words;
    for (const std::size_t j : order) {
      const GraphSet& set = graph.drawn.graph;
      words += fmt::format("{}{}{} {:+.2f}", words.empty() ? "" : ", ",
                           core::printable(set.node_labels()[set[0].label(j)]), j, shares[j]);
    }
    return words;
  }

  const core::OptionSet* options_ = nullptr;
  std::string output_;
  std::uint64_t top_ = 12;
  std::vector<std::string> ids_;
  ExplainMethod method_ = ExplainMethod::automatic;
  std::optional<std::string> reference_;
  std::optional<std::string> reference_label_;
  std::uint64_t neighbours_ = 3;
  std::optional<std::string> touched_;
  io::ReadOptions read_;
  std::size_t failed_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_explain() { return std::make_unique<Explain>(); }

}  // namespace rayleigh::cli
