#include "core/atomic_file.h"

#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rayleigh/error.h"

#include "special_files.h"
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

TEST(AtomicFile, WritesThroughAFifo) {
  const TemporaryFolder folder;
  test::ReadFifo fifo(folder / "x");
  write_file_atomically(folder / "x", "all of it");
  ASSERT_TRUE(fifo.is_there());
  EXPECT_EQ(fifo.text(), "all of it");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, WritesThroughADevice) {
  const TemporaryFolder folder;
  if (!test::make_null_device(folder / "null")) {
    GTEST_SKIP() << "skipped: no device can be made here";
  }
  fs::create_symlink("null", folder / "link");
  for (const char* name : {"null", "link"}) {
    write_file_atomically(folder / name, "nothing of it");
    EXPECT_TRUE(fs::is_character_file(folder / "null"));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(files_in(folder.path()), 2U);
  }
}

TEST(AtomicFile, ReplacesTheFileThatALinkLeadsTo) {
  const TemporaryFolder folder;
  write_text(folder.path() / "deep" / "x", "old");
  fs::create_symlink("deep/x", folder / "near");
  fs::create_symlink(folder / "near", folder / "far");
  {
    AtomicFile file(folder / "far");
    file.write("new");
    EXPECT_EQ(files_in(folder / "deep"), 2U) << "written beside the file, not beside the link";
    EXPECT_EQ(read_text(folder / "far"), "old");
    file.commit();
  }
  EXPECT_TRUE(fs::is_symlink(folder / "far"));
  EXPECT_TRUE(fs::is_symlink(folder / "near"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder.path() / "deep" / "x")));
  EXPECT_EQ(read_text(folder.path() / "deep" / "x"), "new");
  EXPECT_EQ(files_in(folder / "deep"), 1U);
}

TEST(AtomicFile, CreatesTheFileThatADanglingLinkNames) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "deep");
  fs::create_symlink("deep/x", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder.path() / "deep" / "x"), "new");
}

TEST(AtomicFile, RefusesLinksInACircle) {
  const TemporaryFolder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_THROW(AtomicFile(folder / "a"), Error);
  EXPECT_TRUE(fs::is_symlink(folder / "a"));
}

TEST(AtomicFile, WritesBehindWhatAnOpenDescriptorHas) {
  const TemporaryFolder folder;
  std::FILE* const open = std::fopen((folder / "x").c_str(), "w");
  ASSERT_NE(open, nullptr);
  std::fputs("before ", open);
  std::fflush(open);
  for (const char* place : {"/dev/fd/", "/proc/self/fd/"}) {
    write_file_atomically(place + std::to_string(fileno(open)), "written ");
  }
  std::fputs("after", open);
  std::fclose(open);
  EXPECT_EQ(read_text(folder / "x"), "before written written after");
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

/// Does it in a process that ends by _exit(), which cleans up no more than a kill does.
template <typename Write>
void killed(const Write& write) {
  const pid_t child = fork();
  if (child == 0) {
    write();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
}

TEST(AtomicFile, TakesOverWhatAKilledRunLeft) {
  const TemporaryFolder folder;
  for (int run = 0; run < 3; ++run) {
    killed([&] {
      AtomicFile lost(folder / "x");
      lost.write(std::string(1 << 20, 'l'));
      _exit(0);
    });
    EXPECT_EQ(files_in(folder.path()), 1U) << "one, however many were killed";
  }
  write_file_atomically(folder / "x", "whole");
  EXPECT_EQ(read_text(folder / "x"), "whole");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, TwoWritersOfOnePathDoNotMeet) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "x");
  AtomicFile second(folder / "x");
  first.write("first");
  second.write("second");
  second.commit();
  EXPECT_EQ(read_text(folder / "x"), "second");
  first.commit();
  EXPECT_EQ(read_text(folder / "x"), "first");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, WritesIntoNothingThatSomebodyElsePutThere) {
  const TemporaryFolder folder;
  write_text(folder / "victim", "kept");
  fs::create_symlink("victim", folder / "x.tmp-0");
  fs::create_hard_link(folder / "victim", folder / "x.tmp-1");
  fs::create_directory(folder / "x.tmp-2");
  write_file_atomically(folder / "x", "whole");
  EXPECT_EQ(read_text(folder / "x"), "whole");
  EXPECT_EQ(read_text(folder / "victim"), "kept");
}

TEST(AtomicFolder, TakesOverWhatAKilledRunLeft) {
  const TemporaryFolder folder;
  for (int run = 0; run < 3; ++run) {
    killed([&] {
      const AtomicFolder lost(folder / "out");
      write_text(lost.file("lost"), "1");
      _exit(0);
    });
    EXPECT_EQ(files_in(folder.path()), 1U);
  }
  AtomicFolder output(folder / "out");
  write_text(output.file("a"), "1");
  output.commit();
  EXPECT_EQ(files_in(folder.path()), 1U);
  EXPECT_FALSE(fs::exists(folder / "out" / "lost"));
}

TEST(AtomicFolder, KeepsAFolderThatIsNotATemporaryOne) {
  const TemporaryFolder folder;
  write_text(folder.path() / "out.tmp-0" / "deep" / "a", "kept");
  AtomicFolder output(folder / "out");
  write_text(output.file("a"), "1");
  output.commit();
  EXPECT_EQ(read_text(folder.path() / "out.tmp-0" / "deep" / "a"), "kept");
  EXPECT_EQ(read_text(folder.path() / "out" / "a"), "1");
}

}  // namespace
}  // namespace rayleigh::core
