// Limits that the readers share, and the words for them.
// Use so that the same defect is judged alike and reads the same in every format.
// Costs nothing until something is refused.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "core/text.h"

namespace rayleigh::io {

/// No honest text packs better; a packed file that expands further is made to exhaust memory.
inline constexpr std::uint64_t kMostExpansion = 200;
/// What a packed file may expand to in any case.
inline constexpr std::uint64_t kAlwaysExpanded = std::uint64_t{256} << 20U;

/// Nodes of a piece of a stream, unless its only graph has more. A piece of small graphs, such as
/// molecules, has fewer; more would take memory and gain nothing.
inline constexpr std::size_t kNodesAtOnce = std::size_t{1} << 16U;

constexpr bool is_bomb(std::uint64_t expanded, std::uint64_t packed) {
  return expanded > kAlwaysExpanded && expanded / kMostExpansion > packed;
}

inline std::string too_large(std::string_view what, std::uint64_t nodes, std::uint64_t limit) {
  return fmt::format("{} has {} nodes, expected at most {} (raise it with `max-nodes`)", what,
                     core::with_commas(nodes), core::with_commas(limit));
}

}  // namespace rayleigh::io
