#include "io/module.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <system_error>
#include <vector>

#include "core/text.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

/// The folder of the program or library that this code is part of, as the system knows it; never
/// one that depends on the working folder. Empty when unknown.
fs::path own_folder() {
  Dl_info info{};
  link_map* loaded = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&own_folder), &info, reinterpret_cast<void**>(&loaded),
              RTLD_DL_LINKMAP) == 0 ||
      loaded == nullptr) {
    return {};
  }
  const fs::path library = loaded->l_name;  // none for the program itself
  std::error_code error;
  if (library.empty()) {
    // Not info.dli_fname: that is the word the program was started with, which need not be a path.
    return fs::read_symlink("/proc/self/exe", error).parent_path();
  }
  return library.is_absolute() ? fs::canonical(library, error).parent_path() : fs::path();
}

/// The folder in RAYLEIGH_MODULES; none where it is empty.
const char* chosen_folder() {
  const char* chosen = std::getenv("RAYLEIGH_MODULES");
  return chosen != nullptr && *chosen != '\0' ? chosen : nullptr;
}

/// Where the module may be: beside us (build tree: a folder up for tests), or where it is
/// installed.
std::vector<fs::path> places(const char* file) {
  std::vector<fs::path> found;
  if (const char* chosen = chosen_folder(); chosen != nullptr) {
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
                fmt::format("the module that {} cannot be loaded: {}; it needs {}", module.does,
                            core::printable(reason != nullptr ? reason : "unknown reason", 300),
                            module.links));
  }
  // For programs elsewhere that use the installed library: the loader's own search path.
  if (void* loaded = dlopen(module.file, RTLD_NOW | RTLD_LOCAL); loaded != nullptr) {
    return loaded;
  }
  throw Error(ErrorKind::failed,
              fmt::format("{} through {}, which is not there: {}{}", module.needed, module.file,
                          module.advice,
                          chosen_folder() != nullptr ? ", or correct RAYLEIGH_MODULES"
                                                     : ", or name its folder in RAYLEIGH_MODULES"));
}

}  // namespace

void* find_factory(const Module& module) { return dlsym(load(module), module.factory); }

}  // namespace rayleigh::io
