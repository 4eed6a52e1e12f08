// The state of an unfinished training run on disk: same version, same plan, same data only.
// Written after epochs; a killed run that resumes ends in the same bits.
// A few copies of the weights.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "learn/trainer.h"

namespace rayleigh::learn {

struct Checkpoint {
  /// Everything that must agree for the run to go on: version, options, data, split.
  std::string fingerprint;
  /// Finished members of the ensemble, then the one that is being trained.
  std::vector<TrainerState> members;
};

/// UsageError when a checkpoint cannot be kept there because it is not a regular file.
void check_checkpoint_place(const std::filesystem::path& file);

/// Appears whole or not at all.
void save_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// None when there is no file. A damaged file is a DataError; one of another run a UsageError that
/// tells the first difference.
std::optional<Checkpoint> load_checkpoint(const std::filesystem::path& file,
                                          const std::string& fingerprint);

}  // namespace rayleigh::learn
