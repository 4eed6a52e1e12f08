// Names for what is being written beside its place: NAME.tmp-0, NAME.tmp-1 and so on. Whoever
// writes holds a lock on it, so that the next run takes over what a killed one left, and two runs
// at a time do not meet.
// Used by AtomicFile and AtomicFolder.
// A few system calls.
#pragma once

#include <filesystem>
#include <string>

namespace rayleigh::core {

/// Open, locked, and ours alone for as long as `descriptor` is open.
struct TemporaryPlace {
  std::string path;
  int descriptor = -1;  ///< -1 and errno where there is none
};

/// An empty file.
TemporaryPlace temporary_file(const std::filesystem::path& target);
/// An empty folder.
TemporaryPlace temporary_folder(const std::filesystem::path& target);

}  // namespace rayleigh::core
