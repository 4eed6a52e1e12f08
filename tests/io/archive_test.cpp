// TU datasets in .zip archives: what real archives contain, and what is refused.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "io/io_support.h"

namespace rayleigh::test {
namespace {

Files under(const std::string& folder, const Files& files) {
  Files moved;
  for (const auto& [name, text] : files) {
    moved.emplace_back(folder + name, text);
  }
  return moved;
}

void expect_zip_defect(const std::string& bytes, const std::string& file,
                       const std::vector<std::string>& words, const io::ReadOptions& options = {}) {
  expect_defect([&] { load_zip(bytes, options); }, file, 0, words);
}

TEST(TuArchive, ReadsFilesInAnyFolderOfTheArchive) {
  const auto expected = load_tu_files(small_tu());
  for (const auto* folder : {"", "X/", "X//", "a/b//c/", "./", "X\\"}) {
    EXPECT_EQ(load_zip(zip_bytes(under(folder, small_tu()))), expected) << folder;
  }
}

TEST(TuArchive, IgnoresWhatDoesNotBelongToTheDataset) {
  auto files = under("X/", small_tu());
  files.insert(files.begin(), {{"X/README.txt", "read me"},
                               {"__MACOSX/X/._X_A.txt", std::string("\0\5\x16\7", 4)},
                               {"__MACOSX/X/X_A.txt", "not this one"},
                               {"X/._X_graph_indicator.txt", "nor this"},
                               {"X/.DS_Store", "x"},
                               {"X/X_label_readme.txt", "labels"}});
  EXPECT_EQ(load_zip(zip_bytes(files)), load_tu_files(small_tu()));
}

TEST(TuArchive, UnpacksGzippedMembers) {
  Files packed;
  for (const auto& [name, text] : small_tu()) {
    packed.emplace_back("X/" + name + ".gz", gzip_bytes(text));
  }
  EXPECT_EQ(load_zip(zip_bytes(packed)), load_tu_files(small_tu()));
}

TEST(TuArchive, IsReadFromAFileToo) {
  const TemporaryFolder folder;
  const auto path = folder / "X.zip";
  write_text(path, zip_bytes(under("X/", small_tu())));
  EXPECT_EQ(io::load(path.string()), load_tu_files(small_tu()));
  EXPECT_EQ(io::load(path.string(), {.run = {.threads = 4}}), load_tu_files(small_tu()));
  EXPECT_EQ(stream_all(*io::open(path.string()), 2).graphs, words_of(load_tu_files(small_tu())));
}

TEST(TuArchive, NamesArchiveAndEntryInMessages) {
  expect_defect(
      [] { load_zip(zip_bytes(under("d/", with(small_tu(), "X_graph_labels.txt", "1\n?\n1\n")))); },
      "X.zip/X_graph_labels.txt", 2, {"'?' is not a whole number"});
}

TEST(TuArchive, RefusesATruncatedArchive) {
  const auto whole = zip_bytes(under("X/", small_tu()));
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 50) {
    SCOPED_TRACE(size);
    expect_zip_defect(whole.substr(0, size), "X.zip", {"zip archive", "truncated"});
  }
  expect_zip_defect(whole.substr(0, whole.size() - 1), "X.zip", {"truncated"});
}

TEST(TuArchive, RefusesATruncatedFileOnDisk) {
  const TemporaryFolder folder;
  const auto path = (folder / "X.zip").string();
  const auto whole = zip_bytes(under("X/", small_tu()));
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, whole.size() / 2}) {
    write_text(path, whole.substr(0, size));
    expect_defect([&] { io::load(path); }, path, 0, {"truncated"});
    expect_defect([&] { io::open(path); }, path, 0, {"truncated"});
  }
}

TEST(TuArchive, RefusesDamagedEntries) {
  Files files = small_tu();
  for (int i = 0; i < 500; ++i) {
    files[3].second += "0\n";  // long enough to be packed
  }
  auto bytes = zip_bytes(files);
  const auto name = bytes.find("X_node_labels.txt");
  ASSERT_NE(name, std::string::npos);
  bytes[name + 17 + 4] ^= 0x55;  // in the packed bytes behind the local header
  expect_zip_defect(bytes, "X.zip/X_node_labels.txt", {"damaged"});
}

TEST(TuArchive, RefusesPathsThatLeaveTheArchive) {
  for (const auto* path :
       {"../X_A.txt", "X/../../X_A.txt", "X/..", "/X_A.txt", "..\\X_A.txt", R"(a\..\..\X_A.txt)"}) {
    auto files = small_tu();
    files.emplace_back(path, "1, 2\n");
    expect_zip_defect(zip_bytes(files), "X.zip", {"points outside the archive"});
  }
  auto harmless = small_tu();
  harmless.emplace_back("a/..b/...", "1");
  EXPECT_EQ(load_zip(zip_bytes(harmless)).size(), 3U);
}

