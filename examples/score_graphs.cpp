// Trains a detector on generated graphs, keeps it in a file, loads it and scores new graphs.
//   score_graphs MODEL GRAPHS.jsonl     prints one score a line
#include <cstdio>
#include <exception>
#include <filesystem>

#include <rayleigh/detector.h>
#include <rayleigh/generators.h>
#include <rayleigh/graph_io.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: score_graphs MODEL GRAPHS.jsonl\n");
    return 2;
  }
  try {
    if (!std::filesystem::exists(argv[1])) {
      const auto training =
          rayleigh::generate::molecules({.seed = 1, .graphs = 1000, .anomalous = 0.1});
      const auto made = rayleigh::Detector::train(training, {.parameters = {{"epochs", "10"}}});
      made.save(argv[1]);
    }
    const auto detector = rayleigh::Detector::load(argv[1]);
    for (const rayleigh::Score& score : detector.score(rayleigh::io::load(argv[2]))) {
      std::printf("%.17g %.17g %d\n", score.score, score.probability, score.anomalous ? 1 : 0);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
