#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "core/atomic_file.h"
#include "core/output_file.h"
#include "core/text.h"
#include "io/tu_files.h"

namespace rayleigh::io {
namespace {

/// The files of one dataset, by part.
class TuFolder {
 public:
  explicit TuFolder(const std::filesystem::path& folder)
      : target_(folder),
        folder_(folder),
        name_((folder.has_filename() ? folder : folder.parent_path()).filename().string()) {
    if (name_.empty() || name_ == "." || name_ == "..") {
      throw UsageError(
          fmt::format("'{}' has no name for the dataset, expected a folder name", folder.string()));
    }
  }

  /// Calls `line(i, text)` for i = 0 … count-1 and writes each text with a line end.
  template <typename Line>
  void write(TuPart part, std::size_t count, const Line& line) {
    written_[static_cast<std::size_t>(part)] = true;
    core::OutputFile file(folder_.file(fmt::format("{}{}", name_, tu_suffix(part))));
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      line(i, text);
      text += '\n';
      if (text.size() > kFlush) {
        file.write(text);
        text.clear();
      }
    }
    file.write(count == 0 ? "\n" : text);
    file.commit();
  }

  void write_names(TuPart part, std::size_t count, auto name_of) {
    write(part, count, [&](std::size_t i, std::string& text) {
      const std::string_view name = name_of(i);
      if (std::ranges::any_of(name, [](unsigned char c) { return std::iscntrl(c) != 0; })) {
        throw UsageError(fmt::format("the name '{}' cannot be written in TU format, use .jsonl",
                                     core::printable(name)));
      }
      text += name;
    });
  }

  /// Parts of an older set in the same folder would be read as parts of this one.
  void commit() {
    folder_.commit();
    for (std::size_t part = 0; part < kTuParts; ++part) {
      const auto plain = fmt::format("{}{}", name_, tu_suffix(static_cast<TuPart>(part)));
      std::error_code ignored;
      if (!written_[part]) {
        std::filesystem::remove(target_ / plain, ignored);
      }
      std::filesystem::remove(target_ / (plain + ".gz"), ignored);
    }
  }

 private:
  static constexpr std::size_t kFlush = std::size_t{1} << 18U;
  std::filesystem::path target_;
  core::AtomicFolder folder_;
  std::array<bool, kTuParts> written_{};
  std::string name_;
};

/// The number of label columns when every word is that many whole numbers, else 0.
std::size_t label_columns(const Vocabulary& vocabulary) {
  std::size_t columns = 0;
  for (std::string_view word : vocabulary.words()) {
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
      const auto comma = word.find(',');
      if (!core::canonical_integer(word.substr(0, comma))) {
        return 0;
      }
      more = comma != std::string_view::npos;
      word.remove_prefix(more ? comma + 1 : word.size());
    }
    if (columns != 0 && count != columns) {
      return 0;
    }
    columns = count;
  }
  return columns;
}

/// How the words of a vocabulary are written: as they are when all are whole numbers, in one column
/// or `several`, else as positions in a names file beside it.
std::vector<std::string> label_values(const Vocabulary& vocabulary, TuPart names, bool several,
                                      TuFolder& folder) {
  std::vector<std::string> values(vocabulary.words().begin(), vocabulary.words().end());
  const std::size_t columns = label_columns(vocabulary);
  if (columns == 0 || (columns > 1 && !several)) {
    folder.write_names(names, vocabulary.size(),
                       [&](std::size_t i) -> std::string_view { return vocabulary[i]; });
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::to_string(i);
    }
  }
  return values;
}

struct Entry {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t label;
  std::uint32_t entry;  ///< of col()
};

/// The rows of NAME_A.txt: both directions, repeated as often as the source did.
std::vector<Entry> edge_rows(const GraphSet& graphs) {
  std::vector<Entry> rows;
  rows.reserve(graphs.directed_edges());
  for (std::uint32_t node = 0; node < graphs.nodes(); ++node) {
    for (std::uint32_t e = graphs.row_ptr()[node]; e < graphs.row_ptr()[node + 1]; ++e) {
      const std::uint32_t times = graphs.multiplicity().empty() ? 1 : graphs.multiplicity()[e];
      const std::uint32_t label = graphs.edge_label().empty() ? 0 : graphs.edge_label()[e];
      rows.insert(rows.end(), times, {node + 1, graphs.col()[e] + 1, label, e});
    }
  }
  return rows;
}

void append_numbers(std::span<const float> numbers, std::string& text) {
  const char* separator = "";
  for (const float value : numbers) {
    text += fmt::format("{}{}", separator, value);
    separator = ", ";
  }
}

void write_classes(const GraphSet& graphs, TuFolder& folder) {
  if (graphs.classes().size() == 0) {
    return;
  }
  if (std::ranges::find(graphs.graph_class(), kNoClass) != graphs.graph_class().end()) {
    throw UsageError(
        "some graphs have a label and some have none; TU format cannot say so, use .jsonl");
  }
  const auto values = label_values(graphs.classes(), TuPart::graph_label_names, false, folder);
  folder.write(TuPart::graph_labels, graphs.size(), [&](std::size_t g, std::string& text) {
    text += values[static_cast<std::size_t>(graphs.graph_class()[g])];
  });
}

}  // namespace

void save_tu(const GraphSet& graphs, const std::filesystem::path& path) {
  if (graphs.empty()) {
    throw UsageError("no graphs to write; TU format cannot hold an empty set");
  }
  if (!graphs.direction().empty()) {
    throw UsageError("some graphs are directed; TU format cannot say so, use .jsonl");
  }
  TuFolder folder(path);
  write_classes(graphs, folder);
  if (graphs.has_names()) {
    folder.write_names(TuPart::graph_names, graphs.size(),
                       [&](std::size_t g) { return graphs.graph_name(g); });
  }
  {
    std::size_t graph = 0;
    folder.write(TuPart::graph_indicator, graphs.nodes(), [&](std::size_t node, std::string& text) {
      while (graphs.graph_ptr()[graph + 1] <= node) {
        ++graph;
      }
      text += fmt::format_int(graph + 1).c_str();
    });
  }
  const auto rows = edge_rows(graphs);
  folder.write(TuPart::edges, rows.size(), [&](std::size_t i, std::string& text) {
    text += fmt::format_int(rows[i].from).c_str();
    text += ", ";
    text += fmt::format_int(rows[i].to).c_str();
  });
  if (!graphs.edge_label().empty()) {
    const auto values = label_values(graphs.edge_labels(), TuPart::edge_label_names, true, folder);
    folder.write(TuPart::edge_labels, rows.size(),
                 [&](std::size_t i, std::string& text) { text += values[rows[i].label]; });
  }
  if (graphs.edge_attribute_count() > 0) {
    folder.write(TuPart::edge_attributes, rows.size(), [&](std::size_t i, std::string& text) {
      append_numbers(graphs.edge_attributes(rows[i].entry), text);
    });
  }
  if (graphs.label_source() == LabelSource::given) {
    const auto values = label_values(graphs.node_labels(), TuPart::node_label_names, true, folder);
    folder.write(TuPart::node_labels, graphs.nodes(), [&](std::size_t node, std::string& text) {
      text += values[graphs.node_label()[node]];
    });
  }
  if (graphs.attribute_count() > 0) {
    folder.write(TuPart::node_attributes, graphs.nodes(), [&](std::size_t node, std::string& text) {
      append_numbers(graphs.attributes(node), text);
    });
  }
  folder.commit();
}

}  // namespace rayleigh::io
