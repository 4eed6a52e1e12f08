// Small helpers for words and numbers shown to people.
// Use wherever a message, a table or a usage error is written.
// Cheap; none is meant for a hot loop.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rayleigh::core {

/// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate most like `word`, or "" when none is close enough to be a likely typing error.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// ", did you mean X?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// 1234567 -> "1,234,567".
std::string with_commas(std::uint64_t value);
/// A metric: "0.9073", or "-" for none.
std::string four_digits(double value);

/// 12.3 MB, 4.0 GB: decimal units.
std::string human_bytes(std::uint64_t bytes);

/// 0.8 s, 12 s, 3:07, 2:15:00.
std::string human_seconds(double seconds);

/// "1 graph", "1,234 graphs".
std::string counted(std::uint64_t count, std::string_view noun);

/// Bytes that are not UTF-8: shown as \xff or left to whoever writes the text.
enum class BadBytes { shown, kept };
/// The text with what could act on a terminal made visible: control characters (\x1b; those of C1
/// as \u009b), marks that turn the order of letters (\u202e). But for those of `kept`.
std::string visible(std::string_view text, std::string_view kept = {},
                    BadBytes bad = BadBytes::shown);

/// visible(), cut to about `limit` bytes: safe to put into a one-line message.
std::string printable(std::string_view text, std::size_t limit = 40);

/// The first byte that breaks UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// The value of a whole number written in the only canonical way ("7", "-1", not "07" or "+7").
std::optional<std::int64_t> canonical_integer(std::string_view text);

std::string_view trim(std::string_view text);

/// Columns a terminal needs for UTF-8 text, wide characters counted as one.
std::size_t display_width(std::string_view text);

}  // namespace rayleigh::core
