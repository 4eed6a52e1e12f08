// An experiment whose results are a table: methods down, datasets across, the paper's values beside
// ours.
// E1, E2 and E3 say what they train and what their tables are about; the rest is here. The Markdown
// serves other experiments that train, too.
// Some tens of kilobytes.
#pragma once

#include <string>
#include <string_view>

#include "paper/experiment.h"

namespace rayleigh::paper {

class TableExperiment : public Experiment {
 public:
  /// `words`: what the rows and sets are, said above the tables.
  TableExperiment(ExperimentId id, std::string_view title, std::string_view words)
      : Experiment(id, title), words_(words) {}

  std::string markdown(const Reproduction& result) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;

 private:
  std::string_view words_;
};

/// The table of an experiment, once per metric; "" where it was not run.
std::string markdown_of(const Reproduction& result, ExperimentId id);

}  // namespace rayleigh::paper
