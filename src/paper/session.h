// A reproduction while it runs: what was asked for, who is told what happens, what failed.
// Given to every experiment that measures or trains.
// Two references.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rayleigh/run_options.h"

#include "compare/grid.h"
#include "paper/datasets.h"
#include "paper/options.h"

namespace rayleigh::paper {

struct ReproduceRequest {
  std::filesystem::path output;  ///< folder of the report and of finished runs
  DatasetsThere datasets;
  ReproduceOptions options;
  RunOptions run;
  std::string command{};  ///< that asked for it, for results.json
};

/// What happens meanwhile. Texts name options as `this`.
struct ReproduceHooks {
  std::function<void(const std::string& text)> say{};
  std::function<void(const std::string& text)> warn{};
  /// compare::run_grid with hooks of its own; without hooks when it is not given.
  std::function<std::vector<compare::CellResult>(const compare::Grid& grid,
                                                 const compare::GridFolder& folder)>
      run_grid{};
};

class Session {
 public:
  Session(const ReproduceRequest& request, const ReproduceHooks& hooks)
      : request_(request), hooks_(hooks) {}

  const ReproduceRequest& request() const { return request_; }
  const RunOptions& run() const { return request_.run; }
  bool quick() const { return request_.options.quick; }
  bool wants(ExperimentId id) const { return request_.options.experiments.contains(id); }
  GraphSet thinned_if_quick(const GraphSet& graphs) const;

  void say(const std::string& text) const;
  /// Says the title and does the step. What fails is told and kept for the report: false.
  bool attempt(const std::string& title, Reproduction& result,
               const std::function<void()>& step) const;
  std::vector<compare::CellResult> run_grid(const compare::Grid& grid,
                                            const compare::GridFolder& folder) const;

 private:
  const ReproduceRequest& request_;
  const ReproduceHooks& hooks_;
};

}  // namespace rayleigh::paper
