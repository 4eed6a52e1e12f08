// How fast RDKit alone reads SMILES that are already in memory, as the readers of molecules call
// it: usage screen_bench FILE.smi [THREADS [REPEATS]]; prints JSON. The yardstick of screening.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "io/molecule_toolkit.h"

namespace {

/// The first word of each line.
std::vector<std::string> read_smiles(const char* file) {
  std::ifstream stream(file);
  std::vector<std::string> smiles;
  for (std::string line; std::getline(stream, line);) {
    smiles.push_back(line.substr(0, line.find_first_of(" \t\r")));
  }
  return smiles;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rayleigh;
  if (argc < 2) {
    fmt::print(stderr, "usage: screen_bench FILE.smi [THREADS [REPEATS]]\n");
    return 2;
  }
  core::ThreadPool pool(argc > 2 ? std::atoi(argv[2]) : 0);
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 3;
  const auto smiles = read_smiles(argv[1]);
  const io::MoleculeToolkit& toolkit = io::molecule_toolkit();
  constexpr std::size_t kPiece = 128;
  const std::size_t pieces = (smiles.size() + kPiece - 1) / kPiece;
  std::vector<std::size_t> atoms(pieces, 0);
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    pool.run(pieces, [&](std::size_t piece) {
      atoms[piece] = 0;
      const std::size_t end = std::min(smiles.size(), (piece + 1) * kPiece);
      for (std::size_t k = piece * kPiece; k < end; ++k) {
        atoms[piece] += toolkit.read(io::Structure::smiles, smiles[k], {}).atoms.size();
      }
    });
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::size_t all = 0;
  for (const std::size_t count : atoms) {
    all += count;
  }
  std::ranges::sort(seconds);
  const double median = seconds[seconds.size() / 2];
  fmt::print(
      "{{\"molecules\": {}, \"atoms\": {}, \"seconds\": {:.4f}, \"best\": {:.4f}, "
      "\"molecules_per_second\": {:.0f}}}\n",
      smiles.size(), all, median, seconds.front(), static_cast<double>(smiles.size()) / median);
}
