// The options of a detector as flags of a verb.
// For verbs that train: each flag sets the option of the same name at once, with its own checks.
// Runs once.
#pragma once

#include "rayleigh/detector_options.h"

#include "core/option_set.h"

namespace rayleigh::cli {

/// `detector` must stay where it is as long as `flags` is used.
void declare_detector(core::OptionSet& flags, DetectorOptions& detector);

}  // namespace rayleigh::cli
