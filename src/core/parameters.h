// Earlier names of core/option_set.h, for recipes that still use them.
// New code says OptionSet.
// Nothing but names.
#pragma once

#include "core/option_set.h"

namespace rayleigh::core {

using Parameter = Option;
using ParameterSet = OptionSet;

}  // namespace rayleigh::core
