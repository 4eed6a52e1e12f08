// How long one graph takes through a ScoringSession, as JSON on stdout: median and 99th percentile.
//   session_bench MODEL DATA [THREADS [ROUNDS]]
// Each graph of DATA is scored alone, ROUNDS times, after one pass that is not measured.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

#include "rayleigh/graph_io.h"
#include "rayleigh/scoring_session.h"

int main(int argc, char** argv) {
  using namespace rayleigh;
  using Clock = std::chrono::steady_clock;
  if (argc < 3) {
    fmt::print(stderr, "usage: session_bench MODEL DATA [THREADS [ROUNDS]]\n");
    return 2;
  }
  ScoringSession session(Detector::load(argv[1]), {.threads = argc > 3 ? std::atoi(argv[3]) : 1});
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 10;
  const GraphSet all = io::load(argv[2]);
  std::vector<GraphSet> graphs;
  for (std::uint32_t g = 0; g < all.size(); ++g) {
    graphs.push_back(all.subset(std::array{g}));
    session.score_one(graphs.back());
  }
  std::vector<double> microseconds;
  microseconds.reserve(graphs.size() * static_cast<std::size_t>(rounds));
  for (int round = 0; round < rounds; ++round) {
    for (const GraphSet& graph : graphs) {
      const auto begin = Clock::now();
      session.score_one(graph);
      microseconds.push_back(
          std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
  }
  std::ranges::sort(microseconds);
  const auto percentile = [&](std::size_t percent) {
    return microseconds[microseconds.size() * percent / 100];
  };
  fmt::print("{{\"graphs\": {}, \"nodes\": {}, \"median_us\": {:.1f}, \"p99_us\": {:.1f}}}\n",
             all.size(), all.nodes(), percentile(50), percentile(99));
}
