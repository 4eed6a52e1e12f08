// Tensors with names in one file: the safetensors container, for golden vectors and model files.
// A file is checked as a whole before any tensor is given out; DataError names the exact defect.
// Reading costs one copy of the file; writing sorts tensors so that all are aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rayleigh::io {

enum class DType { f32, f64, i32, i64, u8 };

std::string_view dtype_name(DType dtype);
std::size_t dtype_bytes(DType dtype);

template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) {
    return DType::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DType::f64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return DType::i32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return DType::i64;
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>);
    return DType::u8;
  }
}

inline constexpr std::size_t kSafetensorsLength = 8;  ///< bytes of the header's length
inline constexpr std::string_view kSafetensorsMetadata = "__metadata__";

struct TensorInfo {
  std::string name;
  DType dtype;
  std::vector<std::uint64_t> shape;  ///< row-major; empty = a single number
  std::uint64_t elements;
  std::uint64_t begin;  ///< first byte in the data part
};

class Safetensors {
 public:
  /// A larger file is refused before anything is allocated.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{8} << 30U;
  static constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

  static Safetensors read(const std::filesystem::path& path);
  /// `name` stands for the file in messages.
  static Safetensors parse(std::string bytes, const std::string& name);

  /// Sorted by name.
  std::span<const TensorInfo> tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Throws DataError when there is none.
  const TensorInfo& info(std::string_view name) const;
  /// A copy of the numbers. T is float, double, int32_t, int64_t or uint8_t and must be the stored
  /// type, else DataError.
  template <typename T>
  std::vector<T> values(std::string_view name) const;
  /// The only number of a tensor of one element.
  template <typename T>
  T value(std::string_view name) const;

 private:
  Safetensors() = default;
  const TensorInfo* find(std::string_view name) const;
  void parse_header(std::string_view header, std::uint64_t data_bytes);

  std::string file_;
  std::string bytes_;
  std::size_t data_begin_ = 0;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Collects tensors and writes them. The same tensors give the same bytes, in whatever order they
/// were added.
class SafetensorsWriter {
 public:
  /// `shape` must multiply to the number of values; a name may be used once.
  template <typename T>
  void add(std::string name, std::vector<std::uint64_t> shape, std::span<const T> values);
  void set_metadata(std::string key, std::string value);

  std::string bytes() const;
  /// Appears whole or not at all.
  void save(const std::filesystem::path& path) const;

 private:
  struct Tensor {
    DType dtype;
    std::vector<std::uint64_t> shape;
    std::string data;
  };
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace rayleigh::io
