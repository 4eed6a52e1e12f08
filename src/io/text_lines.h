// Lines of a text one after the other, with their numbers; lines can be put back.
// For formats whose records end at a line that only the reader of the format recognises.
// A copy of each line; as fast as its source.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"

namespace rayleigh::io {

struct TextLine {
  std::string text;  ///< without its end, CRLF or LF
  std::uint64_t number = 0;
};

class TextLines {
 public:
  explicit TextLines(std::unique_ptr<ByteSource> source);

  /// Nothing at the end. A byte order mark before the first line is left out.
  std::optional<TextLine> next();
  /// They come next again, in this order.
  void put_back(std::vector<TextLine> lines);
  const std::string& name() const { return blocks_.name(); }
  std::optional<double> fraction_read() const { return blocks_.fraction_read(); }

 private:
  LineBlocks blocks_;
  std::string_view block_;
  std::uint64_t number_ = 0;
  std::deque<TextLine> waiting_;
};

}  // namespace rayleigh::io
