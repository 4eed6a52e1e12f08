#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/detector.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/statistics.h"

#include "cli/inspect_model.h"
#include "cli/reading.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/stopwatch.h"
#include "core/text.h"

namespace rayleigh::cli {
namespace {

using Json = nlohmann::ordered_json;
using core::counted;
using core::with_commas;

/// Everything both layouts show.
struct Inspection {
  std::string path;
  GraphSet graphs;
  SetStatistics stats;
  std::vector<std::size_t> class_counts;
  std::optional<std::uint32_t> anomalous;
  std::string why_no_anomalous;  ///< when labels are there but nobody said which is anomalous
  double seconds_load = 0;
  double seconds_inspect = 0;

  std::size_t anomalous_count() const { return anomalous ? class_counts[*anomalous] : 0; }
  std::size_t normal_count() const {
    return graphs.size() - stats.unlabelled_graphs - anomalous_count();
  }
  double ratio() const {
    return static_cast<double>(anomalous_count()) /
           static_cast<double>(std::max<std::size_t>(1, normal_count() + anomalous_count()));
  }
};

Json to_json(const Summary& summary) {
  return {{"mean", summary.mean}, {"min", summary.min},       {"p05", summary.p05},
          {"p25", summary.p25},   {"median", summary.median}, {"p75", summary.p75},
          {"p95", summary.p95},   {"p99", summary.p99},       {"max", summary.max}};
}

Json to_json(const std::vector<Count>& counts, const char* key) {
  auto list = Json::array();
  for (const auto& count : counts) {
    list.push_back({{key, count.word}, {"count", count.count}, {"graphs", count.graphs}});
  }
  return list;
}

Json to_json(const GraphSet& graphs) {
  auto findings = Json::array();
  for (const auto& finding : graphs.findings()) {
    findings.push_back({{"kind", finding.kind},
                        {"description", finding.description},
                        {"count", finding.count},
                        {"first", finding.first.text()}});
  }
  return findings;
}

Json to_json(const Inspection& in) {
  auto classes = Json::array();
  for (std::size_t c = 0; c < in.class_counts.size(); ++c) {
    classes.push_back({{"label", in.graphs.classes()[c]}, {"graphs", in.class_counts[c]}});
  }
  const auto& stats = in.stats;
  Json json{{"name", in.graphs.name()}, {"path", in.path}, {"graphs", in.graphs.size()}};
  if (in.anomalous) {
    json["anomaly_class"] = in.graphs.classes()[*in.anomalous];
    json["normal"] = in.normal_count();
    json["anomalous"] = in.anomalous_count();
    json["ratio"] = in.ratio();
  } else {
    json["anomaly_class"] = nullptr;
    json["normal"] = nullptr;
    json["anomalous"] = nullptr;
    json["ratio"] = nullptr;
  }
  json["mean_nodes"] = stats.nodes.mean;
  json["mean_edges"] = stats.edges.mean;
  json["labels"] = in.graphs.node_labels().size();
  json["classes"] = std::move(classes);
  json["unlabelled_graphs"] = stats.unlabelled_graphs;
  json["total_nodes"] = stats.total_nodes;
  json["total_edges"] = stats.total_edges;
  json["attributes"] = in.graphs.attribute_count();
  json["edge_attributes"] = in.graphs.edge_attribute_count();
  json["directed_graphs"] = stats.directed_graphs;
  json["label_source"] = in.graphs.label_source() == LabelSource::degree ? "degree" : "given";
  json["nodes"] = to_json(stats.nodes);
  json["edges"] = to_json(stats.edges);
  json["connected_graphs"] = stats.connected_graphs;
  json["edgeless_graphs"] = stats.edgeless_graphs;
  json["isolated_nodes"] = stats.isolated_nodes;
  json["graphs_with_isolated_nodes"] = stats.graphs_with_isolated_nodes;
  json["repeated_names"] = stats.repeated_names;
  json["node_labels"] = to_json(stats.node_labels, "label");
  json["edge_labels"] = to_json(stats.edge_labels, "label");
  json["degrees"] = to_json(stats.degrees, "degree");
  json["findings"] = to_json(in.graphs);
  json["duplicates"] = {{"groups", stats.duplicates.groups},
                        {"graphs", stats.duplicates.graphs},
                        {"conflicting_groups", stats.duplicates.conflicting_groups},
                        {"largest_group", stats.duplicates.largest},
                        {"first_conflict", stats.duplicates.conflict}};
  json["memory_bytes"] = in.graphs.memory_bytes();
  json["seconds"] = {{"load", in.seconds_load}, {"inspect", in.seconds_inspect}};
  return json;
}

std::string percent(double share) {
  // Something that is there is never shown as nothing.
  return share > 0 && share < 0.0005 ? "< 0.1 %" : fmt::format("{:.1f} %", 100 * share);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return percent(whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole));
}

/// The sections of the text layout, one function each.
class TextLayout {
 public:
  TextLayout(const Inspection& in, int rows) : in_(in), rows_(static_cast<std::size_t>(rows)) {}

