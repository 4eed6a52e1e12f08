// What all writers of files do with a descriptor: write everything, and see whether the name still
// means the file they opened.
// Used by the classes that own one; nothing here throws, errno tells what went wrong.
// As fast as the system calls.
#pragma once

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace rayleigh::core {

/// How much was written; less than all only where it failed.
inline std::size_t write_all(int descriptor, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      break;
    }
  }
  return done;
}

/// False when somebody renamed or removed what was opened.
inline bool is_file_at(int descriptor, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace rayleigh::core
