// Groups of the graphs of a batch, for operators only: a thread works through a group, which adds
// up its own share of the gradients of shared weights.
// groups_of() depends on the number of graphs only, so sums do not depend on the threads.
// Adding up groups is one pass over their shares.
#pragma once

#include <algorithm>
#include <cstddef>

#include "nn/tape.h"

namespace rayleigh::nn {

inline std::size_t groups_of(std::size_t graphs) {
  constexpr std::size_t kGraphsPerGroup = 64;
  constexpr std::size_t kMostGroups = 64;
  return std::clamp<std::size_t>(graphs / kGraphsPerGroup, 1, kMostGroups);
}

/// out += the shares of all groups, in their order; a row of `shares` is a group, whose numbers for
/// `out` begin at `offset`.
template <typename Real>
void add_groups(Tape<Real>& tape, Matrix<const Real> shares, std::size_t offset, Matrix<Real> out) {
  tape.for_rows(out.size(), 2 * shares.rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t group = 0; group < shares.rows; ++group) {
      tape.kernels().axpy(Real{1}, shares.data + group * shares.cols + offset + begin, end - begin,
                          out.data + begin);
    }
  });
}

}  // namespace rayleigh::nn
