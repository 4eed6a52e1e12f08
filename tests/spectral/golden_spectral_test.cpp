#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "rayleigh/spectral/chebyshev.h"
#include "rayleigh/spectral/energy.h"
#include "rayleigh/spectral/label_forms.h"
#include "rayleigh/spectral/rayleigh_quotient.h"
#include "rayleigh/spectral/spectrum.h"

#include "spectral_support.h"

namespace rayleigh::spectral::test {
namespace {

struct Group {
  std::string name;
  LaplacianOptions options;
};

std::vector<Group> groups() {
  return {{"reg", {LaplacianKind::regular, IsolatedNode::zero, EdgeWeight::one}},
          {"norm", {LaplacianKind::normalised, IsolatedNode::one, EdgeWeight::one}},
          {"norm_scipy", {LaplacianKind::normalised, IsolatedNode::zero, EdgeWeight::one}}};
}

class GoldenSpectral : public ::testing::Test {
 protected:
  void SetUp() override {
    RAYLEIGH_NEEDS_SHARED("golden/spectral.safetensors");
    golden_.emplace(read_golden("spectral"));
    graphs_.emplace(golden_graphs(*golden_));
    signal_ = golden_->values<double>("signal");
  }

  std::vector<double> tensor(const std::string& name) const {
    return golden_->values<double>(name);
  }
  std::size_t labels() const { return graphs_->node_labels().size(); }
  std::size_t first(std::size_t g) const { return graphs_->graph_ptr()[g]; }
  std::vector<double> signal(std::size_t g) const {
    const auto begin = signal_.begin() + static_cast<std::ptrdiff_t>(first(g));
    return {begin, begin + static_cast<std::ptrdiff_t>((*graphs_)[g].nodes())};
  }
  std::vector<double> one_hot(std::size_t g, std::size_t label) const {
    std::vector<double> x;
    for (std::size_t i = 0; i < (*graphs_)[g].nodes(); ++i) {
      x.push_back((*graphs_)[g].label(i) == label ? 1 : 0);
    }
    return x;
  }
  Laplacian filter_laplacian(std::size_t g) const { return {*graphs_, g, groups()[1].options}; }
  std::vector<double> scales() const {
    const auto text =
        rayleigh::test::read_text(rayleigh::test::shared_folder() / "golden/spectral.json");
    return nlohmann::json::parse(text)["hyperparameters"]["scales"].get<std::vector<double>>();
  }
  static Kernel kernel(double scale) {
    return {"t exp(1 - t)",
            [scale](double lambda) { return scale * lambda * std::exp(1 - scale * lambda); }};
  }

