// The datasets of the paper: what it prints about them, and which of them lie in a folder.
// Everything else asks for them by the names of the paper.
// A constant table; nothing is loaded here.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"

namespace rayleigh::paper {

/// A dataset of the main table. As printed: UACC257 has 262.09 nodes there, which must be 26.09.
/// The paper calls the tumour of SN12C "rental"; the assay of PubChem is not in the paper.
struct MainDataset {
  std::string_view name;
  std::size_t normal;
  std::size_t anomalous;
  double mean_nodes;
  double mean_edges;
  std::size_t labels;
  std::string_view tumour;
  int assay;
};
/// All ten, in the order of the table.
std::span<const MainDataset> main_datasets();
/// Null for a dataset that the table does not have.
const MainDataset* main_dataset(std::string_view name);

/// Those whose parameters the paper varies.
std::span<const std::string_view> parameter_datasets();
/// The dataset of E6 and E8.
inline constexpr std::string_view kCaseDataset = "SN12C";

/// A dataset that can be loaded, under the name that the paper gives it.
struct FoundDataset {
  std::string name;
  std::function<GraphSet()> load;
};
/// Null where it is not among them.
const FoundDataset* find(std::span<const FoundDataset> found, std::string_view name);

struct DatasetsThere {
  std::vector<FoundDataset> found;
  std::vector<std::string> missing;
};
/// As NAME.zip, folder NAME, NAME.jsonl or NAME.jsonl.gz; the main ones and those of E3.
DatasetsThere look_for_datasets(const std::filesystem::path& folder, const RunOptions& run);

}  // namespace rayleigh::paper
