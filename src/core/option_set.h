// The one place where an option is declared: name, type, default, range and help.
// Bind a set to the variables of an object; flags, config files, help, docs, the library's options
// by name and model metadata come from it.
// Used once at start-up; not for hot code.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rayleigh/options.h"

namespace rayleigh::core {

/// Whether an option belongs in the metadata of a result. Threads, paths and verbosity do not.
enum class Effect { changes_result, none };

struct Option {
  OptionInfo info;
  char letter = 0;  ///< short flag, 0 = none
  Effect effect = Effect::changes_result;
  bool required = false;
  bool given = false;
  bool recorded = false;  ///< given by a record of all options, not by somebody who wants it
  std::vector<std::string> rivals{};  ///< options that say the same: only one may be given
  /// Where it counts only with other options: whether these are so, what they must be ("`profile`
  /// paper"), and what it is when nobody sets it.
  std::function<bool()> counts{};
  std::string counts_with{};
  std::string unset{};
  /// Parses one value; throws std::string with what was expected.
  std::function<void(std::string_view)> assign;
  /// Forgets the values of a list.
  std::function<void()> clear{};
  std::function<nlohmann::ordered_json()> value;

  const std::string& name() const { return info.name; }
  bool is_switch() const { return info.kind == OptionKind::toggle; }
  bool is_list() const {
    return info.kind == OptionKind::numbers || info.kind == OptionKind::words;
  }

  // Refinements, to be chained after add().
  Option& shortcut(char c) { return letter = c, *this; }
  Option& without_effect() { return effect = Effect::none, *this; }
  Option& must_be_given() { return required = true, *this; }
  Option& instead_of(std::string other) { return rivals.push_back(std::move(other)), *this; }
  Option& only_with(std::string others, std::function<bool()> so);
};

template <typename T>
struct Limits {
  T low = std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::max();
};

/// A value whose default depends on other options, and so is asked for when it is needed.
template <typename T>
class Derived {
 public:
  explicit Derived(std::function<T()> fallback) : fallback_(std::move(fallback)) {}
  T operator()() const { return given_ ? *given_ : fallback_(); }
  void set(T value) { given_ = std::move(value); }

 private:
  std::optional<T> given_;
  std::function<T()> fallback_;
};

template <typename Enum>
using Choices = std::vector<std::pair<std::string, Enum>>;

class OptionSet {
 public:
  OptionSet() = default;
  OptionSet(const OptionSet&) = delete;
  OptionSet& operator=(const OptionSet&) = delete;

  // Each overload binds a variable; its value at this moment is the default.
  Option& add(std::string name, bool& target, std::string help);
  Option& add(std::string name, int& target, std::string help, Limits<int> limits = {});
  Option& add(std::string name, std::uint64_t& target, std::string help,
              Limits<std::uint64_t> limits = {});
  Option& add(std::string name, double& target, std::string help, Limits<double> limits = {});
  Option& add(std::string name, Derived<int>& target, std::string help, Limits<int> limits = {});
  Option& add(std::string name, Derived<double>& target, std::string help,
              Limits<double> limits = {});
  Option& add(std::string name, std::string& target, std::string placeholder, std::string help);
  Option& add(std::string name, std::optional<std::string>& target, std::string placeholder,
              std::string help);
  Option& add(std::string name, std::optional<std::uint64_t>& target, std::string help,
              Limits<std::uint64_t> limits = {});
  Option& add(std::string name, std::optional<double>& target, std::string help,
              Limits<double> limits = {});
  Option& add(std::string name, std::vector<std::string>& target, std::string placeholder,
              std::string help);
  Option& add(std::string name, std::vector<double>& target, std::string help,
              Limits<double> limits = {});

  /// One of several words.
  template <typename Enum>
  requires std::is_enum_v<Enum> Option& add(std::string name, Enum& target, std::string help,
                                            Choices<Enum> choices) {
    return add_choice(
        std::move(name), std::move(help), std::move(choices), [&target] { return target; },
        [&target](Enum value) { target = value; });
  }
  template <typename Enum>
  requires std::is_enum_v<Enum> Option& add(std::string name, Derived<Enum>& target,
                                            std::string help, Choices<Enum> choices) {
    return add_choice(
        std::move(name), std::move(help), std::move(choices), [&target] { return target(); },
        [&target](Enum value) { target.set(value); });
  }
  Option& add(Option option) { return append(std::move(option)); }
  /// For types of their own. `parse` throws std::string with what was expected.
  Option& add_parsed(std::string name, std::string placeholder, std::string help,
                     std::string default_text, std::function<void(std::string_view)> parse,
                     std::function<nlohmann::ordered_json()> value);

  std::span<const Option> all() const { return options_; }
  std::vector<std::string> names() const;
  Option* find(std::string_view name);
  const Option* find(std::string_view name) const;
  Option* find(char letter);
  /// UsageError with the nearest name when there is no such option.
  Option& at(std::string_view name);
  const Option& at(std::string_view name) const;

  /// Sets one option from text, or adds one item to a list. A bad value is a UsageError of the
  /// option that tells the value and what was expected.
  static void assign(Option& option, std::string_view text);
  /// The whole value; a list sets a list option.
  static void assign(Option& option, const OptionValue& value);
  static void assign_json(Option& option, const nlohmann::ordered_json& value);

  /// Every option that changes the result, with its value: goes into model metadata.
  nlohmann::ordered_json values() const;
  /// Sets every option named in `values`, as values() gave them. An unknown name is a UsageError.
  void set_values(const nlohmann::ordered_json& values);
  /// Gives another set of the same declarations what this one was given.
  void copy_given_to(OptionSet& other) const;
  /// UsageError when two rivals are given, or an option that does not count with the others.
  void check() const;

 private:
  template <typename Enum>
  Option& add_choice(std::string name, std::string help, Choices<Enum> choices,
                     std::type_identity_t<std::function<Enum()>> get,
                     std::type_identity_t<std::function<void(Enum)>> set) {
    std::vector<std::string> words;
    for (const auto& choice : choices) {
      words.push_back(choice.first);
    }
    const auto word_of = [choices](Enum value) {
      for (const auto& [word, known] : choices) {
        if (known == value) {
          return word;
        }
      }
      return std::string{};
    };
    return add_words(
        std::move(name), std::move(help), std::move(words), word_of(get()),
        [choices, set](std::size_t i) { set(choices[i].second); },
        [word_of, get] { return word_of(get()); });
  }
  Option& add_words(std::string name, std::string help, std::vector<std::string> words,
                    std::string current, std::function<void(std::size_t)> choose,
                    std::function<std::string()> chosen);
  Option& append(Option option);

  std::vector<Option> options_;
};

}  // namespace rayleigh::core
