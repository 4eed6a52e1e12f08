#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/detector_options.h"

#include "cli/help.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace rayleigh::cli {
namespace {

class Models : public Verb {
 public:
  std::string name() const override { return "models"; }
  std::string summary() const override { return "lists the detectors, or the options of one"; }
  Arguments arguments() const override { return {"[NAME]", 0, 1}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh models", "rayleigh models rqgnn"};
  }
  void declare(core::OptionSet& /*options*/) override {}

  int run(const std::vector<std::string>& arguments) override {
    print_out(arguments.empty() ? list() : one(arguments[0]));
    return 0;
  }

 private:
  std::string list() const {
    auto json = nlohmann::ordered_json::array();
    Table table({"name", "learns from", "what it is"});
    for (const DetectorInfo& detector : detectors()) {
      table.add({detector.name, detector.supervised ? "both classes" : "normal graphs",
                 detector.summary});
      json.push_back({{"name", detector.name},
                      {"supervised", detector.supervised},
                      {"yardstick", detector.yardstick},
                      {"summary", detector.summary}});
    }
    return common.format == Format::json ? json.dump(2) + "\n" : table.text();
  }

  std::string one(const std::string& name) const {
    auto json = nlohmann::ordered_json::array();
    Table table({"parameter", "default", "values", "meaning"});
    for (const OptionInfo& p : DetectorOptions(name).all()) {
      table.add({"--" + p.name, p.default_text, p.range, p.help});
      json.push_back(
          {{"name", p.name}, {"default", p.default_text}, {"values", p.range}, {"help", p.help}});
    }
    return common.format == Format::json ? json.dump(2) + "\n" : table.text();
  }
};

}  // namespace

std::unique_ptr<Verb> make_models() { return std::make_unique<Models>(); }

}  // namespace rayleigh::cli
