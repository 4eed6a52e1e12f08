#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>
#include <utility>

#include "rayleigh/error.h"

#include "core/text.h"
#include "io/limits.h"
#include "io/tu_assemble.h"
#include "io/tu_reader.h"

namespace rayleigh::io {
namespace {

constexpr std::size_t kTuBlockBytes = std::size_t{1} << 18U;
constexpr std::uint64_t kLongestTuLine = std::uint64_t{1} << 24U;

/// The rows of one file, a few at a time.
template <typename T>
class RowStream {
 public:
  RowStream(const TuFiles& files, TuPart part, std::size_t columns, const std::string& what)
      : blocks_(files.open(part), kTuBlockBytes, kLongestTuLine), parser_(columns, what) {}

  std::size_t columns() const { return parser_.table.columns; }
  /// Line of the next row.
  std::uint64_t line() const { return consumed_ + 1; }

  /// The next row without taking it; empty at the end of the file.
  std::span<const T> peek() { return row(0); }

  void skip(std::size_t rows) {
    at_ += rows * columns();
    consumed_ += rows;
  }

  /// The next `rows` rows, or as many as there are.
  Table<T> take(std::size_t rows) {
    while (available() < rows && read_block()) {
    }
    Table<T> out{columns(), {}};
    const std::size_t count = std::min(rows, available());
    const auto begin = parser_.table.values.begin() + static_cast<std::ptrdiff_t>(at_);
    out.values.assign(begin, begin + static_cast<std::ptrdiff_t>(count * columns()));
    skip(count);
    return out;
  }

  /// The row `ahead` rows further on; empty at the end of the file.
  std::span<const T> row(std::size_t ahead) {
    while (available() <= ahead && read_block()) {
    }
    if (available() <= ahead) {
      return {};
    }
    return std::span(parser_.table.values).subspan(at_ + ahead * columns(), columns());
  }

 private:
  std::size_t available() const {
    return columns() == 0 ? 0 : (parser_.table.values.size() - at_) / columns();
  }

  bool read_block() {
    const auto block = blocks_.next();
    if (block.empty()) {
      return false;
    }
    auto& values = parser_.table.values;
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    if (const auto defect = parser_.parse(block)) {
      throw DataError({blocks_.name(), defect->line}, defect->message);
    }
    return true;
  }

  LineBlocks blocks_;
  TableParser<T> parser_;
  std::size_t at_ = 0;
  std::uint64_t consumed_ = 0;
};

struct Run {
  std::int64_t id;
  std::uint64_t nodes;
  std::uint64_t first_line;
};

/// Graph after graph from the graph_indicator file.
class IndicatorStream {
 public:
  explicit IndicatorStream(const TuContext& context)
      : context_(context),
        rows_(context.files, TuPart::graph_indicator, 1, "one graph id per line") {}

  /// Id of the next graph that has nodes; 0 at the end.
  std::int64_t next_id() {
    const auto row = rows_.peek();
    if (row.empty()) {
      return 0;
    }
    check_graph_id(context_, row[0], previous_, rows_.line());
    return row[0];
  }

  Run take_graph() {
    Run run{next_id(), 0, rows_.line()};
    while (true) {
      const auto row = rows_.peek();
      if (row.empty() || row[0] != run.id) {
        break;
      }
      rows_.skip(1);
      ++run.nodes;
    }
    previous_ = run.id;
    return run;
  }

  std::int64_t last_id() const { return previous_; }
  std::uint64_t nodes_read() const { return rows_.line() - 1; }

 private:
  const TuContext& context_;
  RowStream<std::int64_t> rows_;
  std::int64_t previous_ = 0;
};

RowStream<std::int64_t> edge_stream(const TuFiles& files) {
  return {files, TuPart::edges, 2, "\"row, col\", two node ids"};
}

/// Do the edges come graph after graph? One pass over both files, in constant memory.
bool edges_are_grouped(const TuContext& context) {
  IndicatorStream indicator(context);
  auto edges = edge_stream(context.files);
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  while (true) {
    const auto batch = edges.take(4096);
    if (batch.rows() == 0) {
      return true;
    }
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const auto from =
          static_cast<std::uint64_t>(std::max<std::int64_t>(1, batch.values[2 * row]));
      while (from > end && indicator.next_id() != 0) {
        first = end + 1;
        end += indicator.take_graph().nodes;
      }
      if (from < first) {
        return false;
      }
    }
  }
}

std::string row_id(const TuContext& context, std::int64_t id) {
  return context.graph_names.empty() ? std::to_string(id)
                                     : context.graph_names[static_cast<std::size_t>(id - 1)];
}

Row row_without_nodes(const TuContext& context, std::int64_t id) {
  return {.id = row_id(context, id),
          .place = {context.files.place(TuPart::graph_labels), static_cast<std::uint64_t>(id)},
          .ok = false,
          .reason = "the graph has no nodes"};
}

/// The rows of a TU dataset: every graph id in turn, also those without nodes.
class RowMaker {
 public:
  explicit RowMaker(const TuContext& context) : context_(context) {}

