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
  const std::string fold = p.folds > 0 ? fmt::format("fold {}/{}  ", p.fold, p.folds)
                           : folded_   ? "all graphs  "
                                       : "";
  const std::string model =
      p.members > 1 ? fmt::format("model {}/{}  ", p.member + 1, p.members) : "";
  // A class may be missing, and not every score has a threshold of 0.5.
  const auto metric = [](const char* name, double value) {
    return std::isnan(value) ? std::string() : fmt::format("  {} {:.3f}", name, value);
  };
  const std::string speed =
      p.graphs_per_second > 0
          ? core::with_commas(static_cast<std::uint64_t>(p.graphs_per_second)) + " graphs/s"
          : fmt::format("{:.1f} epochs/s", p.epochs_per_second);
  return fmt::format("{}{}epoch {:>3}/{}  loss {:.4f}{}{}  {}  at most {} left", fold, model,
                     p.epoch.epoch, p.epochs, p.epoch.loss, metric("AUC", p.epoch.validation.auc),
                     metric("macro-F1", p.epoch.validation.macro_f1), speed,
                     core::human_seconds(left));
}

void EpochLine::show(const TrainingProgress& progress) {
  if (progress.fold != fold_) {
    fold_ = progress.fold;
    folded_ = true;
    shown_ = 0;
    watch_ = {};
  }
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
