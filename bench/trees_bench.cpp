// Boosting on quotient rows alone, as JSON on stdout: seconds, how good the margins are, and a hash
// that tells whether two builds grow the same trees to the bit; with PREFIX also the rows, labels
// and parts as raw numbers for bench/trees_peer.py.
//   trees_bench DATA THREADS ROUNDS SEED [PREFIX|- [LABEL_COLUMN]]
// The parts are those of `rayleigh train --split-seed 11`; SEED is that of the trees.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/metrics.h"
#include "rayleigh/split.h"
#include "rayleigh/training.h"

#include "core/hash.h"
#include "models/boosting.h"
#include "models/quotient_features.h"

namespace {

using namespace rayleigh;

constexpr std::uint64_t kSplitSeed = 11;

/// Rows as the detector `trees` sees them.
struct TreesData {
  std::vector<std::int8_t> labels;
  Split split;
  std::size_t columns = 0;
  std::unique_ptr<models::QuotientFeatures> features;
};

TreesData make_data(const GraphSet& graphs, core::ThreadPool& pool) {
  TreesData data;
  data.labels = anomaly_labels(graphs, {});
  data.split = stratified_split(data.labels, kUsualShares, kSplitSeed);
  std::vector<models::LabelEncoder> encoders;
  std::vector<models::EncodedLabels> encoded;
  std::vector<spectral::NodeLabels> views;
  for (const models::EncoderOptions& options : models::quotient_encoders({})) {
    encoders.push_back(models::LabelEncoder::fit(graphs, data.split.train, options, pool));
    encoded.push_back(encoders.back().encode(graphs, pool));
  }
  std::ranges::transform(encoded, std::back_inserter(views), &models::EncodedLabels::view);
  const models::QuotientColumns columns(encoders);
  data.columns = columns.size();
  data.features = models::quotient_features(columns, graphs, views, nn::Mode::training, pool);
  return data;
}

template <typename Numbers>
void write_numbers(const std::string& file, const Numbers& numbers) {
  std::ofstream out(file, std::ios::binary);
  for (const auto number : numbers) {
    out.write(reinterpret_cast<const char*>(&number), sizeof(number));
  }
}

void write_data(const TreesData& data, const std::string& prefix) {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (const auto& entry : data.features->rows.entries) {
    columns.push_back(entry.column);
    values.push_back(entry.value);
  }
  std::vector<std::uint8_t> parts(data.labels.size(), 0xff);
  std::uint8_t number = 0;
  for (const auto* part : {&data.split.train, &data.split.validation, &data.split.test}) {
    for (const std::uint32_t g : *part) {
      parts[g] = number;
    }
    ++number;
  }
  write_numbers(prefix + ".row_ptr", data.features->rows.row_ptr);
  write_numbers(prefix + ".columns", columns);
  write_numbers(prefix + ".values", values);
  write_numbers(prefix + ".labels", data.labels);
  write_numbers(prefix + ".parts", parts);
}

std::string quality(const TreesData& data, std::span<const std::uint32_t> part,
                    const models::Boosting& boosting, std::size_t first) {
  std::vector<std::int8_t> labels;
  std::vector<double> margins;
  for (std::size_t i = 0; i < part.size(); ++i) {
    labels.push_back(data.labels[part[i]]);
    margins.push_back(boosting.margin(first + i));
  }
  const Scored scored{labels, margins};
  return fmt::format(R"({{"auc": {:.4f}, "average_precision": {:.4f}}})", roc_auc(scored),
                     average_precision(scored));
}

void run(int argc, char** argv) {
  const int threads = std::atoi(argv[2]);
  const auto rounds = static_cast<std::uint32_t>(std::atoi(argv[3]));
  io::ReadOptions reading{.run = {.threads = threads}};
  if (argc > 6) {
    reading.molecules.label = argv[6];
  }
  const GraphSet graphs = io::load(argv[1], reading);
  core::ThreadPool pool(threads);
  const TreesData data = make_data(graphs, pool);
  if (argc > 5 && std::string(argv[5]) != "-") {
    write_data(data, argv[5]);
  }
  std::vector<std::uint32_t> all = data.split.train;
  all.insert(all.end(), data.split.validation.begin(), data.split.validation.end());
  all.insert(all.end(), data.split.test.begin(), data.split.test.end());
  std::vector<float> targets;
  targets.reserve(all.size());
  for (const std::uint32_t g : all) {
    targets.push_back(data.labels[g] == 1 ? 1.0F : 0.0F);
  }
  const models::BoostingOptions options;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t start_cpu = std::clock();
  models::Boosting boosting(data.features->rows, data.columns, all, data.split.train.size(),
                            targets, options, static_cast<std::uint64_t>(std::atoi(argv[4])), pool);
  std::vector<models::Tree> trees;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (models::Tree& tree : boosting.grow_round(round)) {
      trees.push_back(std::move(tree));
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double cpu = static_cast<double>(std::clock() - start_cpu) / CLOCKS_PER_SEC;
  std::size_t nodes = 0;
  std::uint64_t hash = 0;
  for (const models::Tree& tree : trees) {
    nodes += tree.size();
    for (const models::TreeNode& node : tree) {
      hash = core::combine64(core::combine64(hash, node.column), node.child);
      hash = core::combine64(hash, std::bit_cast<std::uint32_t>(node.limit));
      hash = core::combine64(hash, std::bit_cast<std::uint32_t>(node.value));
    }
  }
  fmt::print(
      "{{\"seconds\": {:.3f}, \"cpu_seconds\": {:.3f}, \"threads\": {}, \"rounds\": {},\n"
      " \"rows\": {}, \"columns\": {}, \"entries\": {}, \"nodes\": {}, \"hash\": \"{:016x}\",\n"
      " \"options\": {{\"depth\": {}, \"shrinkage\": {}, \"lambda\": {}, \"least_slope\": {},"
      " \"columns\": {}, \"rows\": {}, \"bins\": {}, \"chains\": {}}},\n"
      " \"validation\": {}, \"test\": {}}}\n",
      seconds, cpu, threads, rounds, data.split.train.size(), data.columns,
      data.features->rows.entries.size(), nodes, hash, options.tree.depth, options.tree.shrinkage,
      options.tree.lambda, options.tree.least_slope, options.columns, options.rows,
      options.most_bins + 1, options.chains,
      quality(data, data.split.validation, boosting, data.split.train.size()),
      quality(data, data.split.test, boosting,
              data.split.train.size() + data.split.validation.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: trees_bench DATA THREADS ROUNDS SEED [PREFIX|- [LABEL_COLUMN]]\n");
    return 2;
  }
  try {
    run(argc, argv);
  } catch (const rayleigh::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
