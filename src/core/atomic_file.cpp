#include "core/atomic_file.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "rayleigh/error.h"

#include "core/descriptor.h"
#include "core/temporary_place.h"

namespace rayleigh::core {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t{1} << 18U;

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_at(const fs::path& path, std::string_view action, int error) {
  throw Error(ErrorKind::failed, Place{path.string(), 0},
              fmt::format("cannot {}: {}", action, reason(error)));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Asked for once: it can only be read by setting it, which two threads must not do at a time.
mode_t umask_bits() {
  static const mode_t mask = [] {
    const mode_t current = umask(0);
    umask(current);
    return current;
  }();
  return mask;
}

}  // namespace

void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(descriptor);
    close(descriptor);
  }
}

AtomicFile::AtomicFile(fs::path target)
    : target_(std::move(target)), place_(output_place(target_)) {
  if (fs::is_directory(place_.path)) {
    fail_at(target_, "write", EISDIR);
  }
  if (place_.through) {
    descriptor_ = open_through(place_);
  } else {
    auto temporary = temporary_file(place_.path);
    temporary_ = std::move(temporary.path);
    descriptor_ = temporary.descriptor;
  }
  if (descriptor_ < 0) {
    fail_at(target_, "write", errno);
  }
  if (!place_.through) {
    fchmod(descriptor_, 0666 & ~umask_bits());
  }
  buffer_.reserve(kBufferBytes);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    if (!place_.through) {
      unlink(temporary_.c_str());
    }
    close(descriptor_);  // after that the name could be another run's
  }
}

void AtomicFile::fail(std::string_view action) const { fail_at(target_, action, errno); }

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) {
    flush();
  }
}

void AtomicFile::flush() {
  if (write_all(descriptor_, buffer_) < buffer_.size()) {
    fail("write");
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (place_.through) {
    if (!sync_through(descriptor_)) {
      fail("sync");
    }
    close(std::exchange(descriptor_, -1));
    return;
  }
  if (fsync(descriptor_) != 0) {
    fail("sync");
  }
  if (rename(temporary_.c_str(), place_.path.c_str()) != 0) {
    fail("rename into place");
  }
  close(std::exchange(descriptor_, -1));
  sync_folder(folder_of(place_.path));
}

void write_file_atomically(const fs::path& target, std::string_view bytes) {
  AtomicFile file(target);
  file.write(bytes);
  file.commit();
}

AtomicFolder::AtomicFolder(fs::path target) : target_(std::move(target)) {
  if (!target_.has_filename()) {
    target_ = target_.parent_path();  // "dir/" names the same folder as "dir"
  }
  std::error_code error;
  if (fs::exists(target_, error) && !fs::is_directory(target_, error)) {
    fail_at(target_, "write a folder here", ENOTDIR);
  }
  if (fs::exists(target_, error) && access(target_.c_str(), W_OK | X_OK) != 0) {
    fail_at(target_, "write", errno);
  }
  fs::create_directories(folder_of(target_), error);
  if (error) {
    fail_at(folder_of(target_), "create the folder", error.value());
  }
  auto temporary = temporary_folder(target_);
  if (temporary.descriptor < 0) {
    fail_at(target_, "write", errno);
  }
  temporary_ = std::move(temporary.path);
  descriptor_ = temporary.descriptor;
  chmod(temporary_.c_str(), 0777 & ~umask_bits());
}

AtomicFolder::~AtomicFolder() {
  if (!temporary_.empty()) {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
  }
  close(descriptor_);
}

void AtomicFolder::commit() {
  if (!fs::exists(target_)) {
    if (rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail_at(target_, "rename into place", errno);
    }
  } else {
    for (const auto& entry : fs::directory_iterator(temporary_)) {
      const auto destination = target_ / entry.path().filename();
      if (rename(entry.path().c_str(), destination.c_str()) != 0) {
        fail_at(destination, "rename into place", errno);
      }
    }
    fs::remove(temporary_);
    sync_folder(target_);
  }
  temporary_.clear();
  sync_folder(folder_of(target_));
}

}  // namespace rayleigh::core
