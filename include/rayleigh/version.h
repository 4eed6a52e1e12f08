// The version of the library, the command and the package: the only place where it is written.
// Compare against it when you store something that only one version can read.
// A compile-time constant.
#pragma once

namespace rayleigh {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace rayleigh
