// Replays a fuzz corpus, reproducers of old findings included, through a fuzz target's code.
// For ordinary builds, which have no libFuzzer.
// Nothing here is part of the library.
#pragma once

#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "support.h"

namespace rayleigh::test {

inline void replay_corpus(const std::string& target,
                          const std::function<void(std::string_view)>& read) {
  const auto corpus = std::filesystem::path(RAYLEIGH_SOURCE_DIR) / "fuzz" / "corpus" / target;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    SCOPED_TRACE(entry.path().string());
    const auto bytes = read_text(entry.path());
    EXPECT_NO_THROW(read(bytes));
    // What is cut off in the middle must be survived, too.
    EXPECT_NO_THROW(read(std::string_view(bytes).substr(0, bytes.size() / 2)));
    ++files;
  }
  EXPECT_GT(files, 0U);
}

}  // namespace rayleigh::test
