// What tests of readers and writers share: small datasets in memory, archives, expected defects.
// A TU dataset here is a list of (file name, text); NAME is X.
// Nothing here is part of the library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zip.h>
#include <zlib.h>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "io/byte_source.h"
#include "io/folder.h"
#include "io/jsonl_reader.h"
#include "io/tu_reader.h"
#include "io/words.h"
#include "support.h"

namespace rayleigh::test {

using Files = std::vector<std::pair<std::string, std::string>>;

/// A path of three nodes, an edge, a single node.
inline Files small_tu() {
  return {{"X_A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n"},
          {"X_graph_indicator.txt", "1\n1\n1\n2\n2\n3\n"},
          {"X_graph_labels.txt", "1\n-1\n1\n"},
          {"X_node_labels.txt", "0\n1\n0\n2\n2\n0\n"}};
}

/// The files with one replaced or added.
inline Files with(Files files, const std::string& name, std::string text) {
  const auto it = std::ranges::find(
      files, name, [](const auto& file) -> const std::string& { return file.first; });
  if (it == files.end()) {
    files.emplace_back(name, std::move(text));
  } else {
    it->second = std::move(text);
  }
  return files;
}

inline Files without(Files files, const std::string& name) {
  std::erase_if(files, [&](const auto& file) { return file.first == name; });
  return files;
}

inline GraphSet load_tu_files(Files files, const io::ReadOptions& options = {}) {
  return io::load_tu(io::open_memory_folder(std::move(files)), "X", options);
}

inline std::unique_ptr<io::GraphReader> open_tu_files(Files files,
                                                      const io::ReadOptions& options = {}) {
  return io::open_tu(io::open_memory_folder(std::move(files)), "X", options);
}

inline GraphSet load_jsonl_text(std::string_view text, const io::ReadOptions& options = {}) {
  return io::load_jsonl(io::open_memory("x.jsonl", text), "x", options);
}

/// All chunks of a stream, put together.
struct Streamed {
  std::vector<WordGraph> graphs;
  std::vector<io::Row> rows;
};

inline Streamed stream_all(io::GraphReader& reader, std::size_t max_rows) {
  Streamed all;
  while (const auto chunk = reader.next_chunk(max_rows)) {
    EXPECT_LE(chunk->rows.size(), max_rows);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(chunk->rows, true, &io::Row::ok)),
              chunk->graphs.size());
    std::ranges::move(words_of(chunk->graphs), std::back_inserter(all.graphs));
    all.rows.insert(all.rows.end(), chunk->rows.begin(), chunk->rows.end());
  }
  return all;
}

/// The same, with all pieces taken first and then parsed from the last to the first.
inline Streamed stream_pending(io::GraphReader& reader, std::size_t max_rows) {
  std::vector<io::PendingChunk> pending;
  while (auto next = reader.next_pending(max_rows)) {
    EXPECT_LE(next->rows, max_rows);
    pending.push_back(std::move(*next));
  }
  std::vector<Streamed> pieces(pending.size());
  for (std::size_t i = pending.size(); i-- > 0;) {
    while (pieces[i].rows.size() < pending[i].rows) {
      const io::Chunk chunk = pending[i].parse();
      std::ranges::move(words_of(chunk.graphs), std::back_inserter(pieces[i].graphs));
      pieces[i].rows.insert(pieces[i].rows.end(), chunk.rows.begin(), chunk.rows.end());
    }
    EXPECT_EQ(pieces[i].rows.size(), pending[i].rows);
  }
  Streamed all;
  for (Streamed& piece : pieces) {
    std::ranges::move(piece.graphs, std::back_inserter(all.graphs));
    all.rows.insert(all.rows.end(), piece.rows.begin(), piece.rows.end());
  }
  return all;
}

