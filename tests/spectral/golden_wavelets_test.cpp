#include <fmt/format.h>

#include "rayleigh/spectral/label_basis.h"
#include "rayleigh/spectral/wavelets.h"

#include "spectral_support.h"

namespace rayleigh::spectral::test {
namespace {

void expect_coefficients(const io::Safetensors& golden, const std::string& prefix,
                         const BankOptions& options, std::size_t K, double lambda_n) {
  const auto bank = wavelet_bank(options);
  const auto ours = bank_coefficients(bank, K, lambda_n);
  ASSERT_EQ(ours.size(), options.wavelets);
  for (std::size_t i = 1; i <= options.wavelets; ++i) {
    const auto expected = golden.values<double>(fmt::format("{}c.{}", prefix, i));
    ASSERT_EQ(ours[i - 1].size(), expected.size()) << prefix << i;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(ours[i - 1][k], expected[k], 1e-10) << prefix << i << " order " << k;
    }
  }
}

class GoldenWavelets : public ::testing::TestWithParam<std::pair<const char*, KernelFamily>> {};

TEST_P(GoldenWavelets, CoefficientsAgree) {
  RAYLEIGH_NEEDS_SHARED("golden/wavelets.safetensors");
  const io::Safetensors golden = read_golden("wavelets");
  const auto [group, family] = GetParam();
  const std::string prefix = std::string(group) + "/";
  BankOptions options{
      family, static_cast<std::size_t>(golden.value<std::int64_t>(prefix + "q")), {}};
  if (golden.contains(prefix + "scales")) {
    options.scales = golden.values<double>(prefix + "scales");
  }
  expect_coefficients(golden, prefix, options,
                      static_cast<std::size_t>(golden.value<std::int64_t>(prefix + "K")),
                      golden.value<double>("lambda_n"));
}

INSTANTIATE_TEST_SUITE_P(Families, GoldenWavelets,
                         ::testing::Values(std::pair{"heat", KernelFamily::heat},
                                           std::pair{"beta", KernelFamily::beta},
                                           std::pair{"mexican_hat", KernelFamily::mexican_hat}),
                         [](const auto& family) { return std::string(family.param.first); });

TEST(GoldenWaveletBanks, OfProfilePaperAgree) {
  std::size_t cases = 0;
  for (const std::string name :
       {"rqgnn_paper_small", "rqgnn_paper_default", "rqgnn_paper_learned"}) {
    RAYLEIGH_NEEDS_SHARED("golden/" + name + ".safetensors");
    const io::Safetensors golden = read_golden(name);
    BankOptions options;
    options.scales = golden.values<double>("coef/scales");
    options.wavelets = options.scales.size() + 1;
    const std::size_t K = golden.info("coef/c.1").elements - 1;
    expect_coefficients(golden, "coef/", options, K, 2);
    ++cases;
  }
  EXPECT_EQ(cases, 3U);
}

}  // namespace
}  // namespace rayleigh::spectral::test
