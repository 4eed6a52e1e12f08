#include "io/partial_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "rayleigh/error.h"

#include "core/atomic_file.h"
#include "core/descriptor.h"
#include "core/strict_json.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestRecord = 16'384;

fs::path with_ending(fs::path path, const char* ending) { return path += ending; }

/// Fit to be sent to a server, whoever wrote the file it comes from.
bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c != '\x7f'; });
}

/// Throws std::string when it is none.
PartRecord parse_record(const std::string& text) {
  const auto json = core::parse_json(text);
  if (!json.is_object() || !json.contains("url") || !json["url"].is_string() ||
      !json.contains("validator") || !json["validator"].is_string()) {
    throw std::string("no record of a part");
  }
  PartRecord record{json["url"], json["validator"], std::nullopt};
  if (json.contains("bytes") && !json["bytes"].is_null()) {
    record.bytes =
        core::whole_number(json["bytes"], std::numeric_limits<std::int64_t>::max(), "bytes");
  }
  if (!is_plain(record.validator)) {
    throw std::string("no validator");
  }
  return record;
}

}  // namespace

PartialFile::PartialFile(const fs::path& target)
    : target_(target),
      part_(with_ending(target, ".part")),
      record_file_(with_ending(target, ".part.json")) {
  open_and_lock();
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || lseek(descriptor_, 0, SEEK_END) < 0) {
    const int error = errno;
    close(descriptor_);
    fail("read", error);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  read_record();
}

PartialFile::~PartialFile() {
  if (descriptor_ < 0) {
    return;
  }
  if (size_ == 0) {
    unlink(record_file_.c_str());
    unlink(part_.c_str());
  }
  close(descriptor_);
}

void PartialFile::fail(const char* action, int error) const {
  throw Error(ErrorKind::failed, Place{part_.string(), 0},
              fmt::format("cannot {}: {}{}", action, std::generic_category().message(error),
                          error == ENOSPC || error == EDQUOT ? "; make room and try again" : ""));
}

void PartialFile::open_and_lock() {
  while (true) {
    descriptor_ = ::open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      fail("write", errno);
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(descriptor_);
      if (error == EWOULDBLOCK) {
        throw Error(ErrorKind::failed, Place{part_.string(), 0},
                    "another process is downloading this: wait for it");
      }
      fail("lock", error);
    }
    // Whoever had the lock before may have renamed or removed what we opened.
    if (core::is_file_at(descriptor_, part_)) {
      return;
    }
    close(descriptor_);
  }
}

void PartialFile::read_record() {
  std::ifstream file(record_file_, std::ios::binary);
  std::string text(kLargestRecord, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  try {
    record_ = parse_record(text);
  } catch (const std::string&) {
    record_.reset();  // the bytes are of no use then, but no reason to fail either
  }
}

void PartialFile::restart(PartRecord record) {
  // In this order: no moment has a record of the new beside bytes of the old.
  if (size_ > 0 && (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) < 0)) {
    fail("empty", errno);
  }
  size_ = 0;
  nlohmann::ordered_json json{{"url", record.url}, {"validator", record.validator}};
  if (record.bytes) {
    json["bytes"] = *record.bytes;
  }
  using Json = nlohmann::ordered_json;
  core::write_file_atomically(record_file_,
                              json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  record_ = std::move(record);
}

void PartialFile::append(std::span<const char> bytes) {
  const std::size_t written = core::write_all(descriptor_, {bytes.data(), bytes.size()});
  size_ += written;
  if (written < bytes.size()) {
    fail("write", errno);
  }
}

void PartialFile::commit() {
  if (fsync(descriptor_) != 0) {
    fail("sync", errno);
  }
  if (rename(part_.c_str(), target_.c_str()) != 0) {
    fail("rename into place", errno);
  }
  unlink(record_file_.c_str());
  close(std::exchange(descriptor_, -1));
  core::sync_folder(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
}

void PartialFile::discard() {
  unlink(record_file_.c_str());
  unlink(part_.c_str());
  close(std::exchange(descriptor_, -1));
}

}  // namespace rayleigh::io
