// The exceptions of the library: what is wrong, where, in which option, and who can mend it.
// Catch Error around any call that reads files or checks options; programmer errors assert instead.
// Costs nothing until thrown.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace rayleigh {

enum class ErrorKind {
  failed,     ///< a disk is full, a network is down, a training diverged
  usage,      ///< an option or an argument is wrong
  bad_data,   ///< an input is wrong
  cancelled,  ///< a stop was requested
};

/// A position in an input. Line 0 means the file as a whole.
struct Place {
  std::string file;
  std::uint64_t line = 0;

  /// "file:line", "file", or "" for no place.
  std::string text() const;
};

/// Messages name options in backticks: "a smaller `lr` may help".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  /// what() reads "file:line: message".
  Error(ErrorKind kind, Place place, const std::string& message);
  /// An option that a file at `place` gives; what() has all three.
  Error(ErrorKind kind, Place place, std::string option, const std::string& message);

  ErrorKind kind() const { return kind_; }
  const Place& place() const { return place_; }
  /// The option at fault, as it is declared ("split-seed"); "" where there is none.
  const std::string& option() const { return option_; }
  /// what() without place and option.
  const std::string& message() const { return message_; }

 private:
  ErrorKind kind_;
  Place place_;
  std::string option_;
  std::string message_;
};

/// Bad input, with its place.
class DataError : public Error {
 public:
  DataError(Place place, const std::string& message)
      : Error(ErrorKind::bad_data, std::move(place), message) {}
};

/// A wrong option or argument.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ErrorKind::usage, message) {}
  /// what() reads "option: message".
  UsageError(std::string option, const std::string& message)
      : Error(ErrorKind::usage, {}, std::move(option), message) {}
};

/// A stop was requested and the work ended; the message says what is kept.
class Cancelled : public Error {
 public:
  explicit Cancelled(const std::string& message = "stopped on request")
      : Error(ErrorKind::cancelled, message) {}
};

}  // namespace rayleigh
