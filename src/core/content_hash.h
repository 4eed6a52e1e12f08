// What tells whether data are still those of an earlier run: a hash of all that a file, or a folder
// of files, holds. Fixed as those of hash.h are, and not meant against an adversary.
// Use where a run goes on with what another left; a name and a size do not tell enough.
// Reads everything once, at several gigabytes per second when it is in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace rayleigh::core {

/// The hash of `bytes` behind those that gave `before`. Cutting a text in other places gives
/// another hash.
std::uint64_t hash_block(std::uint64_t before, std::string_view bytes);

/// Of a file, or of the names and contents of the files directly in a folder. None for what cannot
/// be read twice, such as a FIFO, and for what cannot be read at all.
std::optional<std::uint64_t> content_hash(const std::filesystem::path& path);

}  // namespace rayleigh::core
