#include "compare/outside_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <unordered_map>

#include "rayleigh/error.h"
#include "rayleigh/version.h"

#include "compare/graph_id.h"
#include "core/text.h"
#include "plot/csv.h"

namespace rayleigh::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t kNoRow = 0xffffffffU;

constexpr std::array kPartNames{"train", "validation", "test"};

std::array<const std::vector<std::uint32_t>*, 3> parts_of(const Split& split) {
  return {&split.train, &split.validation, &split.test};
}

/// Names of the parts by graph, "none" for the others.
std::vector<const char*> part_names(const Split& split, std::size_t graphs) {
  std::vector<const char*> names(graphs, "none");
  for (std::size_t part = 0; part < kPartNames.size(); ++part) {
    for (const std::uint32_t g : *parts_of(split)[part]) {
      names[g] = kPartNames[part];
    }
  }
  return names;
}

Metrics no_metrics() {
  return {.auc = kNoValue,
          .average_precision = kNoValue,
          .macro_f1 = kNoValue,
          .macro_f1_tuned = kNoValue,
          .threshold = kNoValue,
          .fpr_at_95 = kNoValue,
          .enrichment_1 = kNoValue,
          .bedroc = kNoValue};
}

/// One file on one dataset.
class FileOnData {
 public:
  FileOnData(const ScoreFile& file, const Grid& grid, std::size_t data, const GraphSet& graphs,
             std::span<const Split> splits)
      : file_(file),
        grid_(grid),
        graphs_(graphs),
        splits_(splits),
        title_(grid.data[data].title),
        labels_(anomaly_labels(graphs, grid.data[data].anomaly_class)),
        description_(description_of(describe_data(graphs, labels_))) {
    check_seeds();
    for (std::size_t name = 0; name < file.data.size(); ++name) {
      if (!file.has_data || file.data[name] == title_) {
        file_data_ = name;
      }
    }
    if (file_data_) {
      if (!file.has_index) {
        know_ids();
      }
      sort_rows();
    }
  }

  /// Whether the file speaks of the dataset.
  bool about_it() const { return file_data_.has_value(); }

  CellResult cell(std::size_t model, std::size_t seed) const {
    const Split& split = splits_[seed - 1];
    const auto& row_of = rows_[model * splits_.size() + seed - 1];
    CellResult result;
    result.seed = seed;
    result.data_title = title_;
    result.model_title = file_.models[model];
    result.detector = "scores";
    result.version = kVersion;
    result.description = description_;
    result.settings = {
        {"scores", core::printable(std::filesystem::path(file_.path).filename().string(), 200)}};
    result.split = split_json(split);
    const bool probabilities = scores_are_probabilities(model);
    const std::size_t known = known_of(split.validation, row_of);
    if (known > 0 && known < split.validation.size()) {
      static_cast<void>(scores_of(split.validation, row_of, model, seed,
                                  fmt::format(" and {} others have one: give the scores of all "
                                              "validation graphs or of none",
                                              core::with_commas(known))));
    }
    double threshold = kNoValue;
    result.validation = no_metrics();
    if (known > 0) {
      const Scores validation = scores_of(split.validation, row_of, model, seed, "");
      threshold = best_threshold(validation.view()).value;
      result.validation = measured(validation, threshold, probabilities);
    }
    const Scores test = scores_of(split.test, row_of, model, seed, "");
    result.test = measured(test, threshold, probabilities);
    constexpr double kDots = 100;  // as in cells that are trained here
    result.roc = thinned(roc_curve(test.view()), kDots);
    if (grid_.keep_ranks) {
      result.ranks = ranks_of(test.view(), threshold);
    }
    result.seconds_prepare = kNoValue;
    result.seconds_train = kNoValue;
    result.seconds_evaluate = kNoValue;
    result.train_graphs_per_second = kNoValue;
    result.machine = Json::object();
    return result;
  }

 private:
  struct Scores {
    std::vector<std::int8_t> labels{};
    std::vector<double> scores{};
    Scored view() const { return {labels, scores}; }
  };

  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const {
    throw DataError({file_.path, line}, what);
  }
  const char* seed_word() const { return grid_.folds > 0 ? "fold" : "seed"; }

  Json split_json(const Split& split) const {
    Json json;
    for (std::size_t part = 0; part < kPartNames.size(); ++part) {
      const auto& graphs = *parts_of(split)[part];
      json[kPartNames[part]] = graphs.size();
      json[fmt::format("{}_anomalous", kPartNames[part])] =
          std::ranges::count_if(graphs, [&](std::uint32_t g) { return labels_[g] == 1; });
    }
    json["hash"] = split_hash(split);
    return json;
  }

