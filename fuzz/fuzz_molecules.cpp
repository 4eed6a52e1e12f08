#include <cstddef>
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rayleigh::fuzz::read_molecules({reinterpret_cast<const char*>(data), size});
  return 0;
}