/// Pieces taken ahead and rows passed over give what a plain stream gives.
inline void expect_same_when_taken_or_skipped(
    const std::function<std::unique_ptr<io::GraphReader>()>& open) {
  const auto whole = stream_all(*open(), 64);
  const auto taken = stream_pending(*open(), 7);
  EXPECT_TRUE(taken.graphs == whole.graphs);
  ASSERT_EQ(taken.rows.size(), whole.rows.size());
  for (std::size_t i = 0; i < whole.rows.size(); ++i) {
    EXPECT_EQ(taken.rows[i].id, whole.rows[i].id);
    EXPECT_EQ(taken.rows[i].ok, whole.rows[i].ok);
    EXPECT_EQ(taken.rows[i].reason, whole.rows[i].reason);
    EXPECT_EQ(taken.rows[i].place.line, whole.rows[i].place.line);
    EXPECT_EQ(taken.rows[i].structure, whole.rows[i].structure);
  }
  for (const std::size_t skipped : {std::size_t{0}, std::size_t{1}, whole.rows.size() / 2}) {
    const auto reader = open();
    EXPECT_EQ(reader->skip(skipped), skipped);
    const auto rest = stream_all(*reader, 7);
    ASSERT_EQ(rest.rows.size(), whole.rows.size() - skipped);
    for (std::size_t i = 0; i < rest.rows.size(); ++i) {
      EXPECT_EQ(rest.rows[i].id, whole.rows[skipped + i].id);
      EXPECT_EQ(rest.rows[i].reason, whole.rows[skipped + i].reason);
    }
    EXPECT_TRUE(rest.graphs.empty() || rest.graphs.back() == whole.graphs.back());
    EXPECT_EQ(reader->skip(5), 0U);
  }
  EXPECT_EQ(open()->skip(whole.rows.size() + 1), whole.rows.size());
}

/// Runs something that must fail as bad data, in one line, at this place and with these words.
inline void expect_defect(const std::function<void()>& action, const std::string& file,
                          std::uint64_t line, const std::vector<std::string>& words) {
  try {
    action();
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::bad_data);
    EXPECT_EQ(error.place().file, file) << message;
    EXPECT_EQ(error.place().line, line) << message;
    EXPECT_TRUE(message.starts_with(error.place().text() + ": ")) << message;
    EXPECT_EQ(message.find_first_of(std::string("\n\r\0", 3)), std::string::npos) << message;
    for (const auto& word : words) {
      EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' not in: " << message;
    }
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not a DataError: " << error.what();
    return;
  }
  ADD_FAILURE() << "accepted, expected a DataError with '" << (words.empty() ? "" : words[0])
                << "'";
}

/// Loading these files fails; so does streaming them, at the same place.
inline void expect_tu_defect(const Files& files, const std::string& file, std::uint64_t line,
                             const std::vector<std::string>& words,
                             const io::ReadOptions& options = {}) {
  {
    SCOPED_TRACE("load");
    expect_defect([&] { load_tu_files(files, options); }, file, line, words);
  }
  SCOPED_TRACE("stream");
  expect_defect(
      [&] {
        const auto reader = open_tu_files(files, options);
        stream_all(*reader, 2);
      },
      file, line, words);
}

inline const Finding* find_finding(const GraphSet& set, std::string_view kind) {
  const auto it = std::ranges::find(set.findings(), kind, &Finding::kind);
  return it == set.findings().end() ? nullptr : &*it;
}

inline void expect_finding(const GraphSet& set, const std::string& kind, std::uint64_t count,
                           const std::string& file, std::uint64_t line) {
  const auto* finding = find_finding(set, kind);
  ASSERT_NE(finding, nullptr) << "no finding " << kind;
  EXPECT_EQ(finding->count, count) << kind;
  EXPECT_EQ(finding->first.file, file) << kind;
  EXPECT_EQ(finding->first.line, line) << kind;
}

inline std::string gzip_bytes(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A zip archive with these entries; the names may be paths.
inline std::string zip_bytes(const Files& files) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
  for (const auto& [name, text] : files) {
    zip_source_t* entry = zip_source_buffer(archive, text.data(), text.size(), 0);
    EXPECT_GE(zip_file_add(archive, name.c_str(), entry, ZIP_FL_ENC_UTF_8), 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  std::string bytes;
  zip_source_open(target);
  zip_source_seek(target, 0, SEEK_END);
  bytes.resize(static_cast<std::size_t>(zip_source_tell(target)));
  zip_source_seek(target, 0, SEEK_SET);
  zip_source_read(target, bytes.data(), bytes.size());
  zip_source_close(target);
  zip_source_free(target);
  zip_error_fini(&error);
  return bytes;
}

inline GraphSet load_zip(std::string_view bytes, const io::ReadOptions& options = {}) {
  return io::load_tu(io::open_zip_bytes("X.zip", bytes, options.max_expanded_bytes), "X.zip",
                     options);
}

}  // namespace rayleigh::test
