// A part of rayleigh that is opened at run time, because the library behind it takes long to load
// or may not be installed. Use for whatever only some verbs need; each module has one interface and
// one factory. Opening one takes as long as the loader; modules are never closed.
#pragma once

#include <fmt/format.h>

#include "rayleigh/error.h"

namespace rayleigh::io {

struct Module {
  const char* file;    ///< "librayleigh_molecules.so"
  const char* does;    ///< "reads molecules"
  const char* needed;  ///< "molecules are read by RDKit"
  const char* advice;  ///< how to get it where there is none
  const char* links;   ///< what else must be installed where there is one: "RDKit (…)"
  const char* factory;
  int version;  ///< of the interface: a module of another build is refused
};

/// The factory of the module. Error that says how to get the module when there is none.
void* find_factory(const Module& module);

/// What the module's factory gives: one object for the whole process.
template <typename Interface>
const Interface& open_module(const Module& module) {
  const auto factory = reinterpret_cast<const Interface* (*)(int)>(find_factory(module));
  const Interface* made = factory != nullptr ? factory(module.version) : nullptr;
  if (made == nullptr) {
    throw Error(ErrorKind::failed,
                fmt::format("{} belongs to another version of rayleigh: build and install both "
                            "together",
                            module.file));
  }
  return *made;
}

}  // namespace rayleigh::io
