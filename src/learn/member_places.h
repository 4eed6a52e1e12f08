// Which member of a detector is what: all alike, or those of the parts of a blend, where the first
// part has as many members as the ensemble and each other part has one, behind them.
// Training, model files and scoring ask here which vocabularies and features belong to a member.
// Made once per detector.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "models/recipe.h"

namespace rayleigh::learn {

struct MemberPlace {
  std::size_t part = 0;
  std::size_t prepares = 0;       ///< the member that prepares its features: itself or one before
  std::size_t first_encoder = 0;  ///< of its vocabularies
  std::size_t encoders = 0;

  template <typename T>
  std::span<const T> own(std::span<const T> all) const {
    return all.subspan(first_encoder, encoders);
  }
};

std::size_t member_count(const models::Recipe& recipe, std::size_t ensemble);
/// Throws std::string when the recipe has more parts than there are members.
std::vector<MemberPlace> member_places(const models::Recipe& recipe, std::size_t members);
/// Of one part: the recipe itself where it has none.
const models::Recipe& part_recipe(const models::Recipe& recipe, std::size_t part);

/// Features of a set for every member; none for one that another member prepares for.
using MemberFeatures = core::Vector<std::unique_ptr<models::Features>>;
MemberFeatures prepare_members(std::span<const std::shared_ptr<const models::Model<float>>> members,
                               std::span<const MemberPlace> places, const GraphSet& graphs,
                               std::span<const spectral::NodeLabels> labels, nn::Mode mode,
                               core::ThreadPool& pool);

}  // namespace rayleigh::learn
