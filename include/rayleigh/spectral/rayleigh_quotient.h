// The Rayleigh quotient x'Lx / x'x of a signal on a graph (section 3.1 of the paper).
// Use it for any real signal; label columns of whole sets have a faster way in label_forms.h.
// Linear in nodes and edges.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "rayleigh/spectral/laplacian.h"

namespace rayleigh::spectral {

/// None for the zero signal, which has no quotient.
std::optional<double> rayleigh_quotient(const Laplacian& L, std::span<const double> x);
std::optional<double> rayleigh_quotient(const Laplacian& L, std::span<const float> x);

/// tr(X'LX) / tr(X'X), the scalar quotient of a graph (experiment E4): the mean of the columns'
/// quotients weighted by their energy. X holds `columns` numbers per node; none where X is zero.
std::optional<double> scalar_quotient(const Laplacian& L, std::span<const double> X,
                                      std::size_t columns);

/// The quotient of the signal "degree of the node"; none for a graph without edges.
std::optional<double> degree_quotient(const Laplacian& L);

}  // namespace rayleigh::spectral
