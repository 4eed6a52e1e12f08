#include "io/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

#include "rayleigh/error.h"

#include "core/text.h"
#include "io/limits.h"

namespace rayleigh::io {
namespace {

constexpr std::size_t kPackedBlock = std::size_t{1} << 17U;
constexpr std::size_t kLongestPath = 4096;
constexpr std::size_t kFirstBlock = std::size_t{1} << 14U;

[[noreturn]] void fail(const std::string& name, std::string_view action, int error) {
  throw DataError({name, 0},
                  fmt::format("cannot {}: {}", action, std::generic_category().message(error)));
}

class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, std::stop_token stop)
      : ByteSource(path == "-" ? "stdin" : core::printable(path, kLongestPath)),
        descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
        stop_(std::move(stop)) {
    if (descriptor_ < 0) {
      fail(name(), "open", errno);
    }
    struct stat status {};
    const bool known = fstat(descriptor_, &status) == 0;
    if (known && S_ISDIR(status.st_mode)) {
      close(descriptor_);
      fail(name(), "read", EISDIR);
    }
    size_ = known && S_ISREG(status.st_mode) ? static_cast<double>(status.st_size) : 0;
  }
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) {
      close(descriptor_);
    }
  }

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended_) {
      wait_for_input();
      const auto got = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        fail(name(), "read", errno);
      }
      ended_ = got == 0;  // a terminal would wait for more
      filled += static_cast<std::size_t>(got);
    }
    done_ += static_cast<double>(filled);
    return filled;
  }
  std::optional<double> fraction_read() const override {
    return size_ > 0 ? std::optional(std::min(1.0, done_ / size_)) : std::nullopt;
  }

 private:
  /// A pipe or a terminal may have nothing for hours; a stop must not wait for it.
  void wait_for_input() const {
    constexpr int kMilliseconds = 100;
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    while (stop_.stop_possible()) {
      if (stop_.stop_requested()) {
        throw Cancelled();
      }
      if (size_ > 0 || poll(&waiting, 1, kMilliseconds) != 0) {
        return;
      }
    }
  }

  int descriptor_;
  std::stop_token stop_;
  bool ended_ = false;
  double size_ = 0;  ///< of a plain file, else 0
  double done_ = 0;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes)
      : ByteSource(std::move(name)), left_(bytes) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), left_.size());
    std::copy_n(left_.data(), size, buffer.data());
    left_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view left_;
};

/// A source whose first bytes were already looked at.
class ReplaySource : public ByteSource {
 public:
  ReplaySource(std::string head, std::unique_ptr<ByteSource> rest)
      : ByteSource(rest->name()), head_(std::move(head)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), head_.size() - used_);
    std::copy_n(head_.data() + used_, size, buffer.data());
    used_ += size;
    return size == buffer.size() ? size : size + rest_->read(buffer.subspan(size));
  }
  std::optional<double> fraction_read() const override { return rest_->fraction_read(); }

 private:
  std::string head_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed)
      : ByteSource(packed->name()), packed_(std::move(packed)), input_(kPackedBlock) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) {
      throw Error(ErrorKind::failed, "zlib could not be started");
    }
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    try {
      while (filled < buffer.size() && !finished_) {
        if (stream_.avail_in == 0 && !refill()) {
          break;
        }
        filled += inflate_into(buffer.subspan(filled));
      }
    } catch (const DataError&) {
      if (filled == 0) {
        throw;  // else at the next call, which fails at the same place
      }
    }
    return filled;
  }
  std::optional<double> fraction_read() const override { return packed_->fraction_read(); }

 private:
  bool refill() {
    const std::size_t got = packed_->read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(got);
    if (got == 0 && inside_member_) {
      throw DataError({name(), 0}, "the gzip data end too early, the file is truncated");
    }
    finished_ = got == 0;
    return got > 0;
  }

  std::size_t inflate_into(std::span<char> buffer) {
    inside_member_ = true;
    const auto room = static_cast<uInt>(std::min<std::size_t>(buffer.size(), 1U << 30U));
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_member_ = false;
      inflateReset(&stream_);  // gzip files may be several members in a row
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DataError({name(), 0}, fmt::format("the gzip data are corrupt ({})",
                                               stream_.msg != nullptr ? stream_.msg : "zlib"));
    }
    return room - stream_.avail_out;
  }

  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  z_stream stream_{};
  bool inside_member_ = false;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<GzipSource>(std::move(packed));
}

