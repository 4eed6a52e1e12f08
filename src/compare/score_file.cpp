#include "compare/score_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "rayleigh/error.h"

#include "core/text.h"
#include "core/text_file.h"

namespace rayleigh::compare {
namespace {

constexpr std::uint64_t kMostBytes = 4'000'000'000;
constexpr std::size_t kLongestName = 60;

/// Rows of a CSV text with the lines they begin in. Quotes as in RFC 4180.
class ScoreTable {
 public:
  ScoreTable(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    at_ = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  }

  /// Blank lines are left out. False at the end.
  bool next() {
    while (at_ < text_.size()) {
      line_ = next_line_;
      read_row();
      if (cells_.size() > 1 || !core::trim(cells_[0]).empty()) {
        return true;
      }
    }
    return false;
  }
  const std::vector<std::string>& cells() const { return cells_; }
  std::uint64_t line() const { return line_; }
  [[noreturn]] void fail(const std::string& what) const { throw DataError({path_, line_}, what); }

 private:
  void read_row() {
    cells_.assign(1, "");
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && cells_.back().empty()) {
        read_quoted();
      } else if (c == ',') {
        cells_.emplace_back();
      } else if (c == '\n') {
        ++next_line_;
        break;
      } else if (c != '\r' || (at_ < text_.size() && text_[at_] != '\n')) {
        cells_.back() += c;
      }
    }
  }

  void read_quoted() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && (at_ >= text_.size() || text_[at_] != '"')) {
        return;
      }
      at_ += c == '"' ? 1 : 0;
      next_line_ += c == '\n' ? 1 : 0;
      cells_.back() += c;
    }
    fail("a quote is never closed");
  }

  std::string path_;
  std::string text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t next_line_ = 1;
  std::vector<std::string> cells_;
};

/// Words numbered in the order in which they come.
class Numbered {
 public:
  explicit Numbered(std::vector<std::string>& words) : words_(words) {}
  std::size_t operator()(const std::string& word) {
    const auto [at, fresh] = known_.try_emplace(word, words_.size());
    if (fresh) {
      words_.push_back(word);
    }
    return at->second;
  }

 private:
  std::vector<std::string>& words_;
  std::map<std::string, std::size_t> known_;
};

class ScoreFileReader {
 public:
  explicit ScoreFileReader(const std::string& path)
      : table_(path, core::read_text_file(path, kMostBytes)),
        stem_(core::printable(std::filesystem::path(path).stem().string(), kLongestName)),
        model_(file_.models),
        data_(file_.data) {
    file_.path = path;
  }

  ScoreFile read() {
    read_header();
    while (table_.next()) {
      read_row();
    }
    if (file_.rows.empty()) {
      table_.fail("has no row below the header, expected one per graph");
    }
    return std::move(file_);
  }

 private:
  enum Column { index, id, score, seed, fold, part, model, data, kColumns };
  static constexpr std::array<std::string_view, kColumns> kNames{"index", "id",   "score", "seed",
                                                                 "fold",  "part", "model", "data"};
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

  bool has(Column column) const { return place_[column] != kAbsent; }
  std::string cell(Column column) const {
    return std::string(core::trim(table_.cells()[place_[column]]));
  }

  void read_header() {
    place_.fill(kAbsent);
    if (!table_.next()) {
      table_.fail("is empty, expected a header with the columns index or id, and score");
    }
    columns_ = table_.cells().size();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < columns_; ++i) {
      names.emplace_back(core::trim(table_.cells()[i]));
      const auto known = std::ranges::find(kNames, names.back());
      if (known == kNames.end()) {
        continue;
      }
      auto& place = place_[static_cast<std::size_t>(known - kNames.begin())];
      if (place != kAbsent) {
        table_.fail(fmt::format("the column {} is there twice", *known));
      }
      place = i;
    }
    const auto missing = [&](const char* what, const char* like) {
      table_.fail(fmt::format("there is no column {}{}; the columns are {}", what,
                              core::did_you_mean(like, names),
                              core::printable(fmt::format("{}", fmt::join(names, ", ")), 200)));
    };
    if (!has(score)) {
      missing("score", "score");
    }
    if (!has(index) && !has(id)) {
      missing("index or id", "index");
    }
    if (has(seed) && has(fold)) {
      table_.fail("has the columns seed and fold, expected one of them");
    }
    file_.has_index = has(index);
    file_.has_id = has(id);
    file_.has_data = has(data);
    file_.seed_column = has(seed) ? "seed" : has(fold) ? "fold" : "";
  }

  std::uint64_t number(Column column) const {
    const std::string text = cell(column);
    const auto value = core::canonical_integer(text);
    if (!value || *value < 0) {
      table_.fail(fmt::format("{} '{}' is not a number, expected {}", kNames[column],
                              core::printable(text),
                              column == index ? "0, 1, 2 …" : "that of the comparison"));
    }
    return static_cast<std::uint64_t>(*value);
  }

  double finite_score() const {
    const std::string text = cell(score);
    double value = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
      table_.fail(fmt::format("score '{}' is not a finite number", core::printable(text)));
    }
    return value;
  }

  std::string part_word() const {
    std::string word = cell(part);
    if (word == "train" || word == "validation" || word == "test" || word.empty()) {
      return word;
    }
    table_.fail(fmt::format("part '{}' is unknown, expected train, validation, test or nothing",
                            core::printable(word)));
  }

  void read_row() {
    if (table_.cells().size() != columns_) {
      table_.fail(fmt::format("has {}, the header has {}",
                              core::counted(table_.cells().size(), "cell"), columns_));
    }
    // Graphs of no part, as train --predictions has them.
    if (has(part) && cell(part) == "none") {
      return;
    }
    ScoreRow row{.line = table_.line()};
    row.model = model_(has(model) ? core::printable(cell(model), kLongestName) : stem_);
    row.data = data_(has(data) ? cell(data) : "");
    if (file_.models[row.model].empty()) {
      table_.fail("the model has no name");
    }
    if (has(seed) || has(fold)) {
      row.seed = number(has(seed) ? seed : fold);
    }
    if (has(index)) {
      row.index = number(index);
    }
    if (has(id)) {
      row.id = cell(id);
    }
    if (has(part)) {
      row.part = part_word();
    }
    row.score = finite_score();
    file_.rows.push_back(std::move(row));
  }

  ScoreTable table_;
  std::string stem_;
  ScoreFile file_;
  Numbered model_;
  Numbered data_;
  std::array<std::size_t, kColumns> place_{};
  std::size_t columns_ = 0;
};

}  // namespace

ScoreFile read_score_file(const std::string& path) { return ScoreFileReader(path).read(); }

}  // namespace rayleigh::compare
