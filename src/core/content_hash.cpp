#include "core/content_hash.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "core/hash.h"

namespace rayleigh::core {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> file_hash(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return std::nullopt;
  }
  constexpr std::size_t kBlock = std::size_t{1} << 20U;
  std::string block(kBlock, '\0');
  std::uint64_t hash = 0;
  do {
    file.read(block.data(), static_cast<std::streamsize>(kBlock));
    hash = hash_block(hash,
                      std::string_view(block).substr(0, static_cast<std::size_t>(file.gcount())));
  } while (file);
  return file.bad() ? std::nullopt : std::optional(hash);
}

}  // namespace

std::uint64_t hash_block(std::uint64_t before, std::string_view bytes) {
  // Four sums side by side: one alone would wait for each multiplication.
  constexpr std::size_t kLanes = 4;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  std::array<std::uint64_t, kLanes> lanes{before, 1, 2, 3};
  std::size_t at = 0;
  for (; at + kLanes * kWord <= bytes.size(); at += kLanes * kWord) {
    std::array<std::uint64_t, kLanes> words{};
    std::memcpy(words.data(), bytes.data() + at, sizeof(words));
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::uint64_t& sum = lanes[lane];
      sum = (sum ^ words[lane]) * kFactor;
      sum ^= sum >> 32U;  // a product alone carries nothing down
    }
  }
  std::uint64_t hash = combine64(bytes.size(), hash64(bytes.substr(at)));
  for (const std::uint64_t sum : lanes) {
    hash = combine64(hash, sum);
  }
  return hash;
}

std::optional<std::uint64_t> content_hash(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    return file_hash(path);
  }
  if (!fs::is_directory(path, error)) {
    return std::nullopt;
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->is_regular_file(error)) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  std::uint64_t hash = 0;
  for (const fs::path& file : files) {
    const auto own = file_hash(file);
    if (!own) {
      return std::nullopt;
    }
    hash = combine64(combine64(hash, hash64(file.filename().string())), *own);
  }
  return error ? std::nullopt : std::optional(hash);
}

}  // namespace rayleigh::core
