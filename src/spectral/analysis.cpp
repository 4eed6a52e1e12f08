#include "rayleigh/spectral/analysis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/spectral/label_forms.h"
#include "rayleigh/spectral/laplacian.h"
#include "rayleigh/spectral/profile.h"
#include "rayleigh/spectral/rayleigh_quotient.h"

#include "core/thread_pool.h"
#include "core/two_sample.h"

namespace rayleigh::spectral {
namespace {

constexpr double kLambdaMax = 2;  // of the normalised Laplacian
constexpr double kLowBand = 2.0 / 3;
constexpr double kHighBand = 4.0 / 3;
constexpr std::size_t kEigenvalueBins = 41;  // odd, so that 1 lies inside a bin

using Values = std::vector<std::optional<double>>;

struct ByClass {
  std::vector<double> normal;
  std::vector<double> anomalous;
};

ByClass split(const Values& values, const std::vector<std::int8_t>& anomalous) {
  ByClass out;
  for (std::size_t g = 0; g < values.size(); ++g) {
    if (values[g] && anomalous[g] >= 0) {
      (anomalous[g] == 1 ? out.anomalous : out.normal).push_back(*values[g]);
    }
  }
  return out;
}

double mean(const std::vector<double>& values) {
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

std::optional<Separation> separate(const ByClass& values) {
  if (values.normal.empty() || values.anomalous.empty()) {
    return std::nullopt;
  }
  const auto test = core::kolmogorov_smirnov(values.normal, values.anomalous);
  return Separation{.normal = values.normal.size(),
                    .anomalous = values.anomalous.size(),
                    .normal_mean = mean(values.normal),
                    .anomalous_mean = mean(values.anomalous),
                    .auc = core::auc(values.normal, values.anomalous),
                    .ks = test.statistic,
                    .p_value = test.p_value};
}

void find_classes(const GraphSet& graphs, const std::optional<std::string>& wish, Analysis& out) {
  // A set of one class, or of none, has no anomalies to compare with unless somebody names them.
  if (graphs.classes().size() > 1 || wish) {
    out.anomaly_class = anomaly_class(graphs, wish);
  }
  for (const std::int32_t graph_class : graphs.graph_class()) {
    const bool unlabelled = graph_class == kNoClass && graphs.classes().size() > 0;
    const bool is_anomalous =
        out.anomaly_class && graph_class == static_cast<std::int32_t>(*out.anomaly_class);
    out.anomalous.push_back(unlabelled     ? std::int8_t{-1}
                            : is_anomalous ? std::int8_t{1}
                                           : std::int8_t{0});
    out.normal_graphs += !unlabelled && !is_anomalous ? 1U : 0U;
    out.anomalous_graphs += is_anomalous ? 1U : 0U;
  }
}

void add_column(Analysis& out, std::string name, std::string description, Values values) {
  auto separation = separate(split(values, out.anomalous));
  out.columns.push_back({std::move(name), std::move(description), std::move(values), separation});
}

/// The scalar quotient of every graph with its distributions.
void add_quotient(const LabelForms& forms, const char* name, const char* description,
                  const DistributionOptions& options, Analysis& out) {
  Values values;
  for (std::size_t g = 0; g < forms.graphs(); ++g) {
    values.emplace_back(forms.scalar_quotient(g));
  }
  const auto classes = split(values, out.anomalous);
  QuotientDistribution quotient{out.columns.size(), {}, {}};
  quotient.samples = sample_distributions(classes.normal, classes.anomalous, options);
  quotient.ratios = distance_ratios(quotient.samples);
  add_column(out, name, description, std::move(values));
  out.quotients.push_back(std::move(quotient));
}

/// Holm's step-down adjustment, in the order of the labels.
void adjust_p_values(std::vector<LabelSeparation>& labels) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return labels[i].separation.p_value; });
  double running = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto tests = static_cast<double>(order.size() - rank);
    running = std::max(running, std::min(1.0, tests * labels[order[rank]].separation.p_value));
    labels[order[rank]].adjusted_p = running;
  }
}

