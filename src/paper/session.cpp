#include "paper/session.h"

#include <fmt/format.h>

#include "rayleigh/error.h"

#include "paper/reproduction.h"
#include "paper/tasks.h"

namespace rayleigh::paper {

GraphSet Session::thinned_if_quick(const GraphSet& graphs) const {
  return quick() ? thinned(graphs, kQuickGraphs) : graphs;
}

void Session::say(const std::string& text) const {
  if (hooks_.say) {
    hooks_.say(text);
  }
}

bool Session::attempt(const std::string& title, Reproduction& result,
                      const std::function<void()>& step) const {
  say(title);
  try {
    step();
    return true;
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    if (hooks_.warn) {
      hooks_.warn(fmt::format("{}: {}", title, error.what()));
    }
    result.failed.emplace_back(title, error.what());
    return false;
  }
}

std::vector<compare::CellResult> Session::run_grid(const compare::Grid& grid,
                                                   const compare::GridFolder& folder) const {
  return hooks_.run_grid ? hooks_.run_grid(grid, folder)
                         : compare::run_grid(grid, folder, request_.run);
}

}  // namespace rayleigh::paper
