#include "core/live_line.h"

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"

namespace rayleigh::core {
namespace {

constexpr const char* kToLineStart = "\r\033[K";

/// All of its bytes, in UTF-8.
void drop_last_character(std::string& text) {
  const auto continues = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
  };
  while (text.size() > 1 && continues(text.back())) {
    text.pop_back();
  }
  text.pop_back();
}

}  // namespace

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

LiveLine::~LiveLine() {
  if (on_screen_) {
    std::fputs("\n", stderr);
  }
}

void LiveLine::show(std::string_view line) {
  std::string text(line);
  for (const std::size_t width = terminal_width(); display_width(text) >= width;) {
    drop_last_character(text);
  }
  std::fputs((kToLineStart + text).c_str(), stderr);
  std::fflush(stderr);
  on_screen_ = true;
}

void LiveLine::clear() {
  if (on_screen_) {
    std::fputs(kToLineStart, stderr);
    std::fflush(stderr);
    on_screen_ = false;
  }
}

}  // namespace rayleigh::core
