#include "cli/detector_flags.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rayleigh::cli {

void declare_detector(core::OptionSet& flags, DetectorOptions& detector) {
  for (const OptionInfo& info : detector.all()) {
    // A list comes word by word and is set as a whole each time.
    const auto words = std::make_shared<std::vector<std::string>>();
    const bool is_list = info.kind == OptionKind::numbers || info.kind == OptionKind::words;
    flags.add({.info = info,
               .assign =
                   [&detector, name = info.name, is_list, words](std::string_view text) {
                     if (!is_list) {
                       detector.set(name, text);
                       return;
                     }
                     words->emplace_back(text);
                     detector.set(name, *words);
                   },
               .clear = is_list ? [words] { words->clear(); } : std::function<void()>(),
               .value =
                   [&detector, name = info.name] {
                     return nlohmann::ordered_json::parse(detector.value(name));
                   }});
  }
}

}  // namespace rayleigh::cli
