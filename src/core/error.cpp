#include "rayleigh/error.h"

#include <fmt/format.h>
#include <utility>

namespace rayleigh {

std::string Place::text() const {
  if (file.empty()) {
    return {};
  }
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

namespace {

std::string whole(const Place& place, const std::string& option, const std::string& message) {
  const std::string named = option.empty() ? message : option + ": " + message;
  return place.file.empty() ? named : place.text() + ": " + named;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& message) : Error(kind, {}, {}, message) {}

Error::Error(ErrorKind kind, Place place, const std::string& message)
    : Error(kind, std::move(place), {}, message) {}

Error::Error(ErrorKind kind, Place place, std::string option, const std::string& message)
    : std::runtime_error(whole(place, option, message)),
      kind_(kind),
      place_(std::move(place)),
      option_(std::move(option)),
      message_(message) {}

}  // namespace rayleigh
