#include "rayleigh/graph_io.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "rayleigh/error.h"

#include "io/folder.h"
#include "io/jsonl_reader.h"
#include "io/tu_reader.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

enum class Format { tu_folder, tu_zip, jsonl };

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view end) { return text.ends_with(end); });
}

Format recognise(const std::string& data) {
  if (data == "-") {
    return Format::jsonl;
  }
  std::error_code error;
  const auto status = fs::status(data, error);
  if (!fs::exists(status)) {
    throw DataError({data, 0},
                    error && error != std::errc::no_such_file_or_directory
                        ? fmt::format("cannot be read: {}", error.message())
                        : "no such file or directory, expected a TU folder or .zip, a .jsonl or "
                          ".jsonl.gz, or - for stdin");
  }
  if (fs::is_directory(status)) {
    return Format::tu_folder;
  }
  if (ends_with_any(data, {".zip", ".ZIP"})) {
    return Format::tu_zip;
  }
  if (ends_with_any(data, {".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"})) {
    return Format::jsonl;
  }
  throw DataError({data, 0},
                  "not a known kind of file, expected a TU folder or .zip, or a .jsonl or "
                  ".jsonl.gz");
}

std::string set_name(const std::string& data) {
  if (data == "-") {
    return "stdin";
  }
  const auto name = fs::path(data).filename().string();
  return name.substr(0, name.find('.'));
}

std::shared_ptr<const Folder> open_folder(Format format, const std::string& data,
                                          const ReadOptions& options) {
  return format == Format::tu_zip ? open_zip(data, options.max_expanded_bytes)
                                  : open_directory(data);
}

}  // namespace

GraphSet load(const std::string& data, const ReadOptions& options) {
  const Format format = recognise(data);
  return format == Format::jsonl ? load_jsonl(open_file(data), set_name(data), options)
                                 : load_tu(open_folder(format, data, options), data, options);
}

std::unique_ptr<GraphReader> open(const std::string& data, const ReadOptions& options) {
  const Format format = recognise(data);
  return format == Format::jsonl ? open_jsonl(open_file(data), set_name(data), options)
                                 : open_tu(open_folder(format, data, options), data, options);
}

}  // namespace rayleigh::io