  std::string render() {
    head();
    classes();
    sizes();
    structure();
    histogram("node labels", in_.stats.node_labels, in_.stats.total_nodes, "nodes",
              in_.graphs.label_source() == LabelSource::degree
                  ? "the source has none, so the degree of a node is its label"
                  : "");
    histogram("degrees", in_.stats.degrees, in_.stats.total_nodes, "nodes", "");
    histogram("edge labels", in_.stats.edge_labels, in_.stats.total_edges, "edges", "");
    findings();
    duplicates();
    return text_;
  }

 private:
  void section(std::string_view title, std::string_view note = {}) {
    text_ += fmt::format("\n{}{}\n", title, note.empty() ? "" : fmt::format("  ({})", note));
  }
  void line(const std::string& words) { text_ += "  " + words + "\n"; }

  void head() {
    text_ +=
        fmt::format("{}: {}, {}, {}; {} in memory, read in {:.2f} s\n", in_.graphs.name(),
                    counted(in_.graphs.size(), "graph"), counted(in_.stats.total_nodes, "node"),
                    counted(in_.stats.total_edges, "edge"),
                    core::human_bytes(in_.graphs.memory_bytes()), in_.seconds_load);
    Table table({"normal", "anomalous", "ratio", "mean nodes", "mean edges", "labels"});
    const bool known = in_.anomalous.has_value();
    table.add({known ? with_commas(in_.normal_count()) : "-",
               known ? with_commas(in_.anomalous_count()) : "-", known ? percent(in_.ratio()) : "-",
               fmt::format("{:.2f}", in_.stats.nodes.mean),
               fmt::format("{:.2f}", in_.stats.edges.mean),
               with_commas(in_.graphs.node_labels().size())});
    text_ += "\n" + table.text();
  }

  void classes() {
    if (in_.class_counts.empty()) {
      section("classes");
      line("none: the graphs carry no labels");
      return;
    }
    section("classes", in_.why_no_anomalous);
    std::size_t shown = 0;
    const std::size_t most = std::max<std::size_t>(rows_, 3);
    Table table({"class", "graphs", "share", ""});
    for (std::size_t c = 0; c < in_.class_counts.size() && shown < most; ++c, ++shown) {
      const char* role = !in_.anomalous ? "" : *in_.anomalous == c ? "anomalous" : "normal";
      table.add({in_.graphs.classes()[c], with_commas(in_.class_counts[c]),
                 percent(in_.class_counts[c], in_.graphs.size()), role});
    }
    text_ += table.text();
    if (shown < in_.class_counts.size()) {
      line(fmt::format("… and {} more", in_.class_counts.size() - shown));
    }
    if (in_.stats.unlabelled_graphs > 0) {
      line(fmt::format("{} without a label", counted(in_.stats.unlabelled_graphs, "graph")));
    }
  }

  void sizes() {
    section("size of a graph");
    Table table({"", "mean", "min", "5 %", "25 %", "median", "75 %", "95 %", "99 %", "max"});
    const auto row = [&](const char* name, const Summary& s) {
      table.add({name, fmt::format("{:.2f}", s.mean), with_commas(s.min), with_commas(s.p05),
                 with_commas(s.p25), with_commas(s.median), with_commas(s.p75), with_commas(s.p95),
                 with_commas(s.p99), with_commas(s.max)});
    };
    row("nodes", in_.stats.nodes);
    row("edges", in_.stats.edges);
    text_ += table.text();
  }

  void structure() {
    const auto& stats = in_.stats;
    section("structure");
    line(fmt::format("{} of {} connected ({})", with_commas(stats.connected_graphs),
                     counted(in_.graphs.size(), "graph"),
                     percent(stats.connected_graphs, in_.graphs.size())));
    line(stats.isolated_nodes == 0
             ? std::string("no isolated node")
             : fmt::format("{} in {}", counted(stats.isolated_nodes, "isolated node"),
                           counted(stats.graphs_with_isolated_nodes, "graph")));
    if (stats.edgeless_graphs > 0) {
      line(fmt::format("{} without any edge", counted(stats.edgeless_graphs, "graph")));
    }
    if (in_.graphs.attribute_count() > 0) {
      line(fmt::format("{} a node", counted(in_.graphs.attribute_count(), "real attribute")));
    }
    if (in_.graphs.edge_attribute_count() > 0) {
      line(fmt::format("{} an edge", counted(in_.graphs.edge_attribute_count(), "real attribute")));
    }
    if (stats.directed_graphs > 0) {
      line(fmt::format("{} directed", counted(stats.directed_graphs, "graph")));
    }
  }

