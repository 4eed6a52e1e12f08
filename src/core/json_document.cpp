#include "core/json_document.h"

#include <algorithm>

#include "core/strict_json.h"

namespace rayleigh::core {
namespace {

using Json = nlohmann::ordered_json;
using simdjson::dom::element;
using simdjson::dom::element_type;

Json to_nlohmann(element value, int depth, std::string_view left_out = {}) {
  check_json_depth(depth);
  switch (value.type()) {
    case element_type::OBJECT: {
      Json json = Json::object();
      for (const auto [key, inner] : simdjson::dom::object(value)) {
        if (depth > 0 || key != left_out) {
          json[std::string(key)] = to_nlohmann(inner, depth + 1);
        }
      }
      return json;
    }
    case element_type::ARRAY: {
      Json json = Json::array();
      for (const element inner : simdjson::dom::array(value)) {
        json.push_back(to_nlohmann(inner, depth + 1));
      }
      return json;
    }
    case element_type::STRING:
      return std::string(std::string_view(value));
    case element_type::INT64:
      // As nlohmann::json has it: signed only below zero.
      return std::int64_t(value) < 0 ? Json(std::int64_t(value)) : Json(std::uint64_t(value));
    case element_type::UINT64:
      return std::uint64_t(value);
    case element_type::DOUBLE:
      return double(value);
    case element_type::BOOL:
      return bool(value);
    case element_type::NULL_VALUE:
      break;
  }
  return nullptr;
}

}  // namespace

JsonDocument::JsonDocument(const std::string& text) {
  // Counted from 1, and the deepest is too deep.
  constexpr std::size_t kTooDeep = kDeepestJson + 2;
  constexpr std::size_t kLeastRoom = 64;
  auto error = parser_->allocate(std::max(text.size(), kLeastRoom), kTooDeep);
  if (error == simdjson::SUCCESS) {
    error = parser_->parse(text).get(root_);
  }
  if (error != simdjson::SUCCESS) {
    parse_json(text);  // knows where it ends to be JSON
    throw fmt::format("no JSON: {}", simdjson::error_message(error));
  }
}

Json JsonDocument::without(std::string_view key) const { return to_nlohmann(root_, 0, key); }

element json_at(element object, std::string_view key) {
  element value;
  if (object.at_key(key).get(value) != simdjson::SUCCESS) {
    throw fmt::format("key '{}' is missing", key);
  }
  return value;
}

std::string_view json_text(element value, std::string_view what) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) {
    throw fmt::format("{} is not a string", what);
  }
  return text;
}

bool json_bool(element value, std::string_view what) {
  bool truth = false;
  if (value.get(truth) != simdjson::SUCCESS) {
    throw fmt::format("{} is neither true nor false", what);
  }
  return truth;
}

simdjson::dom::array json_array(element value, std::string_view what) {
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) {
    throw fmt::format("{} is not a list", what);
  }
  return array;
}

std::uint64_t whole_number(element value, std::uint64_t most, std::string_view what) {
  std::uint64_t number = 0;
  if (!value.is<std::uint64_t>() || value.get(number) != simdjson::SUCCESS || number > most) {
    throw fmt::format("{} is not a whole number from 0 to {}", what, most);
  }
  return number;
}

}  // namespace rayleigh::core
