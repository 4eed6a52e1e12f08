// The folder where `rayleigh fetch` puts datasets, and DATA given by name looked up there.
// Use wherever DATA is opened; a path that exists always wins over a name.
// One look at the environment and at most three at the disk.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rayleigh/fetch.h"

namespace rayleigh::io {

/// Letters, digits, - and _, at most 100, a letter or digit first: never a path and never a flag.
bool is_dataset_name(std::string_view word);

/// The path that DATA means: itself when it exists or cannot be a name, else NAME.zip or the folder
/// NAME in data_folder(). DataError that tells how to get it when there is neither.
std::string find_data(const std::string& data);

}  // namespace rayleigh::io
