// What to train: a detector by name, and its options by name.
// Set what shall differ from the defaults; every value is checked at once.
// detectors() tells a program which detectors and options there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/options.h"
#include "rayleigh/split.h"

namespace rayleigh {

namespace learn {
class Plan;
struct Inside;
}  // namespace learn

/// For labelled graphs.
inline constexpr std::string_view kDefaultDetector = "rayleigh";

/// For graphs without labels.
inline constexpr std::string_view kUnlabelledDetector = "novelty";

/// Copies are independent of each other.
class DetectorOptions {
 public:
  /// UsageError that lists the known ones when there is no such detector.
  explicit DetectorOptions(std::string_view detector = kDefaultDetector);
  DetectorOptions(const DetectorOptions& other);
  DetectorOptions& operator=(const DetectorOptions& other);
  DetectorOptions(DetectorOptions&&) noexcept;
  DetectorOptions& operator=(DetectorOptions&&) noexcept;
  ~DetectorOptions();

  /// A bad value, or a name that is not an option, is a UsageError with what was expected.
  DetectorOptions& set(std::string_view option, const OptionValue& value);
  /// Sets the options `split`, `split-seed` and `split-group` at once. No option can hold given
  /// parts or groups: put them into TrainingRequest::split.
  DetectorOptions& set_split(const SplitRequest& split);

  /// What was set, for another detector. UsageError for an option that it does not have.
  DetectorOptions with_detector(std::string_view detector) const;

  std::string detector() const;
  /// "rqgnn, profile paper".
  std::string title() const;
  /// "paper"; "" where the detector has none.
  std::string profile() const;
  std::vector<OptionInfo> all() const;
  /// Whether set() was called for it.
  bool given(std::string_view option) const;
  /// The value of the option as JSON; null where it has none.
  std::string value(std::string_view option) const;
  /// All options that change the result, as a JSON object: what a model file records.
  std::string json() const;
  SplitRequest split() const;

  /// UsageError when options contradict each other, or this machine lacks what they ask for.
  void check() const;

 private:
  friend struct learn::Inside;
  explicit DetectorOptions(std::unique_ptr<learn::Plan> plan);

  std::unique_ptr<learn::Plan> plan_;
};

/// What a comparison grants a detector unless told to run it in full; slow ones get less.
struct ComparisonBudget {
  std::uint64_t epochs = 100;      ///< at most
  std::size_t seeds = 0;           ///< at most; 0 = as many as are asked for
  std::uint64_t train_graphs = 0;  ///< at most; 0 = all of the training part
};

struct DetectorInfo {
  std::string name;
  std::string summary;  ///< what it is, in one line
  bool supervised;      ///< learns from both classes; else from normal graphs only
  bool yardstick;       ///< not meant to be good, but to show what is easy
  /// Works on molecules alone, read with MoleculeOptions::fingerprints.
  bool needs_fingerprints;
  ComparisonBudget budget;
  /// Its rows in a comparison of all detectors: "rqgnn:profile=published".
  std::vector<std::string> comparison_rows;
};

/// Ours first, then those of the paper, then yardsticks.
std::vector<DetectorInfo> detectors();
/// UsageError that lists the known ones when there is no such detector.
DetectorInfo detector_info(std::string_view name);

}  // namespace rayleigh
