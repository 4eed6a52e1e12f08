#include "cli/command_line.h"

#include <fmt/format.h>
#include <set>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::cli {
namespace {

using core::Option;
using core::OptionSet;

bool is_flag(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

/// "-0.5" goes on a list of numbers; no flag looks like it.
bool is_negative_number(const std::string& word) {
  return is_flag(word) && (word[1] == '.' || (word[1] >= '0' && word[1] <= '9'));
}

class FlagParser {
 public:
  FlagParser(const std::vector<std::string>& words, OptionSet& options)
      : words_(words), options_(options) {}

  std::vector<std::string> parse() {
    while (at_ < words_.size()) {
      const auto& word = words_[at_++];
      if (word == "--") {
        plain_.insert(plain_.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_),
                      words_.end());
        break;
      }
      if (word.starts_with("--")) {
        long_flag(word.substr(2));
      } else if (is_flag(word) && options_.find(word[1]) != nullptr && word.size() == 2) {
        value_of(*options_.find(word[1]), word);
      } else if (is_flag(word)) {
        throw UsageError(fmt::format("unknown flag {}{}", core::printable(word),
                                     " (put it behind -- if it is a file name)"));
      } else {
        plain_.push_back(word);
      }
    }
    return plain_;
  }

 private:
  void long_flag(const std::string& text) {
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    auto* option = options_.find(name);
    if (option == nullptr && name.starts_with("no-")) {
      auto* positive = options_.find(name.substr(3));
      if (positive != nullptr && positive->is_switch() && equals == std::string::npos) {
        first_time(*positive);
        OptionSet::assign(*positive, std::string_view("false"));
        return;
      }
    }
    if (option == nullptr) {
      auto near = core::nearest_name(name, options_.names());
      throw UsageError(fmt::format("unknown flag --{}{}", core::printable(name),
                                   near.empty() ? "" : fmt::format(", did you mean --{}?", near)));
    }
    if (equals != std::string::npos) {
      first_time(*option);
      OptionSet::assign(*option, std::string_view(text).substr(equals + 1));
    } else {
      value_of(*option, "--" + name);
    }
  }

  void value_of(Option& option, const std::string& origin) {
    first_time(option);
    if (option.is_switch()) {
      OptionSet::assign(option, std::string_view("true"));
      return;
    }
    if (at_ == words_.size()) {
      throw UsageError(fmt::format("{} needs a value ({}: {})", origin, option.info.placeholder,
                                   option.info.help));
    }
    OptionSet::assign(option, std::string_view(words_[at_++]));
    const bool numbers = option.info.kind == OptionKind::numbers;
    while (option.is_list() && at_ < words_.size() &&
           (!is_flag(words_[at_]) || (numbers && is_negative_number(words_[at_])))) {
      OptionSet::assign(option, std::string_view(words_[at_++]));
    }
  }

  void first_time(const Option& option) {
    if (!seen_.insert(option.name()).second) {
      throw UsageError(fmt::format("--{} is given twice", option.name()));
    }
  }

  const std::vector<std::string>& words_;
  OptionSet& options_;
  std::size_t at_ = 0;
  std::vector<std::string> plain_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> parse_flags(const std::vector<std::string>& words, OptionSet& options) {
  return FlagParser(words, options).parse();
}

std::optional<std::string> find_flag(const std::vector<std::string>& words, std::string_view name) {
  const std::string flag = fmt::format("--{}", name);
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == flag && i + 1 < words.size()) {
      return words[i + 1];
    }
    if (words[i].starts_with(flag + "=")) {
      return words[i].substr(flag.size() + 1);
    }
  }
  return std::nullopt;
}

void check_required(const OptionSet& options) {
  for (const auto& option : options.all()) {
    if (option.required && !option.given) {
      throw UsageError(fmt::format("--{} {} is missing ({})", option.name(),
                                   option.info.placeholder, option.info.help));
    }
  }
}

}  // namespace rayleigh::cli
