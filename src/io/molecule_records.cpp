#include "io/molecule_records.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string_view>
#include <utility>

#include "rayleigh/error.h"

#include "core/text.h"
#include "io/table_records.h"
#include "io/text_lines.h"

namespace rayleigh::io {
namespace {

constexpr std::array<std::string_view, 5> kSmilesNames{"smiles", "canonical_smiles",
                                                       "isomeric_smiles", "smi", "structure"};
constexpr std::array<std::string_view, 9> kIdNames{"id",          "mol_id",      "name",
                                                   "compound_id", "molecule_id", "cid",
                                                   "title",       "chembl_id",   "identifier"};
constexpr std::array<std::string_view, 7> kLabelNames{"label",  "class",   "target",   "y",
                                                      "active", "outcome", "anomalous"};
constexpr std::size_t kShownColumns = 30;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) {
    return static_cast<char>(c == ' ' || c == '-' ? '_' : std::tolower(c));
  });
  return out;
}

std::string in_quotes(std::string_view name) { return fmt::format("'{}'", core::printable(name)); }

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), kShownColumns); ++i) {
    shown.push_back(in_quotes(names[i]));
  }
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kShownColumns ? ", …" : "");
}

/// The first column whose name is in the list, the names in the order of the list.
std::optional<std::size_t> guess(const std::vector<std::string>& columns,
                                 std::span<const std::string_view> names) {
  for (const auto name : names) {
    const auto it = std::ranges::find_if(
        columns, [&](const std::string& column) { return lower(column) == name; });
    if (it != columns.end()) {
      return static_cast<std::size_t>(it - columns.begin());
    }
  }
  return std::nullopt;
}

/// The column that was asked for; UsageError when there is none.
std::size_t named(const std::vector<std::string>& columns, const std::string& name,
                  std::string_view option, const std::string& file) {
  const auto it = std::ranges::find(columns, name);
  if (it == columns.end()) {
    throw UsageError(std::string(option),
                     fmt::format("{} has no column {}{}; it has {}", file, in_quotes(name),
                                 core::did_you_mean(name, columns), listed(columns)));
  }
  return static_cast<std::size_t>(it - columns.begin());
}

void refuse(const std::optional<std::string>& given, std::string_view option,
            const std::string& file, std::string_view kind) {
  if (given) {
    throw UsageError(std::string(option),
                     fmt::format("{} is {}, which has no columns", file, kind));
  }
}

/// SMILES, blank, name.
class SmilesLines : public MoleculeRecords {
 public:
  SmilesLines(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : MoleculeRecords(source->name(), Structure::smiles), lines_(std::move(source)) {
    refuse(options.molecules.smiles_column, "smiles-column", name(), "a .smi file");
    refuse(options.molecules.label, "label-column", name(), "a .smi file");
    refuse(options.molecules.id_column, "id-column", name(), "a .smi file");
  }

  std::optional<MoleculeRecord> next() override {
    const auto line = lines_.next();
    if (!line) {
      return std::nullopt;
    }
    MoleculeRecord record;
    record.line = line->number;
    const auto text = core::trim(line->text);
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    record.structure = text.substr(0, end);
    record.name = core::trim(text.substr(end));
    record.no_structure = text.empty();
    return record;
  }
  std::optional<double> fraction_read() const override { return lines_.fraction_read(); }

 private:
  TextLines lines_;
};

/// A table with a header.
class SmilesTable : public MoleculeRecords {
 public:
  SmilesTable(std::unique_ptr<ByteSource> source, char separator, const ReadOptions& options)
      : MoleculeRecords(source->name(), Structure::smiles), rows_(std::move(source), separator) {
    const auto header = rows_.header();
    if (!header) {
      throw DataError({name(), 0}, "the file is empty, expected a header and one molecule per row");
    }
    if (!header->defect.empty()) {
      throw DataError({name(), header->line}, header->defect);
    }
    for (const auto& cell : header->cells) {
      columns_.emplace_back(core::trim(cell));
    }
    choose_columns(header->line, options);
  }

