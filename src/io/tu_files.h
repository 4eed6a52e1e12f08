// The files of a TU dataset inside a folder or archive: which are there, and their text.
// Both TU readers start here; it finds NAME, says what is missing and never looks into a file.
// Costs one listing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"
#include "io/folder.h"

namespace rayleigh::io {

enum class TuPart : std::size_t {
  edges,
  graph_indicator,
  graph_labels,
  node_labels,
  edge_labels,
  node_attributes,
  edge_attributes,
  graph_attributes,
  // Ours, written only where the plain format cannot say it; line k names value k (or graph k+1).
  graph_names,
  graph_label_names,
  node_label_names,
  edge_label_names,
};
inline constexpr std::size_t kTuParts = 12;

/// "_A.txt", "_graph_indicator.txt", …
std::string_view tu_suffix(TuPart part);

class TuFiles {
 public:
  /// `where` names the folder in messages. Throws DataError when NAME_A.txt or
  /// NAME_graph_indicator.txt is missing, or when the folder holds several datasets.
  TuFiles(std::shared_ptr<const Folder> folder, std::string where);

  /// The dataset's name, fit to be shown.
  std::string name() const;
  bool has(TuPart part) const { return at(part).has_value(); }
  std::unique_ptr<ByteSource> open(TuPart part) const;
  std::uint64_t bytes(TuPart part) const;
  /// How messages call the file.
  std::string place(TuPart part) const;

 private:
  const std::optional<std::size_t>& at(TuPart part) const {
    return files_[static_cast<std::size_t>(part)];
  }
  std::optional<std::size_t>& at(TuPart part) { return files_[static_cast<std::size_t>(part)]; }

  std::shared_ptr<const Folder> folder_;
  std::string name_;
  std::array<std::optional<std::size_t>, kTuParts> files_;
};

}  // namespace rayleigh::io