  /// Appends rows for the ids before graph `next` while there is room; true when done.
  bool fill_gap(std::int64_t next, std::size_t max_rows, std::vector<Row>& rows) {
    // Without a label file nothing says that a missing id was ever meant to be a graph.
    if (context_.graph_labels.columns == 0) {
      return true;
    }
    while (expected_ < next && rows.size() < max_rows) {
      rows.push_back(row_without_nodes(context_, expected_++));
    }
    return expected_ >= next;
  }

  Row& add_graph(const Run& run, std::vector<Row>& rows) {
    expected_ = run.id + 1;
    return rows.emplace_back(
        Row{.id = row_id(context_, run.id),
            .place = {context_.files.place(TuPart::graph_indicator), run.first_line}});
  }

 private:
  const TuContext& context_;
  std::int64_t expected_ = 1;
};

class TuStream : public GraphReader {
 public:
  TuStream(std::shared_ptr<const Folder> folder, const std::string& where,
           const ReadOptions& options)
      : files_(folder, where),
        pool_(options.run),
        context_(read_context(files_, options.max_expanded_bytes, pool_)),
        rows_(context_),
        max_nodes_(options.max_nodes) {
    check_not_empty();
    if (!edges_are_grouped(context_)) {
      whole_ = load_tu(std::move(folder), where, options);
    }
    indicator_.emplace(context_);
    edges_.emplace(edge_stream(files_));
    if (files_.has(TuPart::node_labels)) {
      node_labels_.emplace(files_, TuPart::node_labels, 0, "the label of a node");
    }
    if (files_.has(TuPart::edge_labels)) {
      edge_labels_.emplace(files_, TuPart::edge_labels, 0, "the label of an edge");
    }
    if (files_.has(TuPart::node_attributes)) {
      attributes_.emplace(files_, TuPart::node_attributes, 0, "the attributes of a node");
    }
    if (files_.has(TuPart::edge_attributes)) {
      edge_attributes_.emplace(files_, TuPart::edge_attributes, 0, "the attributes of an edge");
    }
  }

  std::optional<Chunk> next_chunk(std::size_t max_rows) override {
    max_rows = std::max<std::size_t>(1, max_rows);
    Chunk chunk;
    TuColumns columns;
    std::uint64_t nodes = 0;
    while (chunk.rows.size() < max_rows) {
      const std::int64_t id = waiting_ ? waiting_->id : indicator_->next_id();
      if (!rows_.fill_gap(id, max_rows, chunk.rows) || id == 0 || chunk.rows.size() >= max_rows) {
        break;
      }
      const Run run = waiting_ ? *waiting_ : indicator_->take_graph();
      waiting_.reset();
      nodes += run.nodes;
      // A graph that is too large waits too: the files stand before the first graph of the chunk.
      if (!columns.graph_ids.empty() && (run.nodes > max_nodes_ || nodes > kNodesAtOnce)) {
        waiting_ = run;
        break;
      }
      if (run.nodes > max_nodes_) {
        refuse(run, rows_.add_graph(run, chunk.rows));
        continue;
      }
      rows_.add_graph(run, chunk.rows);
      columns.graph_ids.push_back(run.id);
      columns.node_count.push_back(static_cast<std::uint32_t>(run.nodes));
    }
    if (chunk.rows.empty()) {
      check_end_of_files();
      return std::nullopt;
    }
    chunk.graphs =
        whole_ ? part_of_whole(columns.graph_ids.size()) : read_graphs(std::move(columns));
    return chunk;
  }

 private:
  /// A file of no bytes was cut off; a set without edges still has a blank line.
  void check_not_empty() {
    char byte = 0;
    if (files_.open(TuPart::edges)->read({&byte, 1}) == 0) {
      reject_empty(files_, TuPart::edges);
    }
    if (IndicatorStream(context_).next_id() == 0) {
      reject_empty(files_, TuPart::graph_indicator);
    }
  }

  /// A graph that is too large fails alone: its lines are passed over.
  void refuse(const Run& run, Row& row) {
    row.ok = false;
    row.too_large = true;
    row.reason = too_large("the graph", run.nodes, max_nodes_);
    nodes_done_ += run.nodes;
    std::uint64_t edges = 0;
    for (auto edge = edges_->peek(); belongs_before(edge, nodes_done_); edge = edges_->peek()) {
      edges_->skip(1);
      ++edges;
    }
    skip_lines(node_labels_, TuPart::node_labels, run.nodes);
    skip_lines(edge_labels_, TuPart::edge_labels, edges);
    skip_lines(attributes_, TuPart::node_attributes, run.nodes);
    skip_lines(edge_attributes_, TuPart::edge_attributes, edges);
  }

