// What tests share: the folder with golden vectors and data, and temporary folders.
// Include from any test; a test that needs ../shared calls RAYLEIGH_NEEDS_SHARED first.
// Nothing here is part of the library.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>

namespace rayleigh::test {

/// RAYLEIGH_SHARED, or ../shared from the project's root. May not exist.
inline std::filesystem::path shared_folder() {
  if (const char* folder = std::getenv("RAYLEIGH_SHARED"); folder != nullptr) {
    return folder;
  }
  return std::filesystem::path(RAYLEIGH_SOURCE_DIR) / ".." / "shared";
}

/// A folder of its own for one test, removed afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto name = (std::filesystem::temp_directory_path() / "rayleigh-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace rayleigh::test

#define RAYLEIGH_NEEDS_SHARED(relative)                                                    \
  if (!std::filesystem::exists(::rayleigh::test::shared_folder() / (relative)))            \
  GTEST_SKIP() << "skipped: " << (::rayleigh::test::shared_folder() / (relative)).string() \
               << " is not there"
