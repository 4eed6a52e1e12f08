#include "core/option_set.h"

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
constexpr OptionKind kNumberKind =
    std::floating_point<T> ? OptionKind::number : OptionKind::whole_number;

template <typename T>
std::string expected_number(Limits<T> limits) {
  const std::string kind = std::floating_point<T>  ? "a number"
                           : std::is_unsigned_v<T> ? "a whole number, not negative"
                                                   : "a whole number";
  const auto range = range_text(limits);
  return range.empty() ? kind : fmt::format("{}, {}", kind, range);
}

template <typename T>
OptionInfo number_info(std::string name, std::string help, Limits<T> limits,
                       std::string default_text) {
  return {.name = std::move(name),
          .kind = kNumberKind<T>,
          .placeholder = std::floating_point<T> ? "X" : "N",
          .help = std::move(help),
          .range = range_text(limits),
          .default_text = std::move(default_text)};
}

/// `get` gives the value or an optional, `set` takes the value.
template <typename T, typename Get, typename Set>
Option number(std::string name, std::string help, Limits<T> limits, Get get, Set set) {
  std::string default_text;
  if constexpr (std::is_same_v<decltype(get()), std::optional<T>>) {
    default_text = get() ? fmt::format("{}", *get()) : "";
  } else {
    default_text = fmt::format("{}", get());
  }
  return {.info = number_info(std::move(name), std::move(help), limits, std::move(default_text)),
          .assign =
              [limits, set](std::string_view text) {
                set(parse_number<T>(text, limits, expected_number(limits)));
              },
          .value =
              [get] {
                if constexpr (std::is_same_v<decltype(get()), std::optional<T>>) {
                  return get() ? nlohmann::ordered_json(*get()) : nlohmann::ordered_json();
                } else {
                  return nlohmann::ordered_json(get());
                }
              }};
}

template <typename T>
Option number_in(std::string name, T& target, std::string help, Limits<T> limits) {
  return number<T>(
      std::move(name), std::move(help), limits, [&target] { return target; },
      [&target](T value) { target = value; });
}

template <typename T>
Option derived(std::string name, Derived<T>& target, std::string help, Limits<T> limits) {
  return number<T>(
      std::move(name), std::move(help), limits, [&target] { return target(); },
      [&target](T value) { target.set(value); });
}

template <typename T>
Option optional_number(std::string name, std::optional<T>& target, std::string help,
                       Limits<T> limits) {
  return number<T>(
      std::move(name), std::move(help), limits, [&target] { return target; },
      [&target](T value) { target = value; });
}

OptionInfo word_info(std::string name, OptionKind kind, std::string placeholder, std::string help,
                     std::string default_text) {
  return {.name = std::move(name),
          .kind = kind,
          .placeholder = std::move(placeholder),
          .help = std::move(help),
          .range = "",
          .default_text = std::move(default_text)};
}

}  // namespace

Option& OptionSet::append(Option option) {
  options_.push_back(std::move(option));
  return options_.back();
}

Option& OptionSet::add(std::string name, bool& target, std::string help) {
  return append({.info = word_info(std::move(name), OptionKind::toggle, "", std::move(help),
                                   target ? "true" : ""),
                 .assign =
                     [&target](std::string_view text) {
                       if (text != "true" && text != "false") {
                         throw std::string("true or false");
                       }
                       target = text == "true";
                     },
                 .value = [&target] { return nlohmann::ordered_json(target); }});
}

Option& OptionSet::add(std::string name, int& target, std::string help, Limits<int> limits) {
  return append(number_in(std::move(name), target, std::move(help), limits));
}

Option& OptionSet::add(std::string name, std::uint64_t& target, std::string help,
                       Limits<std::uint64_t> limits) {
  return append(number_in(std::move(name), target, std::move(help), limits));
}

Option& OptionSet::add(std::string name, double& target, std::string help, Limits<double> limits) {
  return append(number_in(std::move(name), target, std::move(help), limits));
}

