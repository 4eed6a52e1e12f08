// A lock on a folder: two programs that write the same files in it would spoil each other's work.
// Held as long as the object lives; a program that dies leaves no lock behind.
// One small file in the folder.
#pragma once

#include <filesystem>

namespace rayleigh::core {

class FolderLock {
 public:
  /// The folder must exist. Throws Error at once when another process holds the lock.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace rayleigh::core