/// Sets the expanded size that the archive claims for an entry, in both of its headers.
std::string claiming(std::string bytes, const std::string& entry, std::uint32_t size) {
  const auto patch = [&](std::size_t at) {
    for (unsigned i = 0; i < 4; ++i) {
      bytes[at + i] = static_cast<char>(size >> (8 * i));
    }
  };
  const auto local = bytes.find(entry);
  const auto central = bytes.rfind(entry);
  EXPECT_NE(local, central);
  patch(local - 30 + 22);
  patch(central - 46 + 24);
  return bytes;
}

TEST(TuArchive, RefusesAClaimedSizeBeyondReasonBeforeUnpacking) {
  const auto bytes = zip_bytes(small_tu());
  expect_zip_defect(claiming(bytes, "X_A.txt", 0xF0000000U), "X.zip", {"zip bomb"});
  expect_zip_defect(claiming(bytes, "X_A.txt", 300U << 20U), "X.zip", {"zip bomb"});
  expect_zip_defect(claiming(bytes, "X_A.txt", 2000), "X.zip", {"zip bomb"},
                    {.max_expanded_bytes = 1000});
}

TEST(TuArchive, RefusesAWrongClaimedSize) {
  const auto bytes = zip_bytes(small_tu());
  for (const std::uint32_t size : {0U, 1U, 1000U, 200U << 20U}) {
    EXPECT_THROW(load_zip(claiming(bytes, "X_A.txt", size)), DataError) << size;
  }
}

TEST(TuArchive, RefusesABomb) {
  // 300 MB of the same line pack to 300 kB: more than 200 times.
  std::string lines(std::size_t{300} << 20U, '\n');
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    lines[i] = '1';
  }
  const auto bytes = zip_bytes(with(small_tu(), "X_graph_indicator.txt", std::move(lines)));
  ASSERT_LT(bytes.size(), std::size_t{1} << 20U);
  expect_zip_defect(bytes, "X.zip", {"zip bomb", "unpack it yourself"});
}

TEST(TuArchive, RefusesAGzipBombInsideTheArchive) {
  std::string member = gzip_bytes(std::string(std::size_t{16} << 20U, '1'));
  std::string bomb;
  for (int i = 0; i < 20; ++i) {
    bomb += member;  // gzip members in a row unpack one after the other
  }
  auto files = without(small_tu(), "X_node_labels.txt");
  files.emplace_back("X_node_labels.txt.gz", bomb);
  expect_defect([&] { load_tu_files(files); }, "X_node_labels.txt.gz", 0, {"zip bomb"});
  expect_zip_defect(zip_bytes(files), "X.zip/X_node_labels.txt.gz", {"zip bomb"});
}

TEST(TuArchive, BelievesTheLimitOverTheArchive) {
  Files files = small_tu();
  files.emplace_back("X_graph_attributes.txt", std::string(100'000, ' '));
  EXPECT_EQ(load_zip(zip_bytes(files), {.max_expanded_bytes = 200'000}).size(), 3U);
  expect_zip_defect(zip_bytes(files), "X.zip", {"zip bomb"}, {.max_expanded_bytes = 50'000});
}

TEST(TuArchive, RefusesAnArchiveWithoutADataset) {
  expect_zip_defect(zip_bytes({{"a.txt", "hello"}}), "X.zip", {"expected NAME_A.txt"});
}

TEST(TuArchive, RefusesTheSameFileInTwoFolders) {
  auto files = under("a/", small_tu());
  files.emplace_back("b/X_A.txt", "1, 2\n");
  expect_zip_defect(zip_bytes(files), "X.zip", {"X_A.txt is there twice"});
}

TEST(TuArchive, RefusesEncryptedEntries) {
  auto bytes = zip_bytes(small_tu());
  for (const auto& [at, header] :
       {std::pair{bytes.find("X_A.txt"), 30 - 6}, std::pair{bytes.rfind("X_A.txt"), 46 - 8}}) {
    bytes[at - static_cast<std::size_t>(header)] |= 1;  // the flag "encrypted"
  }
  EXPECT_THROW(load_zip(bytes), DataError);
}

TEST(TuArchive, SurvivesAnyDamagedByte) {
  const auto bytes = zip_bytes(small_tu());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    try {
      load_zip(damaged, {.run = {.threads = 1}});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_data);
    }
  }
}

}  // namespace
}  // namespace rayleigh::test
