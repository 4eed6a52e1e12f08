#include "io/jsonl_parser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/text.h"
#include "io/limits.h"

namespace rayleigh::io {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kLongestKey = 40;  // shown in full, and compared with the known ones

/// What is wrong with a line; becomes the reason of its row.
struct Defect {
  std::string message;
  bool too_large = false;
};

template <typename... Args>
[[noreturn]] void reject(fmt::format_string<Args...> format, Args&&... args) {
  throw Defect{fmt::format(format, std::forward<Args>(args)...)};
}

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys{
      "id",          "label",           "nodes",           "node_labels", "edges",
      "edge_labels", "node_attributes", "edge_attributes", "directed"};
  return keys;
}

/// The values of one line by key.
struct Fields {
  std::array<std::optional<dom::element>, 9> values;
  std::vector<std::string_view> unknown;

  std::optional<dom::element> operator[](std::string_view key) const {
    const auto it = std::ranges::find(known_keys(), key);
    return values[static_cast<std::size_t>(it - known_keys().begin())];
  }
};

Fields read_fields(const dom::element& document) {
  dom::object object;
  if (document.get(object) != simdjson::SUCCESS) {
    reject("not a JSON object, expected one graph a line: {{\"edges\": [[0, 1]], …}}");
  }
  Fields fields;
  for (const auto [key, value] : object) {
    const auto it = std::ranges::find(known_keys(), key);
    if (it == known_keys().end()) {
      const auto near =
          key.size() <= kLongestKey ? core::nearest_name(key, known_keys()) : std::string();
      if (!near.empty()) {
        reject("unknown key '{}', did you mean '{}'?", core::printable(key), near);
      }
      fields.unknown.push_back(key);
      continue;
    }
    auto& slot = fields.values[static_cast<std::size_t>(it - known_keys().begin())];
    if (slot) {
      reject("the key '{}' is there twice", key);
    }
    slot = value;
  }
  return fields;
}

/// A label as text: whole numbers and words; true and false count as 1 and 0.
std::string label_text(const dom::element& value, std::string_view what) {
  switch (value.type()) {
    case dom::element_type::INT64:
      return std::to_string(std::int64_t{value});
    case dom::element_type::UINT64:
      return std::to_string(std::uint64_t{value});
    case dom::element_type::BOOL:
      return bool{value} ? "1" : "0";
    case dom::element_type::STRING: {
      const std::string_view text = value;
      if (text.empty()) {
        reject("{} is an empty string", what);
      }
      return std::string(text);
    }
    case dom::element_type::DOUBLE: {
      const double number = value;
      if (number == std::floor(number) && std::abs(number) < 1e15) {
        return std::to_string(static_cast<std::int64_t>(number));
      }
      reject("{} is {}, expected a whole number or a word", what, number);
    }
    default:
      reject("{} is neither a whole number nor a word", what);
  }
}

/// Node and edge labels may also be lists of whole numbers: several label columns.
std::string column_label_text(const dom::element& value, std::string_view what) {
  dom::array parts;
  if (value.get(parts) != simdjson::SUCCESS) {
    return label_text(value, what);
  }
  std::string joined;
  for (const dom::element part : parts) {
    if (!joined.empty()) {
      joined += ',';
    }
    joined += label_text(part, what);
  }
  if (joined.empty()) {
    reject("{} is an empty list", what);
  }
  return joined;
}

dom::array array_of(const dom::element& value, std::string_view key, std::string_view expected) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) {
    reject("'{}' is not a list, expected {}", key, expected);
  }
  return array;
}

float attribute_value(const dom::element& value, std::string_view key) {
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS) {
    reject("'{}' holds something that is not a number", key);
  }
  const auto narrow = static_cast<float>(number);
  if (!std::isfinite(narrow)) {
    reject("'{}' holds {}, which is out of range", key, number);
  }
  return narrow;
}

/// simdjson's own size() stops counting at 2^24 - 1.
std::size_t length_of(const dom::array& array) {
  constexpr std::size_t kSaturated = 0xFFFFFF;
  const std::size_t size = array.size();
  return size < kSaturated ? size
                           : static_cast<std::size_t>(std::distance(array.begin(), array.end()));
}

