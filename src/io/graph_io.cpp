#include "rayleigh/graph_io.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "rayleigh/error.h"

#include "core/content_hash.h"
#include "core/text.h"
#include "io/data_folder.h"
#include "io/folder.h"
#include "io/jsonl_reader.h"
#include "io/molecule_reader.h"
#include "io/tu_reader.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExpected =
    "expected a TU folder or .zip, a .jsonl, .smi, .csv, .tsv or .sdf (also .gz or in a .zip), or "
    "- "
    "for stdin";

/// The format that the end of a name stands for; .gz does not count.
InputFormat format_of_name(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, InputFormat>, 8> kEndings{{
      {".jsonl", InputFormat::jsonl},
      {".ndjson", InputFormat::jsonl},
      {".smi", InputFormat::smi},
      {".smiles", InputFormat::smi},
      {".csv", InputFormat::csv},
      {".tsv", InputFormat::tsv},
      {".sdf", InputFormat::sdf},
      {".sd", InputFormat::sdf},
  }};
  if (name.ends_with(".gz")) {
    name.remove_suffix(3);
  }
  for (const auto& [ending, format] : kEndings) {
    if (name.ends_with(ending)) {
      return format;
    }
  }
  return InputFormat::automatic;
}

std::string set_name(const std::string& data) {
  if (data == "-") {
    return "stdin";
  }
  const auto name = fs::path(data).filename().string();
  return name.substr(0, name.find('.'));
}

/// Where DATA is and how it is written: a TU folder, or one file of rows.
struct Input {
  std::shared_ptr<const Folder> tu;
  std::unique_ptr<ByteSource> rows;
  InputFormat format = InputFormat::automatic;
};

/// The one file of an archive that holds rows; none in an archive of a TU dataset.
std::optional<std::size_t> file_of_rows(const Folder& folder, const std::string& data,
                                        InputFormat wish) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < folder.files().size(); ++i) {
    const std::string_view name = folder.files()[i].name;
    if (wish == InputFormat::automatic &&
        (name.ends_with("_A.txt") || name.ends_with("_A.txt.gz"))) {
      return std::nullopt;
    }
    const auto format = format_of_name(name);
    if (format != InputFormat::automatic && (wish == InputFormat::automatic || wish == format)) {
      found.push_back(i);
    }
  }
  if (found.empty() && wish != InputFormat::automatic && folder.files().size() == 1) {
    return 0;
  }
  if (found.empty() && wish != InputFormat::automatic) {
    throw DataError({data, 0}, "the archive holds no file of the kind that `input` says");
  }
  if (found.size() > 1) {
    std::vector<std::string> names;
    names.reserve(found.size());
    for (const std::size_t file : found) {
      names.push_back(core::printable(folder.files()[file].name));
    }
    names.resize(std::min<std::size_t>(names.size(), 4));
    throw DataError({data, 0}, fmt::format("the archive holds {} files that could be meant ({}{}), "
                                           "expected one; unpack the right one",
                                           found.size(), fmt::join(names, ", "),
                                           found.size() > names.size() ? ", …" : ""));
  }
  return found.empty() ? std::nullopt : std::optional(found.front());
}

Input open_archive(const std::string& data, const ReadOptions& options) {
  std::shared_ptr<const Folder> folder = open_zip(data, options.max_expanded_bytes);
  const auto file = file_of_rows(*folder, data, options.input);
  if (!file) {
    return {std::move(folder), nullptr, InputFormat::automatic};
  }
  const auto format = options.input != InputFormat::automatic
                          ? options.input
                          : format_of_name(folder->files()[*file].name);
  // The entry opens the archive for itself, so the folder need not stay.
  return {nullptr, folder->open(*file), format};
}

Input open_input(const std::string& data, const ReadOptions& options) {
  const InputFormat wish = options.input;
  if (data == "-") {
    return {nullptr, open_file(data, options.run.stop),
            wish == InputFormat::automatic ? InputFormat::jsonl : wish};
  }
  std::error_code error;
  const auto status = fs::status(data, error);
  if (!fs::exists(status)) {
    throw DataError({data, 0}, error && error != std::errc::no_such_file_or_directory
                                   ? fmt::format("cannot be read: {}", error.message())
                                   : fmt::format("no such file or directory, {}", kExpected));
  }
  if (fs::is_directory(status)) {
    if (wish != InputFormat::automatic) {
      throw UsageError(
          "input", fmt::format("'{}' is a folder, which can only be TU", core::printable(data)));
    }
    return {open_directory(data), nullptr, InputFormat::automatic};
  }
  if (data.ends_with(".zip") || data.ends_with(".ZIP")) {
    return open_archive(data, options);
  }
  const InputFormat format = wish == InputFormat::automatic ? format_of_name(data) : wish;
  if (format == InputFormat::automatic) {
    throw DataError({data, 0}, fmt::format("not a known kind of file, {}; `input` says how it is "
                                           "written",
                                           kExpected));
  }
  return {nullptr, open_file(data, options.run.stop), format};
}

}  // namespace

std::optional<PendingChunk> GraphReader::next_pending(std::size_t max_rows) {
  auto chunk = next_chunk(max_rows);
  if (!chunk) {
    return std::nullopt;
  }
  const std::size_t rows = chunk->rows.size();
  return PendingChunk{
      rows, [parsed = std::make_shared<Chunk>(std::move(*chunk))] { return std::move(*parsed); }};
}

std::size_t GraphReader::skip(std::size_t rows) {
  constexpr std::size_t kMost = 4096;
  std::size_t skipped = 0;
  while (skipped < rows) {
    const auto chunk = next_chunk(std::min(kMost, rows - skipped));
    if (!chunk) {
      break;
    }
    skipped += chunk->rows.size();
  }
  return skipped;
}

bool holds_molecules(const std::string& name_or_path, const ReadOptions& options) {
  const auto by_rows = [](InputFormat format) {
    return format != InputFormat::automatic && format != InputFormat::jsonl;
  };
  if (name_or_path == "-") {
    return by_rows(options.input);
  }
  try {
    return by_rows(open_input(find_data(name_or_path), options).format);
  } catch (const Error&) {
    return false;
  }
}

GraphSet load(const std::string& name_or_path, const ReadOptions& options) {
  const std::string data = find_data(name_or_path);
  Input input = open_input(data, options);
  if (input.tu) {
    return load_tu(std::move(input.tu), data, options);
  }
  if (input.format == InputFormat::jsonl) {
    return load_jsonl(std::move(input.rows), set_name(data), options);
  }
  return load_molecules(std::move(input.rows), input.format, set_name(data), options,
                        molecule_toolkit());
}

std::unique_ptr<GraphReader> open(const std::string& name_or_path, const ReadOptions& options) {
  const std::string data = find_data(name_or_path);
  Input input = open_input(data, options);
  if (input.tu) {
    return open_tu(std::move(input.tu), data, options);
  }
  if (input.format == InputFormat::jsonl) {
    return open_jsonl(std::move(input.rows), set_name(data), options);
  }
  return open_molecules(std::move(input.rows), input.format, set_name(data), options,
                        molecule_toolkit());
}

std::optional<std::uint64_t> data_hash(const std::string& name_or_path) {
  return name_or_path == "-" ? std::nullopt : core::content_hash(find_data(name_or_path));
}

}  // namespace rayleigh::io