  std::optional<io::Safetensors> golden_;
  std::optional<GraphSet> graphs_;
  std::vector<double> signal_;
};

TEST_F(GoldenSpectral, SpectraAgree) {
  for (const auto& [name, options] : groups()) {
    const auto expected = tensor(name + "/spectrum");
    const Spectra all = spectra(*graphs_, options, {.threads = 2});
    ASSERT_EQ(all.values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(near(all.values[i], expected[i], 1e-9)) << name << " node " << i;
    }
    for (std::size_t g = 0; g < graphs_->size(); ++g) {
      const auto decomposition = eigen_decomposition(Laplacian(*graphs_, g, options));
      for (std::size_t k = 0; k < decomposition.size(); ++k) {
        EXPECT_TRUE(near(decomposition.values()[k], expected[first(g) + k], 1e-9)) << name;
      }
    }
  }
}

TEST_F(GoldenSpectral, SignalQuotientsAgreeInDoubleAndFloat) {
  for (const auto& [name, options] : groups()) {
    const auto numerator = tensor(name + "/signal_numerator");
    const auto quotient = tensor(name + "/signal_quotient");
    for (std::size_t g = 0; g < graphs_->size(); ++g) {
      const Laplacian L(*graphs_, g, options);
      const auto x = signal(g);
      const auto single = to_float(x);
      EXPECT_TRUE(near(L.quadratic_form(std::span<const double>(x)), numerator[g], 1e-9));
      EXPECT_TRUE(
          near(rayleigh_quotient(L, std::span<const double>(x)).value(), quotient[g], 1e-9));
      EXPECT_TRUE(near(L.quadratic_form(std::span<const float>(single)), numerator[g], 1e-5));
      EXPECT_TRUE(
          near(rayleigh_quotient(L, std::span<const float>(single)).value(), quotient[g], 1e-5));
    }
  }
}

TEST_F(GoldenSpectral, LabelQuotientsAgreeAndAbsentLabelsHaveNone) {
  const auto count = tensor("onehot_count");
  for (const auto& [name, options] : groups()) {
    const LabelForms forms = label_forms(*graphs_, options, {.threads = 2});
    const auto numerator = tensor(name + "/onehot_numerator");
    const auto quotient = tensor(name + "/onehot_quotient");
    for (std::size_t g = 0; g < graphs_->size(); ++g) {
      double trace = 0;
      for (std::size_t c = 0; c < labels(); ++c) {
        const std::size_t at = g * labels() + c;
        const auto ours = forms.quotient(g, static_cast<std::uint32_t>(c));
        ASSERT_EQ(ours.has_value(), count[at] > 0);
        if (ours) {
          EXPECT_TRUE(near(*ours, quotient[at], 1e-9)) << name << " graph " << g << " label " << c;
          EXPECT_TRUE(near(*ours * count[at], numerator[at], 1e-9));
          trace += numerator[at];
        }
      }
      EXPECT_TRUE(
          near(forms.scalar_quotient(g), trace / static_cast<double>((*graphs_)[g].nodes()), 1e-9));
    }
  }
}

TEST_F(GoldenSpectral, HighFrequencyIntegralsAgree) {
  const auto count = tensor("onehot_count");
  for (const auto& [name, options] : groups()) {
    const auto of_signal = tensor(name + "/signal_highfreq_integral");
    const auto of_labels = tensor(name + "/onehot_highfreq_integral");
    for (std::size_t g = 0; g < graphs_->size(); ++g) {
      const auto decomposition = eigen_decomposition(Laplacian(*graphs_, g, options));
      EXPECT_TRUE(near(spectral_energy(decomposition, signal(g)).high_frequency_integral(),
                       of_signal[g], 1e-9));
      for (std::size_t c = 0; c < labels(); ++c) {
        if (count[g * labels() + c] > 0) {
          EXPECT_TRUE(near(spectral_energy(decomposition, one_hot(g, c)).high_frequency_integral(),
                           of_labels[g * labels() + c], 1e-9));
        }
      }
    }
  }
}

TEST_F(GoldenSpectral, AccumulatedEnergiesAgree) {
  const auto thresholds = tensor("cumulative_thresholds");
  for (const auto& [name, options] : groups()) {
    const auto expected = tensor(name + "/signal_cumulative_energy");
    for (std::size_t g = 0; g < graphs_->size(); ++g) {
      const auto energy =
          spectral_energy(eigen_decomposition(Laplacian(*graphs_, g, options)), signal(g));
      for (std::size_t t = 0; t < thresholds.size(); ++t) {
        EXPECT_TRUE(
            near(energy.accumulated(thresholds[t]), expected[g * thresholds.size() + t], 1e-9))
            << name << " graph " << g << " t " << thresholds[t];
      }
    }
  }
}

TEST_F(GoldenSpectral, ChebyshevBasesAgreeInDoubleAndFloat) {
  const auto expected = tensor("chebyshev");
  const std::size_t orders = golden_->info("chebyshev").shape[1];
  for (std::size_t g = 0; g < graphs_->size(); ++g) {
    const Laplacian L = filter_laplacian(g);
    const auto x = signal(g);
    const auto basis = chebyshev_basis(L, std::span<const double>(x), orders - 1);
    const auto single = to_float(x);
    const auto basis_float = chebyshev_basis(L, std::span<const float>(single), orders - 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t k = 0; k < orders; ++k) {
        const double wanted = expected[(first(g) + i) * orders + k];
        EXPECT_TRUE(near(basis[k * x.size() + i], wanted, 1e-9));
        EXPECT_TRUE(near(static_cast<double>(basis_float[k * x.size() + i]), wanted, 1e-5));
      }
    }
  }
}

TEST_F(GoldenSpectral, KernelCoefficientsAgree) {
  const auto expected = tensor("kernel_coefficients");
  const std::size_t orders = golden_->info("kernel_coefficients").shape[1];
  const auto all_scales = scales();
  for (std::size_t s = 0; s < all_scales.size(); ++s) {
    const auto c = chebyshev_coefficients(kernel(all_scales[s]), orders - 1);
    for (std::size_t k = 0; k < orders; ++k) {
      EXPECT_NEAR(c[k], expected[s * orders + k], 1e-10) << "scale " << all_scales[s];
    }
  }
}

TEST_F(GoldenSpectral, FilteredSignalsAgreeExactlyAndAsTruncatedSeries) {
  const std::size_t orders = golden_->info("kernel_coefficients").shape[1];
  const auto truncated = tensor(fmt::format("kernel_chebyshev{}", orders - 1));
  const auto exact = tensor("kernel_exact");
  const auto all_scales = scales();
  for (std::size_t g = 0; g < graphs_->size(); ++g) {
    const Laplacian L = filter_laplacian(g);
    const auto x = signal(g);
    const auto single = to_float(x);
    const auto decomposition = eigen_decomposition(L);
    const auto transformed = decomposition.transform(x);
    for (std::size_t s = 0; s < all_scales.size(); ++s) {
      const auto c = chebyshev_coefficients(kernel(all_scales[s]), orders - 1);
      const auto y = apply_series(L, c, std::span<const double>(x));
      const auto y_float = apply_series(L, c, std::span<const float>(single));
      for (std::size_t i = 0; i < x.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
          sum += decomposition.vector(k)[i] * kernel(all_scales[s]).g(decomposition.values()[k]) *
                 transformed[k];
        }
        const std::size_t at = (first(g) + i) * all_scales.size() + s;
        EXPECT_TRUE(near(sum, exact[at], 1e-9));
        EXPECT_TRUE(near(y[i], truncated[at], 1e-9));
        EXPECT_TRUE(near(static_cast<double>(y_float[i]), truncated[at], 1e-5));
      }
    }
  }
}

