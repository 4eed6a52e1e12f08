// How fast a model scores graphs that are in memory, as JSON on stdout.
//   score_bench MODEL DATA [THREADS [ROUNDS]]
// The best of the rounds; `hash` tells whether two builds give the same scores to the bit.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <limits>

#include "rayleigh/detector.h"
#include "rayleigh/graph_io.h"

#include "core/hash.h"

int main(int argc, char** argv) {
  using namespace rayleigh;
  using Clock = std::chrono::steady_clock;
  if (argc < 3) {
    fmt::print(stderr, "usage: score_bench MODEL DATA [THREADS [ROUNDS]]\n");
    return 2;
  }
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 5;
  const Detector detector = Detector::load(argv[1]);
  io::ReadOptions reading = detector.reading();
  reading.run.threads = threads;
  const GraphSet graphs = io::load(argv[2], reading);
  double seconds = std::numeric_limits<double>::infinity();
  double cpu = seconds;
  std::uint64_t hash = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    const std::clock_t start_cpu = std::clock();
    const auto scores = detector.score(graphs, {.threads = threads});
    seconds = std::min(seconds, std::chrono::duration<double>(Clock::now() - start).count());
    cpu = std::min(cpu, static_cast<double>(std::clock() - start_cpu) / CLOCKS_PER_SEC);
    hash = 0;
    for (const Score& score : scores) {
      hash = core::combine64(hash, std::bit_cast<std::uint64_t>(score.score));
    }
  }
  const auto count = static_cast<double>(graphs.size());
  fmt::print(
      "{{\"graphs\": {}, \"threads\": {}, \"seconds\": {:.4f}, \"graphs_per_second\": {:.0f},\n"
      " \"cpu_microseconds_per_graph\": {:.2f}, \"hash\": \"{:016x}\"}}\n",
      graphs.size(), threads, seconds, count / seconds, 1e6 * cpu / count, hash);
}
