#include "io/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <optional>
#include <simdjson.h>
#include <utility>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::io {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

constexpr std::size_t kMaxRank = 32;

struct DTypeFacts {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<DTypeFacts, 5> kDTypes{
    {{"F32", 4}, {"F64", 8}, {"I32", 4}, {"I64", 8}, {"U8", 1}}};

/// One tensor's entry of the header, with what must hold for it alone.
class EntryParser {
 public:
  EntryParser(const std::string& file, std::string_view name) : file_(file), name_(name) {}

  TensorInfo parse(const simdjson::dom::element& entry, std::uint64_t data_bytes) {
    simdjson::dom::object object;
    if (entry.get(object) != simdjson::SUCCESS) {
      fail("is not described by an object");
    }
    for (const auto [key, value] : object) {
      read_field(key, value);
    }
    if (!dtype_ || !shape_ || !offsets_) {
      fail("lacks one of dtype, shape and data_offsets");
    }
    const auto [begin, end] = *offsets_;
    if (begin > end || end > data_bytes) {
      fail(fmt::format("has data_offsets [{}, {}], expected a range within the {} bytes of data",
                       begin, end, data_bytes));
    }
    const std::uint64_t elements = count_elements(data_bytes);
    if (end - begin != elements * dtype_bytes(*dtype_)) {
      fail(fmt::format("has {} bytes of data, expected {} for {} with {} elements", end - begin,
                       elements * dtype_bytes(*dtype_), dtype_name(*dtype_), elements));
    }
    return {std::string(name_), *dtype_, std::move(*shape_), elements, begin};
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(Place{file_, 0}, fmt::format("tensor '{}' {}", core::printable(name_), what));
  }

  void read_field(std::string_view key, const simdjson::dom::element& value) {
    if (key == "dtype" && !dtype_) {
      read_dtype(value);
    } else if (key == "shape" && !shape_) {
      shape_ = read_numbers(value, "shape", kMaxRank);
    } else if (key == "data_offsets" && !offsets_) {
      const auto numbers = read_numbers(value, "data_offsets", 2);
      if (numbers.size() != 2) {
        fail("has data_offsets that are not two numbers");
      }
      offsets_ = {numbers[0], numbers[1]};
    } else {
      fail(fmt::format("has the unexpected or repeated field '{}'", core::printable(key)));
    }
  }

  void read_dtype(const simdjson::dom::element& value) {
    std::string_view word;
    if (value.get(word) != simdjson::SUCCESS) {
      fail("has a dtype that is not a string");
    }
    for (std::size_t i = 0; i < kDTypes.size(); ++i) {
      if (kDTypes[i].name == word) {
        dtype_ = static_cast<DType>(i);
      }
    }
    if (!dtype_) {
      fail(fmt::format("has dtype '{}', expected F32, F64, I32, I64 or U8", core::printable(word)));
    }
  }

  std::vector<std::uint64_t> read_numbers(const simdjson::dom::element& value,
                                          std::string_view field, std::size_t most) const {
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS || array.size() > most) {
      fail(fmt::format("has a {} that is not a list of at most {} numbers", field, most));
    }
    std::vector<std::uint64_t> numbers;
    for (const simdjson::dom::element item : array) {
      std::uint64_t number = 0;
      if (item.get(number) != simdjson::SUCCESS) {
        fail(fmt::format("has a {} with an entry that is not a whole number from 0", field));
      }
      numbers.push_back(number);
    }
    return numbers;
  }

  /// Bounded by the data, so that no product of the shape can overflow.
  std::uint64_t count_elements(std::uint64_t data_bytes) const {
    std::uint64_t elements = 1;
    const bool empty = std::ranges::find(*shape_, 0U) != shape_->end();
    for (const std::uint64_t extent : *shape_) {
      if (!empty && extent > data_bytes / elements) {
        fail(
            fmt::format("has a shape of more elements than the {} bytes of data hold", data_bytes));
      }
      elements = empty ? 0 : elements * extent;
    }
    return elements;
  }

  const std::string& file_;
  std::string_view name_;
  std::optional<DType> dtype_;
  std::optional<std::vector<std::uint64_t>> shape_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> offsets_;
};

std::map<std::string, std::string> parse_metadata(const std::string& file,
                                                  const simdjson::dom::element& value) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    throw DataError(Place{file, 0}, "__metadata__ is not an object");
  }
  std::map<std::string, std::string> metadata;
  for (const auto [key, item] : object) {
    std::string_view text;
    if (item.get(text) != simdjson::SUCCESS) {
      throw DataError(Place{file, 0},
                      fmt::format("__metadata__ '{}' is not a string", core::printable(key)));
    }
    if (!metadata.emplace(key, text).second) {
      throw DataError(Place{file, 0},
                      fmt::format("__metadata__ '{}' appears twice", core::printable(key)));
    }
  }
  return metadata;
}

/// Tensors must fill the data part from end to end.
void check_layout(const std::string& file, std::vector<TensorInfo>& tensors,
                  std::uint64_t data_bytes) {
  std::ranges::sort(tensors, [](const TensorInfo& a, const TensorInfo& b) {
    const auto key = [](const TensorInfo& t) { return std::pair(t.begin, t.elements != 0); };
    return key(a) < key(b);
  });
  std::uint64_t expected = 0;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.begin != expected) {
      throw DataError(Place{file, 0},
                      fmt::format("tensor '{}' begins at byte {} of the data, expected {} ({})",
                                  core::printable(tensor.name), tensor.begin, expected,
                                  tensor.begin < expected ? "tensors overlap" : "there is a hole"));
    }
    expected += tensor.elements * dtype_bytes(tensor.dtype);
  }
  if (expected != data_bytes) {
    throw DataError(Place{file, 0},
                    fmt::format("{} bytes of data follow the last tensor", data_bytes - expected));
  }
}

}  // namespace