  static bool belongs_before(std::span<const std::int64_t> edge, std::uint64_t last_node) {
    return !edge.empty() && (edge[0] <= 0 || static_cast<std::uint64_t>(edge[0]) <= last_node);
  }

  GraphSet part_of_whole(std::size_t graphs) {
    std::vector<std::uint32_t> chosen(graphs);
    for (auto& graph : chosen) {
      graph = next_of_whole_++;
    }
    return whole_->subset(chosen);
  }

  GraphSet read_graphs(TuColumns&& columns) {
    const auto nodes =
        std::reduce(columns.node_count.begin(), columns.node_count.end(), std::uint64_t{0});
    columns.first_node = std::exchange(nodes_done_, nodes_done_ + nodes);
    columns.total_nodes = indicator_->next_id() == 0 ? indicator_->nodes_read() : 0;
    columns.first_edge_line = edges_->line();
    columns.edges = take_edges(nodes_done_);
    const std::size_t edges = columns.edges.rows();
    columns.node_labels = take_lines(node_labels_, TuPart::node_labels, nodes);
    columns.edge_labels = take_lines(edge_labels_, TuPart::edge_labels, edges);
    columns.node_attributes = take_lines(attributes_, TuPart::node_attributes, nodes);
    columns.edge_attributes = take_lines(edge_attributes_, TuPart::edge_attributes, edges);
    return graph::canonicalise(assemble(context_, std::move(columns), true, pool_), pool_);
  }

  /// Edges from the read position up to the last node of the chunk.
  IntTable take_edges(std::uint64_t last_node) {
    std::size_t count = 0;
    while (belongs_before(edges_->row(count), last_node)) {
      ++count;
    }
    return edges_->take(count);
  }

  template <typename T>
  Table<T> take_lines(std::optional<RowStream<T>>& stream, TuPart part, std::size_t rows) {
    if (!stream) {
      return {};
    }
    auto table = stream->take(rows);
    if (table.rows() < rows) {
      reject_too_short(part, stream->line() - 1);
    }
    return table;
  }

  template <typename T>
  void skip_lines(std::optional<RowStream<T>>& stream, TuPart part, std::uint64_t rows) {
    for (; stream && rows > 0; --rows) {
      if (stream->peek().empty()) {
        reject_too_short(part, stream->line() - 1);
      }
      stream->skip(1);
    }
  }

  static TuPart partner_of(TuPart part) {
    return part == TuPart::edge_labels || part == TuPart::edge_attributes ? TuPart::edges
                                                                          : TuPart::graph_indicator;
  }

  [[noreturn]] void reject_too_short(TuPart part, std::uint64_t lines) const {
    if (lines == 0) {
      reject_empty(files_, part);
    }
    reject_unpaired(files_, partner_of(part), lines + 1, part);
  }

  void check_end_of_files() {
    if (whole_) {
      return;
    }
    check_graph_count(context_, indicator_->last_id());
    if (const auto row = edges_->peek(); !row.empty()) {
      throw DataError(
          {files_.place(TuPart::edges), edges_->line()},
          fmt::format("node id {}, but {} has {}", row[0], files_.place(TuPart::graph_indicator),
                      core::counted(indicator_->nodes_read(), "line")));
    }
    check_end(node_labels_, TuPart::node_labels);
    check_end(edge_labels_, TuPart::edge_labels);
    check_end(attributes_, TuPart::node_attributes);
    check_end(edge_attributes_, TuPart::edge_attributes);
  }

  template <typename T>
  void check_end(std::optional<RowStream<T>>& stream, TuPart part) {
    if (stream && !stream->peek().empty()) {
      reject_unpaired(files_, part, stream->line(), partner_of(part));
    }
  }

  TuFiles files_;
  core::ThreadPool pool_;
  TuContext context_;
  RowMaker rows_;
  std::uint64_t max_nodes_;
  std::optional<IndicatorStream> indicator_;
  std::optional<RowStream<std::int64_t>> edges_;
  std::optional<RowStream<std::int64_t>> node_labels_;
  std::optional<RowStream<std::int64_t>> edge_labels_;
  std::optional<RowStream<float>> attributes_;
  std::optional<RowStream<float>> edge_attributes_;
  std::optional<GraphSet> whole_;  ///< only where the edges are not grouped by graph
  std::uint32_t next_of_whole_ = 0;
  std::uint64_t nodes_done_ = 0;  ///< nodes of the graphs already read or passed over
  std::optional<Run> waiting_;    ///< a graph for the next chunk
};

}  // namespace

std::unique_ptr<GraphReader> open_tu(std::shared_ptr<const Folder> folder, const std::string& where,
                                     const ReadOptions& options) {
  return std::make_unique<TuStream>(std::move(folder), where, options);
}

}  // namespace rayleigh::io
