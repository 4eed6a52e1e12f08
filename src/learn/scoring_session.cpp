#include "rayleigh/scoring_session.h"

#include <fmt/format.h>
#include <vector>

#include "rayleigh/error.h"

#include "core/workspace.h"
#include "learn/detector_parts.h"

namespace rayleigh {

struct ScoringSession::Memory {
  Memory(Detector own, const RunOptions& run)
      : detector(std::move(own)),
        parts(learn::Inside::parts(detector)),
        pool(run),
        scorer(pool, parts.plan().isa()) {}

  Detector detector;
  const learn::DetectorParts& parts;
  core::ThreadPool pool;
  learn::Scorer scorer;
  core::Workspace workspace;
  std::vector<Score> scores;
};

ScoringSession::ScoringSession(Detector detector, const RunOptions& run)
    : memory_(std::make_unique<Memory>(std::move(detector), run)) {}
ScoringSession::ScoringSession(ScoringSession&&) noexcept = default;
ScoringSession& ScoringSession::operator=(ScoringSession&&) noexcept = default;
ScoringSession::~ScoringSession() = default;

std::span<const Score> ScoringSession::score(const GraphSet& graphs) {
  Memory& m = *memory_;
  learn::refuse_unscorable(m.parts, graphs);
  const core::Workspace::Scope scope(&m.workspace);
  const auto raw = learn::raw_scores(m.scorer, m.parts, graphs, m.pool);
  m.scores.clear();
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    m.scores.push_back(learn::judged(m.parts, raw.score[g], raw.unknown_label[g] != 0));
  }
  return m.scores;
}

Score ScoringSession::score_one(const GraphSet& graph) {
  if (graph.size() != 1) {
    throw UsageError(fmt::format("a set of {} graphs, expected one", graph.size()));
  }
  return score(graph).front();
}

const Detector& ScoringSession::detector() const { return memory_->detector; }

}  // namespace rayleigh
