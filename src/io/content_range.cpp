#include "io/content_range.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace rayleigh::io {
namespace {

/// Takes a number off the front; false when there is none or it is too large.
bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() && number <= (std::uint64_t{1} << 62U);
}

bool take(std::string_view& text, std::string_view word) {
  const bool there = text.starts_with(word);
  text.remove_prefix(there ? word.size() : 0);
  return there;
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
  ContentRange range;
  if (!take(text, "bytes ") || !take_number(text, range.first) || !take(text, "-") ||
      !take_number(text, range.last) || !take(text, "/") || range.last < range.first) {
    return std::nullopt;
  }
  if (text == "*") {
    return range;
  }
  std::uint64_t whole = 0;
  if (!take_number(text, whole) || !text.empty() || whole <= range.last) {
    return std::nullopt;
  }
  range.whole = whole;
  return range;
}

}  // namespace rayleigh::io
