// The figures that the RQGNN paper (ICLR 2024) prints in its tables, to stand beside our own.
// Ask by dataset and method as the paper names them; method_in_paper() tells which of our rows is
// which of its.
// Constant tables.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compare/grid_model.h"

namespace rayleigh::report {

enum class PaperTable {
  main,                 ///< ten datasets, ten baselines, RQGNN-1, RQGNN-2, RQGNN
  class_balanced_loss,  ///< with and without the loss; RQGNN-3 is RQGNN with cross entropy
  other_domains,
};

struct PaperFigure {
  PaperTable table;
  std::string_view data;
  std::string_view method;
  double auc;
  double macro_f1;  ///< NaN where the paper gives none
};
/// In the order of the paper.
std::span<const PaperFigure> paper_figures();

/// The figure of a method on a dataset, of the first table that has it.
std::optional<PaperFigure> paper_figure(std::string_view data, std::string_view method);

/// What the paper calls a detector with these settings; "" when it has no such row. Settings of
/// how long and on how many graphs it learns do not matter.
std::string method_in_paper(const compare::GridModel& model);

/// Where a detector stands in the paper's main table; later than all for one it does not have.
std::size_t order_in_paper(std::string_view detector);

/// Distances between the distributions of the Rayleigh quotient, a number for each of ten bins.
struct PaperRatios {
  std::string_view data;
  std::array<double, 10> inter_over_anomalous;
  std::array<double, 10> inter_over_normal;
};
std::span<const PaperRatios> paper_ratios();
std::span<const PaperRatios> paper_perturbation_ratios();

/// As printed: UACC257 has 262.09 nodes there, which must be 26.09. The paper calls the tumour of
/// SN12C "rental"; the assay of PubChem is not in the paper.
struct PaperStatistics {
  std::string_view data;
  std::size_t normal;
  std::size_t anomalous;
  double mean_nodes;
  double mean_edges;
  std::size_t labels;
  std::string_view tumour;
  int assay;
};
std::span<const PaperStatistics> paper_statistics();
/// Null for a dataset that the table does not have.
const PaperStatistics* paper_statistics(std::string_view data);

}  // namespace rayleigh::report
