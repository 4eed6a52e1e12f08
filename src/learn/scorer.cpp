#include "learn/scorer.h"

#include <algorithm>
#include <cassert>

namespace rayleigh::learn {

void Scorer::score(const models::Model<float>& model, const models::Features& features,
                   std::span<const std::uint32_t> graphs, std::span<double> scores) {
  assert(graphs.size() == scores.size());
  const nn::StepRandom unused{core::RandomStream(0, "scoring draws nothing")};
  const std::size_t batch = model.scoring_batch();
  for (std::size_t begin = 0; begin < graphs.size(); begin += batch) {
    const std::size_t count = std::min(batch, graphs.size() - begin);
    tape_.start_scoring();
    const models::Output out = model.forward(tape_, features, graphs.subspan(begin, count), unused);
    model.scores(tape_, out.result, scores.subspan(begin, count));
  }
}

std::vector<float> Scorer::embed(const models::Model<float>& model,
                                 const models::Features& features,
                                 std::span<const std::uint32_t> graphs) {
  const nn::StepRandom unused{core::RandomStream(0, "scoring draws nothing")};
  std::vector<float> rows;
  const std::size_t batch = model.scoring_batch();
  for (std::size_t begin = 0; begin < graphs.size(); begin += batch) {
    const std::size_t count = std::min(batch, graphs.size() - begin);
    tape_.start_scoring();
    const auto out = model.forward(tape_, features, graphs.subspan(begin, count), unused);
    const auto embedding = tape_.value(out.embedding).flat();
    rows.insert(rows.end(), embedding.begin(), embedding.end());
  }
  return rows;
}

}  // namespace rayleigh::learn
