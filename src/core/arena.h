// Memory that is handed out front to back and taken back all at once: for the numbers of a training
// step, for what scoring a graph takes. After the largest use nothing is allocated any more.
// An allocation is an addition; reset() merges the pieces of a use that did not fit into one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace rayleigh::core {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Not initialised; aligned to 64 bytes.
  void* allocate(std::size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (pieces_.empty() || used_ + bytes > piece_bytes_) {
      grow(bytes);
    }
    void* result = pieces_.back().get() + used_;
    used_ += bytes;
    return result;
  }

  template <typename T>
  std::span<T> array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* first = static_cast<T*>(allocate(count * sizeof(T)));
    std::uninitialized_default_construct_n(first, count);
    return {first, count};
  }

  /// Everything handed out becomes invalid.
  void reset() {
    if (pieces_.size() > 1) {
      reserve_anew(all_bytes_);
    }
    used_ = 0;
  }

  /// At least this much memory in one piece. Only where nothing is handed out.
  void reserve(std::size_t bytes) {
    if (bytes > all_bytes_) {
      reserve_anew(bytes);
    }
  }

  /// Memory held, used or not.
  std::size_t capacity() const { return all_bytes_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kSmallestPiece = std::size_t{1} << 16U;
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete[](memory, std::align_val_t{kAlignment});
    }
  };

  void grow(std::size_t bytes) { add_piece(bytes > all_bytes_ ? bytes : all_bytes_); }

  void reserve_anew(std::size_t bytes) {
    pieces_.clear();
    all_bytes_ = 0;
    add_piece(bytes);
  }

  void add_piece(std::size_t bytes) {
    bytes = bytes < kSmallestPiece ? kSmallestPiece : bytes;
    pieces_.emplace_back(
        static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kAlignment})));
    piece_bytes_ = bytes;
    all_bytes_ += bytes;
    used_ = 0;
  }

  std::vector<std::unique_ptr<std::byte[], Free>> pieces_;
  std::size_t piece_bytes_ = 0;  ///< of the last piece
  std::size_t all_bytes_ = 0;
  std::size_t used_ = 0;  ///< in the last piece
};

}  // namespace rayleigh::core