/// Parses one line into a RawGraphs; rolls back what it added when the line turns out bad.
class GraphParser {
 public:
  GraphParser(const Fields& fields, const JsonlShape& shape, std::uint64_t max_nodes,
              graph::RawGraphs& raw)
      : fields_(fields),
        shape_(shape),
        max_nodes_(max_nodes),
        raw_(raw),
        nodes_before_(raw.node_label.size()),
        attributes_before_(raw.attributes.size()),
        edges_before_(raw.edges.size()),
        edge_labels_before_(raw.edge_label.size()),
        edge_attributes_before_(raw.edge_attributes.size()) {}

  void parse() {
    try {
      check_shape();
      count_nodes();
      add_node_labels();
      add_attributes();
      add_edges();
      add_edge_labels();
      add_edge_attributes();
      const bool directed = is_directed();
      const auto graph_class = class_id();
      raw_.node_count.push_back(nodes_);
      raw_.edge_count.push_back(static_cast<std::uint32_t>(raw_.edges.size() - edges_before_));
      raw_.graph_class.push_back(graph_class);
      raw_.directed.push_back(directed ? 1 : 0);
    } catch (const Defect&) {
      raw_.node_label.resize(nodes_before_);
      raw_.attributes.resize(attributes_before_);
      raw_.edges.resize(edges_before_);
      raw_.edge_label.resize(edge_labels_before_);
      raw_.edge_attributes.resize(edge_attributes_before_);
      throw;
    }
  }

 private:
  void check_shape() const {
    if (fields_["node_labels"].has_value() != shape_.node_labels) {
      reject("{} 'node_labels' unlike line {}, expected all graphs alike",
             shape_.node_labels ? "no" : "has", shape_.line);
    }
    if (fields_["node_attributes"].has_value() != (shape_.attribute_count > 0)) {
      reject("{} 'node_attributes' unlike line {}, expected all graphs alike",
             shape_.attribute_count > 0 ? "no" : "has", shape_.line);
    }
  }

  void note_count(std::string_view key, std::size_t count) {
    if (counted_by_.empty()) {
      counted_by_ = key;
      nodes_ = static_cast<std::uint32_t>(std::min<std::size_t>(count, 0xFFFFFFFFU));
      if (count == 0) {
        reject("the graph has no nodes, expected at least one");
      }
      if (count > max_nodes_) {
        throw Defect{too_large("the graph", count, max_nodes_), true};
      }
    } else if (count != nodes_) {
      reject("'{}' says {} nodes but '{}' says {}", key, count, counted_by_, nodes_);
    }
  }

  void count_nodes() {
    if (const auto nodes = fields_["nodes"]) {
      std::uint64_t count = 0;
      if (nodes->get(count) != simdjson::SUCCESS) {
        reject("'nodes' is not a whole number from 1, expected the number of nodes");
      }
      note_count("nodes", count);
    }
    if (const auto labels = fields_["node_labels"]) {
      note_count("node_labels", length_of(array_of(*labels, "node_labels", "one label per node")));
    }
    if (const auto rows = fields_["node_attributes"]) {
      note_count("node_attributes",
                 length_of(array_of(*rows, "node_attributes", "a list of numbers per node")));
    }
    if (counted_by_.empty()) {
      reject("no 'nodes', 'node_labels' or 'node_attributes', expected one of them");
    }
  }

  void add_node_labels() {
    if (const auto labels = fields_["node_labels"]) {
      for (const dom::element label : dom::array(*labels)) {
        raw_.node_label.push_back(
            raw_.node_tokens.intern(column_label_text(label, "a node label")));
      }
    }
  }

  void add_attributes() {
    const auto rows = fields_["node_attributes"];
    if (!rows) {
      return;
    }
    for (const dom::element row : dom::array(*rows)) {
      const std::size_t count = add_numbers(row, "node_attributes", raw_.attributes);
      if (count != shape_.attribute_count) {
        reject("a node has {}, expected {} as in line {}", core::counted(count, "attribute"),
               shape_.attribute_count, shape_.line);
      }
    }
  }

