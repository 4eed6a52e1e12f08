// What the fuzz targets do with one input: read it as hostile bytes and hold the readers to their
// promises. Shared by the libFuzzer targets and by the test that replays the corpus.
// Throws std::logic_error when a promise is broken; whatever a reader refuses is fine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "../tests/io/letter_toolkit.h"
#include "../tests/io/words.h"
#include "core/text.h"
#include "io/byte_source.h"
#include "io/folder.h"
#include "io/jsonl_reader.h"
#include "io/molecule_reader.h"
#include "io/tu_reader.h"
#include "promises.h"

namespace rayleigh::fuzz {

/// Small limits, so that a short input stays a short run.
inline io::ReadOptions options() {
  return {.run = {.threads = 1}, .max_expanded_bytes = std::uint64_t{1} << 22U, .max_nodes = 1000};
}

/// What became of an input: all its graphs, or a refusal.
struct Outcome {
  std::vector<test::WordGraph> graphs;
  std::vector<io::Row> rows;  ///< of a stream
  std::optional<Place> refused;

  bool complete() const {
    return !refused && std::ranges::all_of(rows, [](const io::Row& row) { return row.ok; });
  }
};

template <typename Load>
Outcome loaded(const Load& load) {
  Outcome outcome;
  try {
    outcome.graphs = test::words_of(load());
  } catch (const Error& error) {
    check_error(error);
    outcome.refused = error.place();
  }
  return outcome;
}

template <typename Open>
Outcome streamed(const Open& open, std::size_t max_rows) {
  Outcome outcome;
  try {
    const std::unique_ptr<io::GraphReader> reader = open();
    while (auto chunk = reader->next_chunk(max_rows)) {
      require(!chunk->rows.empty() && chunk->rows.size() <= max_rows, "a chunk has 1 to max rows");
      std::size_t good = 0;
      for (auto& row : chunk->rows) {
        require(row.ok == row.reason.empty(), "a row has a reason when it failed, and only then");
        good += row.ok ? 1U : 0U;
        outcome.rows.push_back(std::move(row));
      }
      require(good == chunk->graphs.size(), "a good row is a graph");
      std::ranges::move(test::words_of(chunk->graphs), std::back_inserter(outcome.graphs));
    }
  } catch (const Error& error) {
    check_error(error);
    outcome.refused = error.place();
  }
  return outcome;
}

/// A TU stream gives what loading gives; where loading refuses, so does the stream or one row.
inline void check_tu(const std::shared_ptr<const io::Folder>& folder) {
  const auto whole = loaded([&] { return io::load_tu(folder, "X", options()); });
  for (const std::size_t rows : {std::size_t{1}, std::size_t{3}}) {
    const auto pieces = streamed([&] { return io::open_tu(folder, "X", options()); }, rows);
    if (whole.refused) {
      require(!pieces.complete(), "what loading refuses no stream accepts");
    } else {
      require(!pieces.refused, "what loading accepts no stream refuses");
      require(pieces.graphs == whole.graphs, "stream and load agree");
    }
  }
}

/// Files in one text: a line "== NAME" opens the file NAME, what follows is its content.
inline std::vector<std::pair<std::string, std::string>> split_files(std::string_view text) {
  constexpr std::string_view kMark = "== ";
  std::vector<std::pair<std::string, std::string>> files;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const auto line = text.substr(0, end);
    if (line.starts_with(kMark)) {
      files.emplace_back(core::trim(line.substr(kMark.size())), "");
    } else if (!files.empty()) {
      files.back().second += line;
    }
    text.remove_prefix(end);
  }
  return files;
}

inline void read_tu(std::string_view bytes) {
  check_tu(io::open_memory_folder(split_files(bytes)));
}

inline void read_zip(std::string_view bytes) {
  std::shared_ptr<const io::Folder> folder;
  try {
    folder = io::open_zip_bytes("x.zip", bytes, options().max_expanded_bytes);
  } catch (const Error& error) {
    check_error(error);
    return;
  }
  check_tu(folder);
}

inline void read_jsonl(std::string_view bytes) {
  const auto source = [&] {
    auto memory = io::open_memory("x.jsonl", bytes);
    return bytes.starts_with("\x1f\x8b") ? io::gunzip(std::move(memory)) : std::move(memory);
  };
  const auto whole = loaded([&] { return io::load_jsonl(source(), "x", options()); });
  for (const std::size_t rows : {std::size_t{1}, std::size_t{3}}) {
    const auto pieces = streamed([&] { return io::open_jsonl(source(), "x", options()); }, rows);
    const auto bad = std::ranges::find(pieces.rows, false, &io::Row::ok);
    if (!whole.refused) {
      require(pieces.complete() && pieces.graphs == whole.graphs, "stream and load agree");
    } else if (!pieces.refused && !pieces.rows.empty()) {
      require(bad != pieces.rows.end() && bad->place.line == whole.refused->line,
              "loading stops at the first row that fails in a stream");
    }
  }
}

/// The first byte chooses the format: s, c, t or d for SDF. Chemistry is not what is tested here.
inline void read_molecules(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  const io::InputFormat format = bytes[0] == 's'   ? io::InputFormat::smi
                                 : bytes[0] == 't' ? io::InputFormat::tsv
                                 : bytes[0] == 'd' ? io::InputFormat::sdf
                                                   : io::InputFormat::csv;
  const test::LetterToolkit letters;
  const auto source = [&] { return io::open_memory("x", bytes.substr(1)); };
  const auto whole =
      loaded([&] { return io::load_molecules(source(), format, "x", options(), letters); });
  std::optional<Outcome> before;
  for (const std::size_t rows : {std::size_t{1}, std::size_t{3}}) {
    auto pieces = streamed(
        [&] { return io::open_molecules(source(), format, "x", options(), letters); }, rows);
    require(whole.refused || pieces.graphs == whole.graphs, "stream and load agree");
    if (before) {
      require(pieces.graphs == before->graphs && pieces.rows.size() == before->rows.size(),
              "rows do not depend on chunks");
    }
    before = std::move(pieces);
  }
}

}  // namespace rayleigh::fuzz
