#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/graph_io.h"

#include "core/output_file.h"
#include "core/text.h"

namespace rayleigh::io {
namespace {

constexpr std::size_t kFlush = std::size_t{1} << 18U;

std::string json_text(std::string_view word) {
  return core::canonical_integer(word) ? std::string(word) : nlohmann::json(word).dump();
}

std::vector<std::string> json_words(const Vocabulary& vocabulary) {
  std::vector<std::string> words;
  words.reserve(vocabulary.size());
  for (const auto& word : vocabulary.words()) {
    words.push_back(json_text(word));
  }
  return words;
}

/// The shortest text that reads back as the same float. JSON readers, ours included, read a double
/// and round it again, which is not always the nearest float of the text: then all digits.
std::string json_float(float value) {
  auto text = fmt::format("{}", value);
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return static_cast<float>(read) == value ? text : fmt::format("{}", double{value});
}

class Writer {
 public:
  explicit Writer(const GraphSet& graphs)
      : graphs_(graphs),
        node_words_(json_words(graphs.node_labels())),
        edge_words_(json_words(graphs.edge_labels())),
        class_words_(json_words(graphs.classes())) {}

  void append(std::size_t g, std::string& out) const {
    const auto graph = graphs_[g];
    out += '{';
    if (const auto name = graphs_.graph_name(g); !name.empty()) {
      out += fmt::format("\"id\":{},", nlohmann::json(name).dump());
    }
    if (const auto graph_class = graphs_.graph_class()[g]; graph_class != kNoClass) {
      out += fmt::format("\"label\":{},", class_words_[static_cast<std::size_t>(graph_class)]);
    }
    append_nodes(graph, out);
    append_edges(graph, out);
    out += "}\n";
  }

 private:
  void append_nodes(const GraphView& graph, std::string& out) const {
    const bool labels = graphs_.label_source() == LabelSource::given;
    if (!labels && graphs_.attribute_count() == 0) {
      out += fmt::format("\"nodes\":{},", graph.nodes());
    }
    if (labels) {
      out += "\"node_labels\":";
      append_list(graph.nodes(), out, [&](std::size_t i) { out += node_words_[graph.label(i)]; });
      out += ',';
    }
    if (graphs_.attribute_count() > 0) {
      out += "\"node_attributes\":";
      append_list(graph.nodes(), out, [&](std::size_t i) {
        append_numbers(graphs_.attributes(graph.first_node() + i), out);
      });
      out += ',';
    }
  }

  bool has_one_way_edge(const GraphView& graph) const {
    return !graphs_.direction().empty() &&
           std::ranges::any_of(graphs_.direction().subspan(graph.first_entry(0), 2 * graph.edges()),
                               [](Direction way) { return way != Direction::both; });
  }

  void append_edges(const GraphView& graph, std::string& out) const {
    std::vector<std::size_t> entries;  // of each row
    const bool directed = has_one_way_edge(graph);
    if (directed) {
      out += "\"directed\":true,";
    }
    out += "\"edges\":[";
    const char* separator = "";
    const auto append_row = [&](std::uint32_t from, std::uint32_t to, std::size_t entry) {
      out += fmt::format("{}[{},{}]", separator, from, to);
      separator = ",";
      entries.push_back(entry);
    };
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
      std::size_t entry = graph.first_entry(node);
      for (const std::uint32_t neighbour : graph.neighbours(node)) {
        const std::uint32_t other = neighbour - graph.first_node();
        const std::uint32_t times =
            graphs_.multiplicity().empty() ? 1 : graphs_.multiplicity()[entry];
        for (std::uint32_t k = 0; k < times && node < other; ++k) {
          const auto way = directed ? graphs_.direction()[entry] : Direction::out;
          if (way != Direction::in) {
            append_row(node, other, entry);
          }
          if (way != Direction::out) {
            append_row(other, node, entry);
          }
        }
        ++entry;
      }
    }
    out += ']';
    if (!entries.empty() && !graphs_.edge_label().empty()) {
      out += ",\"edge_labels\":";
      append_list(entries.size(), out,
                  [&](std::size_t i) { out += edge_words_[graphs_.edge_label()[entries[i]]]; });
    }
    if (!entries.empty() && graphs_.edge_attribute_count() > 0) {
      out += ",\"edge_attributes\":";
      append_list(entries.size(), out,
                  [&](std::size_t i) { append_numbers(graphs_.edge_attributes(entries[i]), out); });
    }
  }

  static void append_numbers(std::span<const float> row, std::string& out) {
    append_list(row.size(), out, [&](std::size_t k) { out += json_float(row[k]); });
  }

  static void append_list(std::size_t count, std::string& out, auto append_item) {
    out += '[';
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) {
        out += ',';
      }
      append_item(i);
    }
    out += ']';
  }

  const GraphSet& graphs_;
  std::vector<std::string> node_words_;
  std::vector<std::string> edge_words_;
  std::vector<std::string> class_words_;
};

}  // namespace

void save_jsonl(const GraphSet& graphs, const std::filesystem::path& path) {
  core::OutputFile file(path);
  const Writer writer(graphs);
  std::string text;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    writer.append(g, text);
    if (text.size() > kFlush) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text);
  file.commit();
}

}  // namespace rayleigh::io
