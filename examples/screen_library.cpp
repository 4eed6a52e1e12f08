// Trains on a table of SMILES, is stopped after two epochs and goes on, streams a library through
// the detector and measures it:  screen_library ASSAY.csv LIBRARY.smi MODEL > scores.csv
#include <cstdio>
#include <exception>

#include <rayleigh/graph_io.h>
#include <rayleigh/score_stream.h>
#include <rayleigh/training.h>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: screen_library ASSAY.csv LIBRARY.smi MODEL\n");
    return 2;
  }
  try {
    rayleigh::io::ReadOptions read;
    read.molecules.atoms = rayleigh::io::AtomLabels::detailed;
    const auto assay = rayleigh::io::load(argv[1], read);

    rayleigh::TrainingRequest request;
    request.options.set("epochs", 6).set("hidden", 16).set("seed", 3);
    request.checkpoint = std::string(argv[3]) + ".checkpoint";
    std::stop_source source;
    request.run.stop = source.get_token();
    request.progress = [&](const rayleigh::TrainingProgress& progress) {
      std::fprintf(stderr, "epoch %d: loss %.4f\n", progress.epoch.epoch, progress.epoch.loss);
      if (progress.epoch.epoch == 2) {
        source.request_stop();
      }
    };
    try {
      rayleigh::train(assay, request);
    } catch (const rayleigh::Cancelled& stopped) {
      std::fprintf(stderr, "%s\n", stopped.what());
    }
    request.resume = rayleigh::Resume::yes;
    request.run.stop = {};
    const auto result = rayleigh::train(assay, request);
    result.detector.save(argv[3]);

    const auto reader = rayleigh::io::open(argv[2], result.detector.reading());
    rayleigh::score_stream(result.detector, *reader, {}, [](rayleigh::ScoredPiece&& piece) {
      for (const rayleigh::ScoredRow& row : piece.rows) {
        std::printf("%zu,%s,%.17g\n", row.index, row.input.id.c_str(),
                    row.score ? row.score->score : 0.0);
      }
    });
    const auto again = result.detector.evaluate(assay, {.part = rayleigh::Part::test});
    std::fprintf(stderr, "test AUC %.4f (95 %%: %.4f to %.4f)\n", again.metrics.auc,
                 again.metrics.intervals->auc.low, again.metrics.intervals->auc.high);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