  /// A number or a list of them; how many there were.
  static std::size_t add_numbers(const dom::element& row, std::string_view key,
                                 std::vector<float>& to) {
    const std::size_t before = to.size();
    if (dom::array values; row.get(values) == simdjson::SUCCESS) {
      for (const dom::element value : values) {
        to.push_back(attribute_value(value, key));
      }
    } else {
      to.push_back(attribute_value(row, key));
    }
    return to.size() - before;
  }

  std::uint32_t node_of(const dom::element& value) const {
    std::int64_t node = 0;
    if (value.get(node) != simdjson::SUCCESS) {
      reject("'edges' holds something that is not a node number");
    }
    if (node < 0 || static_cast<std::uint64_t>(node) >= nodes_) {
      reject("an edge names node {}, expected 0 … {}", node, nodes_ - 1);
    }
    return static_cast<std::uint32_t>(node);
  }

  void add_edges() {
    const auto edges = fields_["edges"];
    if (!edges) {
      reject("no 'edges', expected a list of node pairs ([] for none)");
    }
    for (const dom::element edge : array_of(*edges, "edges", "a list of node pairs")) {
      dom::array pair;
      if (edge.get(pair) != simdjson::SUCCESS || pair.size() != 2) {
        reject("an edge is not a pair of nodes, expected [from, to]");
      }
      auto it = pair.begin();
      const auto from = node_of(*it);
      const auto to = node_of(*++it);
      raw_.edges.push_back({from, to});
    }
  }

  void add_edge_labels() {
    const std::size_t edges = raw_.edges.size() - edges_before_;
    const auto labels = fields_["edge_labels"];
    if (edges > 0 && shape_.edge_labels && labels.has_value() != *shape_.edge_labels) {
      reject("{} 'edge_labels' unlike line {}, expected all graphs alike",
             *shape_.edge_labels ? "no" : "has", shape_.edge_line);
    }
    if (!labels) {
      return;
    }
    const auto array = array_of(*labels, "edge_labels", "a label an edge");
    if (length_of(array) != edges) {
      reject("'edge_labels' has {}, expected one an edge ({})",
             core::counted(length_of(array), "label"), edges);
    }
    for (const dom::element label : array) {
      raw_.edge_label.push_back(raw_.edge_tokens.intern(column_label_text(label, "an edge label")));
    }
  }

  void add_edge_attributes() {
    const std::size_t edges = raw_.edges.size() - edges_before_;
    const auto rows = fields_["edge_attributes"];
    if (edges > 0 && shape_.edge_labels && rows.has_value() != (shape_.edge_attribute_count > 0)) {
      reject("{} 'edge_attributes' unlike line {}, expected all graphs alike",
             shape_.edge_attribute_count > 0 ? "no" : "has", shape_.edge_line);
    }
    if (!rows) {
      return;
    }
    const auto array = array_of(*rows, "edge_attributes", "a list of numbers per edge");
    if (length_of(array) != edges) {
      reject("'edge_attributes' has {}, expected one per edge ({})",
             core::counted(length_of(array), "row"), edges);
    }
    for (const dom::element row : array) {
      const std::size_t count = add_numbers(row, "edge_attributes", raw_.edge_attributes);
      if (count != shape_.edge_attribute_count) {
        reject("an edge has {}, expected {} as in line {}", core::counted(count, "attribute"),
               shape_.edge_attribute_count, shape_.edge_line);
      }
    }
  }

  bool is_directed() const {
    const auto value = fields_["directed"];
    bool directed = false;
    if (value && value->get(directed) != simdjson::SUCCESS) {
      reject("'directed' is neither true nor false");
    }
    return directed;
  }

  std::int32_t class_id() {
    const auto label = fields_["label"];
    if (!label || label->is_null()) {
      return kNoClass;
    }
    return static_cast<std::int32_t>(raw_.class_tokens.intern(label_text(*label, "'label'")));
  }

  const Fields& fields_;
  const JsonlShape& shape_;
  std::uint64_t max_nodes_;
  graph::RawGraphs& raw_;
  std::size_t nodes_before_;
  std::size_t attributes_before_;
  std::size_t edges_before_;
  std::size_t edge_labels_before_;
  std::size_t edge_attributes_before_;
  std::uint32_t nodes_ = 0;
  std::string_view counted_by_;
};

