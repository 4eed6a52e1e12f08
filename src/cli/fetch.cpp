#include "rayleigh/fetch.h"

#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"

#include "cli/verbs.h"
#include "core/progress.h"
#include "core/text.h"

namespace rayleigh::cli {
namespace {

class Fetch : public Verb {
 public:
  std::string name() const override { return "fetch"; }
  std::string summary() const override {
    return "downloads TU datasets, which every verb then takes by NAME";
  }
  Arguments arguments() const override {
    return {"NAME...", 1, std::numeric_limits<std::size_t>::max()};
  }
  std::vector<std::string> examples() const override {
    return {"rayleigh fetch NCI-H23 && rayleigh train NCI-H23 -o nci.model",
            "rayleigh fetch MCF-7 SN12C --data-dir datasets --format json"};
  }

  void declare(core::OptionSet& parameters) override {
    parameters
        .add("data-dir", folder_, "DIR",
             "where to put them; RAYLEIGH_DATA or ~/.local/share/rayleigh when not given")
        .without_effect();
    parameters
        .add("base-url", base_url_, "URL",
             fmt::format("the files are URL/NAME.zip; RAYLEIGH_TU_URL or {} when not given",
                         io::kTuDatasetsUrl))
        .without_effect();
    parameters.add("again", again_, "download even what is already there").without_effect();
  }

  int run(const std::vector<std::string>& arguments) override {
    for (const std::string& name : arguments) {
      io::check_dataset_name(name);
    }
    io::FetchOptions options;
    options.folder = folder();
    options.base_url = base_url();
    options.again = again_;
    options.say = [log = log()](const std::string& text) { log.info(command_words(text)); };

    auto rows = nlohmann::ordered_json::array();
    int exit_code = 0;
    for (const std::string& name : arguments) {
      try {
        report(name, fetch(name, options), rows);
      } catch (const DataError& error) {
        // One name that is wrong says nothing of the others.
        log().error(command_words(error.what()));
        exit_code = exit_code_of(error.kind());
      } catch (const Error&) {
        print_rows(rows);
        throw;
      }
    }
    print_rows(rows);
    return exit_code;
  }

 private:
  std::filesystem::path folder() const {
    if (folder_) {
      return *folder_;
    }
    auto usual = io::data_folder();
    if (usual.empty()) {
      throw UsageError("data-dir", "there is no home folder here: say where to put data");
    }
    return usual;
  }

  std::string base_url() const {
    if (base_url_) {
      return io::checked_base_url(*base_url_);
    }
    const char* chosen = std::getenv("RAYLEIGH_TU_URL");
    if (chosen == nullptr || *chosen == '\0') {
      return io::kTuDatasetsUrl;
    }
    auto url = io::checked_base_url(chosen);
    if (!url.starts_with("https:")) {
      throw UsageError(
          "RAYLEIGH_TU_URL is not https: an address that anybody on the way can change must be "
          "given as --base-url");
    }
    return url;
  }

  io::FetchedDataset fetch(const std::string& name, io::FetchOptions& options) const {
    core::ProgressBar bar(name + ".zip", std::string(core::kBytes), 0, show_progress());
    options.expect = [&bar](std::uint64_t bytes) { bar.set_total(bytes); };
    options.advance = [&bar](std::uint64_t bytes) { bar.advance(bytes); };
    return io::fetch_dataset(name, options);
  }

  void report(const std::string& name, const io::FetchedDataset& fetched,
              nlohmann::ordered_json& rows) const {
    if (common.format == Format::json) {
      rows.push_back({{"name", name},
                      {"path", fetched.path.string()},
                      {"bytes", fetched.bytes},
                      {"sha256", fetched.sha256},
                      {"resumed", fetched.resumed}});
    } else {
      print_out(fmt::format("{}.zip  {}  sha256:{}\n", name, fetched.bytes, fetched.sha256));
    }
  }

  void print_rows(const nlohmann::ordered_json& rows) const {
    if (common.format == Format::json) {
      print_out(rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    }
  }

  std::optional<std::string> folder_;
  std::optional<std::string> base_url_;
  bool again_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_fetch() { return std::make_unique<Fetch>(); }

}  // namespace rayleigh::cli
