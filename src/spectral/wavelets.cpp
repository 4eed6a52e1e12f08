#include "rayleigh/spectral/wavelets.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <string_view>

#include "rayleigh/error.h"

namespace rayleigh::spectral {
namespace {

std::string numbered(std::string_view family, std::size_t i) {
  return fmt::format("{} {}", family, i);
}

Kernel heat(std::string_view family, std::size_t i, double scale) {
  return {numbered(family, i), [scale](double lambda) { return std::exp(-scale * lambda); }};
}

Kernel mexican_hat(std::size_t i, double scale) {
  return {numbered("mexican-hat", i), [scale](double lambda) {
            const double t = scale * lambda;
            return t * std::exp(1 - t);
          }};
}

Kernel beta(std::size_t i, std::size_t q) {
  const auto a = static_cast<double>(i);
  const auto b = static_cast<double>(q - i + 1);
  const double beta_function = std::exp(std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b));
  return {numbered("beta", i), [=](double lambda) {
            const double u = lambda / 2;
            return std::pow(u, a - 1) * std::pow(1 - u, b - 1) / (2 * beta_function);
          }};
}

/// The angle that turns from 0 to π/2 while u goes from 0 to 1.
double meyer_angle(double u) {
  u = std::clamp(u, 0.0, 1.0);
  const double nu = u * u * u * u * (35 + u * (-84 + u * (70 - 20 * u)));
  return nu * std::numbers::pi / 2;
}

Kernel meyer_low_pass(double scale) {
  return {numbered("meyer", 1),
          [scale](double lambda) {
            const double t = scale * lambda;
            return t >= 4.0 / 3 ? 0.0 : std::cos(meyer_angle(1.5 * t - 1));
          },
          {2 / (3 * scale), 4 / (3 * scale)}};
}

Kernel meyer_band_pass(std::size_t i, double scale) {
  return {numbered("meyer", i),
          [scale](double lambda) {
            const double t = scale * lambda;
            if (t >= 8.0 / 3) {
              return 0.0;
            }
            return t < 4.0 / 3 ? std::sin(meyer_angle(1.5 * t - 1))
                               : std::cos(meyer_angle(0.75 * t - 1));
          },
          {2 / (3 * scale), 4 / (3 * scale), 8 / (3 * scale)}};
}

std::vector<double> default_scales(double first, std::size_t count) {
  std::vector<double> scales;
  for (std::size_t i = 0; i < count; ++i) {
    scales.push_back(std::ldexp(first, static_cast<int>(i)));
  }
  return scales;
}

std::vector<double> checked_scales(const BankOptions& options, std::size_t count, double first) {
  if (options.scales.empty()) {
    return default_scales(first, count);
  }
  if (options.scales.size() != count) {
    throw UsageError("scales", fmt::format("{} wavelets of this kernel take {} scales, got {}",
                                           options.wavelets, count, options.scales.size()));
  }
  for (const double scale : options.scales) {
    if (!(scale > 0) || !std::isfinite(scale)) {
      throw UsageError("scales", fmt::format("must be positive, got {}", scale));
    }
  }
  return options.scales;
}

}  // namespace

std::vector<Kernel> wavelet_bank(const BankOptions& options) {
  const std::size_t q = options.wavelets;
  if (q == 0) {
    throw UsageError("a wavelet bank needs at least one wavelet");
  }
  std::vector<Kernel> bank;
  switch (options.family) {
    case KernelFamily::heat: {
      const auto scales = checked_scales(options, q, 0.25);
      for (std::size_t i = 1; i <= q; ++i) {
        bank.push_back(heat("heat", i, scales[i - 1]));
      }
      break;
    }
    case KernelFamily::beta: {
      checked_scales(options, 0, 1);
      for (std::size_t i = 1; i <= q; ++i) {
        bank.push_back(beta(i, q));
      }
      break;
    }
    case KernelFamily::mexican_hat: {
      const auto scales = checked_scales(options, q - 1, 0.5);
      bank.push_back(heat("mexican-hat", 1, 1));
      for (std::size_t i = 2; i <= q; ++i) {
        bank.push_back(mexican_hat(i, scales[i - 2]));
      }
      break;
    }
    case KernelFamily::meyer: {
      const auto scales = checked_scales(options, q - 1, 2.0 / 3);
      // Alone, the low-pass covers the whole spectrum.
      bank.push_back(meyer_low_pass(scales.empty() ? 1.0 / 3 : *std::ranges::max_element(scales)));
      for (std::size_t i = 2; i <= q; ++i) {
        bank.push_back(meyer_band_pass(i, scales[i - 2]));
      }
      break;
    }
  }
  return bank;
}

std::vector<std::vector<double>> bank_coefficients(std::span<const Kernel> bank, std::size_t K,
                                                   double lambda_n) {
  std::vector<std::vector<double>> coefficients;
  for (std::size_t i = 0; i < bank.size(); ++i) {
    coefficients.push_back(chebyshev_coefficients(bank[i], (i + 1) * K, lambda_n));
  }
  return coefficients;
}

}  // namespace rayleigh::spectral
