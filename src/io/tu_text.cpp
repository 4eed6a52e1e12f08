#include "io/tu_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "rayleigh/error.h"

namespace rayleigh::io {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) {
    ++at;
  }
  return at;
}

/// What stands at `at`, up to the next separator.
std::string word_at(const char* at, const char* end) {
  const char* stop = at;
  while (stop != end && *stop != ',' && !is_blank(*stop)) {
    ++stop;
  }
  return core::printable({at, static_cast<std::size_t>(stop - at)});
}

template <typename T>
constexpr std::string_view kKind = std::is_floating_point_v<T> ? "a number" : "a whole number";

/// Reads one value; the error message, or none.
template <typename T>
std::optional<std::string> parse_value(const char*& at, const char* end, T& value) {
  const char* start = at;
  if (at != end && *at == '+') {
    ++at;
  }
  const auto [stop, error] = std::from_chars(at, end, value);
  const bool complete = stop == end || *stop == ',' || is_blank(*stop);
  if (error == std::errc::result_out_of_range) {
    if constexpr (std::is_floating_point_v<T>) {
      // A number too small for a float is as good as zero; one too large is not a number we hold.
      double wide = 0;
      const auto again = std::from_chars(at, end, wide);
      if (again.ec == std::errc{} && std::abs(wide) < 1) {
        value = static_cast<T>(wide);
        at = stop;
        return std::nullopt;
      }
    }
    return fmt::format("'{}' is out of range", word_at(start, end));
  }
  if (error != std::errc{} || !complete) {
    return fmt::format("'{}' is not {}", word_at(start, end), kKind<T>);
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) {
      return fmt::format("'{}' is not a finite number", word_at(start, end));
    }
  }
  at = stop;
  return std::nullopt;
}

}  // namespace

template <typename T>
std::optional<std::string> TableParser<T>::parse_line(const char* at, const char* end) {
  const std::size_t before = table.values.size();
  while (true) {
    at = skip_blanks(at, end);
    T value{};
    if (at == end) {
      return fmt::format("a value is missing after the comma, expected {}", what_);
    }
    if (auto problem = parse_value(at, end, value)) {
      return fmt::format("{}, expected {}", *problem, what_);
    }
    table.values.push_back(value);
    at = skip_blanks(at, end);
    if (at == end) {
      break;
    }
    if (*at == ',') {
      ++at;
    }
  }
  const std::size_t found = table.values.size() - before;
  if (table.columns == 0) {
    table.columns = found;
  }
  if (found != table.columns) {
    return fmt::format("{}, expected {}{}", core::counted(found, "value"), table.columns,
                       fixed_columns_ == 0 ? " as in the first line" : fmt::format(" ({})", what_));
  }
  return std::nullopt;
}

template <typename T>
std::optional<LineDefect> TableParser<T>::parse(std::string_view text) {
  const char* at = text.data();
  const char* const stop = at + text.size();
  while (at != stop) {
    const auto* end = static_cast<const char*>(
        std::memchr(at, '\n', static_cast<std::size_t>(stop - at)));
    if (end == nullptr) {
      end = stop;
    }
    ++lines_;
    if (skip_blanks(at, end) == end) {
      if (first_blank_ == 0) {
        first_blank_ = lines_;
      }
    } else if (first_blank_ != 0) {
      return LineDefect{first_blank_, fmt::format("blank line, expected {}", what_)};
    } else if (auto problem = parse_line(at, end)) {
      return LineDefect{lines_, std::move(*problem)};
    }
    at = end == stop ? stop : end + 1;
  }
  return std::nullopt;
}

template class TableParser<std::int64_t>;
template class TableParser<float>;

namespace {

/// Cuts text into pieces of about kPieceBytes that end at line ends.
std::vector<std::string_view> cut_at_lines(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const auto end = text.size() <= kPieceBytes ? std::string_view::npos
                                                : text.find('\n', kPieceBytes);
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

/// Blank lines at the end of the file say nothing; everything else does.
std::string_view without_blank_tail(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

}  // namespace

template <typename T>
Table<T> parse_table(std::string_view text, const std::string& file, std::size_t columns,
                     const std::string& what, core::ThreadPool& pool) {
  const auto pieces = cut_at_lines(without_blank_tail(text));
  std::vector<TableParser<T>> parsers(pieces.size(), TableParser<T>(columns, what));
  std::vector<std::optional<LineDefect>> defects(pieces.size());
  pool.run(pieces.size(), [&](std::size_t i) {
    parsers[i].table.values.reserve(pieces[i].size() / (columns == 2 ? 6 : 3));
    defects[i] = parsers[i].parse(pieces[i]);
    if (!defects[i] && parsers[i].first_blank() != 0) {
      defects[i] = LineDefect{parsers[i].first_blank(), "blank line, expected " + what};
    }
  });

  Table<T> all;
  all.columns = pieces.empty() ? columns : parsers[0].table.columns;
  std::size_t lines_before = 0;
  std::size_t total = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    auto defect = defects[i];
    const auto& table = parsers[i].table;
    if (!defect && table.columns != all.columns) {
      defect = LineDefect{1, fmt::format("{}, expected {} as in the first line",
                                         core::counted(table.columns, "value"), all.columns)};
    }
    if (defect) {
      throw DataError({file, lines_before + defect->line}, defect->message);
    }
    lines_before += table.rows();
    total += table.values.size();
  }
  if (pieces.size() == 1) {
    return std::move(parsers[0].table);
  }
  all.values.reserve(total);
  for (auto& parser : parsers) {
    all.values.insert(all.values.end(), parser.table.values.begin(), parser.table.values.end());
    parser.table.values = {};
  }
  return all;
}

template Table<std::int64_t> parse_table<std::int64_t>(std::string_view, const std::string&,
                                                       std::size_t, const std::string&,
                                                       core::ThreadPool&);
template Table<float> parse_table<float>(std::string_view, const std::string&, std::size_t,
                                         const std::string&, core::ThreadPool&);

}  // namespace rayleigh::io
