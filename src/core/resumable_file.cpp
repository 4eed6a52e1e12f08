#include "core/resumable_file.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <zlib.h>

#include "rayleigh/error.h"

#include "core/atomic_file.h"
#include "core/descriptor.h"

namespace rayleigh::core {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kResumableBufferBytes = std::size_t{1} << 18U;

fs::path with_ending(const fs::path& path, const char* ending) {
  fs::path longer = path;
  longer += ending;
  return longer;
}

}  // namespace

std::string gzip_member(std::string_view text) {
  constexpr int kGzipFormat = 16;
  constexpr int kMemory = 8;
  if (text.size() > std::numeric_limits<uInt>::max()) {
    throw Error(ErrorKind::failed, "a piece of text of more than 4 GB cannot be packed");
  }
  z_stream stream{};
  // No time stamp and no name in the header: the same text gives the same bytes.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipFormat, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error(ErrorKind::failed, "zlib could not be started");
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  // zlib does not write to its input, but its interface predates const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

ResumableFile::ResumableFile(fs::path target)
    : target_(std::move(target)),
      place_(core::output_place(target_)),
      part_(with_ending(place_.path, ".part")),
      progress_(with_ending(place_.path, ".progress")) {
  std::error_code ignored;
  if (fs::is_directory(place_.path, ignored)) {
    errno = EISDIR;
    fail("write");
  }
  if (place_.through) {
    descriptor_ = core::open_through(place_);
    if (descriptor_ < 0) {
      fail("write");
    }
    return;
  }
  descriptor_ = open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail("write");
  }
  // A run that ends between our two calls renames the file that we opened.
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 || !core::is_file_at(descriptor_, part_)) {
    close(descriptor_);
    throw Error(ErrorKind::failed, Place{target_.string(), 0},
                "another run is writing this file: wait for it or choose another name");
  }
}

ResumableFile::~ResumableFile() {
  if (descriptor_ >= 0) {
    std::error_code ignored;
    if (keeps_parts() && bytes_ == 0 && !fs::exists(progress_, ignored)) {
      fs::remove(part_, ignored);  // nothing was written
    }
    close(descriptor_);
  }
}

bool ResumableFile::is_finished(const fs::path& target) {
  const auto place = core::output_place(target);
  std::error_code ignored;
  if (place.through || !fs::is_regular_file(place.path, ignored) ||
      fs::exists(with_ending(place.path, ".part"), ignored)) {
    return false;
  }
  fs::remove(with_ending(place.path, ".progress"), ignored);  // killed after the last rename
  return true;
}

void ResumableFile::fail(std::string_view action) const {
  throw Error(ErrorKind::failed, Place{target_.string(), 0},
              fmt::format("cannot {}: {}", action, std::generic_category().message(errno)));
}

std::optional<nlohmann::json> ResumableFile::progress() const {
  if (!keeps_parts()) {
    throw UsageError("resume",
                     fmt::format("{} is not a regular file, so nothing of a killed run is there",
                                 target_.string()));
  }
  std::ifstream file(progress_, std::ios::binary);
  if (!file) {
    return std::nullopt;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto state = nlohmann::json::parse(text, nullptr, false);
  if (!state.is_object() || !state.contains("bytes") || !state["bytes"].is_number_unsigned()) {
    throw DataError({progress_.string(), 0},
                    "the file is damaged: delete it and start anew without `resume`");
  }
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) < state["bytes"].get<std::uint64_t>()) {
    return std::nullopt;
  }
  return state;
}

void ResumableFile::go_on(const nlohmann::json& progress) {
  bytes_ = progress["bytes"].get<std::uint64_t>();
  if (ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0 ||
      lseek(descriptor_, static_cast<off_t>(bytes_), SEEK_SET) < 0) {
    fail("write");
  }
}

void ResumableFile::start_anew() {
  if (!keeps_parts()) {
    return;
  }
  // In this order: a progress file must never speak of more than there is.
  std::error_code error;
  fs::remove(progress_, error);
  if (error || ftruncate(descriptor_, 0) != 0) {
    fail("write");
  }
}

void ResumableFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kResumableBufferBytes) {
    flush();
  }
}

void ResumableFile::flush() {
  if (core::write_all(descriptor_, buffer_) < buffer_.size()) {
    fail("write");
  }
  bytes_ += buffer_.size();
  buffer_.clear();
}

void ResumableFile::save(nlohmann::json state) {
  flush();
  if (!keeps_parts()) {
    return;
  }
  if (fdatasync(descriptor_) != 0) {
    fail("sync");
  }
  state["bytes"] = bytes_;
  core::write_file_atomically(progress_, state.dump() + "\n");
}

void ResumableFile::finish() {
  flush();
  if (!keeps_parts()) {
    if (!core::sync_through(descriptor_)) {
      fail("sync");
    }
    close(std::exchange(descriptor_, -1));
    return;
  }
  if (fsync(descriptor_) != 0) {
    fail("sync");
  }
  if (rename(part_.c_str(), place_.path.c_str()) != 0) {
    fail("rename into place");
  }
  std::error_code ignored;
  fs::remove(progress_, ignored);
  close(std::exchange(descriptor_, -1));
}

}  // namespace rayleigh::core
