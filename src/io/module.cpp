#include "io/module.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/text.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

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
std::vector<fs::path> places(const char* file) {
  std::vector<fs::path> found;
  if (const char* chosen = std::getenv("RAYLEIGH_MODULES"); chosen != nullptr) {
    found.emplace_back(fs::path(chosen) / file);
    return found;
  }
  if (const auto own = own_folder(); !own.empty()) {
    found.push_back(own / file);
    found.push_back(own.parent_path() / file);
    found.push_back(own / "rayleigh" / file);
    found.push_back(own.parent_path() / RAYLEIGH_LIBRARY_FOLDER / "rayleigh" / file);
  }
  return found;
}

void* load(const Module& module) {
  for (const auto& place : places(module.file)) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) {
      continue;
    }
    if (void* loaded = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL); loaded != nullptr) {
      return loaded;
    }
    const char* reason = dlerror();
    throw Error(ErrorKind::failed,
                fmt::format("the module that {} cannot be loaded: {}; {}", module.does,
                            core::printable(reason != nullptr ? reason : "unknown reason", 300),
                            module.advice));
  }
  // For programs elsewhere that use the installed library: the loader's own search path.
  if (void* loaded = dlopen(module.file, RTLD_NOW | RTLD_LOCAL); loaded != nullptr) {
    return loaded;
  }
  throw Error(ErrorKind::failed, fmt::format("{} through {}, which is not there: {}{}",
                                             module.needed, module.file, module.advice,
                                             std::getenv("RAYLEIGH_MODULES") != nullptr
                                                 ? ", or correct RAYLEIGH_MODULES"
                                                 : ", or name its folder in RAYLEIGH_MODULES"));
}

}  // namespace

void* find_factory(const Module& module) { return dlsym(load(module), module.factory); }

}  // namespace rayleigh::io