void rank_labels(const GraphSet& graphs, const LabelForms& forms, std::size_t min_graphs,
                 core::ThreadPool& pool, Analysis& out) {
  const std::size_t labels = graphs.node_labels().size();
  std::vector<ByClass> values(labels);
  for (std::size_t g = 0; g < forms.graphs(); ++g) {
    if (out.anomalous[g] < 0) {
      continue;
    }
    for (std::uint32_t k = forms.label_ptr[g]; k < forms.label_ptr[g + 1]; ++k) {
      auto& of_label = values[forms.label[k]];
      (out.anomalous[g] == 1 ? of_label.anomalous : of_label.normal)
          .push_back(forms.form[k] / forms.count[k]);
    }
  }
  std::vector<std::optional<Separation>> tests(labels);
  pool.run(labels, [&](std::size_t label) {
    const auto& of_label = values[label];
    if (of_label.normal.size() >= min_graphs && of_label.anomalous.size() >= min_graphs) {
      tests[label] = separate(of_label);
    }
  });
  for (std::uint32_t label = 0; label < labels; ++label) {
    if (tests[label]) {
      out.labels.push_back({label, *tests[label]});
    }
  }
  adjust_p_values(out.labels);
  // A rare label can have an extreme AUC by chance: what the test supports comes first.
  std::ranges::stable_sort(out.labels, std::greater{}, [](const LabelSeparation& label) {
    return std::pair(label.significant(), std::abs(label.separation.auc - 0.5));
  });
}

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double next = sorted[std::min(below + 1, sorted.size() - 1)];
  return sorted[below] + (at - static_cast<double>(below)) * (next - sorted[below]);
}

EnergyCurve energy_curve(const SpectralProfiles& profiles,
                         const std::vector<std::int8_t>& anomalous, std::int8_t which,
                         core::ThreadPool& pool) {
  std::vector<std::size_t> members;
  for (std::size_t g = 0; g < anomalous.size(); ++g) {
    if (anomalous[g] == which) {
      members.push_back(g);
    }
  }
  EnergyCurve curve;
  curve.graphs = members.size();
  if (members.empty()) {
    return curve;
  }
  for (auto* line : {&curve.q05, &curve.q25, &curve.median, &curve.q75, &curve.q95}) {
    line->resize(profiles.thresholds);
  }
  pool.run(profiles.thresholds, [&](std::size_t t) {
    std::vector<double> at_t;
    at_t.reserve(members.size());
    for (const std::size_t g : members) {
      at_t.push_back(profiles.energy(g)[t]);
    }
    std::ranges::sort(at_t);
    curve.q05[t] = quantile(at_t, 0.05);
    curve.q25[t] = quantile(at_t, 0.25);
    curve.median[t] = quantile(at_t, 0.50);
    curve.q75[t] = quantile(at_t, 0.75);
    curve.q95[t] = quantile(at_t, 0.95);
  });
  return curve;
}

