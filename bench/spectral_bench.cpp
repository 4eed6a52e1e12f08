// Seconds for label quotients, label basis and full spectra of a whole set, as JSON on stdout.
//   spectral_bench DATA [--threads N] [--order 6] [--repeat 5]
// Each is the best of the repetitions; bench/spectral_peer.py prints the same for scipy and numpy.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/spectral/label_basis.h"
#include "rayleigh/spectral/label_forms.h"
#include "rayleigh/spectral/spectrum.h"

namespace {

struct Options {
  std::string data;
  int threads = 2;
  int order = 6;
  int repeat = 5;
};

Options parse(int argc, char** argv) {
  Options options;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    int* target = words[i] == "--threads"  ? &options.threads
                  : words[i] == "--order"  ? &options.order
                  : words[i] == "--repeat" ? &options.repeat
                                           : nullptr;
    if (target == nullptr) {
      options.data = words[i];
    } else if (++i < words.size()) {
      std::from_chars(words[i].data(), words[i].data() + words[i].size(), *target);
    }
  }
  if (options.data.empty()) {
    throw rayleigh::UsageError("usage: spectral_bench DATA [--threads N] [--order K] [--repeat R]");
  }
  return options;
}

template <typename Work>
double best_seconds(int repeat, Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < std::max(repeat, 1); ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1000;
}

void run(const Options& options) {
  using namespace rayleigh::spectral;
  const rayleigh::GraphSet graphs =
      rayleigh::io::load(options.data, {.run = {.threads = options.threads}});
  double quotient_sum = 0;
  const double quotients = best_seconds(options.repeat, [&] {
    const LabelForms forms =
        label_forms(graphs, {}, {.threads = options.threads}, LabelPairs::none);
    quotient_sum = 0;
    for (std::size_t k = 0; k < forms.form.size(); ++k) {
      quotient_sum += forms.form[k] / forms.count[k];
    }
  });
  std::size_t nonzeros = 0;
  const double basis = best_seconds(options.repeat, [&] {
    nonzeros = chebyshev_label_basis<float>(graphs, static_cast<std::size_t>(options.order),
                                            {.threads = options.threads})
                   .nonzeros();
  });
  double square_sum = 0;
  const double spectrum = best_seconds(options.repeat, [&] {
    const Spectra all = spectra(graphs, {}, {.threads = options.threads});
    square_sum = 0;
    for (const double value : all.values) {
      square_sum += value * value;
    }
  });
  fmt::print(
      "{{\n \"threads\": {},\n \"graphs\": {},\n \"nodes\": {},\n"
      " \"checksums\": {{\"label_quotients\": {}, \"basis_nonzeros\": {}, "
      "\"spectra_square_sum\": {}}},\n"
      " \"seconds\": {{\"label_quotients\": {:.6f}, \"label_basis\": {:.6f}, \"spectra\": "
      "{:.6f}}},\n"
      " \"peak_megabytes\": {:.1f}\n}}\n",
      options.threads, graphs.size(), graphs.nodes(), quotient_sum, nonzeros, square_sum, quotients,
      basis, spectrum, peak_megabytes());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
