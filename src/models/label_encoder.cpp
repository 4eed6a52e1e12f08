#include "models/label_encoder.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rayleigh::models {
namespace {

using graph::LabelLevel;

constexpr std::array<std::string_view, 5> kLevelNames = {"plain", "degree", "edges", "wl1", "wl2"};

LabelLevel level_by_name(std::string_view name) {
  const auto* const at = std::ranges::find(kLevelNames, name);
  if (at == kLevelNames.end()) {
    throw fmt::format("label level '{}' is unknown", name);
  }
  return static_cast<LabelLevel>(at - kLevelNames.begin());
}

/// How often a key occurs and where first.
struct Seen {
  std::uint64_t key;
  std::size_t count;
  std::uint32_t graph;
  std::uint32_t node;  ///< of the whole set
};

std::vector<Seen> count_keys(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                             const std::vector<std::uint64_t>& keys) {
  std::unordered_map<std::uint64_t, std::size_t> position;
  std::vector<Seen> seen;
  for (const std::uint32_t g : chosen) {
    for (std::uint32_t i = graphs.graph_ptr()[g]; i < graphs.graph_ptr()[g + 1]; ++i) {
      const auto [at, fresh] = position.try_emplace(keys[i], seen.size());
      if (fresh) {
        seen.push_back({keys[i], 0, g, i});
      }
      ++seen[at->second].count;
    }
  }
  return seen;
}

}  // namespace

LabelEncoder LabelEncoder::fit(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                               const EncoderOptions& options, core::ThreadPool& pool) {
  LabelEncoder encoder;
  encoder.options_ = options;
  auto chain = graph::fallback_chain(options.level);
  std::ranges::reverse(chain);
  std::unordered_map<std::uint64_t, std::uint32_t> coarser;
  std::vector<std::uint64_t> coarser_keys;
  for (const LabelLevel level : chain) {
    const auto keys = graph::label_keys(graphs, level, pool);
    auto seen = count_keys(graphs, chosen, keys);
    std::ranges::sort(seen, [](const Seen& a, const Seen& b) {
      return a.count != b.count ? a.count > b.count : a.key < b.key;
    });
    seen.resize(std::min(seen.size(), options.max_labels));
    const auto word = [&](const Seen& s) {
      return graph::describe_label(graphs, s.graph, s.node - graphs.graph_ptr()[s.graph], level);
    };
    if (level == LabelLevel::plain) {
      std::ranges::sort(seen, [&](const Seen& a, const Seen& b) {
        return graphs.node_label()[a.node] < graphs.node_label()[b.node];
      });
    }
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (const Seen& s : seen) {
      std::uint32_t parent = 0xffffffffU;
      if (!coarser_keys.empty()) {
        const auto at = coarser.find(coarser_keys[s.node]);
        parent = at == coarser.end() ? 0xffffffffU : at->second;
      }
      known.emplace(s.key, static_cast<std::uint32_t>(encoder.entries_.size()));
      encoder.entries_.push_back({level, s.key, parent, word(s)});
    }
    coarser = std::move(known);
    coarser_keys = keys;
  }
  for (Entry& entry : encoder.entries_) {
    entry.parent = std::min(entry.parent, static_cast<std::uint32_t>(encoder.entries_.size()));
  }
  encoder.index();
  return encoder;
}

void LabelEncoder::index() {
  const auto chain = graph::fallback_chain(options_.level);
  known_.assign(chain.size(), {});
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    const auto at = std::ranges::find(chain, entries_[id].level) - chain.begin();
    known_[static_cast<std::size_t>(at)].emplace(entries_[id].key, static_cast<std::uint32_t>(id));
  }
}

EncodedLabels LabelEncoder::encode(const GraphSet& graphs, core::ThreadPool& pool) const {
  EncodedLabels labels;
  const auto other = static_cast<std::uint32_t>(size());
  labels.count = size() + 1;
  labels.of_node.assign(graphs.nodes(), other);
  labels.unknown.assign(graphs.size(), 0);
  const auto chain = graph::fallback_chain(options_.level);
  for (std::size_t at = 0; at < chain.size(); ++at) {
    const auto keys = graph::label_keys(graphs, chain[at], pool);
    const bool last = at + 1 == chain.size();
    pool.run((graphs.size() + 511) / 512, [&](std::size_t part) {
      for (std::size_t g = part * 512; g < std::min(graphs.size(), (part + 1) * 512); ++g) {
        for (std::size_t i = graphs.graph_ptr()[g]; i < graphs.graph_ptr()[g + 1]; ++i) {
          if (labels.of_node[i] != other) {
            continue;
          }
          if (const auto found = known_[at].find(keys[i]); found != known_[at].end()) {
            labels.of_node[i] = found->second;
          } else if (last) {
            labels.unknown[g] = 1;
          }
        }
      }
    });
  }
  return labels;
}

nlohmann::ordered_json LabelEncoder::to_json() const {
  auto entries = nlohmann::ordered_json::array();
  for (const Entry& entry : entries_) {
    entries.push_back({kLevelNames[static_cast<std::size_t>(entry.level)],
                       fmt::format("{:016x}", entry.key), entry.parent, entry.word});
  }
  return {{"level", kLevelNames[static_cast<std::size_t>(options_.level)]},
          {"max_labels", options_.max_labels},
          {"entries", entries}};
}

LabelEncoder LabelEncoder::from_json(const nlohmann::ordered_json& json) {
  LabelEncoder encoder;
  encoder.options_ = {.level = level_by_name(json.at("level").get<std::string>()),
                      .max_labels = json.at("max_labels").get<std::size_t>()};
  const auto chain = graph::fallback_chain(encoder.options_.level);
  const auto& entries = json.at("entries");
  for (const auto& entry : entries) {
    const auto level = level_by_name(entry.at(0).get<std::string>());
    const auto hex = entry.at(1).get<std::string>();
    std::uint64_t key = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), key, 16);
    const auto parent = entry.at(2).get<std::uint32_t>();
    if (error != std::errc{} || end != hex.data() + hex.size() ||
        std::ranges::find(chain, level) == chain.end() || parent > entries.size()) {
      throw fmt::format("entry {} of the vocabulary is not valid", encoder.entries_.size());
    }
    encoder.entries_.push_back({level, key, parent, entry.at(3).get<std::string>()});
  }
  encoder.index();
  return encoder;
}

}  // namespace rayleigh::models
