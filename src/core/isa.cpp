#include "core/isa.h"

#include <array>

namespace rayleigh::core {

std::string_view isa_name(Isa isa) {
  constexpr std::array<std::string_view, 3> kNames = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<std::size_t>(isa)];
}

std::optional<Isa> isa_by_name(std::string_view name) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (isa_name(isa) == name) {
      return isa;
    }
  }
  return std::nullopt;
}

Isa best_isa() {
#ifdef RAYLEIGH_MANY_ISAS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    return Isa::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return Isa::avx2;
  }
#endif
  return Isa::baseline;
}

bool has_avx() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx") != 0 && __builtin_cpu_supports("popcnt") != 0;
#else
  return false;
#endif
}

}  // namespace rayleigh::core
