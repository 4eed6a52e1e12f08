#include "cli/epoch_line.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/text.h"

namespace rayleigh::cli {

EpochLine::EpochLine(core::Log log, bool terminal) : log_(log), terminal_(terminal) {}

std::string EpochLine::text(const TrainingProgress& p) const {
  const int done = p.member * p.epochs + p.epoch.epoch;
  const int here = std::max(1, done - first_epoch_);
  const double left = watch_.seconds() / here * (p.members * p.epochs - done);
  const std::string model =
      p.members > 1 ? fmt::format("model {}/{}  ", p.member + 1, p.members) : "";
  // A class may be missing, and not every score has a threshold of 0.5.
  const auto metric = [](const char* name, double value) {
    return std::isnan(value) ? std::string() : fmt::format("  {} {:.3f}", name, value);
  };
  return fmt::format("{}epoch {:>3}/{}  loss {:.4f}{}{}  {} graphs/s  at most {} left", model,
                     p.epoch.epoch, p.epochs, p.epoch.loss, metric("AUC", p.epoch.validation.auc),
                     metric("macro-F1", p.epoch.validation.macro_f1),
                     core::with_commas(static_cast<std::uint64_t>(p.graphs_per_second)),
                     core::human_seconds(left));
}

void EpochLine::show(const TrainingProgress& progress) {
  if (shown_++ == 0) {
    first_epoch_ = progress.member * progress.epochs + progress.epoch.epoch - 1;
  }
  if (log_.quiet()) {
    return;
  }
  if (terminal_) {
    line_.show(text(progress));
  } else if (const int tenth = std::max(1, progress.epochs / 10);
             progress.epoch.epoch == 1 || progress.epoch.epoch % tenth == 0) {
    log_.info(text(progress));
  }
}

}  // namespace rayleigh::cli
