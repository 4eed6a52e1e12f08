// A download that is not whole yet: TARGET.part, and TARGET.part.json that says what it is a part
// of, so that a later run can go on where this one ended.
// Use while something large is on its way; commit() turns it into the target at once.
// Every append() is a write of its own: whatever ends the process, the part is as long as it came.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace rayleigh::io {

/// What a part is a part of.
struct PartRecord {
  std::string url;
  std::string validator;               ///< of this version of the file; "" = unknown
  std::optional<std::uint64_t> bytes;  ///< of the whole
};

class PartialFile {
 public:
  /// Takes up what is there, or makes an empty part. Throws when the folder cannot be written or
  /// another process has the part.
  explicit PartialFile(const std::filesystem::path& target);
  /// Leaves part and record for a later run; an empty part is removed.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return part_; }
  std::uint64_t size() const { return size_; }
  /// None when it is not known what the bytes are a part of.
  const std::optional<PartRecord>& record() const { return record_; }

  /// Empties the part.
  void restart(PartRecord record);
  void append(std::span<const char> bytes);
  /// The part becomes the target.
  void commit();
  /// Nothing remains.
  void discard();

 private:
  void open_and_lock();
  void read_record();
  [[noreturn]] void fail(const char* action, int error) const;

  std::filesystem::path target_;
  std::filesystem::path part_;
  std::filesystem::path record_file_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::optional<PartRecord> record_;
};

}  // namespace rayleigh::io