  std::optional<MoleculeRecord> next() override {
    auto row = rows_.next();
    if (!row) {
      return std::nullopt;
    }
    MoleculeRecord record;
    record.line = row->line;
    record.defect = std::move(row->defect);
    if (record.defect.empty()) {
      record.structure = core::trim(row->cells[smiles_]);
      record.name = id_ ? core::trim(row->cells[*id_]) : std::string_view{};
      record.label = label_ ? core::trim(row->cells[*label_]) : std::string_view{};
      record.no_structure = record.structure.empty();
    }
    return record;
  }
  std::optional<double> fraction_read() const override { return rows_.fraction_read(); }
  std::string label_source() const override {
    return label_ ? fmt::format("column {}", in_quotes(columns_[*label_])) : std::string();
  }
  std::vector<Finding> findings() const override {
    std::vector<Finding> found;
    if (rows_.blank_lines() > 0) {
      found.push_back({"blank_lines",
                       "blank lines, which are not rows",
                       rows_.blank_lines(),
                       {name(), rows_.first_blank()}});
    }
    return found;
  }

 private:
  void choose_columns(std::uint64_t line, const ReadOptions& options) {
    const auto& wanted = options.molecules;
    if (wanted.smiles_column) {
      smiles_ = named(columns_, *wanted.smiles_column, "smiles-column", name());
    } else if (const auto found = guess(columns_, kSmilesNames)) {
      smiles_ = *found;
    } else {
      throw DataError({name(), line},
                      fmt::format("no column is called smiles: name it with `smiles-column`; the "
                                  "columns are {}",
                                  listed(columns_)));
    }
    id_ = wanted.id_column ? std::optional(named(columns_, *wanted.id_column, "id-column", name()))
                           : guess(columns_, kIdNames);
    if (wanted.label) {
      label_ = named(columns_, *wanted.label, "label-column", name());
    } else if (wanted.classes) {
      label_ = guess(columns_, kLabelNames);
    }
    const bool class_known = wanted.label || !wanted.classes;
    if (options.say && !(wanted.smiles_column && wanted.id_column && class_known)) {
      const auto class_from =
          wanted.classes ? fmt::format(", class from {}", shown(label_, "label-column")) : "";
      options.say(fmt::format("{}: SMILES from column {}{}, name from {}", name(),
                              in_quotes(columns_[smiles_]), class_from, shown(id_, "id-column")));
    }
  }

  std::string shown(const std::optional<std::size_t>& column, std::string_view option) const {
    return column ? in_quotes(columns_[*column]) : fmt::format("none (`{}` names it)", option);
  }

