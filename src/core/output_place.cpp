#include "core/output_place.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "rayleigh/error.h"

namespace rayleigh::core {
namespace {

namespace fs = std::filesystem;

/// N of /dev/fd/N and /proc/self/fd/N.
std::optional<int> own_descriptor(const fs::path& path) {
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (wrong != std::errc{} || end != name.data() + name.size() || number < 0) {
    return std::nullopt;
  }
  std::error_code error;
  const auto folder = fs::canonical(path.parent_path(), error);
  const auto ours = fs::canonical("/proc/self/fd", error);
  return !error && folder == ours ? std::optional(number) : std::nullopt;
}

}  // namespace

OutputPlace output_place(const fs::path& name) {
  constexpr int kMostLinks = 40;
  fs::path path = name;
  for (int link = 0; link < kMostLinks; ++link) {
    if (own_descriptor(path)) {
      return {path, true};
    }
    std::error_code error;
    const auto status = fs::symlink_status(path, error);
    if (status.type() != fs::file_type::symlink) {
      return {path,
              fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)};
    }
    const auto target = fs::read_symlink(path, error);
    if (error) {
      break;
    }
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  throw Error(ErrorKind::failed, Place{name.string(), 0},
              "cannot write: " + std::generic_category().message(ELOOP));
}

int open_through(const OutputPlace& place) {
  if (const auto number = own_descriptor(place.path)) {
    return fcntl(*number, F_DUPFD_CLOEXEC, 0);
  }
  return open(place.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

bool sync_through(int descriptor) {
  // FIFOs, terminals and the like have nothing to sync.
  return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

}  // namespace rayleigh::core
