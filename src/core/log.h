// Messages to stderr for the person at the terminal; data never goes here.
// The command makes one and hands it down; the library itself returns findings instead of logging.
// Each message is one write, so lines of several threads do not mix.
#pragma once

#include <string_view>

namespace rayleigh::core {

enum class Verbosity { quiet, normal };

class Log {
 public:
  explicit Log(Verbosity verbosity = Verbosity::normal) : verbosity_(verbosity) {}

  /// Progress and remarks; silent with --quiet.
  void info(std::string_view message) const;
  /// Something the user should look at; shown even with --quiet.
  void warn(std::string_view message) const;
  void error(std::string_view message) const;

  bool quiet() const { return verbosity_ == Verbosity::quiet; }

 private:
  Verbosity verbosity_;
};

/// True when stderr is a terminal that understands colours and cursor movement.
bool stderr_is_terminal();
bool stdout_is_terminal();

}  // namespace rayleigh::core
