// The version of the library and the command.
// Compare against it when you store something that only one version can read.
// A compile-time constant.
#pragma once

namespace rayleigh {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace rayleigh
