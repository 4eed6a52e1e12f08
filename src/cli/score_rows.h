// A row of `rayleigh score` and how it is written: CSV, JSON or SDF; and the best rows of all.
// Used by the score verb only.
// Writing a row takes about a microsecond.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/graph_io.h"
#include "rayleigh/score_stream.h"

#include "cli/verb.h"

namespace rayleigh::cli {

class RowWriter {
 public:
  /// `structure` is how the rows have their molecules; none for graphs that are not molecules.
  /// `p_values` of a model that has them.
  RowWriter(Format format, std::optional<io::Structure> structure, bool p_values)
      : format_(format), structure_(structure), p_values_(p_values) {}

  /// What the reader is asked for so that write() has it.
  static io::Structure needed(Format format) {
    return format == Format::sdf ? io::Structure::mol_block : io::Structure::smiles;
  }

  std::string header() const;
  /// Appends one row, always valid UTF-8.
  void write(const ScoredRow& row, std::string& text) const;

 private:
  void write_csv(const ScoredRow& row, std::string& text) const;
  void write_json(const ScoredRow& row, std::string& text) const;
  void write_sdf(const ScoredRow& row, std::string& text) const;
  /// The molecule as this format needs it; "" where there is none.
  const std::string& molecule(const io::Row& row) const;

  Format format_;
  std::optional<io::Structure> structure_;
  bool p_values_;
};

/// The rows with the highest scores; of equals the first ones.
class TopRows {
 public:
  struct Entry {
    double score;
    std::size_t index;
    std::string text;
  };

  explicit TopRows(std::size_t most) : most_(most) {}

  /// A row with less cannot be among them any more.
  double least() const;
  void add(Entry entry);
  /// The best first.
  std::string text() const;

  nlohmann::ordered_json to_json() const;
  /// False when it is not what to_json() gave.
  bool take_json(const nlohmann::ordered_json& json);

 private:
  std::size_t most_;
  std::vector<Entry> heap_;  ///< the worst in front
};

}  // namespace rayleigh::cli
