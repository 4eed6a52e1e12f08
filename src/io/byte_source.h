// Bytes from a plain file, a gzip file, standard input, an archive entry or memory, one interface.
// Readers pull blocks from it and never care where they come from.
// One virtual call per block.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace rayleigh::io {

class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills `buffer` from the front and returns how much; 0 only at the end. Damage is a DataError,
  /// but what was before it comes first: only a 0 says that the input is whole.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// How much was read, from 0 to 1; none where the size is unknown.
  virtual std::optional<double> fraction_read() const { return std::nullopt; }
  /// As it appears in messages.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// "-" is standard input; gzip is recognised by its first bytes, whatever the name. After a stop
/// request reading throws Cancelled.
std::unique_ptr<ByteSource> open_file(const std::string& path, std::stop_token stop = {});

/// The bytes must outlive the source.
std::unique_ptr<ByteSource> open_memory(std::string name, std::string_view bytes);

/// Unpacks gzip data of another source.
std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> packed);

/// Everything, but at most `limit` bytes (then DataError). `size` is what the folder says: the
/// bytes to come, or the packed bytes of a gzip file, which may not expand without measure.
std::string read_all(ByteSource& source, std::uint64_t limit, std::uint64_t size);

/// Whole lines in blocks: what next() returns always ends at a line end or at the end of input. Of
/// a damaged input the whole lines before the damage come first, then it throws.
class LineBlocks {
 public:
  LineBlocks(std::unique_ptr<ByteSource> source, std::size_t block_bytes, std::uint64_t max_line);

  /// The next block, valid until the next call; empty at the end.
  std::string_view next();
  const std::string& name() const { return source_->name(); }
  std::optional<double> fraction_read() const { return source_->fraction_read(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::size_t block_bytes_;
  std::size_t next_bytes_;  ///< grows to block_bytes_, so that small inputs stay cheap
  std::uint64_t max_line_;
  std::uint64_t lines_ = 0;
  std::string buffer_;
  std::size_t delivered_ = 0;
  bool at_end_ = false;
  std::exception_ptr damage_;

  /// Notes the end of input or what is wrong with it.
  void look_for_end();
};

}  // namespace rayleigh::io
