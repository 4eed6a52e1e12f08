#include <cstdio>
#include <string>

#include <rayleigh/generators.h>
#include <rayleigh/graph_io.h>
#include <rayleigh/graph_set_builder.h>
#include <rayleigh/statistics.h>
#include <rayleigh/version.h>

/// Builds graphs in memory, writes and reads them back, and describes them.
int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  const std::string file = std::string(argv[1]) + "/graphs.jsonl.gz";
  const auto graphs = rayleigh::generate::molecules({.seed = 1, .graphs = 50, .anomalous = 0.1});
  rayleigh::io::save_jsonl(graphs, file);
  const auto stats = rayleigh::statistics(rayleigh::io::load(file));
  std::printf("rayleigh %s: %llu nodes\n", rayleigh::kVersion,
              static_cast<unsigned long long>(stats.total_nodes));
  try {
    rayleigh::io::load("no such file");
  } catch (const rayleigh::Error& error) {
    return stats.total_nodes == graphs.nodes() && error.kind() == rayleigh::ErrorKind::bad_data ? 0
                                                                                                : 1;
  }
  return 1;
}
