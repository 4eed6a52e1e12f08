// Trains a detector on generated graphs, keeps it in a file, loads it and scores new graphs.
//   score_graphs MODEL GRAPHS.jsonl     prints one score per line
#include <cstdio>
#include <exception>
#include <filesystem>

#include <rayleigh/generators.h>
#include <rayleigh/graph_io.h>
#include <rayleigh/training.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: score_graphs MODEL GRAPHS.jsonl\n");
    return 2;
  }
  try {
    if (!std::filesystem::exists(argv[1])) {
      rayleigh::TrainingRequest request;
      request.options.set("epochs", 10);
      const auto graphs =
          rayleigh::generate::molecules({.seed = 1, .graphs = 1000, .anomalous = 0.1});
      rayleigh::train(graphs, request).detector.save(argv[1]);
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
