// A file that grows for long and outlives a kill: scores of a large library, a download. What came
// goes to FILE.part, and FILE.progress says how much of it is whole and what the writer must know
// to go on. At the end FILE, or the file it links to, appears whole, and FILE.finished may keep of
// what run it is. What is not a file (a device,
// a FIFO, /dev/stdout) is written through and cannot be resumed. Use where a run may be longer than
// one wants to repeat; else OutputFile. A save costs two fsyncs, so do it about once a second.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/output_place.h"

namespace rayleigh::core {

/// The text as gzip data of its own; such pieces in a row are a gzip file.
std::string gzip_member(std::string_view text);

class ResumableFile {
 public:
  /// Throws at once when the folder is missing or not writable, or another process writes FILE.
  explicit ResumableFile(std::filesystem::path target);
  /// Without finish() the part and the progress remain.
  ~ResumableFile();
  ResumableFile(const ResumableFile&) = delete;
  ResumableFile& operator=(const ResumableFile&) = delete;

  /// True when FILE is whole and there is no part of another run.
  static bool is_finished(const std::filesystem::path& target);
  /// What finish() was told of FILE. None when it was told nothing, or FILE was replaced since.
  static std::optional<nlohmann::ordered_json> finished_state(const std::filesystem::path& target);

  /// False for what is written through: there is neither a part nor progress.
  bool keeps_parts() const { return !place_.through; }
  const std::filesystem::path& part() const { return part_; }
  /// Bytes of the part, those that an earlier run left too.
  std::uint64_t size() const { return bytes_ + buffer_.size(); }
  /// What save() was last told by a run that was killed; none when there was no such run, or its
  /// part is lost. DataError when it is damaged, UsageError when FILE keeps no parts.
  std::optional<nlohmann::ordered_json> progress() const;
  /// Cuts the part back to the last save(). Without it all that the part has is kept.
  void go_on(const nlohmann::ordered_json& progress);
  /// Forgets what a killed run left.
  void start_anew();

  void write(std::string_view bytes);
  /// Writes what waits for more: then a kill loses nothing, but for what the system loses.
  void flush();
  /// `state` must be an object; the key "bytes" is ours.
  void save(nlohmann::ordered_json state);
  /// With a `state`, an object, FILE.finished keeps it; without, no such file remains.
  void finish(std::optional<nlohmann::ordered_json> state = std::nullopt);
  /// Nothing remains.
  void discard();

 private:
  void open_and_lock();
  [[noreturn]] void fail(std::string_view action) const;

  std::filesystem::path target_;
  core::OutputPlace place_;
  std::filesystem::path part_;
  std::filesystem::path progress_;
  std::filesystem::path finished_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;  ///< of the part, without the buffer
  std::string buffer_;
};

}  // namespace rayleigh::core
