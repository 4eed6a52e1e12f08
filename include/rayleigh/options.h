// Options by name: what can be set, and to what.
// DetectorOptions takes values by name; OptionInfo tells a program what there is, so that flags,
// keyword arguments and forms can be made from it.
// A few strings each; not for hot code.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rayleigh {

enum class OptionKind { toggle, whole_number, number, word, choice, numbers, words };

struct OptionInfo {
  std::string name;  ///< "split-seed"
  OptionKind kind = OptionKind::word;
  std::string placeholder;  ///< N, X, FILE …; empty for a toggle
  std::string help;
  std::string range;                   ///< "1 … 64", "tu|jsonl", or empty
  std::vector<std::string> choices{};  ///< of a choice
  std::string default_text;            ///< as a user would type it; empty = none
};

/// What an option is set to: a toggle, a number, a word, or a list of numbers or words. Which of
/// them fits is checked by the option, not here.
class OptionValue {
 public:
  // Implicit, so that set("epochs", 20) reads as it should.
  template <std::same_as<bool> Bool>  // a pointer must not become one
  OptionValue(Bool on) : words_{on ? "true" : "false"} {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) OptionValue(Number number)
      : words_{std::to_string(number)} {}
  OptionValue(double number) : words_{text_of(number)} {}
  OptionValue(std::string word) : words_{std::move(word)} {}
  OptionValue(std::string_view word) : words_{std::string(word)} {}
  OptionValue(const char* word) : words_{word} {}
  OptionValue(const std::vector<double>& numbers) : is_list_(true) {
    for (const double number : numbers) {
      words_.push_back(text_of(number));
    }
  }
  OptionValue(std::initializer_list<double> numbers) : OptionValue(std::vector(numbers)) {}
  OptionValue(std::vector<std::string> words) : words_(std::move(words)), is_list_(true) {}

  bool is_list() const { return is_list_; }
  /// As they would be typed; one word where it is not a list.
  const std::vector<std::string>& words() const { return words_; }

 private:
  /// With as many digits as it takes to get the same number back.
  static std::string text_of(double number);

  std::vector<std::string> words_;
  bool is_list_ = false;
};

}  // namespace rayleigh
