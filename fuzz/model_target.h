// What the fuzz target of model files does with one input: read it as hostile bytes, and use what
// is accepted. Shared by the libFuzzer target and by the test that replays the corpus.
// Throws std::logic_error when a promise is broken; whatever the reader refuses is fine.
#pragma once

#include <string>
#include <string_view>

#include "rayleigh/graph_set_builder.h"

#include "learn/detector_parts.h"
#include "promises.h"

namespace rayleigh::fuzz {

/// A known label, an unknown one, edges with and without a partner.
inline GraphSet small_graphs() {
  GraphSetBuilder builder;
  builder.begin_graph();
  for (const char* label : {"a", "b", "zz"}) {
    builder.add_node(label);
  }
  builder.add_edge(0, 1, "1");
  builder.add_edge(1, 2, "2");
  builder.begin_graph();
  builder.add_node("a");
  return builder.build();
}

/// Whether the bytes are a model.
inline bool read_model(std::string_view bytes) {
  try {
    const Detector detector =
        learn::Inside::make(learn::parse_model(std::string(bytes), "x.model"));
    const std::string saved = detector.bytes();
    require(learn::model_bytes(*learn::parse_model(saved, "x.model")) == saved,
            "a model that was read can be saved and read again");
    const GraphSet graphs = small_graphs();
    require(detector.score(graphs, {.threads = 1}).size() == graphs.size(), "a graph has a score");
    return true;
  } catch (const Error& error) {
    check_error(error);
    return false;
  }
}

}  // namespace rayleigh::fuzz
