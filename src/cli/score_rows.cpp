#include "cli/score_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.h"
#include "plot/csv.h"

namespace rayleigh::cli {
namespace {

constexpr std::string_view kNoStructure =
    "\n  rayleigh\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n";

/// Bytes that are not UTF-8 become U+FFFD.
void make_valid(std::string& text, std::size_t from) {
  auto bad = core::find_invalid_utf8(std::string_view(text).substr(from));
  if (bad == std::string_view::npos) {
    return;
  }
  std::string valid = text.substr(0, from);
  std::string_view left = std::string_view(text).substr(from);
  while (bad != std::string_view::npos) {
    valid += left.substr(0, bad);
    valid += "\xEF\xBF\xBD";
    left.remove_prefix(bad + 1);
    bad = core::find_invalid_utf8(left);
  }
  valid += left;
  text = std::move(valid);
}

/// A line of an SDF file that is neither the end of a record or of a block nor a property's name.
std::string sdf_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  line = core::visible(line, "\t", core::BadBytes::kept);
  const bool acts = line.starts_with("$$$$") || line.starts_with('>') || line.starts_with("M  END");
  return acts ? " " + line : line;
}

bool better(const TopRows::Entry& a, const TopRows::Entry& b) {
  return a.score != b.score ? a.score > b.score : a.index < b.index;
}

}  // namespace

std::string RowWriter::header() const {
  if (format_ != Format::csv) {
    return {};
  }
  return fmt::format("index,id,score,probability,anomalous,status,reason{}{}\n",
                     structure_ ? ",smiles" : "", p_values_ ? ",p_value" : "");
}

void RowWriter::write(const ScoredRow& row, std::string& text) const {
  const std::size_t begin = text.size();
  if (format_ == Format::csv) {
    write_csv(row, text);
  } else if (format_ == Format::sdf) {
    write_sdf(row, text);
  } else {
    write_json(row, text);
  }
  make_valid(text, begin);
}

const std::string& RowWriter::molecule(const io::Row& row) const {
  return structure_ == needed(format_) ? row.structure : row.other_structure;
}

void RowWriter::write_csv(const ScoredRow& row, std::string& text) const {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{},{},", row.index, plot::csv_text(row.input.id));
  if (row.score) {
    fmt::format_to(out, "{},{},{},", row.score->score, plot::csv_number(row.score->probability),
                   row.score->anomalous ? 1 : 0);
  } else {
    text += ",,,";
  }
  fmt::format_to(out, "{},{}", status_name(row.status), plot::csv_text(command_words(row.reason)));
  if (structure_) {
    text += ',';
    text += plot::csv_text(molecule(row.input));
  }
  if (p_values_) {
    text += ',';
    text += row.score ? plot::csv_number(row.score->p_value) : "";
  }
  text += '\n';
}

void RowWriter::write_json(const ScoredRow& row, std::string& text) const {
  nlohmann::ordered_json json{{"index", row.index}, {"id", row.input.id}};
  json["score"] = row.score ? nlohmann::ordered_json(row.score->score) : nullptr;
  json["probability"] = row.score ? nlohmann::ordered_json(row.score->probability) : nullptr;
  json["anomalous"] = row.score ? nlohmann::ordered_json(row.score->anomalous) : nullptr;
  json["status"] = status_name(row.status);
  json["reason"] = command_words(row.reason);
  if (structure_) {
    json["smiles"] = molecule(row.input);
  }
  if (p_values_) {
    json["p_value"] = row.score ? nlohmann::ordered_json(row.score->p_value) : nullptr;
  }
  text += json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text += '\n';
}

void RowWriter::write_sdf(const ScoredRow& row, std::string& text) const {
  const std::string id = sdf_line(row.input.id);
  const std::string& block = molecule(row.input);
  if (row.score && !block.empty() && structure_ == io::Structure::mol_block) {
    text += block;
  } else {
    // What RDKit wrote has no title yet, and neither has what is not a molecule.
    const std::string_view rest =
        row.score && !block.empty() ? std::string_view(block) : kNoStructure;
    text += id;
    text += rest.substr(rest.find('\n'));
  }
  const auto property = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) {
      fmt::format_to(std::back_inserter(text), ">  <{}>\n{}\n\n", name, value);
    }
  };
  property("id", id);
  if (row.score) {
    property("score", fmt::format("{}", row.score->score));
    property("probability", plot::csv_number(row.score->probability));
    property("anomalous", row.score->anomalous ? "1" : "0");
  }
  property("status", status_name(row.status));
  property("reason", sdf_line(command_words(row.reason)));
  if (row.score) {
    property("p_value", plot::csv_number(row.score->p_value));
  }
  text += "$$$$\n";
}

double TopRows::least() const {
  return heap_.size() < most_ ? -std::numeric_limits<double>::infinity() : heap_.front().score;
}

void TopRows::add(Entry entry) {
  if (heap_.size() >= most_) {
    if (!better(entry, heap_.front())) {
      return;
    }
    std::ranges::pop_heap(heap_, better);
    heap_.pop_back();
  }
  heap_.push_back(std::move(entry));
  std::ranges::push_heap(heap_, better);
}

std::string TopRows::text() const {
  auto sorted = heap_;
  std::ranges::sort(sorted, better);
  std::string text;
  for (const Entry& entry : sorted) {
    text += entry.text;
  }
  return text;
}

nlohmann::ordered_json TopRows::to_json() const {
  auto entries = nlohmann::ordered_json::array();
  for (const Entry& entry : heap_) {
    entries.push_back({entry.score, entry.index, entry.text});
  }
  return entries;
}

bool TopRows::take_json(const nlohmann::ordered_json& json) {
  if (!json.is_array() || json.size() > most_) {
    return false;
  }
  heap_.clear();
  for (const auto& entry : json) {
    if (!entry.is_array() || entry.size() != 3 || !entry[0].is_number() ||
        !entry[1].is_number_unsigned() || !entry[2].is_string()) {
      return false;
    }
    add({entry[0].get<double>(), entry[1].get<std::size_t>(), entry[2].get<std::string>()});
  }
  return true;
}

}  // namespace rayleigh::cli
