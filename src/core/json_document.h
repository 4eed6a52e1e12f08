// JSON text with a part too large for values of nlohmann::json, such as the vocabularies of a
// model: simdjson parses it, and the remainder can be had as nlohmann::json. For files that cannot
// be trusted, like strict_json.h. Throws std::string with what is wrong. About a gigabyte per
// second, where nlohmann::json reads thirty megabytes.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <simdjson.h>
#include <string>
#include <string_view>

namespace rayleigh::core {

/// Owns what its elements look at, which stays where it is when it is moved.
class JsonDocument {
 public:
  explicit JsonDocument(const std::string& text);

  simdjson::dom::element root() const { return root_; }
  /// The whole but the value of `key` in the outermost object.
  nlohmann::ordered_json without(std::string_view key) const;

 private:
  std::unique_ptr<simdjson::dom::parser> parser_ = std::make_unique<simdjson::dom::parser>();
  simdjson::dom::element root_;
};

/// The value of a key, which must be there.
simdjson::dom::element json_at(simdjson::dom::element object, std::string_view key);
std::string_view json_text(simdjson::dom::element value, std::string_view what);
bool json_bool(simdjson::dom::element value, std::string_view what);
simdjson::dom::array json_array(simdjson::dom::element value, std::string_view what);
/// The value if it is a whole number from 0 to `most`.
std::uint64_t whole_number(simdjson::dom::element value, std::uint64_t most, std::string_view what);

}  // namespace rayleigh::core
