// Memory for results of unknown size that are written once: large pieces, handed out front to back.
// A worker borrows a piece while it writes and gives back what is left over.
// One page fault per 2 MB where there are huge pages; at most one piece per thread stays unused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace rayleigh::spectral {

class Slabs {
 public:
  struct Piece {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
  };

  /// A piece with at least `bytes` left in exchange for one that has too little.
  Piece exchange(Piece old, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (old.begin != old.end) {
      free_.push_back(old);
    }
    const auto fits = [&](const Piece& p) {
      return static_cast<std::size_t>(p.end - p.begin) >= bytes;
    };
    if (const auto at = std::ranges::find_if(free_, fits); at != free_.end()) {
      return std::exchange(*at, Piece{});
    }
    return allocate(std::max(bytes, kPieceBytes));
  }

  void give_back(Piece piece) {
    const std::lock_guard lock(mutex_);
    free_.push_back(piece);
  }

  /// Hands over the memory itself.
  std::vector<std::shared_ptr<void>> release() { return std::move(memory_); }

 private:
  static constexpr std::size_t kHugePage = std::size_t{1} << 21U;
  static constexpr std::size_t kPieceBytes = 4 * kHugePage;

  Piece allocate(std::size_t bytes) {
    bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    std::shared_ptr<void> memory(std::aligned_alloc(kHugePage, bytes), std::free);
    if (!memory) {
      throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    // Only advice: with 4 KB pages the page faults would cost more than the work.
    static_cast<void>(madvise(memory.get(), bytes, MADV_HUGEPAGE));
#endif
    auto* begin = static_cast<std::byte*>(memory.get());
    memory_.push_back(std::move(memory));
    return {begin, begin + bytes};
  }

  std::mutex mutex_;
  std::vector<Piece> free_;
  std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace rayleigh::spectral