Option& OptionSet::add(std::string name, Derived<int>& target, std::string help,
                       Limits<int> limits) {
  return append(derived(std::move(name), target, std::move(help), limits));
}

Option& OptionSet::add(std::string name, Derived<double>& target, std::string help,
                       Limits<double> limits) {
  return append(derived(std::move(name), target, std::move(help), limits));
}

Option& OptionSet::add(std::string name, std::string& target, std::string placeholder,
                       std::string help) {
  return append({.info = word_info(std::move(name), OptionKind::word, std::move(placeholder),
                                   std::move(help), target),
                 .assign = [&target](std::string_view text) { target = text; },
                 .value = [&target] { return nlohmann::ordered_json(target); }});
}

Option& OptionSet::add(std::string name, std::optional<std::string>& target,
                       std::string placeholder, std::string help) {
  return append({.info = word_info(std::move(name), OptionKind::word, std::move(placeholder),
                                   std::move(help), target.value_or("")),
                 .assign = [&target](std::string_view text) { target = std::string(text); },
                 .value =
                     [&target] {
                       return target ? nlohmann::ordered_json(*target) : nlohmann::ordered_json();
                     }});
}

Option& OptionSet::add(std::string name, std::optional<std::uint64_t>& target, std::string help,
                       Limits<std::uint64_t> limits) {
  return append(optional_number(std::move(name), target, std::move(help), limits));
}

Option& OptionSet::add(std::string name, std::optional<double>& target, std::string help,
                       Limits<double> limits) {
  return append(optional_number(std::move(name), target, std::move(help), limits));
}

Option& OptionSet::add(std::string name, std::vector<std::string>& target, std::string placeholder,
                       std::string help) {
  return append({.info = word_info(std::move(name), OptionKind::words, std::move(placeholder),
                                   std::move(help), fmt::format("{}", fmt::join(target, " "))),
                 .assign = [&target](std::string_view text) { target.emplace_back(text); },
                 .clear = [&target] { target.clear(); },
                 .value = [&target] { return nlohmann::ordered_json(target); }});
}

Option& OptionSet::add(std::string name, std::vector<double>& target, std::string help,
                       Limits<double> limits) {
  Option option{.info = number_info(std::move(name), std::move(help), limits,
                                    fmt::format("{}", fmt::join(target, " "))),
                .assign =
                    [&target, limits](std::string_view text) {
                      target.push_back(parse_number(text, limits, expected_number(limits)));
                    },
                .clear = [&target] { target.clear(); },
                .value = [&target] { return nlohmann::ordered_json(target); }};
  option.info.kind = OptionKind::numbers;
  return append(std::move(option));
}