  TableRecords rows_;
  std::vector<std::string> columns_;
  std::size_t smiles_ = 0;
  std::optional<std::size_t> id_;
  std::optional<std::size_t> label_;
};

/// A mol block and properties, closed by $$$$.
class StructureData : public MoleculeRecords {
 public:
  StructureData(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : MoleculeRecords(source->name(), Structure::mol_block),
        lines_(std::move(source)),
        label_(options.molecules.label) {
    refuse(options.molecules.smiles_column, "smiles-column", name(), "an SDF file");
    refuse(options.molecules.id_column, "id-column", name(), "an SDF file");
    if (!label_ && options.molecules.classes) {
      guess_label(options);
    }
  }

  std::optional<MoleculeRecord> next() override {
    if (!first_.empty()) {
      auto record = std::move(first_.front());
      first_.pop_back();
      return take_label(std::move(record));
    }
    auto record = read();
    return record ? take_label(std::move(*record)) : std::optional<MoleculeRecord>{};
  }
  std::optional<double> fraction_read() const override { return lines_.fraction_read(); }
  std::string label_source() const override {
    return label_ ? fmt::format("property {}", in_quotes(*label_)) : std::string();
  }

 private:
  struct Full {
    MoleculeRecord record;
    std::vector<std::pair<std::string, std::string>> properties;
  };

  /// The only property of the first record, or one with a usual name.
  void guess_label(const ReadOptions& options) {
    auto record = read();
    if (!record) {
      return;
    }
    std::vector<std::string> names;
    for (const auto& [property, value] : record->properties) {
      names.push_back(property);
    }
    const auto found =
        names.size() == 1 ? std::optional<std::size_t>(0) : guess(names, kLabelNames);
    if (found) {
      label_ = names[*found];
    }
    if (options.say) {
      options.say(fmt::format("{}: class from {}", name(),
                              label_          ? "property " + in_quotes(*label_)
                              : names.empty() ? "none, there are no properties"
                                              : "none (`label-property` names it; the properties "
                                                "are " +
                                                    listed(names) + ")"));
    }
    first_.push_back(std::move(*record));
  }

  MoleculeRecord take_label(Full full) const {
    if (label_) {
      for (auto& [property, value] : full.properties) {
        if (property == *label_) {
          full.record.label = std::move(value);
        }
      }
    }
    return std::move(full.record);
  }

  std::optional<Full> read() {
    constexpr std::size_t kLongestRecord = std::size_t{1} << 26U;
    Full full;
    bool in_block = true;
    bool closed = false;
    std::uint64_t lines = 0;
    std::size_t bytes = 0;
    std::string* value = nullptr;
    while (auto line = lines_.next()) {
      if (lines++ == 0) {
        full.record.line = line->number;
        full.record.name = core::trim(line->text);
      }
      if (line->text.starts_with("$$$$")) {
        closed = true;
        break;
      }
      bytes += line->text.size();
      if (bytes > kLongestRecord) {
        throw DataError({name(), full.record.line},
                        fmt::format("the record is longer than {}, which is the limit; is a $$$$ "
                                    "missing?",
                                    core::human_bytes(kLongestRecord)));
      }
      // A title or comment, the first three lines, may begin with anything.
      if (lines > 3 && line->text.starts_with('>')) {
        in_block = false;
        full.properties.emplace_back(property_name(line->text), "");
        value = &full.properties.back().second;
      } else if (in_block) {
        full.record.structure += line->text;
        full.record.structure += '\n';
        in_block = !line->text.starts_with("M  END");
      } else if (core::trim(line->text).empty()) {
        value = nullptr;
      } else if (value != nullptr) {
        *value += value->empty() ? "" : "\n";
        *value += core::trim(line->text);
      }
    }
    if (lines == 0 || (!closed && core::trim(full.record.structure).empty())) {
      return std::nullopt;
    }
    if (!closed) {
      full.record.defect = "the record ends without $$$$, the file is truncated";
    }
    full.record.no_structure = core::trim(full.record.structure).empty();
    return full;
  }

  /// "> 25 <value> (1)" -> "value".
  static std::string property_name(std::string_view line) {
    const auto begin = line.find('<');
    const auto end = line.find('>', begin == std::string_view::npos ? begin : begin + 1);
    if (begin == std::string_view::npos || end == std::string_view::npos) {
      return {};
    }
    return std::string(line.substr(begin + 1, end - begin - 1));
  }

  TextLines lines_;
  std::optional<std::string> label_;
  std::vector<Full> first_;  ///< the record that was read for its properties
};

}  // namespace

std::unique_ptr<MoleculeRecords> open_molecule_records(std::unique_ptr<ByteSource> source,
                                                       InputFormat format,
                                                       const ReadOptions& options) {
  switch (format) {
    case InputFormat::smi:
      return std::make_unique<SmilesLines>(std::move(source), options);
    case InputFormat::sdf:
      return std::make_unique<StructureData>(std::move(source), options);
    default:
      return std::make_unique<SmilesTable>(std::move(source),
                                           format == InputFormat::tsv ? '\t' : ',', options);
  }
}

}  // namespace rayleigh::io
