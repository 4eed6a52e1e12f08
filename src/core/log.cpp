#include "core/log.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "core/text.h"

namespace rayleigh::core {
namespace {

void write_line(std::string_view prefix, std::string_view message) {
  // Messages name what others wrote: files, labels, what a library says of them.
  std::string line(prefix);
  line += visible(message, "\n\t");
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool is_terminal(int descriptor) {
  const char* term = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nobody calls setenv
  return isatty(descriptor) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

void Log::info(std::string_view message) const {
  if (!quiet()) {
    write_line("", message);
  }
}
void Log::warn(std::string_view message) const { write_line("warning: ", message); }
void Log::error(std::string_view message) const { write_line("", message); }

bool stderr_is_terminal() { return is_terminal(STDERR_FILENO); }
bool stdout_is_terminal() { return is_terminal(STDOUT_FILENO); }

}  // namespace rayleigh::core