  Metrics measured(const Scores& part, double threshold, bool probabilities) const {
    Metrics metrics = measure(part.view(), threshold, probabilities);
    if (std::isnan(threshold)) {
      metrics.macro_f1_tuned = kNoValue;
    }
    return metrics;
  }

  /// Without a column, scores must mean the same parts whatever the seed.
  void check_seeds() const {
    if (!file_.seed_column.empty() && file_.seed_column != seed_word()) {
      fail(1, fmt::format("has a column {}, but this comparison has {}s", file_.seed_column,
                          seed_word()));
    }
    const bool moves = std::ranges::any_of(
        splits_, [&](const Split& split) { return split.test != splits_.front().test; });
    if (file_.seed_column.empty() && grid_.folds == 0 && moves) {
      fail(1,
           "there is no column seed, but the test part moves with the seed: a method that learned "
           "the training graphs of one seed has seen test graphs of another");
    }
  }

  void know_ids() {
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const std::string id = graph_id(graphs_, g);
      const auto [at, fresh] =
          graph_of_id_.try_emplace(std::string(core::trim(id)), static_cast<std::uint32_t>(g));
      if (!fresh) {
        at->second = kNoRow;  // two graphs
      }
    }
  }

  std::uint32_t graph_of(const ScoreRow& row) const {
    if (row.index) {
      if (*row.index >= graphs_.size()) {
        fail(row.line, fmt::format("index {} is not a graph of {}, expected 0 … {}", *row.index,
                                   title_, graphs_.size() - 1));
      }
      const auto graph = static_cast<std::uint32_t>(*row.index);
      if (const std::string id = graph_id(graphs_, graph);
          file_.has_id && core::trim(id) != row.id) {
        fail(row.line, fmt::format("graph {} of {} has the id {}, not {}", graph, title_,
                                   core::printable(id), core::printable(row.id)));
      }
      return graph;
    }
    const auto at = graph_of_id_.find(row.id);
    if (at == graph_of_id_.end()) {
      fail(row.line,
           fmt::format("'{}' is not the id of a graph of {}", core::printable(row.id), title_));
    }
    if (at->second == kNoRow) {
      fail(row.line, fmt::format("'{}' is the id of several graphs of {}: use a column index",
                                 core::printable(row.id), title_));
    }
    return at->second;
  }

  /// Every row to the graph, model and seed it is about.
  void sort_rows() {
    rows_.assign(file_.models.size() * splits_.size(), {});
    std::vector<std::vector<const char*>> parts;
    parts.reserve(splits_.size());
    for (const Split& split : splits_) {
      parts.push_back(part_names(split, graphs_.size()));
    }
    for (std::size_t number = 0; number < file_.rows.size(); ++number) {
      const ScoreRow& row = file_.rows[number];
      if (row.data != *file_data_) {
        continue;
      }
      const std::uint32_t graph = graph_of(row);
      std::size_t first = 1;
      std::size_t last = splits_.size();
      if (!file_.seed_column.empty()) {
        if (row.seed == 0 || row.seed > splits_.size()) {
          continue;  // of a longer comparison
        }
        first = last = row.seed;
      }
      for (std::size_t seed = first; seed <= last; ++seed) {
        const char* part = parts[seed - 1][graph];
        if (file_.seed_column.empty() && grid_.folds > 0 && part != std::string_view("test")) {
          continue;  // without a column the score is of the fold that tests the graph
        }
        if (!row.part.empty() && row.part != part) {
          fail(row.line, fmt::format("the file has graph {} in part {}, in {} {} it is in part {}",
                                     core::printable(graph_id(graphs_, graph)), row.part,
                                     seed_word(), seed, part));
        }
        keep(number, row, graph, seed);
      }
    }
  }

  void keep(std::size_t number, const ScoreRow& row, std::uint32_t graph, std::size_t seed) {
    auto& row_of = rows_[row.model * splits_.size() + seed - 1];
    if (row_of.empty()) {
      row_of.assign(graphs_.size(), kNoRow);
    }
    if (row_of[graph] != kNoRow) {
      fail(row.line,
           fmt::format("graph {} has a score in line {} already",
                       core::printable(graph_id(graphs_, graph)), file_.rows[row_of[graph]].line));
    }
    row_of[graph] = static_cast<std::uint32_t>(number);
  }

  std::size_t known_of(const std::vector<std::uint32_t>& part,
                       const std::vector<std::uint32_t>& row_of) const {
    return row_of.empty() ? 0
                          : static_cast<std::size_t>(std::ranges::count_if(
                                part, [&](std::uint32_t g) { return row_of[g] != kNoRow; }));
  }

  Scores scores_of(const std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& row_of,
                   std::size_t model, std::size_t seed, const std::string& but) const {
    Scores out;
    for (const std::uint32_t g : part) {
      if (row_of.empty() || row_of[g] == kNoRow) {
        fail(0, fmt::format("{} on {}, {} {}: there is no score of graph {} (index {}){}",
                            file_.models[model], title_, seed_word(), seed,
                            core::printable(graph_id(graphs_, g)), g,
                            but.empty() ? ", which is in the test part" : but));
      }
      out.labels.push_back(labels_[g]);
      out.scores.push_back(file_.rows[row_of[g]].score);
    }
    return out;
  }

  bool scores_are_probabilities(std::size_t model) const {
    return std::ranges::all_of(file_.rows, [&](const ScoreRow& row) {
      return row.model != model || (row.score >= 0 && row.score <= 1);
    });
  }

  const ScoreFile& file_;
  const Grid& grid_;
  const GraphSet& graphs_;
  std::span<const Split> splits_;
  std::string title_;
  std::vector<std::int8_t> labels_;
  Json description_;
  std::optional<std::size_t> file_data_;
  std::unordered_map<std::string, std::uint32_t> graph_of_id_;
  /// Row of the file by model and seed, then by graph; empty where there is none.
  std::vector<std::vector<std::uint32_t>> rows_;
};

}  // namespace

