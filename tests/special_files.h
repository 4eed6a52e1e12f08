// Outputs that are no regular files: FIFOs with a reader, devices, links.
// For tests of what is written where a name does not stand for an ordinary file.
// A thread a FIFO.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

namespace rayleigh::test {

/// A FIFO and what is written into it. Writers never wait for its reader to come.
class ReadFifo {
 public:
  explicit ReadFifo(const std::filesystem::path& path) : path_(path) {
    if (mkfifo(path.c_str(), 0600) != 0 || (end_ = open(path.c_str(), O_RDONLY | O_NONBLOCK)) < 0) {
      throw std::runtime_error("no FIFO at " + path.string());
    }
    reader_ = std::thread([this] { read(); });
  }
  ~ReadFifo() {
    finish();
    close(end_);
  }
  ReadFifo(const ReadFifo&) = delete;
  ReadFifo& operator=(const ReadFifo&) = delete;

  bool is_there() const { return std::filesystem::is_fifo(path_); }
  /// All of it, when the writer is done.
  const std::string& text() {
    finish();
    return text_;
  }

 private:
  void read() {
    std::array<char, 4096> bytes{};
    while (true) {
      const bool last = done_;
      const auto count = ::read(end_, bytes.data(), bytes.size());
      if (count > 0) {
        text_.append(bytes.data(), static_cast<std::size_t>(count));
      } else if (last) {
        return;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }
  void finish() {
    done_ = true;
    if (reader_.joinable()) {
      reader_.join();
    }
  }

  std::filesystem::path path_;
  int end_ = -1;
  std::atomic<bool> done_ = false;
  std::string text_;
  std::thread reader_;
};

/// A device like /dev/null. False where only some other user may make or open one.
inline bool make_null_device(const std::filesystem::path& path) {
  constexpr unsigned kMemory = 1;
  constexpr unsigned kNull = 3;
  return mknod(path.c_str(), S_IFCHR | 0666, makedev(kMemory, kNull)) == 0 &&
         std::ofstream(path).good();
}

}  // namespace rayleigh::test
