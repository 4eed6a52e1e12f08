#include "io/text_lines.h"

#include <iterator>
#include <utility>

namespace rayleigh::io {
namespace {

constexpr std::size_t kLineBlockBytes = std::size_t{1} << 20U;
constexpr std::uint64_t kLongestLine = std::uint64_t{1} << 26U;

}  // namespace

TextLines::TextLines(std::unique_ptr<ByteSource> source)
    : blocks_(std::move(source), kLineBlockBytes, kLongestLine) {}

std::optional<TextLine> TextLines::next() {
  if (!waiting_.empty()) {
    TextLine line = std::move(waiting_.front());
    waiting_.pop_front();
    return line;
  }
  if (block_.empty()) {
    block_ = blocks_.next();
    if (block_.empty()) {
      return std::nullopt;
    }
  }
  const auto end = block_.find('\n');
  auto text = block_.substr(0, end);
  block_.remove_prefix(end == std::string_view::npos ? block_.size() : end + 1);
  if (++number_ == 1 && text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return TextLine{std::string(text), number_};
}

void TextLines::put_back(std::vector<TextLine> lines) {
  waiting_.insert(waiting_.begin(), std::make_move_iterator(lines.begin()),
                  std::make_move_iterator(lines.end()));
}

}  // namespace rayleigh::io
