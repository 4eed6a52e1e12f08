// What a name to write to stands for: a file to replace, or something to write through.
// Used by the writers of files, so that -o takes devices, FIFOs and links like any other program.
// A few system calls.
#pragma once

#include <filesystem>

namespace rayleigh::core {

struct OutputPlace {
  /// Links are followed: the file itself, which need not be there yet.
  std::filesystem::path path;
  /// A device, a FIFO or an open descriptor (/dev/stdout): it is opened and written, never
  /// replaced, and nothing is put beside it.
  bool through = false;
};

/// Error when links lead nowhere.
OutputPlace output_place(const std::filesystem::path& name);

/// A descriptor to write into a place that is written through; -1 and errno when there is none.
/// An open descriptor of this process goes on where it stands.
int open_through(const OutputPlace& place);

/// Writes to disk what belongs on one. False and errno when that fails.
bool sync_through(int descriptor);

}  // namespace rayleigh::core
