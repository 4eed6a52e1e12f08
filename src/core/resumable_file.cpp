#include "core/resumable_file.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <zlib.h>

#include "rayleigh/error.h"

#include "core/atomic_file.h"
#include "core/descriptor.h"
#include "core/strict_json.h"

namespace rayleigh::core {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kResumableBufferBytes = std::size_t{1} << 18U;
constexpr std::size_t kLargestProgress = std::size_t{1} << 20U;

fs::path with_ending(const fs::path& path, const char* ending) {
  fs::path longer = path;
  longer += ending;
  return longer;
}

using Json = nlohmann::ordered_json;

/// An object with our number of bytes; else null. None when there is no such file.
std::optional<Json> read_state(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return std::nullopt;
  }
  std::string text(kLargestProgress, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  try {
    Json state = core::parse_json(text);
    if (state.is_object() && state.contains("bytes") && state["bytes"].is_number_unsigned()) {
      return state;
    }
  } catch (const std::string&) {
    // It says what is wrong with a file that nobody wrote by hand.
  }
  return Json();
}

void write_state(const fs::path& path, Json state, std::uint64_t bytes) {
  state["bytes"] = bytes;
  // What a server says of itself need not be text.
  core::write_file_atomically(path,
                              state.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
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
      progress_(with_ending(place_.path, ".progress")),
      finished_(with_ending(place_.path, ".finished")) {
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
  open_and_lock();
  const off_t end = lseek(descriptor_, 0, SEEK_END);
  if (end < 0) {
    close(std::exchange(descriptor_, -1));
    errno = ESPIPE;
    fail("read");
  }
  bytes_ = static_cast<std::uint64_t>(end);
}

void ResumableFile::open_and_lock() {
  while (true) {
    descriptor_ = open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      fail("write");
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      close(std::exchange(descriptor_, -1));
      throw Error(ErrorKind::failed, Place{target_.string(), 0},
                  "another run is writing this file: wait for it or choose another name");
    }
    // Whoever had the lock before may have renamed or removed what we opened.
    if (core::is_file_at(descriptor_, part_)) {
      return;
    }
    close(descriptor_);
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

std::optional<nlohmann::ordered_json> ResumableFile::finished_state(const fs::path& target) {
  const auto place = core::output_place(target);
  auto state = read_state(with_ending(place.path, ".finished"));
  std::error_code error;
  const auto bytes = fs::file_size(place.path, error);
  if (!state || state->is_null() || error || (*state)["bytes"] != bytes) {
    return std::nullopt;
  }
  return state;
}

void ResumableFile::fail(std::string_view action) const {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT;
  throw Error(ErrorKind::failed, Place{target_.string(), 0},
              fmt::format("cannot {}: {}{}", action, std::generic_category().message(error),
                          full ? "; make room and try again" : ""));
}

std::optional<nlohmann::ordered_json> ResumableFile::progress() const {
  if (!keeps_parts()) {
    throw UsageError("resume",
                     fmt::format("{} is not a regular file, so nothing of a killed run is there",
                                 target_.string()));
  }
  auto state = read_state(progress_);
  if (!state) {
    return std::nullopt;
  }
  if (state->is_null()) {
    throw DataError({progress_.string(), 0},
                    "the file is damaged: delete it and start anew without `resume`");
  }
  if (bytes_ < (*state)["bytes"].get<std::uint64_t>()) {
    return std::nullopt;
  }
  return state;
}

void ResumableFile::go_on(const nlohmann::ordered_json& progress) {
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
  if (error ||
      (bytes_ > 0 && (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) < 0))) {
    fail("write");
  }
  bytes_ = 0;
  buffer_.clear();
}

void ResumableFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kResumableBufferBytes) {
    flush();
  }
}

void ResumableFile::flush() {
  const std::size_t written = core::write_all(descriptor_, buffer_);
  const bool all = written == buffer_.size();
  bytes_ += written;
  buffer_.clear();
  if (!all) {
    fail("write");
  }
}

void ResumableFile::save(nlohmann::ordered_json state) {
  flush();
  if (!keeps_parts()) {
    return;
  }
  if (bytes_ > 0 && fdatasync(descriptor_) != 0) {
    fail("sync");
  }
  write_state(progress_, std::move(state), bytes_);
}

void ResumableFile::finish(std::optional<nlohmann::ordered_json> state) {
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
  // Before the rename: a kill in between leaves a part, and then FILE counts as not finished.
  std::error_code ignored;
  if (state) {
    write_state(finished_, std::move(*state), bytes_);
  } else {
    fs::remove(finished_, ignored);
  }
  if (rename(part_.c_str(), place_.path.c_str()) != 0) {
    fail("rename into place");
  }
  fs::remove(progress_, ignored);
  close(std::exchange(descriptor_, -1));
  core::sync_folder(place_.path.has_parent_path() ? place_.path.parent_path() : fs::path("."));
}

void ResumableFile::discard() {
  buffer_.clear();
  if (keeps_parts()) {
    std::error_code ignored;
    fs::remove(progress_, ignored);
    fs::remove(part_, ignored);
  }
  close(std::exchange(descriptor_, -1));
}

}  // namespace rayleigh::core
