#include "paper/experiments/e7_parameters.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

#include "paper/datasets.h"
#include "paper/grid_plan.h"
#include "paper/reproduction.h"
#include "plot/figure.h"

namespace rayleigh::paper {
namespace {

using plot::Axis;
using plot::Figure;
using report::Comparison;
using report::ComparisonEntry;

struct Parameter {
  std::string_view name;
  const char* title;
  double of_the_paper;
  std::vector<const char*> others;
  bool of_loss = false;
};

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all{
      {"hidden", "hidden size d", 64, {"32", "128", "256"}},
      {"width", "width q", 4, {"3", "5", "6"}},
      {"depth", "depth K", 6, {"5", "7", "8"}},
      {"gamma", "γ of the loss", 1.5, {"0", "0.5", "1", "2", "2.5"}, true},
      {"beta", "1 − β of the loss", 0.999, {"0.9", "0.99", "0.9999"}, true}};
  return all;
}

/// The value of a parameter that a row of E7 has, where it is about that parameter.
std::optional<double> value_in_row(const std::string& title, std::string_view parameter) {
  if (title.find('=') == std::string::npos) {
    return std::ranges::find(parameters(), parameter, &Parameter::name)->of_the_paper;
  }
  const std::string key = fmt::format(" {}=", parameter);
  const auto at = title.find(key);
  return at == std::string::npos ? std::nullopt
                                 : std::optional(std::stod(title.substr(at + key.size())));
}

/// A line for each dataset. Hidden size and β go by factors.
std::string parameter_figure(const Comparison& table, std::string_view name, const char* title) {
  const bool is_beta = name == "beta";
  const bool is_size = name == "hidden";
  Axis values{.title = title,
              .logarithmic = is_beta || is_size,
              .whole_numbers = name == "width" || name == "depth"};
  if (is_size) {
    values.ticks = {32, 64, 128, 256};
  }
  Figure figure(title, values, {.title = "macro-F1 at 0.5", .low = 0.4, .high = 0.9});
  std::size_t colour = 0;
  for (const std::string_view data : parameter_datasets()) {
    std::vector<double> x;
    std::vector<double> y;
    for (const auto& [value, f1] : parameter_curve(table, data, name)) {
      x.push_back(is_beta ? 1 - value : value);
      y.push_back(f1);
    }
    if (!x.empty()) {
      figure.line(x, y, plot::colour_of(colour), std::string(data));
      figure.points(x, y, plot::colour_of(colour), "");
    }
    ++colour;
  }
  return figure.svg();
}

/// "seeds 1, 2" of which every value of every parameter has a run.
std::string seeds_of_all(const Comparison& comparison) {
  std::map<std::uint64_t, std::size_t> runs;
  std::size_t entries = 0;
  for (const auto& row : comparison.entries) {
    for (const ComparisonEntry& entry : row) {
      entries += entry.done.empty() ? 0 : 1;
      for (const compare::CellResult* cell : entry.done) {
        ++runs[cell->seed];
      }
    }
  }
  std::vector<std::uint64_t> seeds;
  for (const auto& [seed, count] : runs) {
    if (count == entries) {
      seeds.push_back(seed);
    }
  }
  return fmt::format("{} {}", seeds.size() == 1 ? "seed" : "seeds", fmt::join(seeds, ", "));
}

}  // namespace

std::vector<std::pair<double, double>> parameter_curve(const Comparison& comparison,
                                                       std::string_view data,
                                                       std::string_view parameter) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    if (comparison.data[set] != data &&
        !comparison.data[set].starts_with(fmt::format("{},", data))) {
      continue;
    }
    std::map<std::uint64_t, std::size_t> rows_with_seed;
    std::size_t rows = 0;
    for (const auto& entries : comparison.entries) {
      rows += entries[set].done.empty() ? 0 : 1;
      for (const compare::CellResult* cell : entries[set].done) {
        ++rows_with_seed[cell->seed];
      }
    }
    for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
      const auto value = value_in_row(comparison.rows[row].title, parameter);
      std::vector<double> values;
      for (const compare::CellResult* cell : comparison.entries[row][set].done) {
        if (rows_with_seed[cell->seed] == rows) {
          values.push_back(cell->test.macro_f1);
        }
      }
      if (value && !values.empty()) {
        points.emplace_back(*value, report::summarise(values).mean);
      }
    }
  }
  std::ranges::sort(points);
  return points;
}

void ParametersExperiment::plan(GridPlan& plan) const {
  for (const std::string_view name : parameter_datasets()) {
    plan.add_data(name);
  }
  // The values of the paper are one and the same run.
  plan.add_model("rqgnn:profile=published");
  for (const Parameter& parameter : parameters()) {
    for (const char* value : parameter.others) {
      plan.add_model(fmt::format("rqgnn:profile=published:{}={}", parameter.name, value));
    }
  }
}

std::vector<ReportFigure> ParametersExperiment::figures(const Reproduction& r) const {
  const Comparison* const table = r.table(id());
  if (table == nullptr) {
    return {};
  }
  const std::string seeds = seeds_of_all(*table);
  std::vector<ReportFigure> figures;
  figures.reserve(parameters().size());
  for (const Parameter& one : parameters()) {
    figures.push_back(
        {fmt::format("E7_{}", one.name), parameter_figure(*table, one.name, one.title),
         fmt::format(
             "Macro-F1 at 0.5 against {}, all else as in the paper, profile published, {}. {}{}",
             one.title, seeds, protocol_of(r), one.of_loss ? " The grid of values is ours." : "")});
  }
  return figures;
}

std::vector<ReportTable> ParametersExperiment::fact_tables(const Reproduction& r) const {
  const Comparison& table = *r.table(id());
  std::vector<std::vector<std::string>> rows{{"parameter", "value"}};
  std::vector<std::string_view> sets;
  for (const std::string_view data : parameter_datasets()) {
    if (!parameter_curve(table, data, parameters().front().name).empty()) {
      sets.push_back(data);
      rows.front().emplace_back(data);
    }
  }
  for (const Parameter& one : parameters()) {
    std::map<double, std::vector<std::string>> by_value;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      for (const auto& [value, f1] : parameter_curve(table, sets[set], one.name)) {
        auto& cells = by_value[value];
        cells.resize(sets.size(), "-");
        cells[set] = fmt::format("{:.3f}", f1);
      }
    }
    for (const auto& [value, cells] : by_value) {
      rows.push_back(
          {std::string(one.name),
           fmt::format("{}{}", value, value == one.of_the_paper ? ", the paper's" : "")});
      rows.back().insert(rows.back().end(), cells.begin(), cells.end());
    }
  }
  return {{std::move(rows),
           fmt::format("Macro-F1 at 0.5, all else as in the paper, profile published, {}. {}",
                       seeds_of_all(table), protocol_of(r))}};
}

void ParametersExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  show_figures(result, page);
  show_fact_tables(result, page);
}

}  // namespace rayleigh::paper
