// A file to write text into: appears whole or not at all, gzipped when its name ends in .gz.
// Used by every writer of graphs and tables.
// Buffered; gzip runs at about 100 MB of text per second.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace rayleigh::core {

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rayleigh::core
