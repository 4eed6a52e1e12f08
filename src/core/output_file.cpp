#include "core/output_file.h"

#include <array>
#include <optional>
#include <zlib.h>

#include "rayleigh/error.h"

#include "core/atomic_file.h"

namespace rayleigh::core {
namespace {

class Gzip {
 public:
  Gzip() {
    constexpr int kGzipFormat = 16;
    constexpr int kMemory = 8;
    // No time stamp and no name in the header: the same text gives the same bytes.
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipFormat, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw Error(ErrorKind::failed, "zlib could not be started");
    }
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void pack(std::string_view text, bool finish, core::AtomicFile& file) {
    constexpr std::size_t kMost = std::size_t{1} << 30U;
    do {
      const auto piece = text.substr(0, kMost);
      text.remove_prefix(piece.size());
      run(piece, finish && text.empty(), file);
    } while (!text.empty());
  }

 private:
  void run(std::string_view piece, bool finish, core::AtomicFile& file) {
    // zlib does not write to its input, but its interface predates const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, finish ? Z_FINISH : Z_NO_FLUSH);
      file.write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::array<char, std::size_t{1} << 16U> buffer_{};
};

}  // namespace

struct OutputFile::State {
  explicit State(const std::filesystem::path& path) : file(path) {
    if (path.extension() == ".gz") {
      gzip.emplace();
    }
  }
  core::AtomicFile file;
  std::optional<Gzip> gzip;
};

OutputFile::OutputFile(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}
OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view text) {
  if (state_->gzip) {
    state_->gzip->pack(text, false, state_->file);
  } else {
    state_->file.write(text);
  }
}

void OutputFile::commit() {
  if (state_->gzip) {
    state_->gzip->pack({}, true, state_->file);
  }
  state_->file.commit();
}

}  // namespace rayleigh::core