/// x'Lx of the label columns as profile `published` takes it: repeated edges count as weight.
TEST(GoldenQuadraticForms, AgreeForEveryRqgnnCase) {
  std::size_t cases = 0;
  for (const std::string name : {"rqgnn_small", "rqgnn_dupedges"}) {
    RAYLEIGH_NEEDS_SHARED("golden/" + name + ".safetensors");
    const io::Safetensors golden = read_golden(name);
    const GraphSet graphs = golden_graphs(golden);
    const auto expected = golden.values<double>("f64_eval/xLx");
    const LabelForms forms = label_forms(
        graphs, {LaplacianKind::normalised, IsolatedNode::zero, EdgeWeight::multiplicity},
        {.threads = 2});
    const std::size_t labels = graphs.node_labels().size();
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      const Laplacian L(graphs, g,
                        {LaplacianKind::normalised, IsolatedNode::zero, EdgeWeight::multiplicity});
      for (std::size_t k = forms.label_ptr[g]; k < forms.label_ptr[g + 1]; ++k) {
        // The original stores these numbers in single precision.
        EXPECT_TRUE(near(forms.form[k], expected[g * labels + forms.label[k]], 1e-6)) << name;
        std::vector<double> x;
        for (std::size_t i = 0; i < L.nodes(); ++i) {
          x.push_back(graphs[g].label(i) == forms.label[k] ? 1 : 0);
        }
        EXPECT_TRUE(near(L.quadratic_form(std::span<const double>(x)), forms.form[k], 1e-12));
        ++cases;
      }
    }
  }
  EXPECT_GT(cases, 0U);
}

}  // namespace
}  // namespace rayleigh::spectral::test
