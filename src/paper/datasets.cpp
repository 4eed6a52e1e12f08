#include "paper/datasets.h"

#include <algorithm>
#include <array>

#include "rayleigh/graph_io.h"

namespace rayleigh::paper {
namespace {

constexpr std::array<MainDataset, 10> kMain{{
    {"MCF-7", 25476, 2294, 26.4, 28.53, 46, "breast", 83},
    {"MOLT-4", 36625, 3140, 26.1, 28.14, 64, "leukemia", 123},
    {"PC-3", 25941, 1568, 26.36, 28.49, 45, "prostate", 41},
    {"SW-620", 38122, 2410, 26.06, 28.09, 65, "colon", 81},
    {"NCI-H23", 38296, 2057, 26.07, 28.1, 65, "non-small cell lung", 1},
    {"OVCAR-8", 38437, 2079, 26.08, 28.11, 65, "ovarian", 109},
    {"P388", 39174, 2298, 22.11, 23.56, 72, "leukemia", 330},
    {"SF-295", 38246, 2025, 26.06, 28.09, 65, "central nervous system", 47},
    {"SN12C", 38049, 1955, 26.08, 28.11, 65, "renal", 145},
    {"UACC257", 38345, 1643, 262.09, 28.13, 64, "melanoma", 33},
}};

constexpr std::array<std::string_view, 4> kVaried{"MCF-7", "SF-295", "SN12C", "UACC257"};
constexpr std::array<std::string_view, 2> kOtherDomains{"COLORS-3", "DBLP_v1"};

/// The file or folder of a dataset; "" when there is none.
std::filesystem::path path_of(const std::filesystem::path& folder, std::string_view name) {
  for (const char* ending : {".zip", "", ".jsonl", ".jsonl.gz"}) {
    std::error_code error;
    auto path = folder / (std::string(name) + ending);
    if (std::filesystem::exists(path, error)) {
      return path;
    }
  }
  return {};
}

}  // namespace

std::span<const MainDataset> main_datasets() { return kMain; }

const MainDataset* main_dataset(std::string_view name) {
  const auto* const at = std::ranges::find(kMain, name, &MainDataset::name);
  return at == kMain.end() ? nullptr : at;
}

std::span<const std::string_view> parameter_datasets() { return kVaried; }

const FoundDataset* find(std::span<const FoundDataset> found, std::string_view name) {
  const auto at = std::ranges::find(found, name, &FoundDataset::name);
  return at == found.end() ? nullptr : &*at;
}

DatasetsThere look_for_datasets(const std::filesystem::path& folder, const RunOptions& run) {
  std::vector<std::string_view> names;
  names.reserve(kMain.size() + kOtherDomains.size());
  for (const MainDataset& dataset : kMain) {
    names.push_back(dataset.name);
  }
  names.insert(names.end(), kOtherDomains.begin(), kOtherDomains.end());
  DatasetsThere there;
  for (const std::string_view name : names) {
    const auto path = path_of(folder, name);
    if (path.empty()) {
      there.missing.emplace_back(name);
      continue;
    }
    there.found.push_back({std::string(name), [path = path.string(), run] {
                             io::ReadOptions options;
                             options.run = run;
                             return io::load(path, options);
                           }});
  }
  return there;
}

}  // namespace rayleigh::paper
