// Replays the fuzz corpus, reproducers of old findings included, through the fuzz targets' code.
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "../../fuzz/targets.h"
#include "support.h"

namespace rayleigh::test {
namespace {

void replay(const std::string& target, const std::function<void(std::string_view)>& read) {
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

TEST(FuzzCorpus, TuReaderKeepsItsPromises) { replay("tu", fuzz::read_tu); }
TEST(FuzzCorpus, ZipReaderKeepsItsPromises) { replay("zip", fuzz::read_zip); }
TEST(FuzzCorpus, JsonlReaderKeepsItsPromises) { replay("jsonl", fuzz::read_jsonl); }

TEST(FuzzFraming, CutsTextIntoFiles) {
  using Files = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(fuzz::split_files("lost\n== a\n1\n2\n== b\n== c\n3"),
            (Files{{"a", "1\n2\n"}, {"b", ""}, {"c", "3"}}));
}

}  // namespace
}  // namespace rayleigh::test
