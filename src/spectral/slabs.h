// Memory for results of unknown size that are written once: large pieces, handed out front to back.
// A worker borrows a piece while it writes and gives back what is left over.
// One page fault per 2 MB where there are huge pages; at most one piece per thread stays unused.
// Where a workspace is current, small pieces of that, which is kept anyway.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>

#include "core/workspace.h"

namespace rayleigh::spectral {

class Slabs {
 public:
  struct Piece {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
  };

  Slabs() = default;
  ~Slabs() {
    for (void* const memory : memory_) {
      if (workspace_ == nullptr) {
        std::free(memory);
      } else if (memory != nullptr) {
        workspace_->deallocate();
      }
    }
  }
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;

  /// A piece with at least `bytes` left in exchange for one that has too little.
  Piece exchange(Piece old, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (workspace_ != nullptr) {
      // Rests are not exchanged, so that the sum does not depend on which worker comes first.
      bytes = std::max(bytes, kSmallPieceBytes);
      memory_.push_back(nullptr);
      return piece(memory_.back() = workspace_->allocate(bytes), bytes);
    }
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
    if (workspace_ == nullptr) {
      free_.push_back(piece);
    }
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{1} << 21U;
  static constexpr std::size_t kPieceBytes = 4 * kHugePage;
  static constexpr std::size_t kSmallPieceBytes = std::size_t{1} << 16U;

  Piece allocate(std::size_t bytes) {
    bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    memory_.push_back(nullptr);
    void* const memory = memory_.back() = std::aligned_alloc(kHugePage, bytes);
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    // Only advice: with 4 KB pages the page faults would cost more than the work.
    static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
    return piece(memory, bytes);
  }

  static Piece piece(void* memory, std::size_t bytes) {
    auto* const begin = static_cast<std::byte*>(memory);
    return {begin, begin + bytes};
  }

  core::Workspace* workspace_ = core::Workspace::current();
  std::mutex mutex_;
  core::Vector<Piece> free_;
  core::Vector<void*> memory_;
};

}  // namespace rayleigh::spectral