  void histogram(std::string_view title, const std::vector<Count>& counts, std::uint64_t total,
                 std::string_view unit, std::string_view note) {
    if (counts.empty()) {
      return;
    }
    section(fmt::format("{} ({})", title, with_commas(counts.size())), note);
    const std::size_t shown = std::min(rows_, counts.size());
    std::uint64_t largest = 1;
    for (std::size_t i = 0; i < shown; ++i) {
      largest = std::max(largest, counts[i].count);
    }
    Table table({"", std::string(unit), "share", "graphs", ""});
    for (std::size_t i = 0; i < shown; ++i) {
      table.add({core::printable(counts[i].word, 24), with_commas(counts[i].count),
                 percent(counts[i].count, total), with_commas(counts[i].graphs),
                 bar(static_cast<double>(counts[i].count) / static_cast<double>(largest))});
    }
    text_ += table.text();
    if (shown < counts.size()) {
      line(fmt::format("… and {} more (--rows N shows more)", with_commas(counts.size() - shown)));
    }
  }

  void findings() {
    section("merged, dropped or odd");
    if (in_.graphs.findings().empty() && in_.stats.repeated_names == 0) {
      line("nothing: the files are clean");
    }
    for (const auto& finding : in_.graphs.findings()) {
      const auto place = finding.first.text();
      line(fmt::format("{} {}{}", with_commas(finding.count), finding.description,
                       place.empty() ? "" : fmt::format(", first at {}", place)));
    }
    if (in_.stats.repeated_names > 0) {
      line(fmt::format("{} whose name an earlier graph has too",
                       counted(in_.stats.repeated_names, "graph")));
    }
  }

  void duplicates() {
    const auto& found = in_.stats.duplicates;
    section("duplicates", "graphs alike up to isomorphism, by Weisfeiler-Leman hash");
    if (found.groups == 0) {
      line("none");
      return;
    }
    line(fmt::format("{} ({}) in {}: a random split puts copies on both sides",
                     counted(found.graphs, "graph"), percent(found.graphs, in_.graphs.size()),
                     counted(found.groups, "group")));
    line(fmt::format("largest group: {} copies ({})", found.largest.size(), names(found.largest)));
    if (found.conflicting_groups > 0) {
      line(fmt::format("{} with different classes, first: {}",
                       counted(found.conflicting_groups, "group"), names(found.conflict)));
    }
  }

  std::string names(const std::vector<std::uint32_t>& graphs) const {
    constexpr std::size_t kMost = 4;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(kMost, graphs.size()); ++i) {
      words.push_back(in_.graphs.has_names() ? core::printable(in_.graphs.graph_name(graphs[i]), 24)
                                             : std::to_string(graphs[i] + 1));
    }
    return fmt::format("graph {}{}", fmt::join(words, ", "), graphs.size() > kMost ? ", …" : "");
  }

  const Inspection& in_;
  std::size_t rows_;
  std::string text_;
};

class Inspect : public Verb {
 public:
  std::string name() const override { return "inspect"; }
  std::string summary() const override {
    return "shows what is in DATA (classes, sizes, labels, what is odd), or what a MODEL is";
  }
  Arguments arguments() const override { return {"DATA|MODEL", 1, 1}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh inspect NCI-H23.zip", "rayleigh inspect nci.model",
            "rayleigh inspect graphs.jsonl --format json | jq .duplicates"};
  }

  bool can_stop() const override { return true; }

  void declare(core::OptionSet& parameters) override {
    parameters.add("anomaly-class", anomaly_class_, "LABEL",
                   "class that counts as anomalous; the rarer of two when not given");
    parameters
        .add("rows", rows_, "rows shown of each histogram, words of each vocabulary",
             {1, 1'000'000})
        .without_effect();
    declare_reading(parameters, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    if (Detector::is_model_file(arguments[0])) {
      print_out(inspect_model(arguments[0], common.format, rows_));
      return 0;
    }
    Inspection in;
    in.path = arguments[0];
    core::Stopwatch watch;
    settle_reading(*this, read_);
    in.graphs = io::load(in.path, read_);  // shows all findings itself
    in.seconds_load = watch.seconds();
    watch = {};
    in.stats = statistics(in.graphs, run_options());
    in.class_counts = class_counts(in.graphs);
    find_anomalous(in);
    in.seconds_inspect = watch.seconds();
    print_out(common.format == Format::json
                  ? to_json(in).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                  : TextLayout(in, rows_).render());
    return 0;
  }

 private:
  void find_anomalous(Inspection& in) const {
    if (anomaly_class_) {
      in.anomalous = anomaly_class(in.graphs, anomaly_class_);
      return;
    }
    try {
      in.anomalous = anomaly_class(in.graphs);
    } catch (const UsageError&) {
      in.why_no_anomalous = "say which one is anomalous with --anomaly-class";
    }
  }

  std::optional<std::string> anomaly_class_;
  int rows_ = 12;
  io::ReadOptions read_;
};

}  // namespace

std::unique_ptr<Verb> make_inspect() { return std::make_unique<Inspect>(); }

}  // namespace rayleigh::cli
