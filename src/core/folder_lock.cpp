#include "core/folder_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include "rayleigh/error.h"

namespace rayleigh::core {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const auto file = folder / "lock";
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw Error(ErrorKind::failed, Place{file.string(), 0},
                "cannot be written: " + std::generic_category().message(errno));
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    close(descriptor_);
    throw Error(ErrorKind::failed, Place{folder.string(), 0},
                error == EWOULDBLOCK
                    ? "another process is working in this folder: wait for it or choose another"
                    : "cannot be locked: " + std::generic_category().message(error));
  }
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace rayleigh::core
