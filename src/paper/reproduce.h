// The paper's experiments, run: what `rayleigh reproduce` does.
// Measures, trains what is missing, writes report.html, results.json, tables and figures into the
// folder of the request, and returns what they show. A reproduction that was stopped goes on.
// From a minute (finished runs only) to many hours.
#pragma once

#include <string>

#include "paper/reproduction.h"
#include "paper/session.h"

namespace rayleigh::paper {

struct Reproduced {
  Reproduction result;
  std::string json;  ///< results.json as it was written
};

/// Cancelled after a stop request: finished runs are kept. What fails otherwise is in the result.
Reproduced reproduce(const ReproduceRequest& request, const ReproduceHooks& hooks = {});

}  // namespace rayleigh::paper
