// Replays the corpus of model files.
#include "fuzz_corpus.h"

#include <gtest/gtest.h>

#include "../../fuzz/model_target.h"

namespace rayleigh::test {
namespace {

TEST(FuzzCorpus, ModelReaderKeepsItsPromises) { replay_corpus("model", fuzz::read_model); }

TEST(FuzzCorpus, HasAModelOfEveryProfileInTodaysFormat) {
  for (const char* profile : {"rayleigh", "published", "paper"}) {
    EXPECT_TRUE(fuzz::read_model(read_text(std::filesystem::path(RAYLEIGH_SOURCE_DIR) / "fuzz" /
                                           "corpus" / "model" / profile)))
        << profile << ": run fuzz/model_corpus.sh";
  }
}

}  // namespace
}  // namespace rayleigh::test
