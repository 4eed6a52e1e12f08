#pragma once
#include "core/option_set.h"
namespace rayleigh::core {
using Parameter = Option;
using ParameterSet = OptionSet;
}  // namespace rayleigh::core
