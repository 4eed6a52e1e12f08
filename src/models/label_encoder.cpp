#include "models/label_encoder.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>
#include <unordered_map>

#include "core/json_document.h"
#include "core/text.h"

namespace rayleigh::models {
namespace {

using graph::LabelLevel;

constexpr std::array<std::string_view, graph::kLabelLevels> kLevelNames = {
    "plain",       "degree",     "edges",      "wl1",        "wl2",
    "only-degree", "degree-wl1", "degree-wl2", "degree-wl3", "edge"};

LabelLevel level_by_name(std::string_view name) {
  const auto* const at = std::ranges::find(kLevelNames, name);
  if (at == kLevelNames.end()) {
    throw fmt::format("label level '{}' is unknown", core::printable(name));
  }
  return static_cast<LabelLevel>(at - kLevelNames.begin());
}

/// How often a key occurs and where first.
struct Seen {
  std::uint64_t key;
  std::size_t count;
  std::uint32_t graph;
  std::uint32_t node;  ///< of the whole set
  std::uint32_t last_graph;
  std::size_t graphs;  ///< that it occurs in
};

std::vector<Seen> count_keys(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                             LabelLevel level, const core::Vector<std::uint64_t>& keys) {
  std::unordered_map<std::uint64_t, std::size_t> position;
  std::vector<Seen> seen;
  for (const std::uint32_t g : chosen) {
    const auto items = graph::labelled_items(graphs, g, level);
    for (std::size_t i = items.begin; i < items.end; ++i) {
      const auto [at, fresh] = position.try_emplace(keys[i], seen.size());
      if (fresh) {
        seen.push_back({keys[i], 0, g, static_cast<std::uint32_t>(i), g, 1});
      }
      Seen& label = seen[at->second];
      ++label.count;
      label.graphs += label.last_graph == g ? 0 : 1;
      label.last_graph = g;
    }
  }
  return seen;
}

std::string word_of(const GraphSet& graphs, const Seen& seen, LabelLevel level,
                    const graph::AttributeBins* edge_bins) {
  if (level != LabelLevel::edge) {
    return graph::describe_label(graphs, seen.graph, seen.node - graphs.graph_ptr()[seen.graph],
                                 level, edge_bins);
  }
  const bool one_way =
      !graphs.direction().empty() && graphs.direction()[seen.node] != Direction::both;
  return graph::describe_edge(graphs, seen.node, "edge", edge_bins) + (one_way ? " one way" : "");
}

}  // namespace

std::vector<LabelLevel> LabelEncoder::chain() const {
  return options_.fall_back ? graph::fallback_chain(options_.level) : std::vector{options_.level};
}

LabelEncoder LabelEncoder::fit(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                               const EncoderOptions& options, core::ThreadPool& pool,
                               const graph::AttributeBins* edge_bins) {
  LabelEncoder encoder;
  encoder.options_ = options;
  auto levels = encoder.chain();
  std::ranges::reverse(levels);
  std::unordered_map<std::uint64_t, std::uint32_t> coarser;
  core::Vector<std::uint64_t> coarser_keys;
  for (const LabelLevel level : levels) {
    const auto keys = graph::label_keys(graphs, level, pool, edge_bins);
    auto seen = count_keys(graphs, chosen, level, keys);
    std::erase_if(seen, [&](const Seen& s) { return s.graphs < options.least_graphs; });
    std::ranges::sort(seen, [](const Seen& a, const Seen& b) {
      return a.count != b.count ? a.count > b.count : a.key < b.key;
    });
    seen.resize(std::min(seen.size(), options.max_labels));
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
      encoder.entries_.push_back(
          {level, s.key, parent, options.words ? word_of(graphs, s, level, edge_bins) : ""});
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
  levels_ = chain();
  known_.assign(levels_.size(), {});
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    const auto own = std::ranges::count(entries_, levels_[at], &Entry::level);
    known_[at].start(static_cast<std::size_t>(own));
  }
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    const auto at = std::ranges::find(levels_, entries_[id].level) - levels_.begin();
    known_[static_cast<std::size_t>(at)].add(entries_[id].key, static_cast<std::uint32_t>(id));
  }
}

void LabelEncoder::KeyTable::start(std::size_t keys) {
  slots_.assign(keys == 0 ? 0 : std::bit_ceil(2 * keys), {});
  size_ = 0;
}

void LabelEncoder::KeyTable::add(std::uint64_t key, std::uint32_t number) {
  std::size_t at = key & mask();
  while (slots_[at].number != kNone && slots_[at].key != key) {
    at = (at + 1) & mask();
  }
  if (slots_[at].number == kNone) {
    slots_[at] = {key, number};
    ++size_;
  }
}

