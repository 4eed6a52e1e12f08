// The version of the library and the command.
// Compare against it when you store something that only one version can read.
// Constant.
#pragma once

namespace rayleigh {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace rayleigh