std::string_view dtype_name(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)].name; }
std::size_t dtype_bytes(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)].bytes; }

Safetensors Safetensors::read(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw DataError(Place{path.string(), 0}, "is a folder, expected a file");
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0) {
    throw DataError(Place{path.string(), 0}, "cannot be opened");
  }
  if (static_cast<std::uint64_t>(size) > kMaxFileBytes) {
    throw DataError(Place{path.string(), 0},
                    fmt::format("has {}, expected at most {}",
                                core::human_bytes(static_cast<std::uint64_t>(size)),
                                core::human_bytes(kMaxFileBytes)));
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size)) {
    throw DataError(Place{path.string(), 0}, "cannot be read to its end");
  }
  return parse(std::move(bytes), path.string());
}

Safetensors Safetensors::parse(std::string bytes, const std::string& name) {
  if (bytes.size() < kSafetensorsLength) {
    throw DataError(Place{name, 0}, fmt::format("has {} bytes, expected the 8-byte length of a "
                                                "safetensors header",
                                                bytes.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kSafetensorsLength);
  if (length > bytes.size() - kSafetensorsLength) {
    throw DataError(Place{name, 0}, fmt::format("gives its header {} bytes but only {} follow",
                                                length, bytes.size() - kSafetensorsLength));
  }
  if (length > kMaxHeaderBytes) {
    throw DataError(Place{name, 0}, fmt::format("gives its header {} bytes, expected at most {}",
                                                length, kMaxHeaderBytes));
  }
  Safetensors result;
  result.file_ = name;
  result.bytes_ = std::move(bytes);
  result.data_begin_ = kSafetensorsLength + static_cast<std::size_t>(length);
  result.parse_header(std::string_view(result.bytes_).substr(kSafetensorsLength, length),
                      result.bytes_.size() - result.data_begin_);
  return result;
}

void Safetensors::parse_header(std::string_view header, std::uint64_t data_bytes) {
  if (!header.starts_with('{')) {
    throw DataError(Place{file_, 0}, "has a header that does not begin with '{'");
  }
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const simdjson::padded_string padded(header);
  if (const auto error = parser.parse(padded).get(object); error != simdjson::SUCCESS) {
    throw DataError(Place{file_, 0}, fmt::format("has a header that is not a JSON object: {}",
                                                 simdjson::error_message(error)));
  }
  bool has_metadata = false;
  for (const auto [key, value] : object) {
    if (key == kSafetensorsMetadata) {
      if (std::exchange(has_metadata, true)) {
        throw DataError(Place{file_, 0}, "has __metadata__ twice");
      }
      metadata_ = parse_metadata(file_, value);
    } else {
      tensors_.push_back(EntryParser(file_, key).parse(value, data_bytes));
    }
  }
  check_layout(file_, tensors_, data_bytes);
  std::ranges::sort(tensors_, {}, &TensorInfo::name);
  const auto twice = std::ranges::adjacent_find(tensors_, {}, &TensorInfo::name);
  if (twice != tensors_.end()) {
    throw DataError(Place{file_, 0},
                    fmt::format("has tensor '{}' twice", core::printable(twice->name)));
  }
}

const TensorInfo* Safetensors::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(
      tensors_, name, {}, [](const TensorInfo& t) { return std::string_view(t.name); });
  return at != tensors_.end() && at->name == name ? &*at : nullptr;
}

const TensorInfo& Safetensors::info(std::string_view name) const {
  if (const TensorInfo* tensor = find(name); tensor != nullptr) {
    return *tensor;
  }
  throw DataError(Place{file_, 0}, fmt::format("has no tensor '{}'", core::printable(name)));
}

template <typename T>
std::vector<T> Safetensors::values(std::string_view name) const {
  const TensorInfo& tensor = info(name);
  if (tensor.dtype != dtype_of<T>()) {
    throw DataError(Place{file_, 0},
                    fmt::format("tensor '{}' is {}, expected {}", core::printable(name),
                                dtype_name(tensor.dtype), dtype_name(dtype_of<T>())));
  }
  std::vector<T> values(tensor.elements);
  if (!values.empty()) {
    std::memcpy(values.data(), bytes_.data() + data_begin_ + tensor.begin,
                values.size() * sizeof(T));
  }
  return values;
}

template <typename T>
T Safetensors::value(std::string_view name) const {
  const std::vector<T> all = values<T>(name);
  if (all.size() != 1) {
    throw DataError(Place{file_, 0}, fmt::format("tensor '{}' has {} elements, expected 1",
                                                 core::printable(name), all.size()));
  }
  return all[0];
}

template std::vector<float> Safetensors::values(std::string_view) const;
template std::vector<double> Safetensors::values(std::string_view) const;
template std::vector<std::int32_t> Safetensors::values(std::string_view) const;
template std::vector<std::int64_t> Safetensors::values(std::string_view) const;
template std::vector<std::uint8_t> Safetensors::values(std::string_view) const;
template float Safetensors::value(std::string_view) const;
template double Safetensors::value(std::string_view) const;
template std::int32_t Safetensors::value(std::string_view) const;
template std::int64_t Safetensors::value(std::string_view) const;
template std::uint8_t Safetensors::value(std::string_view) const;
}  // namespace rayleigh::io
