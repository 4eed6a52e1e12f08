// Molecules as text, cut out of .smi, CSV, TSV and SDF files: structure, name, label, or a defect.
// The molecule reader hands the structures to the chemistry toolkit; nothing here knows chemistry.
// Far faster than the toolkit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rayleigh/graph_io.h"

#include "io/byte_source.h"
#include "io/molecule_toolkit.h"

namespace rayleigh::io {

struct MoleculeRecord {
  std::uint64_t line = 0;     ///< where it begins
  std::string structure;      ///< SMILES or mol block
  std::string name;           ///< its own, or ""
  std::string label;          ///< as written; "" = missing
  std::string defect;         ///< the text is malformed: nothing else counts
  bool no_structure = false;  ///< a well-formed row without a molecule
};

class MoleculeRecords {
 public:
  MoleculeRecords(std::string name, Structure structure)
      : name_(std::move(name)), structure_(structure) {}
  virtual ~MoleculeRecords() = default;
  MoleculeRecords(const MoleculeRecords&) = delete;
  MoleculeRecords& operator=(const MoleculeRecords&) = delete;

  /// Nothing at the end.
  virtual std::optional<MoleculeRecord> next() = 0;
  /// Of the input, as it appears in messages.
  const std::string& name() const { return name_; }
  Structure structure() const { return structure_; }
  /// What labels are called in messages: "column 'HIV_active'"; "" = there are none.
  virtual std::string label_source() const { return {}; }
  virtual std::optional<double> fraction_read() const = 0;
  /// Lines so far that are not rows.
  virtual std::vector<Finding> findings() const { return {}; }

 private:
  std::string name_;
  Structure structure_;
};

/// `format` is smi, csv, tsv or sdf. Columns that were not named are guessed from the header, and
/// options.say tells which. UsageError for a named column that is not there, DataError for a table
/// without a SMILES column.
std::unique_ptr<MoleculeRecords> open_molecule_records(std::unique_ptr<ByteSource> source,
                                                       InputFormat format,
                                                       const ReadOptions& options);

}  // namespace rayleigh::io