Option& OptionSet::add_words(std::string name, std::string help, std::vector<std::string> words,
                             std::string current, std::function<void(std::size_t)> choose,
                             std::function<std::string()> chosen) {
  const auto range = fmt::format("{}", fmt::join(words, "|"));
  return append(
      {.info = {.name = std::move(name),
                .kind = OptionKind::choice,
                .placeholder = range,
                .help = std::move(help),
                .range = range,
                .choices = words,
                .default_text = std::move(current)},
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

Option& OptionSet::add_parsed(std::string name, std::string placeholder, std::string help,
                              std::string default_text, std::function<void(std::string_view)> parse,
                              std::function<nlohmann::ordered_json()> value) {
  return append({.info = word_info(std::move(name), OptionKind::word, std::move(placeholder),
                                   std::move(help), std::move(default_text)),
                 .assign = std::move(parse),
                 .value = std::move(value)});
}

std::vector<std::string> OptionSet::names() const {
  std::vector<std::string> names;
  for (const auto& option : options_) {
    names.push_back(option.name());
  }
  return names;
}

Option* OptionSet::find(std::string_view name) {
  const auto it = std::ranges::find(options_, name, &Option::name);
  return it == options_.end() ? nullptr : &*it;
}

const Option* OptionSet::find(std::string_view name) const {
  const auto it = std::ranges::find(options_, name, &Option::name);
  return it == options_.end() ? nullptr : &*it;
}

Option* OptionSet::find(char letter) {
  const auto it = std::ranges::find(options_, letter, &Option::letter);
  return it == options_.end() ? nullptr : &*it;
}

Option& OptionSet::at(std::string_view name) {
  return const_cast<Option&>(std::as_const(*this).at(name));
}

const Option& OptionSet::at(std::string_view name) const {
  const Option* option = find(name);
  if (option == nullptr) {
    throw UsageError(printable(name),
                     fmt::format("is not an option{}", did_you_mean(name, names())));
  }
  return *option;
}

void OptionSet::assign(Option& option, std::string_view text) {
  try {
    option.assign(text);
    option.given = true;
    option.recorded = false;
  } catch (const std::string& expected) {
    throw UsageError(option.name(),
                     fmt::format("'{}' is not valid, expected {}", printable(text), expected));
  }
}

void OptionSet::assign(Option& option, const OptionValue& value) {
  if (value.is_list() && !option.is_list()) {
    throw UsageError(option.name(), "expected one value, not a list");
  }
  if (!option.clear) {
    assign(option, std::string_view(value.words().front()));
    return;
  }
  const auto before = option.value();
  const bool given_before = option.given;
  option.clear();
  try {
    for (const std::string& word : value.words()) {
      assign(option, std::string_view(word));
    }
    option.given = true;
  } catch (const UsageError&) {
    option.clear();
    for (const auto& item : before) {
      option.assign(item.is_string() ? item.get<std::string>() : item.dump());
    }
    option.given = given_before;
    throw;
  }
}

void OptionSet::assign_json(Option& option, const nlohmann::ordered_json& value) {
  if (value.is_object() || value.is_null() || (value.is_array() && !option.is_list())) {
    throw UsageError(option.name(), "expected one value");
  }
  const auto text = [](const nlohmann::ordered_json& one) {
    return one.is_string() ? one.get<std::string>() : one.dump();
  };
  if (!value.is_array()) {
    assign(option, OptionValue(text(value)));
    return;
  }
  std::vector<std::string> words;
  for (const auto& item : value) {
    words.push_back(text(item));
  }
  assign(option, OptionValue(std::move(words)));
}

void OptionSet::set_values(const nlohmann::ordered_json& values) {
  for (const auto& [name, value] : values.items()) {
    Option& option = at(name);
    if (!value.is_null()) {
      assign_json(option, value);
      option.recorded = true;
    }
  }
}

void OptionSet::copy_given_to(OptionSet& other) const {
  for (const Option& option : options_) {
    if (option.given) {
      if (const auto value = option.value(); !value.is_null()) {
        Option& same = other.at(option.name());
        assign_json(same, value);
        same.recorded = option.recorded;
      }
    }
  }
}

Option& Option::only_with(std::string others, std::function<bool()> so) {
  counts_with = std::move(others);
  counts = std::move(so);
  unset = value().dump();
  return *this;
}

void OptionSet::check() const {
  for (const Option& option : options_) {
    if (option.given && !option.recorded && option.counts && !option.counts() &&
        option.value().dump() != option.unset) {
      throw UsageError(option.name(), fmt::format("counts only with {}", option.counts_with));
    }
    // Who wants only one of two has both recorded.
    const auto wanted = [](const Option& one) { return one.given && !one.recorded; };
    for (const std::string& rival : option.rivals) {
      if (const Option* other = find(rival); wanted(option) && other != nullptr && wanted(*other)) {
        throw UsageError(option.name(), fmt::format("cannot be given together with `{}`", rival));
      }
    }
  }
}

nlohmann::ordered_json OptionSet::values() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& option : options_) {
    if (option.effect == Effect::changes_result) {
      out[option.name()] = option.value();
    }
  }
  return out;
}

}  // namespace rayleigh::core

namespace rayleigh {

std::string OptionValue::text_of(double number) { return fmt::format("{}", number); }

}  // namespace rayleigh