EncodedLabels LabelEncoder::encode(const GraphSet& graphs, core::ThreadPool& pool) const {
  graph::LabelKeys keys(graphs, pool);
  return encode(graphs, keys, pool);
}

EncodedLabels LabelEncoder::encode(const GraphSet& graphs, graph::LabelKeys& shared,
                                   core::ThreadPool& pool) const {
  EncodedLabels labels;
  const auto other = static_cast<std::uint32_t>(size());
  labels.count = size() + 1;
  labels.of_node.assign(graph::labelled_items(graphs, options_.level), other);
  labels.unknown.assign(graphs.size(), 0);
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    const auto& keys = shared.of(levels_[at]);
    const bool last = at + 1 == levels_.size();
    pool.run((graphs.size() + 511) / 512, [&](std::size_t part) {
      for (std::size_t g = part * 512; g < std::min(graphs.size(), (part + 1) * 512); ++g) {
        const auto items = graph::labelled_items(graphs, g, options_.level);
        for (std::size_t i = items.begin; i < items.end; ++i) {
          if (labels.of_node[i] != other) {
            continue;
          }
          if (const auto found = known_[at].find(keys[i]); found != KeyTable::kNone) {
            labels.of_node[i] = found;
          } else if (last) {
            labels.unknown[g] = 1;
          }
        }
      }
    });
  }
  return labels;
}

std::string_view LabelEncoder::level_name() const {
  return kLevelNames[static_cast<std::size_t>(options_.level)];
}

nlohmann::ordered_json LabelEncoder::to_json() const {
  auto entries = nlohmann::ordered_json::array();
  for (const Entry& entry : entries_) {
    entries.push_back({kLevelNames[static_cast<std::size_t>(entry.level)],
                       fmt::format("{:016x}", entry.key), entry.parent, entry.word});
  }
  return {{"level", level_name()},
          {"max_labels", options_.max_labels},
          {"fall_back", options_.fall_back},
          {"entries", entries}};
}

LabelEncoder LabelEncoder::from_json(const simdjson::dom::element& json) {
  using core::json_at;
  constexpr std::uint64_t kMostLabels = std::uint64_t{1} << 31U;
  LabelEncoder encoder;
  encoder.options_ = {
      .level = level_by_name(core::json_text(json_at(json, "level"), "level")),
      .max_labels = core::whole_number(json_at(json, "max_labels"), kMostLabels, "max_labels"),
      .fall_back = core::json_bool(json_at(json, "fall_back"), "fall_back")};
  const auto levels = encoder.chain();
  const auto entries = core::json_array(json_at(json, "entries"), "entries");
  const std::size_t count = entries.size();
  // A single level may have none: no label need occur in several graphs.
  if ((count == 0 && encoder.options_.fall_back) || count > kMostLabels) {
    throw std::string("the vocabulary has no entries");
  }
  encoder.entries_.reserve(count);
  // Coarsest level first, as fit() leaves it; nobody may then follow parents in a circle.
  std::size_t depth = levels.size();
  for (const simdjson::dom::element item : entries) {
    const std::size_t number = encoder.entries_.size();
    const auto require = [number](bool good) {
      if (!good) {
        throw fmt::format("entry {} of the vocabulary is not valid", number);
      }
    };
    const auto entry = core::json_array(item, "an entry of the vocabulary");
    require(entry.size() == 4);
    auto field = entry.begin();
    const auto level = level_by_name(core::json_text(*field, "a level"));
    const auto at = static_cast<std::size_t>(std::ranges::find(levels, level) - levels.begin());
    require(at < levels.size() && at <= depth);
    depth = at;
    const std::string_view hex = core::json_text(*++field, "a key");
    std::uint64_t key = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), key, 16);
    require(error == std::errc{} && end == hex.data() + hex.size());
    const auto parent = static_cast<std::uint32_t>(core::whole_number(*++field, count, "a parent"));
    require(parent == count || (parent < number && encoder.entries_[parent].level != level));
    encoder.entries_.push_back(
        {level, key, parent, std::string(core::json_text(*++field, "a word"))});
  }
  encoder.index();
  std::size_t keys = 0;
  for (const auto& level : encoder.known_) {
    keys += level.size();
  }
  if (keys != encoder.entries_.size()) {
    throw std::string("the vocabulary has the same entry twice");
  }
  return encoder;
}

}  // namespace rayleigh::models
