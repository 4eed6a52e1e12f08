#include "core/atomic_file.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "rayleigh/error.h"

#include "support.h"

namespace rayleigh::core {
namespace {

namespace fs = std::filesystem;
using test::read_text;
using test::TemporaryFolder;
using test::write_text;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, AppearsOnlyOnCommit) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "x");
    file.write("new");
    EXPECT_FALSE(fs::exists(folder / "x"));
    file.commit();
  }
  EXPECT_EQ(read_text(folder / "x"), "new");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndNothingElse) {
  const TemporaryFolder folder;
  write_text(folder / "x", "old");
  {
    AtomicFile file(folder / "x");
    file.write(std::string(1 << 20, 'n'));
  }
  EXPECT_EQ(read_text(folder / "x"), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, FailsAtOnceWhereItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(AtomicFile(folder / "missing" / "x"), Error);
  EXPECT_THROW(AtomicFile(folder.path()), Error);
}

TEST(AtomicFolder, FailsAtOnceInAClosedFolder) {
  const TemporaryFolder folder;
  if (geteuid() == 0) {
    GTEST_SKIP() << "skipped: every folder is writable for root";
  }
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(AtomicFolder(folder / "closed"), Error);
}

TEST(AtomicFolder, AppearsWholeOrNotAtAll) {
  const TemporaryFolder folder;
  {
    AtomicFolder output(folder / "out");
    write_text(output.file("a"), "1");
    EXPECT_FALSE(fs::exists(folder / "out"));
  }
  EXPECT_EQ(files_in(folder.path()), 0U);
  {
    AtomicFolder output(folder.path() / "deep" / "out" / "");
    write_text(output.file("a"), "1");
    write_text(output.file("b"), "2");
    output.commit();
  }
  EXPECT_EQ(read_text(folder.path() / "deep" / "out" / "b"), "2");
  EXPECT_EQ(files_in(folder / "deep"), 1U);
}

TEST(AtomicFolder, ReplacesItsOwnFilesInAnExistingFolder) {
  const TemporaryFolder folder;
  write_text(folder.path() / "out" / "a", "old");
  write_text(folder.path() / "out" / "other", "kept");
  AtomicFolder output(folder / "out");
  write_text(output.file("a"), "new");
  output.commit();
  EXPECT_EQ(read_text(folder.path() / "out" / "a"), "new");
  EXPECT_EQ(read_text(folder.path() / "out" / "other"), "kept");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFolder, RefusesAFileInItsPlace) {
  const TemporaryFolder folder;
  write_text(folder / "out", "a file");
  EXPECT_THROW(AtomicFolder(folder / "out"), Error);
}

}  // namespace
}  // namespace rayleigh::core
