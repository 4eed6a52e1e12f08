#include "core/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::core {
namespace {

template <typename T>
T parse_number(std::string_view text, Limits<T> limits, const std::string& expected) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc{} && end == text.data() + text.size();
  if constexpr (std::floating_point<T>) {
    good = good && std::isfinite(value);
  }
  if (!good || value < limits.low || value > limits.high) {
    throw expected;
  }
  return value;
}

template <typename T>
std::string range_text(Limits<T> limits) {
  const bool low = limits.low != std::numeric_limits<T>::lowest();
  const bool high = limits.high != std::numeric_limits<T>::max();
  if (low && high) {
    return fmt::format("{} … {}", limits.low, limits.high);
  }
  if (low) {
    return fmt::format("at least {}", limits.low);
  }
  return high ? fmt::format("at most {}", limits.high) : "";
}

template <typename T>
Parameter number(std::string name, T& target, std::string help, Limits<T> limits,
                 std::string_view kind, std::string placeholder) {
  const auto range = range_text(limits);
  const auto expected = range.empty() ? std::string(kind) : fmt::format("{}, {}", kind, range);
  return {
      .name = std::move(name),
      .placeholder = std::move(placeholder),
      .help = std::move(help),
      .range = range,
      .default_text = fmt::format("{}", target),
      .assign = [&target, limits, expected](
                    std::string_view text) { target = parse_number<T>(text, limits, expected); },
      .value = [&target] { return nlohmann::ordered_json(target); }};
}

}  // namespace

Parameter& ParameterSet::append(Parameter parameter) {
  parameters_.push_back(std::move(parameter));
  return parameters_.back();
}

Parameter& ParameterSet::add(std::string name, bool& target, std::string help) {
  return append({.name = std::move(name),
                 .placeholder = "",
                 .help = std::move(help),
                 .range = "",
                 .default_text = target ? "true" : "",
                 .is_switch = true,
                 .assign =
                     [&target](std::string_view text) {
                       if (text != "true" && text != "false") {
                         throw std::string("true or false");
                       }
                       target = text == "true";
                     },
                 .value = [&target] { return nlohmann::ordered_json(target); }});
}

Parameter& ParameterSet::add(std::string name, int& target, std::string help, Limits<int> limits) {
  return append(number(std::move(name), target, std::move(help), limits, "a whole number", "N"));
}

Parameter& ParameterSet::add(std::string name, std::uint64_t& target, std::string help,
                             Limits<std::uint64_t> limits) {
  return append(number(std::move(name), target, std::move(help), limits,
                       "a whole number, not negative", "N"));
}

Parameter& ParameterSet::add(std::string name, double& target, std::string help,
                             Limits<double> limits) {
  return append(number(std::move(name), target, std::move(help), limits, "a number", "X"));
}

Parameter& ParameterSet::add(std::string name, std::string& target, std::string placeholder,
                             std::string help) {
  return append({.name = std::move(name),
                 .placeholder = std::move(placeholder),
                 .help = std::move(help),
                 .range = "",
                 .default_text = target,
                 .assign = [&target](std::string_view text) { target = text; },
                 .value = [&target] { return nlohmann::ordered_json(target); }});
}

Parameter& ParameterSet::add(std::string name, std::optional<std::string>& target,
                             std::string placeholder, std::string help) {
  return append({.name = std::move(name),
                 .placeholder = std::move(placeholder),
                 .help = std::move(help),
                 .range = "",
                 .default_text = target.value_or(""),
                 .assign = [&target](std::string_view text) { target = std::string(text); },
                 .value =
                     [&target] {
                       return target ? nlohmann::ordered_json(*target) : nlohmann::ordered_json();
                     }});
}

Parameter& ParameterSet::add(std::string name, std::optional<std::uint64_t>& target,
                             std::string help) {
  return append({.name = std::move(name),
                 .placeholder = "N",
                 .help = std::move(help),
                 .range = "",
                 .default_text = target ? fmt::format("{}", *target) : "",
                 .assign =
                     [&target](std::string_view text) {
                       target =
                           parse_number<std::uint64_t>(text, {}, "a whole number, not negative");
                     },
                 .value =
                     [&target] {
                       return target ? nlohmann::ordered_json(*target) : nlohmann::ordered_json();
                     }});
}

