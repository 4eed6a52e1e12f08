// A place with named files in it: a directory, a .zip archive or memory.
// The TU reader works on a Folder, so that all three behave alike; nothing is ever unpacked to
// disk. Opening lists the names; each open() is independent and may be used by another thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"

namespace rayleigh::io {

struct FolderFile {
  std::string name;         ///< without its path
  std::uint64_t bytes = 0;  ///< expanded size, 0 = unknown
};

class Folder {
 public:
  virtual ~Folder() = default;
  virtual const std::vector<FolderFile>& files() const = 0;
  /// A file of files() by its position. Gzipped files are unpacked.
  virtual std::unique_ptr<ByteSource> open(std::size_t file) const = 0;
  /// "dir/NAME_A.txt" or "x.zip/NAME_A.txt", as it appears in messages.
  virtual std::string place(std::string_view file_name) const = 0;
};

/// A directory.
std::unique_ptr<Folder> open_directory(const std::string& path);

/// A .zip file. Refuses paths that leave the archive, encrypted entries and archives that expand to
/// more than `max_expanded_bytes` or, beyond 256 MiB, to more than 200 times their size.
std::unique_ptr<Folder> open_zip(const std::string& path, std::uint64_t max_expanded_bytes);

/// A .zip in memory; the bytes must outlive the folder.
std::unique_ptr<Folder> open_zip_bytes(const std::string& name, std::string_view bytes,
                                       std::uint64_t max_expanded_bytes);

/// Files in memory: (name, bytes) pairs.
std::unique_ptr<Folder> open_memory_folder(std::vector<std::pair<std::string, std::string>> files);

}  // namespace rayleigh::io
