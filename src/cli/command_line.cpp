#include "cli/command_line.h"

#include <fmt/format.h>
#include <set>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::cli {
namespace {

using core::Parameter;
using core::ParameterSet;

bool is_flag(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

class FlagParser {
 public:
  FlagParser(const std::vector<std::string>& words, ParameterSet& parameters)
      : words_(words), parameters_(parameters) {}

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
      } else if (is_flag(word) && parameters_.find(word[1]) != nullptr && word.size() == 2) {
        value_of(*parameters_.find(word[1]), word);
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
    auto* parameter = parameters_.find(name);
    if (parameter == nullptr && name.starts_with("no-")) {
      auto* positive = parameters_.find(name.substr(3));
      if (positive != nullptr && positive->is_switch && equals == std::string::npos) {
        first_time(*positive);
        ParameterSet::assign(*positive, "false", "--" + name);
        return;
      }
    }
    if (parameter == nullptr) {
      auto near = core::nearest_name(name, parameters_.names());
      throw UsageError(fmt::format("unknown flag --{}{}", core::printable(name),
                                   near.empty() ? "" : fmt::format(", did you mean --{}?", near)));
    }
    if (equals != std::string::npos) {
      first_time(*parameter);
      ParameterSet::assign(*parameter, text.substr(equals + 1), "--" + name);
    } else {
      value_of(*parameter, "--" + name);
    }
  }

  void value_of(Parameter& parameter, const std::string& origin) {
    first_time(parameter);
    if (parameter.is_switch) {
      ParameterSet::assign(parameter, "true", origin);
      return;
    }
    if (at_ == words_.size()) {
      throw UsageError(
          fmt::format("{} needs a value ({}: {})", origin, parameter.placeholder, parameter.help));
    }
    ParameterSet::assign(parameter, words_[at_++], origin);
    while (parameter.is_list && at_ < words_.size() && !is_flag(words_[at_])) {
      ParameterSet::assign(parameter, words_[at_++], origin);
    }
  }

  void first_time(const Parameter& parameter) {
    if (!seen_.insert(parameter.name).second) {
      throw UsageError(fmt::format("--{} is given twice", parameter.name));
    }
  }

  const std::vector<std::string>& words_;
  ParameterSet& parameters_;
  std::size_t at_ = 0;
  std::vector<std::string> plain_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> parse_flags(const std::vector<std::string>& words,
                                     ParameterSet& parameters) {
  return FlagParser(words, parameters).parse();
}

void check_required(const ParameterSet& parameters) {
  for (const auto& parameter : parameters.all()) {
    if (parameter.required && !parameter.given) {
      throw UsageError(fmt::format("--{} {} is missing ({})", parameter.name, parameter.placeholder,
                                   parameter.help));
    }
  }
}

}  // namespace rayleigh::cli
