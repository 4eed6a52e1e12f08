// The instruction sets our kernels are compiled for, and which one this run uses.
// Results depend on it in the last bits, so models record it and the option `isa` pins it.
// Asking costs nothing after the first call.
#pragma once

#include <optional>
#include <string_view>

namespace rayleigh::nn {

enum class Isa { baseline, avx2, avx512 };

std::string_view isa_name(Isa isa);
std::optional<Isa> isa_by_name(std::string_view name);

/// The best one that this machine has and this build was compiled for.
Isa best_isa();

/// Limits the matrix products of the whole process too. Works only before its first product;
/// returns false when it came too late.
bool limit_products_to(Isa isa);

}  // namespace rayleigh::nn