Parameter& ParameterSet::add(std::string name, std::vector<std::string>& target,
                             std::string placeholder, std::string help) {
  return append({.name = std::move(name),
                 .placeholder = std::move(placeholder),
                 .help = std::move(help),
                 .range = "",
                 .default_text = fmt::format("{}", fmt::join(target, " ")),
                 .is_list = true,
                 .assign = [&target](std::string_view text) { target.emplace_back(text); },
                 .value = [&target] { return nlohmann::ordered_json(target); }});
}

Parameter& ParameterSet::add_choice(std::string name, std::string help,
                                    std::vector<std::string> words, std::string current,
                                    std::function<void(std::size_t)> choose,
                                    std::function<std::string()> chosen) {
  auto range = fmt::format("{}", fmt::join(words, "|"));
  return append(
      {.name = std::move(name),
       .placeholder = range,
       .help = std::move(help),
       .range = range,
       .default_text = std::move(current),
       .assign =
           [words, choose = std::move(choose)](std::string_view text) {
             const auto it = std::ranges::find(words, text);
             if (it == words.end()) {
               throw fmt::format("one of {}{}", fmt::join(words, ", "), did_you_mean(text, words));
             }
             choose(static_cast<std::size_t>(it - words.begin()));
           },
       .value = [chosen = std::move(chosen)] { return nlohmann::ordered_json(chosen()); }});
}

std::vector<std::string> ParameterSet::names() const {
  std::vector<std::string> names;
  for (const auto& parameter : parameters_) {
    names.push_back(parameter.name);
  }
  return names;
}

Parameter* ParameterSet::find(std::string_view name) {
  const auto it = std::ranges::find(parameters_, name, &Parameter::name);
  return it == parameters_.end() ? nullptr : &*it;
}

Parameter* ParameterSet::find(char letter) {
  const auto it = std::ranges::find(parameters_, letter, &Parameter::letter);
  return it == parameters_.end() ? nullptr : &*it;
}

void ParameterSet::assign(Parameter& parameter, std::string_view text, std::string_view origin) {
  try {
    parameter.assign(text);
    parameter.given = true;
  } catch (const std::string& expected) {
    throw UsageError(
        fmt::format("{}: '{}' is not valid, expected {}", origin, printable(text), expected));
  }
}

void ParameterSet::assign_json(Parameter& parameter, const nlohmann::ordered_json& value,
                               std::string_view origin) {
  if (value.is_object() || value.is_null() || (value.is_array() && !parameter.is_list)) {
    throw UsageError(fmt::format("{}: expected one value", origin));
  }
  const auto text = [](const nlohmann::ordered_json& one) {
    return one.is_string() ? one.get<std::string>() : one.dump();
  };
  if (!value.is_array()) {
    assign(parameter, std::string_view(text(value)), origin);
  }
  for (const auto& item : value.is_array() ? value : nlohmann::ordered_json::array()) {
    assign(parameter, std::string_view(text(item)), origin);
  }
}

void ParameterSet::set_values(const nlohmann::ordered_json& values, std::string_view origin) {
  for (const auto& [name, value] : values.items()) {
    Parameter* parameter = find(name);
    if (parameter == nullptr) {
      throw UsageError(fmt::format("{}: '{}' is not a parameter{}", origin, printable(name),
                                   did_you_mean(name, names())));
    }
    if (!value.is_null()) {
      assign_json(*parameter, value, fmt::format("{}: {}", origin, name));
    }
  }
}

nlohmann::ordered_json ParameterSet::values() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& parameter : parameters_) {
    if (parameter.effect == Effect::changes_result) {
      out[parameter.name] = parameter.value();
    }
  }
  return out;
}

}  // namespace rayleigh::core