void note_unknown_keys(const Fields& fields, const Place& place, graph::RawGraphs& raw) {
  for (const auto key : fields.unknown) {
    graph::note(raw.findings, {"unknown_key",
                               fmt::format("graphs with the key '{}', ignored",
                                           core::printable(key, kLongestKey)),
                               1, place});
  }
}

/// Numbers in the first row of a list of rows; 1 where its rows are plain numbers.
std::uint32_t numbers_per_row(const dom::element& rows) {
  dom::array all;
  dom::array first;
  const bool lists = rows.get(all) == simdjson::SUCCESS && all.size() > 0 &&
                     all.at(0).get(first) == simdjson::SUCCESS;
  return lists ? static_cast<std::uint32_t>(std::max<std::size_t>(1, length_of(first))) : 1;
}

/// The shape of a line on its own.
JsonlShape shape_of(const Fields& fields, std::uint64_t line) {
  JsonlShape shape{.node_labels = fields["node_labels"].has_value(),
                   .attribute_count = 0,
                   .line = line,
                   .edge_labels = std::nullopt,
                   .edge_attribute_count = 0,
                   .edge_line = line};
  if (const auto rows = fields["node_attributes"]) {
    shape.attribute_count = numbers_per_row(*rows);
  }
  dom::array edges;
  if (const auto value = fields["edges"];
      value && value->get(edges) == simdjson::SUCCESS && edges.size() > 0) {
    shape.edge_labels = fields["edge_labels"].has_value();
    if (const auto rows = fields["edge_attributes"]) {
      shape.edge_attribute_count = numbers_per_row(*rows);
    }
  }
  return shape;
}

/// What a line has to agree with.
JsonlShape shape_for(const Fields& fields, std::uint64_t line,
                     const std::optional<JsonlShape>& common) {
  const auto own = shape_of(fields, line);
  if (!common || line < common->line) {
    return own;
  }
  JsonlShape shape = *common;
  if (!shape.edge_labels || line < shape.edge_line) {
    shape.edge_labels = own.edge_labels;
    shape.edge_attribute_count = own.edge_attribute_count;
    shape.edge_line = own.edge_line;
  }
  return shape;
}

}  // namespace

bool JsonlParser::learn_shape(const JsonLine& line, std::optional<JsonlShape>& shape) {
  dom::element document;
  if (parser_.parse(line.text.data(), line.text.size()).get(document) != simdjson::SUCCESS) {
    return false;
  }
  try {
    const auto fields = read_fields(document);
    const auto better = shape_for(fields, line.number, shape);
    graph::RawGraphs scratch;
    GraphParser(fields, better, max_nodes_, scratch).parse();
    shape = better;
  } catch (const Defect&) {
    return false;
  }
  return shape->edge_labels.has_value();
}

Row JsonlParser::parse(const JsonLine& line, const std::optional<JsonlShape>& shape,
                       graph::RawGraphs& raw) {
  Row row{.id = std::to_string(line.number), .place = {file_, line.number}};
  const auto fail = [&](std::string reason) {
    row.ok = false;
    row.reason = std::move(reason);
    return row;
  };
  dom::element document;
  const auto status = parser_.parse(line.text.data(), line.text.size()).get(document);
  if (status == simdjson::UTF8_ERROR) {
    return fail("not valid UTF-8, expected UTF-8 JSON");
  }
  if (status != simdjson::SUCCESS) {
    return fail(fmt::format("not valid JSON: {}", simdjson::error_message(status)));
  }
  try {
    const auto fields = read_fields(document);
    std::string name;
    if (const auto id = fields["id"]; id && !id->is_null()) {
      name = label_text(*id, "'id'");
      row.id = name;
    }
    const auto agreed = shape_for(fields, line.number, shape);
    GraphParser(fields, agreed, max_nodes_, raw).parse();
    raw.graph_name.push_back(std::move(name));
    raw.graph_line.push_back(line.number);
    raw.attribute_count = agreed.attribute_count;
    raw.edge_attribute_count = std::max(raw.edge_attribute_count, agreed.edge_attribute_count);
    note_unknown_keys(fields, row.place, raw);
  } catch (const Defect& defect) {
    row.too_large = defect.too_large;
    return fail(defect.message);
  }
  return row;
}

}  // namespace rayleigh::io
