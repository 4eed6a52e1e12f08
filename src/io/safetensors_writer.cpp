#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/atomic_file.h"
#include "io/safetensors.h"

namespace rayleigh::io {

template <typename T>
void SafetensorsWriter::add(std::string name, std::vector<std::uint64_t> shape,
                            std::span<const T> values) {
  [[maybe_unused]] std::uint64_t elements = 1;
  for (const std::uint64_t extent : shape) {
    elements *= extent;
  }
  assert(elements == values.size() && name != kSafetensorsMetadata);
  std::string data(values.size_bytes(), '\0');
  if (!values.empty()) {
    std::memcpy(data.data(), values.data(), values.size_bytes());
  }
  [[maybe_unused]] const bool is_new =
      tensors_.emplace(std::move(name), Tensor{dtype_of<T>(), std::move(shape), std::move(data)})
          .second;
  assert(is_new);
}

void SafetensorsWriter::set_metadata(std::string key, std::string value) {
  metadata_.insert_or_assign(std::move(key), std::move(value));
}

std::string SafetensorsWriter::bytes() const {
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& named : tensors_) {
    order.push_back(&named);
  }
  // Wide numbers first: each tensor then begins at a multiple of its element size.
  std::ranges::stable_sort(order, std::greater<>{},
                           [](const auto* named) { return dtype_bytes(named->second.dtype); });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata_.empty()) {
    header[std::string(kSafetensorsMetadata)] = metadata_;
  }
  std::uint64_t at = 0;
  for (const auto* named : order) {
    const auto& [name, tensor] = *named;
    header[name] = {{"dtype", dtype_name(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"data_offsets", {at, at + tensor.data.size()}}};
    at += tensor.data.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string out(kSafetensorsLength, '\0');
  std::memcpy(out.data(), &length, kSafetensorsLength);
  out += text;
  for (const auto* named : order) {
    out += named->second.data;
  }
  return out;
}

void SafetensorsWriter::save(const std::filesystem::path& path) const {
  core::write_file_atomically(path, bytes());
}

template void SafetensorsWriter::add(std::string, std::vector<std::uint64_t>,
                                     std::span<const float>);
template void SafetensorsWriter::add(std::string, std::vector<std::uint64_t>,
                                     std::span<const double>);
template void SafetensorsWriter::add(std::string, std::vector<std::uint64_t>,
                                     std::span<const std::int32_t>);
template void SafetensorsWriter::add(std::string, std::vector<std::uint64_t>,
                                     std::span<const std::int64_t>);
template void SafetensorsWriter::add(std::string, std::vector<std::uint64_t>,
                                     std::span<const std::uint8_t>);

}  // namespace rayleigh::io
