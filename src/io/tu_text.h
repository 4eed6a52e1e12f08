// The text of a TU file: lines of whole numbers or of real numbers, separated by comma or blank.
// One parser for a whole file in parallel and for a stream of blocks; knows nothing of graphs.
// About 500 MB of text per second and thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/thread_pool.h"

namespace rayleigh::io {

/// Leaves new numbers unset instead of clearing them first: threads then fill fresh memory side by
/// side.
template <typename T>
struct UnsetAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {  // NOLINT(readability-identifier-naming): the name is the standard's
    using other = UnsetAllocator<U>;
  };
  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

/// Rows of equal length, row-major.
template <typename T>
struct Table {
  std::size_t columns = 0;
  std::vector<T, UnsetAllocator<T>> values;

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};
using IntTable = Table<std::int64_t>;
using FloatTable = Table<float>;

struct LineDefect {
  std::uint64_t line;  ///< counted from the start of the parsed text, from 1
  std::string message;
};

/// Parses the lines of successive blocks of one file; block borders are line ends.
/// Blank lines are allowed only at the end of the file.
template <typename T>
class TableParser {
 public:
  /// `columns` 0 = whatever the first line has; `what` names a row's content in messages.
  TableParser(std::size_t columns, std::string what)
      : fixed_columns_(columns), what_(std::move(what)) {
    table.columns = columns;
  }

  /// Appends the rows of `text` to `table`; stops at the first defect.
  std::optional<LineDefect> parse(std::string_view text);
  /// A parser of further lines of the same file, which must be like those before.
  TableParser for_more_lines() const {
    TableParser more(fixed_columns_, what_);
    more.table.columns = table.columns;
    return more;
  }
  /// A blank line that turned out not to be at the end, when more text follows in another parser.
  std::uint64_t first_blank() const { return first_blank_; }

  Table<T> table;

 private:
  /// Takes as many lines of plain numbers as there are; where it stopped.
  const char* parse_plain_lines(const char* at, const char* stop);
  std::optional<std::string> parse_line(const char* at, const char* end);

  std::size_t fixed_columns_;
  std::string what_;
  std::uint64_t lines_ = 0;
  std::uint64_t first_blank_ = 0;
};

extern template class TableParser<std::int64_t>;
extern template class TableParser<float>;

/// A whole file, cut into pieces that the pool parses side by side. Throws DataError with
/// `file` and the line. Row r of the table stands in line r+1.
template <typename T>
Table<T> parse_table(std::string_view text, const std::string& file, std::size_t columns,
                     const std::string& what, core::ThreadPool& pool);

}  // namespace rayleigh::io
