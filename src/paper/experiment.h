// One experiment of the paper: what it trains, what it measures, how its results are shown.
// experiments/ has a file for each, all_experiments() the list. They have no state: results lie in
// the Reproduction, so that one experiment can speak of another's.
// Costs what it trains; showing takes milliseconds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/graph_set.h"

#include "plot/html_page.h"

namespace rayleigh::paper {

class GridPlan;
class Session;
struct Reproduction;

/// By the numbers of docs/experiments, E0 … E10.
enum class ExperimentId {
  datasets,
  main_table,
  class_balanced_loss,
  other_domains,
  distributions,
  distance_ratios,
  perturbation,
  parameters,
  case_study,
  theory,
  claims
};

/// "E0" … "E10".
std::string short_name(ExperimentId id);
/// UsageError for other words.
ExperimentId parse_experiment(std::string_view word);

struct ReportTable {
  std::vector<std::vector<std::string>> rows;  ///< the first is the header
  std::string caption;
};

struct ReportFigure {
  std::string name;  ///< "E6_auc"
  std::string svg;
  std::string caption;
  bool wide = false;  ///< has a row of its own
};

class Experiment {
 public:
  Experiment(ExperimentId id, std::string_view title) : id_(id), title_(title) {}
  virtual ~Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  ExperimentId id() const { return id_; }
  /// "E1: the main table".
  std::string heading() const;

  /// The runs that it needs. Their table comes into the Reproduction; none by default.
  virtual void plan(GridPlan& plan) const;
  /// What it measures of a dataset of the main table without training. Called once for each that is
  /// there, before anything is trained.
  virtual void look_at(const std::string& data, const GraphSet& graphs, const Session& session,
                       Reproduction& result) const;
  /// What else it does, after all runs and after the experiments before it.
  virtual void run(const Session& session, Reproduction& result) const;

  /// Whether there is something to show; by default, whether it has a table.
  virtual bool has_results(const Reproduction& result) const;
  /// Adds to results.json what is not a table of runs.
  virtual void add_json(const Reproduction& result, nlohmann::ordered_json& json) const;
  virtual std::vector<ReportFigure> figures(const Reproduction& result) const;
  /// Tables of facts, for the page and for Markdown alike; tables of runs are shown otherwise.
  virtual std::vector<ReportTable> fact_tables(const Reproduction& result) const;
  /// Its tables as a Markdown file; "" for none. By default those of facts.
  virtual std::string markdown(const Reproduction& result) const;
  /// Its section of report.html, below the heading.
  virtual void show(const Reproduction& result, plot::HtmlPage& page) const = 0;

 protected:
  /// Next to each other where there is room, wide ones below.
  void show_figures(const Reproduction& result, plot::HtmlPage& page) const;
  void show_fact_tables(const Reproduction& result, plot::HtmlPage& page) const;

 private:
  ExperimentId id_;
  std::string_view title_;
};

/// E0 … E10.
std::span<const Experiment* const> all_experiments();

}  // namespace rayleigh::paper
