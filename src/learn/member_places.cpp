#include "learn/member_places.h"

#include <algorithm>
#include <fmt/format.h>

namespace rayleigh::learn {

std::size_t member_count(const models::Recipe& recipe, std::size_t ensemble) {
  return ensemble + std::max<std::size_t>(1, recipe.parts().size()) - 1;
}

std::vector<MemberPlace> member_places(const models::Recipe& recipe, std::size_t members) {
  const auto parts = recipe.parts();
  if (parts.empty()) {
    return std::vector<MemberPlace>(members, {.encoders = recipe.encoders().size()});
  }
  if (members < parts.size()) {
    throw fmt::format("{} members, expected at least {}", members, parts.size());
  }
  const std::size_t ensemble = members + 1 - parts.size();
  const auto first_member = [&](std::size_t part) { return part == 0 ? 0 : ensemble + part - 1; };
  std::vector<MemberPlace> places;
  for (std::size_t m = 0; m < members; ++m) {
    const std::size_t part = m < ensemble ? 0 : m - ensemble + 1;
    places.push_back({.part = part,
                      .prepares = first_member(parts[part].features_of),
                      .first_encoder = parts[part].first_encoder,
                      .encoders = parts[part].recipe->encoders().size()});
  }
  return places;
}

const models::Recipe& part_recipe(const models::Recipe& recipe, std::size_t part) {
  const auto parts = recipe.parts();
  return parts.empty() ? recipe : *parts[part].recipe;
}

MemberFeatures prepare_members(std::span<const std::shared_ptr<const models::Model<float>>> members,
                               std::span<const MemberPlace> places, const GraphSet& graphs,
                               std::span<const spectral::NodeLabels> labels, nn::Mode mode,
                               core::ThreadPool& pool) {
  MemberFeatures features(members.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (places[m].prepares == m) {
      features[m] = members[m]->prepare(graphs, places[m].own(labels), mode, pool);
    }
  }
  return features;
}

}  // namespace rayleigh::learn
