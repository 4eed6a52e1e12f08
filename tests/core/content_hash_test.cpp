#include "core/content_hash.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "special_files.h"
#include "support.h"

namespace rayleigh::core {
namespace {

TEST(ContentHash, TellsEveryChangedByteAndLength) {
  std::string bytes(100, 'a');
  std::set<std::uint64_t> seen{hash_block(0, bytes)};
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = 'b';
    EXPECT_TRUE(seen.insert(hash_block(0, other)).second) << at;
    EXPECT_TRUE(seen.insert(hash_block(0, bytes.substr(0, at))).second) << at;
    EXPECT_TRUE(seen.insert(hash_block(0, bytes.substr(0, at) + '\0')).second) << at;
  }
}

TEST(ContentHash, ReadsNothingThatCannotBeReadTwice) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "file", "text");
  EXPECT_TRUE(content_hash(folder / "file"));
  EXPECT_TRUE(content_hash(folder / ""));
  const test::ReadFifo fifo((folder / "fifo").string());
  EXPECT_FALSE(content_hash(folder / "fifo"));
  EXPECT_FALSE(content_hash(folder / "absent"));
}

}  // namespace
}  // namespace rayleigh::core
