#include <cstddef>
#include <cstdint>

#include "model_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rayleigh::fuzz::read_model({reinterpret_cast<const char*>(data), size});
  return 0;
}
