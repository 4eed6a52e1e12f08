// Words for limits that both formats share.
// Use so that the same defect reads the same in every format.
// Only called when something is refused.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text.h"

namespace rayleigh::io {

inline std::string too_large(std::string_view what, std::uint64_t nodes, std::uint64_t limit) {
  return fmt::format("{} has {} nodes, expected at most {} (raise it with --max-nodes)", what,
                     core::with_commas(nodes), core::with_commas(limit));
}

}  // namespace rayleigh::io
