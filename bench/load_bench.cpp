// Times io::load on one DATA: usage load_bench DATA [THREADS [REPEATS]]; prints JSON.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

#include "rayleigh/graph_io.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: load_bench DATA [THREADS [REPEATS]]\n");
    return 2;
  }
  const int threads = argc > 2 ? std::atoi(argv[2]) : 0;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  std::vector<double> seconds;
  std::size_t graphs = 0;
  std::size_t memory = 0;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto set = rayleigh::io::load(argv[1], {.run = {.threads = threads}});
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    graphs = set.size();
    memory = set.memory_bytes();
  }
  std::ranges::sort(seconds);
  fmt::print("{{\"seconds\": {:.4f}, \"best\": {:.4f}, \"graphs\": {}, \"memory_bytes\": {}}}\n",
             seconds[seconds.size() / 2], seconds.front(), graphs, memory);
}