std::unique_ptr<ByteSource> open_memory(std::string name, std::string_view bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

std::unique_ptr<ByteSource> open_file(const std::string& path, std::stop_token stop) {
  std::unique_ptr<ByteSource> file = std::make_unique<FileSource>(path, std::move(stop));
  std::string head(2, '\0');
  head.resize(file->read(head));
  const bool gzip = head == "\x1f\x8b";
  file = std::make_unique<ReplaySource>(std::move(head), std::move(file));
  return gzip ? gunzip(std::move(file)) : std::move(file);
}

std::string read_all(ByteSource& source, std::uint64_t limit, std::uint64_t size) {
  std::string text;
  // One byte more than expected, so that the end is seen without growing the buffer. What a header
  // claims beyond kAlwaysExpanded is believed only as it arrives.
  std::size_t room = std::min({limit, size, kAlwaysExpanded}) + 1;
  room = std::max<std::size_t>(room, std::size_t{1} << 16U);
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + room);
    const std::size_t got = source.read(std::span(text).subspan(before));
    text.resize(before + got);
    if (text.size() > limit) {
      throw DataError({source.name(), 0}, fmt::format("holds more than {}, which is the limit",
                                                      core::human_bytes(limit)));
    }
    if (is_bomb(text.size(), size)) {
      throw DataError({source.name(), 0},
                      fmt::format("expands from {} to more than {}, refused as a zip bomb; unpack "
                                  "it yourself if you trust it",
                                  core::human_bytes(size), core::human_bytes(text.size())));
    }
    if (got == 0) {
      return text;
    }
    room = got < room ? room - got : text.size();
  }
}

LineBlocks::LineBlocks(std::unique_ptr<ByteSource> source, std::size_t block_bytes,
                       std::uint64_t max_line)
    : source_(std::move(source)),
      block_bytes_(block_bytes),
      next_bytes_(std::min(block_bytes, kFirstBlock)),
      max_line_(max_line) {}

std::string_view LineBlocks::next() {
  lines_ += static_cast<std::uint64_t>(
      std::count(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(delivered_), '\n'));
  buffer_.erase(0, delivered_);
  delivered_ = 0;
  if (damage_) {
    std::rethrow_exception(damage_);
  }
  std::size_t searched = 0;
  while (!at_end_) {
    const std::size_t size = buffer_.size();
    const std::size_t wanted = std::exchange(next_bytes_, std::min(block_bytes_, 4 * next_bytes_));
    buffer_.resize(size + wanted);
    const std::size_t got = source_->read(std::span(buffer_).subspan(size));
    buffer_.resize(size + got);
    if (got < wanted) {
      look_for_end();
    }
    if (at_end_) {
      break;
    }
    const auto last = std::string_view(buffer_).substr(searched).rfind('\n');
    if (last != std::string_view::npos) {
      delivered_ = searched + last + 1;
      return std::string_view(buffer_).substr(0, delivered_);
    }
    searched = buffer_.size();
    if (buffer_.size() > max_line_) {
      throw DataError({name(), lines_ + 1},
                      fmt::format("the line is longer than {}, which is the limit",
                                  core::human_bytes(max_line_)));
    }
  }
  if (damage_) {
    // The last line is torn.
    buffer_.erase(buffer_.rfind('\n') + 1);
    if (buffer_.empty()) {
      std::rethrow_exception(damage_);
    }
  }
  delivered_ = buffer_.size();
  return buffer_;
}

void LineBlocks::look_for_end() {
  char next = 0;
  try {
    if (source_->read({&next, 1}) == 0) {
      at_end_ = true;
    } else {
      buffer_ += next;
    }
  } catch (const DataError&) {
    damage_ = std::current_exception();
    at_end_ = true;
  }
}

}  // namespace rayleigh::io
