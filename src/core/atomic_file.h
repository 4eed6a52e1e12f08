// Output that appears whole or not at all: written beside its target, synced, then renamed. A link
// stays and the file it leads to is replaced; what is not a file (a device, a FIFO, /dev/stdout) is
// written through. Use for every file the program leaves behind. Of two writers of one path the
// last to finish wins. What a killed run left is taken over by the next. One fsync per file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/output_place.h"

namespace rayleigh::core {

class AtomicFile {
 public:
  /// Throws at once when the folder is missing or not writable.
  explicit AtomicFile(std::filesystem::path target);
  /// Without commit() nothing of the file remains.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(std::string_view action) const;

  std::filesystem::path target_;
  OutputPlace place_;
  std::string temporary_;
  std::string buffer_;
  int descriptor_ = -1;
};

/// Makes new names in a folder survive a loss of power.
void sync_folder(const std::filesystem::path& folder);

void write_file_atomically(const std::filesystem::path& target, std::string_view bytes);

/// Several files that appear together. New files are gathered in a temporary folder beside the
/// target; commit() renames the folder, or, where the target exists, moves each file into it.
class AtomicFolder {
 public:
  explicit AtomicFolder(std::filesystem::path target);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where to write a file of this name before commit().
  std::filesystem::path file(std::string_view name) const { return temporary_ / name; }
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;  ///< holds the lock on it
};

}  // namespace rayleigh::core
