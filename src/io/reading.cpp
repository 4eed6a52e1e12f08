#include "io/reading.h"

#include <array>
#include <fmt/format.h>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "core/text.h"

namespace rayleigh::io {
namespace {

constexpr std::string_view kAtoms = "atoms";
constexpr std::string_view kFragments = "fragments";
/// In the order of AtomLabels and Fragments.
constexpr std::array<std::string_view, 3> kAtomWords{"element", "element+charge", "detailed"};
constexpr std::array<std::string_view, 2> kFragmentWords{"largest", "all"};

template <typename Enum, std::size_t count>
bool set_word(const std::array<std::string_view, count>& words, std::string_view word,
              Enum& target) {
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i] == word) {
      target = static_cast<Enum>(i);
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> reading_of(const MoleculeOptions& options) {
  const MoleculeOptions usual;
  std::vector<std::pair<std::string, std::string>> reading;
  if (options.atoms != usual.atoms) {
    reading.emplace_back(kAtoms, kAtomWords[static_cast<std::size_t>(options.atoms)]);
  }
  if (options.fragments != usual.fragments) {
    reading.emplace_back(kFragments, kFragmentWords[static_cast<std::size_t>(options.fragments)]);
  }
  return reading;
}

void set_reading(ReadOptions& options, std::string_view name, std::string_view value) {
  const bool known =
      (name == kAtoms && set_word(kAtomWords, value, options.molecules.atoms)) ||
      (name == kFragments && set_word(kFragmentWords, value, options.molecules.fragments));
  if (!known) {
    throw DataError({}, fmt::format("'{} {}' is not a way to read molecules", core::printable(name),
                                    core::printable(value)));
  }
}

}  // namespace rayleigh::io