/// λ_2, λ_max, bands and energy curves.
void add_spectrum(const GraphSet& graphs, const AnalysisOptions& options, core::ThreadPool& pool,
                  Analysis& out) {
  for (std::size_t i = 0; i < options.thresholds; ++i) {
    out.lambdas.push_back(kLambdaMax * static_cast<double>(i) /
                          static_cast<double>(options.thresholds - 1));
  }
  // The borders of the bands ride along behind the points of the curve.
  auto thresholds = out.lambdas;
  thresholds.insert(thresholds.end(), {kLowBand, kHighBand});
  auto profiles =
      spectral_profiles(graphs, thresholds, {}, options.run, options.dense_limit, options.progress);
  Values lambda_2;
  Values lambda_max;
  Values low;
  Values middle;
  Values high;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const auto& profile = profiles.graph[g];
    const auto energy = profiles.energy(g);
    const double above_low = energy[options.thresholds];
    const double above_middle = energy[options.thresholds + 1];
    lambda_2.push_back(profile.lambda_2);
    lambda_max.emplace_back(profile.lambda_max);
    low.emplace_back(1 - above_low);
    middle.emplace_back(above_low - above_middle);
    high.emplace_back(above_middle);
    out.exact.push_back(profile.exact);
    out.estimated_graphs += profile.exact ? 0U : 1U;
  }
  add_column(out, "lambda_2", "second smallest eigenvalue", std::move(lambda_2));
  add_column(out, "lambda_max", "largest eigenvalue", std::move(lambda_max));
  add_column(out, "energy_low", "energy at λ ≤ 2/3", std::move(low));
  add_column(out, "energy_mid", "energy at 2/3 < λ ≤ 4/3", std::move(middle));
  add_column(out, "energy_high", "energy at λ > 4/3", std::move(high));
  out.normal_energy = energy_curve(profiles, out.anomalous, 0, pool);
  out.anomalous_energy = energy_curve(profiles, out.anomalous, 1, pool);
  for (auto* curve : {&out.normal_energy, &out.anomalous_energy}) {
    for (auto* line : {&curve->q05, &curve->q25, &curve->median, &curve->q75, &curve->q95}) {
      line->resize(std::min(line->size(), options.thresholds));
    }
  }
}

void count_eigenvalues(const GraphSet& graphs, const AnalysisOptions& options, Analysis& out) {
  const auto all = spectra(graphs, {}, options.run, options.dense_limit);
  for (std::size_t i = 0; i <= kEigenvalueBins; ++i) {
    out.eigenvalue_edges.push_back(kLambdaMax * static_cast<double>(i) / kEigenvalueBins);
  }
  out.eigenvalue_frequency.assign(kEigenvalueBins, 0);
  for (const double value : all.values) {
    const auto bin = static_cast<std::size_t>(
        std::clamp(value / kLambdaMax * kEigenvalueBins, 0.0, kEigenvalueBins - 1.0));
    out.eigenvalue_frequency[bin] += 1.0 / static_cast<double>(all.values.size());
  }
}

void add_wavelets(const AnalysisOptions& options, Analysis& out) {
  const auto bank = wavelet_bank(options.bank);
  const auto series = bank_coefficients(bank, options.order, kLambdaMax);
  for (std::size_t i = 0; i < bank.size(); ++i) {
    WaveletCurve curve{bank[i].name, {}, {}};
    for (const double lambda : out.lambdas) {
      curve.kernel.push_back(bank[i].g(lambda));
      curve.truncated.push_back(evaluate_series(series[i], lambda, kLambdaMax));
    }
    out.wavelets.push_back(std::move(curve));
  }
}

Values sizes(const GraphSet& graphs, bool of_nodes) {
  Values values;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    values.emplace_back(static_cast<double>(of_nodes ? graphs[g].nodes() : graphs[g].edges()));
  }
  return values;
}

}  // namespace

Analysis analyse(const GraphSet& graphs, const AnalysisOptions& options) {
  core::ThreadPool pool(options.run);
  Analysis out;
  find_classes(graphs, options.anomaly_class, out);
  const auto normalised = label_forms(graphs, {}, options.run, LabelPairs::none);
  const auto regular =
      label_forms(graphs, {.kind = LaplacianKind::regular}, options.run, LabelPairs::none);
  add_quotient(normalised, "rq_normalised", "scalar quotient, normalised Laplacian",
               options.distribution, out);
  add_quotient(regular, "rq_regular", "scalar quotient, regular Laplacian", options.distribution,
               out);
  Values degree;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    degree.push_back(degree_quotient(Laplacian(graphs, g)));
  }
  add_column(out, "rq_degree", "quotient of the degrees, normalised Laplacian", std::move(degree));
  add_column(out, "nodes", "number of nodes", sizes(graphs, true));
  add_column(out, "edges", "number of edges", sizes(graphs, false));
  add_spectrum(graphs, options, pool, out);
  rank_labels(graphs, normalised, options.min_graphs, pool, out);
  count_eigenvalues(graphs, options, out);
  add_wavelets(options, out);
  return out;
}

}  // namespace rayleigh::spectral