OutsideScores::OutsideScores(const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    files_.push_back(read_score_file(path));
  }
}

std::vector<GridModel> OutsideScores::models() const {
  std::vector<GridModel> models;
  for (const ScoreFile& file : files_) {
    for (const std::string& model : file.models) {
      if (std::ranges::find(models, model, &GridModel::title) != models.end()) {
        throw UsageError("scores", fmt::format("there are two methods of the name {}", model));
      }
      models.push_back({.title = model, .model = "", .settings = {}, .scores = file.path});
    }
  }
  return models;
}

void OutsideScores::check_data(const Grid& grid) const {
  std::vector<std::string> titles;
  std::ranges::transform(grid.data, std::back_inserter(titles), &GridData::title);
  for (const ScoreFile& file : files_) {
    if (!file.has_data && titles.size() > 1) {
      throw DataError({file.path, 1},
                      "there is no column data, which tells of which dataset a score is");
    }
    for (const ScoreRow& row : file.rows) {
      const std::string& name = file.data[row.data];
      if (file.has_data && std::ranges::find(titles, name) == titles.end()) {
        throw DataError({file.path, row.line},
                        fmt::format("'{}' is not a dataset of this comparison{}",
                                    core::printable(name), core::did_you_mean(name, titles)));
      }
    }
  }
}

std::vector<CellResult> OutsideScores::cells(const Grid& grid, std::size_t first, std::size_t data,
                                             const GraphSet& graphs,
                                             std::span<const Split> splits) const {
  std::vector<CellResult> cells;
  for (const ScoreFile& file : files_) {
    const FileOnData on_data(file, grid, data, graphs, splits);
    for (std::size_t model = 0; model < file.models.size(); ++model) {
      for (std::size_t seed = 1; on_data.about_it() && seed <= splits.size(); ++seed) {
        cells.push_back(on_data.cell(model, seed));
        cells.back().data = data;
        cells.back().model = first + model;
      }
    }
    first += file.models.size();
  }
  return cells;
}

std::vector<CellResult> OutsideScores::failed_cells(const Grid& grid, std::size_t first,
                                                    std::size_t data, std::size_t seeds,
                                                    const std::string& reason) const {
  std::vector<CellResult> cells;
  for (std::size_t model = first; model < grid.models.size(); ++model) {
    for (std::size_t seed = 1; seed <= seeds; ++seed) {
      CellResult& cell = cells.emplace_back();
      cell.data = data;
      cell.model = model;
      cell.seed = seed;
      cell.data_title = grid.data[data].title;
      cell.model_title = grid.models[model].title;
      cell.detector = "scores";
      cell.version = kVersion;
      cell.reason = reason;
    }
  }
  return cells;
}

std::string parts_header(const Grid& grid) {
  return fmt::format("data,{},index,id,part,label\n", grid.folds > 0 ? "fold" : "seed");
}

std::string parts_rows(const Grid& grid, std::size_t data, const GraphSet& graphs,
                       std::span<const std::int8_t> labels, std::span<const Split> splits) {
  std::string rows;
  for (std::size_t seed = 1; seed <= splits.size(); ++seed) {
    const auto parts = part_names(splits[seed - 1], graphs.size());
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      if (parts[g] != std::string_view("none")) {
        rows += fmt::format("{},{},{},{},{},{}\n", plot::csv_text(grid.data[data].title), seed, g,
                            plot::csv_text(graph_id(graphs, g)), parts[g], labels[g]);
      }
    }
  }
  return rows;
}

}  // namespace rayleigh::compare
