// Runs build/rayleigh as a user would and returns what it printed and its exit code.
// For tests of the command line contract.
// One process a call.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>

#include "support.h"

namespace rayleigh::test {

struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// `arguments` is shell text: quote where a shell needs it.
inline CommandResult run_command(const std::string& arguments, const std::string& input = {}) {
  const TemporaryFolder folder;
  write_text(folder / "in", input);
  const auto file = [&](const char* name) { return (folder / name).string(); };
  const std::string line = std::string(RAYLEIGH_COMMAND) + " " + arguments + " <" + file("in") +
                           " >" + file("out") + " 2>" + file("err");
  const int status = std::system(line.c_str());
  CommandResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_text(folder / "out");
  result.err = read_text(folder / "err");
  return result;
}

}  // namespace rayleigh::test
