#include "rayleigh/spectral/rayleigh_quotient.h"

#include <cassert>
#include <vector>

namespace rayleigh::spectral {
namespace {

template <typename Real>
double squared_norm(std::span<const Real> x) {
  double sum = 0;
  for (const Real value : x) {
    sum += static_cast<double>(value) * static_cast<double>(value);
  }
  return sum;
}

std::optional<double> quotient_of(double numerator, double denominator) {
  if (denominator == 0) {
    return std::nullopt;
  }
  return numerator / denominator;
}

}  // namespace

std::optional<double> rayleigh_quotient(const Laplacian& L, std::span<const double> x) {
  return quotient_of(L.quadratic_form(x), squared_norm(x));
}

std::optional<double> rayleigh_quotient(const Laplacian& L, std::span<const float> x) {
  return quotient_of(L.quadratic_form(x), squared_norm(x));
}

std::optional<double> scalar_quotient(const Laplacian& L, std::span<const double> X,
                                      std::size_t columns) {
  assert(X.size() == L.nodes() * columns);
  std::vector<double> x(L.nodes());
  double trace = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = X[i * columns + c];
    }
    trace += L.quadratic_form(std::span<const double>(x));
  }
  return quotient_of(trace, squared_norm(X));
}

std::optional<double> degree_quotient(const Laplacian& L) {
  std::vector<double> x(L.nodes());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = L.degree(i);
  }
  return rayleigh_quotient(L, std::span<const double>(x));
}

}  // namespace rayleigh::spectral
