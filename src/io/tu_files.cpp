#include "io/tu_files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::io {
namespace {

constexpr std::array<std::string_view, kTuParts> kSuffixes{
    "_A.txt",           "_graph_indicator.txt",   "_graph_labels.txt",     "_node_labels.txt",
    "_edge_labels.txt", "_node_attributes.txt",   "_edge_attributes.txt",  "_graph_attributes.txt",
    "_graph_names.txt", "_graph_label_names.txt", "_node_label_names.txt", "_edge_label_names.txt",
};

std::string_view without_gz(std::string_view name) {
  if (name.ends_with(".gz")) {
    name.remove_suffix(3);
  }
  return name;
}

/// The dataset's name: the only X with X_A.txt, or the one that the folder is called after.
std::string find_name(const Folder& folder, const std::string& where) {
  std::vector<std::string> names;
  for (const auto part : {TuPart::edges, TuPart::graph_indicator}) {
    const auto suffix = tu_suffix(part);
    for (const auto& file : folder.files()) {
      const auto plain = without_gz(file.name);
      if (plain.ends_with(suffix)) {
        names.emplace_back(plain.substr(0, plain.size() - suffix.size()));
      }
    }
    if (!names.empty()) {
      break;
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) {
    throw DataError({where, 0},
                    "no graphs in TU format here, expected NAME_A.txt and "
                    "NAME_graph_indicator.txt, and optionally NAME_graph_labels.txt, "
                    "NAME_node_labels.txt, NAME_edge_labels.txt, NAME_node_attributes.txt, "
                    "NAME_edge_attributes.txt");
  }
  if (names.size() == 1) {
    return names.front();
  }
  auto stem = std::filesystem::path(where).stem().string();
  if (std::ranges::find(names, stem) != names.end()) {
    return stem;
  }
  throw DataError({where, 0},
                  fmt::format("several datasets here ({}), expected one",
                              core::printable(fmt::format("{}", fmt::join(names, ", ")), 200)));
}

}  // namespace

std::string_view tu_suffix(TuPart part) { return kSuffixes[static_cast<std::size_t>(part)]; }

TuFiles::TuFiles(std::shared_ptr<const Folder> folder, std::string where)
    : folder_(std::move(folder)), name_(find_name(*folder_, where)) {
  const auto& files = folder_->files();
  for (std::size_t part = 0; part < kTuParts; ++part) {
    const auto wanted = fmt::format("{}{}", name_, kSuffixes[part]);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (without_gz(files[i].name) != wanted) {
        continue;
      }
      if (files_[part]) {
        throw DataError({where, 0},
                        fmt::format("{}{} is there twice, as {} and {}, expected it once", name(),
                                    kSuffixes[part], folder_->place(files[*files_[part]].name),
                                    folder_->place(files[i].name)));
      }
      files_[part] = i;
    }
  }
  for (const auto part : {TuPart::edges, TuPart::graph_indicator}) {
    if (!has(part)) {
      throw DataError(
          {where, 0},
          fmt::format("{}{} is missing, expected it beside {}{}", name(), tu_suffix(part), name(),
                      tu_suffix(part == TuPart::edges ? TuPart::graph_indicator : TuPart::edges)));
    }
  }
}

std::string TuFiles::name() const { return core::printable(name_, 255); }

std::unique_ptr<ByteSource> TuFiles::open(TuPart part) const { return folder_->open(*at(part)); }

std::uint64_t TuFiles::bytes(TuPart part) const {
  return has(part) ? folder_->files()[*at(part)].bytes : 0;
}

std::string TuFiles::place(TuPart part) const {
  return folder_->place(has(part) ? folder_->files()[*at(part)].name
                                  : fmt::format("{}{}", name_, tu_suffix(part)));
}

}  // namespace rayleigh::io
