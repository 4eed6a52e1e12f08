// Replays the corpora of the readers.
#include "fuzz_corpus.h"

#include <gtest/gtest.h>

#include "../../fuzz/targets.h"

namespace rayleigh::test {
namespace {

TEST(FuzzCorpus, TuReaderKeepsItsPromises) { replay_corpus("tu", fuzz::read_tu); }
TEST(FuzzCorpus, ZipReaderKeepsItsPromises) { replay_corpus("zip", fuzz::read_zip); }
TEST(FuzzCorpus, JsonlReaderKeepsItsPromises) { replay_corpus("jsonl", fuzz::read_jsonl); }
TEST(FuzzCorpus, MoleculeReaderKeepsItsPromises) {
  replay_corpus("molecules", fuzz::read_molecules);
}

TEST(FuzzFraming, CutsTextIntoFiles) {
  using Files = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(fuzz::split_files("lost\n== a\n1\n2\n== b\n== c\n3"),
            (Files{{"a", "1\n2\n"}, {"b", ""}, {"c", "3"}}));
}

}  // namespace
}  // namespace rayleigh::test
