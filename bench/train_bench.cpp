// Rates of a detector on a set, as JSON on stdout: training, scoring from memory, the first score
// of a fresh model, and the rate of a 15000 x 64 x 64 product for the roofline.
//   train_bench DATA [--model rqgnn] [--threads N] [--epochs 3] [--profile published] …
// All further flags are those of `rayleigh train`.
// bench/rqgnn_peer.py and bench/baselines_peer.py print the training rates of PyTorch.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/training.h"

#include "core/isa.h"
#include "core/thread_pool.h"
#include "nn/gemm.h"

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Options {
  std::string data;
  std::string model = "rqgnn";
  std::vector<std::pair<std::string, std::string>> settings;  ///< further flags of training
  int threads = 2;
  int epochs = 3;
};

Options parse(int argc, char** argv) {
  Options options;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    int* number = words[i] == "--threads"  ? &options.threads
                  : words[i] == "--epochs" ? &options.epochs
                                           : nullptr;
    if (words[i] == "--model" && i + 1 < words.size()) {
      options.model = words[++i];
    } else if (number != nullptr && i + 1 < words.size()) {
      ++i;
      std::from_chars(words[i].data(), words[i].data() + words[i].size(), *number);
    } else if (words[i].starts_with("--") && i + 1 < words.size()) {
      const auto name = words[i].substr(2);
      options.settings.emplace_back(name, words[++i]);
    } else {
      options.data = words[i];
    }
  }
  if (options.data.empty()) {
    throw rayleigh::UsageError("usage: train_bench DATA [--threads N] [--epochs N] [--FLAG VALUE]");
  }
  return options;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1000;
}

double median(std::vector<double> numbers) {
  std::ranges::nth_element(numbers,
                           numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2));
  return numbers.empty() ? 0 : numbers[numbers.size() / 2];
}

/// GFLOP/s of oneDNN, each thread with a product of its own size; the median of half a second, as
/// the machine may be shared.
double gemm_rate(int threads) {
  constexpr std::size_t kRows = 15000;
  constexpr std::size_t kWidth = 64;
  std::vector<float> a(kRows * kWidth, 0.5F);
  std::vector<float> b(kWidth * kWidth, 0.25F);
  std::vector<float> c(kRows * kWidth);
  rayleigh::core::ThreadPool pool(threads);
  std::vector<double> seconds;
  for (int round = 0; round < 800; ++round) {
    const auto start = Clock::now();
    pool.run(static_cast<std::size_t>(threads), [&](std::size_t part) {
      const auto range = rayleigh::core::part_of(kRows, static_cast<std::size_t>(threads), part);
      const std::size_t rows = range.end - range.begin;
      rayleigh::nn::gemm<float>(rayleigh::nn::Transpose::no, rayleigh::nn::Transpose::no, 1.0F,
                                {a.data() + range.begin * kWidth, rows, kWidth},
                                {b.data(), kWidth, kWidth}, 0.0F,
                                {c.data() + range.begin * kWidth, rows, kWidth});
    });
    seconds.push_back(since(start));
  }
  return 2.0 * kRows * kWidth * kWidth / median(seconds) * 1e-9;
}

/// Model load and the score of one graph, on one thread.
double first_score_milliseconds(const std::filesystem::path& model,
                                const rayleigh::GraphSet& one_graph) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    const auto detector = rayleigh::Detector::load(model);
    static_cast<void>(detector.score(one_graph, {.threads = 1}));
    best = std::min(best, since(start));
  }
  return best * 1000;
}

void run(const Options& options) {
  using namespace rayleigh;
  auto start = Clock::now();
  const GraphSet graphs = io::load(options.data, {.run = {.threads = options.threads}});
  const double load = since(start);
  const double before = gemm_rate(options.threads);
  TrainingRequest request;
  request.options = DetectorOptions(options.model);
  request.options.set("epochs", options.epochs);
  for (const auto& [name, value] : options.settings) {
    request.options.set(name, value);
  }
  request.run.threads = options.threads;
  request.intervals = false;
  std::vector<double> rates;
  request.progress = [&](const TrainingProgress& progress) {
    if (progress.graphs_per_second > 0) {
      rates.push_back(progress.graphs_per_second);
    }
  };
  const TrainingResult result = train(graphs, request);
  const double peak = peak_megabytes();
  const double after = gemm_rate(options.threads);
  const auto file = std::filesystem::temp_directory_path() / "rayleigh-bench.model";
  const Detector& detector = result.detector;
  detector.save(file);
  double scoring = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 5; ++round) {
    start = Clock::now();
    static_cast<void>(detector.score(graphs, {.threads = options.threads}));
    scoring = std::min(scoring, since(start));
  }
  const std::vector<std::uint32_t> first = {0};
  const double first_score = first_score_milliseconds(file, graphs.subset(first));
  std::filesystem::remove(file);
  const double nodes_per_graph =
      static_cast<double>(graphs.nodes()) / static_cast<double>(graphs.size());
  fmt::print(
      "{{\n \"threads\": {},\n \"model\": \"{}\",\n \"isa\": \"{}\",\n \"graphs\": {},\n"
      " \"nodes_per_graph\": {:.3f},\n \"seconds\": {{\"load\": {:.4f}, \"prepare\": {:.4f}}},\n"
      " \"train_graphs_per_second\": {:.0f},\n \"median_epoch_graphs_per_second\": {:.0f},\n"
      " \"best_epoch_graphs_per_second\": {:.0f},\n"
      " \"score_graphs_per_second\": {:.0f},\n \"first_score_milliseconds\": {:.3f},\n"
      " \"gemm_gflops\": {:.1f},\n \"gemm_gflops_before_after\": [{:.1f}, {:.1f}],\n"
      " \"peak_megabytes\": {:.1f}\n}}\n",
      options.threads, options.model, core::isa_name(core::best_isa()), graphs.size(),
      nodes_per_graph, load, result.seconds.prepare, result.train_graphs_per_second, median(rates),
      rates.empty() ? 0 : *std::ranges::max_element(rates),
      static_cast<double>(graphs.size()) / scoring, first_score, std::max(before, after), before,
      after, peak);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
