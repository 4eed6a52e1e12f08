#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rayleigh::test {

/// A model file or a checkpoint taken apart: its header as JSON, and the bytes of its tensors. What
/// is put together again has no hash of its own, as in the files of the first versions.
struct ModelParts {
  using Json = nlohmann::ordered_json;

  Json header;
  std::string data;

  explicit ModelParts(const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    header = Json::parse(bytes.substr(8, length));
    data = bytes.substr(8 + length);
    header["__metadata__"].erase("rayleigh_hash");
    header["__metadata__"].erase("rayleigh_checkpoint_hash");
  }

  std::string bytes() const {
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    std::string all(8, '\0');
    std::memcpy(all.data(), &length, 8);
    return all + text + data;
  }

  Json metadata() const {
    return Json::parse(header["__metadata__"]["rayleigh"].get<std::string>());
  }
  void set_metadata(const std::string& text) { header["__metadata__"]["rayleigh"] = text; }

  std::vector<std::string> tensors() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : header.items()) {
      if (name != "__metadata__") {
        names.push_back(name);
      }
    }
    return names;
  }
  std::size_t begin_of(const std::string& tensor) const {
    return header[tensor]["data_offsets"][0].get<std::size_t>();
  }
};

}  // namespace rayleigh::test
