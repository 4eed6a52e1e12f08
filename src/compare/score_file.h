// Scores that another program made, in a CSV file: the columns index or id (or both) and score;
// where they are there also seed or fold, part, model and data.
// Read before anything runs; what it says of graphs is checked when they are known.
// A pass over the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rayleigh::compare {

struct ScoreRow {
  std::uint64_t line = 0;
  std::size_t model = 0;  ///< in ScoreFile::models
  std::size_t data = 0;   ///< in ScoreFile::data
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> index{};
  std::string id{};    ///< where there is the column
  std::string part{};  ///< train, validation, test, or "" = not said
  double score = 0;
};

struct ScoreFile {
  std::string path;
  bool has_index = false;
  bool has_id = false;
  bool has_data = false;
  std::string seed_column;          ///< "seed", "fold", or "" = there is none
  std::vector<std::string> models;  ///< in the order of the file; its stem without the column
  std::vector<std::string> data;    ///< one "" without the column
  std::vector<ScoreRow> rows;
};

/// DataError with the line of what is wrong.
ScoreFile read_score_file(const std::string& path);

}  // namespace rayleigh::compare
