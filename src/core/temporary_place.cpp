#include "core/temporary_place.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/descriptor.h"

namespace rayleigh::core {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAtATime = 10'000;

/// True when nobody holds the lock, and we do now. Where files cannot be locked, what `made` was
/// made by us is ours, and what was there may be somebody's.
bool locked(int descriptor, bool made) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    return true;
  }
  return made && errno != EWOULDBLOCK;
}

/// Somebody else may have put it there for us to write into.
bool is_safe(int descriptor, bool folder) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 && found.st_uid == geteuid() &&
         (folder ? S_ISDIR(found.st_mode) : S_ISREG(found.st_mode) && found.st_nlink == 1);
}

/// False when it holds more than files: then it is not what a killed run left.
bool empty_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!fs::is_regular_file(entry->symlink_status(error))) {
      return false;
    }
    files.push_back(entry->path());
  }
  for (const fs::path& file : files) {
    fs::remove(file, error);
  }
  return !error;
}

struct Opened {
  int descriptor = -1;
  bool made = false;
};

Opened open_file_at(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  constexpr mode_t kOurs = 0600;
  const int made = open(path.c_str(), kFlags | O_CREAT | O_EXCL, kOurs);
  return made >= 0 || errno != EEXIST
             ? Opened{made, true}
             : Opened{open(path.c_str(), kFlags | O_NONBLOCK | O_NOCTTY), false};
}

Opened open_folder_at(const std::string& path) {
  constexpr mode_t kOurs = 0700;
  const bool made = mkdir(path.c_str(), kOurs) == 0;
  if (!made && errno != EEXIST) {
    return {-1, true};
  }
  return {open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), made};
}

TemporaryPlace temporary(const fs::path& target, bool folder) {
  for (int number = 0; number < kMostAtATime; ++number) {
    std::string path = target.string() + ".tmp-" + std::to_string(number);
    const auto [descriptor, made] = folder ? open_folder_at(path) : open_file_at(path);
    if (descriptor < 0 && made) {
      return {};
    }
    if (descriptor < 0) {
      continue;
    }
    if (is_safe(descriptor, folder) && locked(descriptor, made) &&
        is_file_at(descriptor, path) &&  // whoever had it may have renamed it just now
        (folder ? empty_folder(path) : ftruncate(descriptor, 0) == 0)) {
      return {std::move(path), descriptor};
    }
    close(descriptor);
  }
  errno = EEXIST;
  return {};
}

}  // namespace

TemporaryPlace temporary_file(const fs::path& target) { return temporary(target, false); }
TemporaryPlace temporary_folder(const fs::path& target) { return temporary(target, true); }

}  // namespace rayleigh::core
