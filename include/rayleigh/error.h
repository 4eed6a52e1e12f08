// The one exception type of the library: what is wrong, where, and whose turn it is to act.
// Catch it around any call that reads files or checks options; programmer errors assert instead.
// Costs nothing until thrown.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rayleigh {

/// The values are the exit codes of the command.
enum class ErrorKind { failed = 1, usage = 2, bad_data = 3 };

/// A position in an input. Line 0 means the file as a whole.
struct Place {
  std::string file;
  std::uint64_t line = 0;

  /// "file:line", "file", or "" for no place.
  std::string text() const;
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  /// what() reads "file:line: message".
  Error(ErrorKind kind, Place place, const std::string& message);

  ErrorKind kind() const { return kind_; }
  const Place& place() const { return place_; }

 private:
  ErrorKind kind_;
  Place place_;
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
};

}  // namespace rayleigh
