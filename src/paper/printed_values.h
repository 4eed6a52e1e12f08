// The values that the paper prints in its tables of results, to stand beside our own.
// Ask by dataset and method as the paper names them; methods.h tells which of our rows is which.
// A constant table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace rayleigh::paper {

enum class PrintedTable {
  main,                 ///< ten datasets, ten baselines, RQGNN-1, RQGNN-2, RQGNN
  class_balanced_loss,  ///< with and without the loss; RQGNN-3 is RQGNN with cross entropy
  other_domains,
};

struct PrintedValue {
  PrintedTable table;
  std::string_view data;
  std::string_view method;
  double auc;
  double macro_f1;  ///< NaN where the paper gives none
};
/// In the order of the paper.
std::span<const PrintedValue> printed_values();

/// The values of a method on a dataset, of the first table that has them.
std::optional<PrintedValue> printed_value(std::string_view data, std::string_view method);

}  // namespace rayleigh::paper
