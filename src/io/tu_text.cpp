#include "io/tu_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::io {
namespace {

constexpr std::size_t kTuPieceBytes = std::size_t{1} << 20U;

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
  if (at != end && *at == '+' && at + 1 != end && at[1] != '-') {
    ++at;
  }
  const auto [stop, error] = std::from_chars(at, end, value);
  const bool complete = stop == end || *stop == ',' || is_blank(*stop);
  if (error == std::errc::result_out_of_range && complete) {
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

/// The common case, a line of `columns` plain numbers such as "12, 345", digit by digit: several
/// times faster than std::from_chars with all its checks. Returns the end of the line, or nullptr
/// for anything unusual, which parse_line() then takes apart.
const char* parse_plain_line(const char* at, const char* stop, std::size_t columns,
                             std::int64_t* values) {
  constexpr int kSafeDigits = 18;  // more of them end at a digit, which is not a separator
  for (std::size_t c = 0; c < columns; ++c) {
    const bool negative = at != stop && *at == '-';
    at += negative ? 1 : 0;
    const char* const first = at;
    std::int64_t value = 0;
    while (at != stop && at - first < kSafeDigits && *at >= '0' && *at <= '9') {
      value = 10 * value + (*at - '0');
      ++at;
    }
    if (at == first) {
      return nullptr;
    }
    values[c] = negative ? -value : value;
    if (c + 1 < columns) {
      if (at == stop || *at != ',') {
        return nullptr;
      }
      ++at;
      at += at != stop && *at == ' ' ? 1 : 0;
    }
  }
  at += at != stop && *at == '\r' ? 1 : 0;
  return at == stop || *at == '\n' ? at : nullptr;
}

/// Takes plain lines from the front of the text as long as there are any, one row each.
struct PlainRows {
  const char* end;  ///< where it stopped
  std::size_t rows;
};
template <typename T>
PlainRows parse_plain_rows(const char* at, const char* stop, std::size_t columns, T* out) {
  std::size_t rows = 0;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    while (at != stop) {
      const char* end = parse_plain_line(at, stop, columns, out + rows * columns);
      if (end == nullptr) {
        break;
      }
      ++rows;
      at = end == stop ? stop : end + 1;
    }
  }
  return {at, rows};
}

std::size_t count_lines(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace

template <typename T>
const char* TableParser<T>::parse_plain_lines(const char* at, const char* stop) {
  if (table.columns == 0 || first_blank_ != 0) {
    return at;
  }
  const std::size_t before = table.values.size();
  const std::size_t lines = count_lines({at, static_cast<std::size_t>(stop - at)});
  table.values.resize(before + lines * table.columns);
  const auto plain = parse_plain_rows(at, stop, table.columns, table.values.data() + before);
  table.values.resize(before + plain.rows * table.columns);
  lines_ += plain.rows;
  return plain.end;
}

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
  // One unusual line and the rest of the block goes the careful way.
  at = parse_plain_lines(at, stop);
  while (at != stop) {
    const auto* end =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(stop - at)));
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

/// Cuts text into pieces of about kTuPieceBytes that end at line ends.
std::vector<std::string_view> cut_at_lines(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const auto end =
        text.size() <= kTuPieceBytes ? std::string_view::npos : text.find('\n', kTuPieceBytes);
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

std::string blank_line(const std::string& what) { return "blank line, expected " + what; }

/// The rows of a piece, written to their place in the whole.
template <typename T>
std::optional<LineDefect> parse_piece(std::string_view text, const TableParser<T>& first_line,
                                      const std::string& what, T* out) {
  const std::size_t columns = first_line.table.columns;
  const char* const stop = text.data() + text.size();
  const auto plain = parse_plain_rows(text.data(), stop, columns, out);
  if (plain.end == stop) {
    return std::nullopt;
  }
  TableParser<T> careful = first_line.for_more_lines();
  auto defect = careful.parse({plain.end, static_cast<std::size_t>(stop - plain.end)});
  if (!defect && careful.first_blank() != 0) {
    defect = LineDefect{careful.first_blank(), blank_line(what)};
  }
  if (defect) {
    defect->line += plain.rows;
    return defect;
  }
  std::ranges::copy(careful.table.values, out + plain.rows * columns);
  return std::nullopt;
}

}  // namespace

template <typename T>
Table<T> parse_table(std::string_view text, const std::string& file, std::size_t columns,
                     const std::string& what, core::ThreadPool& pool) {
  text = without_blank_tail(text);
  TableParser<T> first_line(columns, what);
  // With its line end, so that a blank first line is seen as one.
  const auto first_end = text.find('\n');
  auto defect = first_line.parse(
      text.substr(0, first_end == std::string_view::npos ? text.size() : first_end + 1));
  if (!defect && first_line.first_blank() != 0) {
    defect = LineDefect{1, blank_line(what)};
  }
  if (defect) {
    throw DataError({file, defect->line}, defect->message);
  }
  // A line is a row, so every piece knows its place before it is parsed.
  const auto pieces = cut_at_lines(text);
  std::vector<std::size_t> first_row(pieces.size() + 1, 0);
  pool.run(pieces.size(), [&](std::size_t i) { first_row[i + 1] = count_lines(pieces[i]); });
  std::partial_sum(first_row.begin(), first_row.end(), first_row.begin());
  Table<T> table{first_line.table.columns, {}};
  table.values.resize(first_row.back() * table.columns);
  std::vector<std::optional<LineDefect>> defects(pieces.size());
  pool.run(pieces.size(), [&](std::size_t i) {
    defects[i] = parse_piece(pieces[i], first_line, what,
                             table.values.data() + first_row[i] * table.columns);
  });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (defects[i]) {
      throw DataError({file, first_row[i] + defects[i]->line}, defects[i]->message);
    }
  }
  return table;
}

template Table<std::int64_t> parse_table<std::int64_t>(std::string_view, const std::string&,
                                                       std::size_t, const std::string&,
                                                       core::ThreadPool&);
template Table<float> parse_table<float>(std::string_view, const std::string&, std::size_t,
                                         const std::string&, core::ThreadPool&);

}  // namespace rayleigh::io
