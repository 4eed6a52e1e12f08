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

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(message), kind_(kind) {}

Error::Error(ErrorKind kind, Place place, const std::string& message)
    : std::runtime_error(place.file.empty() ? message : place.text() + ": " + message),
      kind_(kind),
      place_(std::move(place)) {}

}  // namespace rayleigh
