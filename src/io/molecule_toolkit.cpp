#include "io/molecule_toolkit.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <vector>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "librayleigh_molecules.so";
constexpr const char* kAdvice =
    "install RDKit (Debian: librdkit-dev; scripts/setup.sh build does it) and build rayleigh again";

/// The folder of the program or library that this code is part of.
fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code error;
  // A program is known by the word it was started with, which need not be a path.
  const auto program = fs::read_symlink("/proc/self/exe", error);
  const auto own = fs::canonical(info.dli_fname, error);
  return (error ? program : own).parent_path();
}

/// Where the module may be: beside us (build tree: a folder up for tests), or where it is
/// installed.
std::vector<fs::path> places() {
  std::vector<fs::path> found;
  if (const char* chosen = std::getenv("RAYLEIGH_MODULES"); chosen != nullptr) {
    found.emplace_back(fs::path(chosen) / kModule);
    return found;
  }
  if (const auto own = own_folder(); !own.empty()) {
    found.push_back(own / kModule);
    found.push_back(own.parent_path() / kModule);
    found.push_back(own / "rayleigh" / kModule);
    found.push_back(own.parent_path() / RAYLEIGH_LIBRARY_FOLDER / "rayleigh" / kModule);
  }
  return found;
}

void* open_module() {
  for (const auto& place : places()) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) {
      continue;
    }
    if (void* module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL); module != nullptr) {
      return module;
    }
    const char* reason = dlerror();
    throw Error(
        ErrorKind::failed,
        fmt::format("the module that reads molecules cannot be loaded: {}; {}",
                    core::printable(reason != nullptr ? reason : "unknown reason", 300), kAdvice));
  }
  // For programs elsewhere that use the installed library: the loader's own search path.
  if (void* module = dlopen(kModule, RTLD_NOW | RTLD_LOCAL); module != nullptr) {
    return module;
  }
  throw Error(ErrorKind::failed,
              fmt::format("molecules are read by RDKit through {}, which is not there: {}{}",
                          kModule, kAdvice,
                          std::getenv("RAYLEIGH_MODULES") != nullptr
                              ? ", or correct RAYLEIGH_MODULES"
                              : ", or name its folder in RAYLEIGH_MODULES"));
}

const MoleculeToolkit& load_toolkit() {
  void* module = open_module();
  const auto factory = reinterpret_cast<ToolkitFactory>(dlsym(module, kToolkitFactory));
  const MoleculeToolkit* toolkit = factory != nullptr ? factory(kToolkitVersion) : nullptr;
  if (toolkit == nullptr) {
    throw Error(ErrorKind::failed,
                fmt::format("{} belongs to another version of rayleigh: build and install both "
                            "together",
                            kModule));
  }
  return *toolkit;
}

}  // namespace

const MoleculeToolkit& molecule_toolkit() {
  static const MoleculeToolkit& toolkit = load_toolkit();
  return toolkit;
}

bool has_molecule_toolkit() {
  static const bool there = [] {
    try {
      molecule_toolkit();
      return true;
    } catch (const Error&) {
      return false;
    }
  }();
  return there;
}

}  // namespace rayleigh::io
