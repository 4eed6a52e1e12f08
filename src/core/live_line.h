// One line on stderr that is rewritten in place while something goes on.
// Show it as often as something changes, and clear it before anything else is written. Only for
// terminals: elsewhere nobody could rewrite it.
// One write per show().
#pragma once

#include <cstddef>
#include <string_view>

namespace rayleigh::core {

/// Columns of the terminal behind stderr; 80 when it has none.
std::size_t terminal_width();

class LiveLine {
 public:
  LiveLine() = default;
  /// Leaves the last line where it stands and goes to the next.
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  /// Cut to the width of the terminal: a line that wraps could not be taken back.
  void show(std::string_view line);
  /// Removes the line, if there is one.
  void clear();

 private:
  bool on_screen_ = false;
};

}  // namespace rayleigh::core
