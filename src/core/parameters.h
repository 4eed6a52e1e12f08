// The one place where a parameter is declared: name, type, default, range and help.
// Bind a set to an options struct; flags, config files, help, docs and model metadata come from it.
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
#include <utility>
#include <vector>

namespace rayleigh::core {

/// Does a parameter belong into the metadata of a result? Threads, paths and verbosity do not.
enum class Effect { changes_result, none };

struct Parameter {
  std::string name;         ///< flag without dashes, and the key in a config file
  std::string placeholder;  ///< N, X, FILE …; empty for a switch
  std::string help;
  std::string range;         ///< "1 … 64", "tu|jsonl", or empty
  std::string default_text;  ///< as a user would type it; empty = none
  char letter = 0;           ///< short flag, 0 = none
  Effect effect = Effect::changes_result;
  bool required = false;
  bool is_switch = false;
  bool is_list = false;  ///< takes every following word up to the next flag
  bool given = false;
  /// Parses one value; throws std::string with what was expected.
  std::function<void(std::string_view)> assign;
  std::function<nlohmann::ordered_json()> value;

  // Refinements, to be chained after add().
  Parameter& shortcut(char c) { return letter = c, *this; }
  Parameter& without_effect() { return effect = Effect::none, *this; }
  Parameter& must_be_given() { return required = true, *this; }
};

template <typename T>
struct Limits {
  T low = std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::max();
};

class ParameterSet {
 public:
  ParameterSet() = default;
  ParameterSet(const ParameterSet&) = delete;
  ParameterSet& operator=(const ParameterSet&) = delete;

  // Each overload binds a variable; its value at this moment is the default.
  Parameter& add(std::string name, bool& target, std::string help);
  Parameter& add(std::string name, int& target, std::string help, Limits<int> limits = {});
  Parameter& add(std::string name, std::uint64_t& target, std::string help,
                 Limits<std::uint64_t> limits = {});
  Parameter& add(std::string name, double& target, std::string help, Limits<double> limits = {});
  Parameter& add(std::string name, std::string& target, std::string placeholder, std::string help);
  Parameter& add(std::string name, std::optional<std::string>& target, std::string placeholder,
                 std::string help);
  Parameter& add(std::string name, std::optional<std::uint64_t>& target, std::string help);
  Parameter& add(std::string name, std::vector<std::string>& target, std::string placeholder,
                 std::string help);

  /// One of several words.
  template <typename Enum>
  requires std::is_enum_v<Enum> Parameter& add(std::string name, Enum& target, std::string help,
                                               std::vector<std::pair<std::string, Enum>> choices) {
    std::vector<std::string> words;
    std::string current;
    for (const auto& [word, value] : choices) {
      words.push_back(word);
      if (value == target) {
        current = word;
      }
    }
    return add_choice(
        std::move(name), std::move(help), std::move(words), std::move(current),
        [&target, choices](std::size_t i) { target = choices[i].second; },
        [&target, choices] {
          for (const auto& [word, value] : choices) {
            if (value == target) {
              return word;
            }
          }
          return std::string{};
        });
  }

  std::span<const Parameter> all() const { return parameters_; }
  std::vector<std::string> names() const;
  Parameter* find(std::string_view name);
  Parameter* find(char letter);

  /// Sets one parameter from text; a bad value is a UsageError that names `origin` ("--epochs" or
  /// "run.toml: epochs"), the value and what was expected.
  static void assign(Parameter& parameter, std::string_view text, std::string_view origin);

  /// The same from JSON; a list sets a list parameter.
  static void assign_json(Parameter& parameter, const nlohmann::ordered_json& value,
                          std::string_view origin);

  /// Every parameter that changes the result, with its value: goes into model metadata.
  nlohmann::ordered_json values() const;
  /// Sets every parameter named in `values`, as values() gave them. An unknown name is a
  /// UsageError.
  void set_values(const nlohmann::ordered_json& values, std::string_view origin);

 private:
  Parameter& append(Parameter parameter);
  Parameter& add_choice(std::string name, std::string help, std::vector<std::string> words,
                        std::string current, std::function<void(std::size_t)> choose,
                        std::function<std::string()> chosen);

  std::vector<Parameter> parameters_;
};

}  // namespace rayleigh::core
