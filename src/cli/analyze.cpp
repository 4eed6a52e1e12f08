#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/graph_io.h"
#include "rayleigh/spectral/analysis.h"

#include "cli/reading.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/atomic_file.h"
#include "core/progress.h"
#include "core/text.h"
#include "report/analysis_page.h"
#include "report/analysis_tables.h"

namespace rayleigh::cli {
namespace {

using spectral::Analysis;

class Analyze : public Verb {
 public:
  std::string name() const override { return "analyze"; }
  std::string summary() const override {
    return "shows how Rayleigh quotients and spectral energy separate the classes of DATA";
  }
  Arguments arguments() const override { return {"DATA", 1, 1}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh analyze NCI-H23.zip -o analysis",
            "rayleigh analyze calls.jsonl -o out --samples 50 100 --format json"};
  }

  bool can_stop() const override { return true; }

  void declare(core::OptionSet& parameters) override {
    using spectral::BinEdges;
    using spectral::KernelFamily;
    parameters
        .add("output", output_, "DIR", "folder for report.html, tables (.csv), figures (.svg)")
        .shortcut('o')
        .must_be_given()
        .without_effect();
    parameters.add("anomaly-class", options_.anomaly_class, "LABEL",
                   "class that counts as anomalous; the rarer of two when not given");
    parameters.add("samples", samples_,
                   "sizes of the samples of each class in per cent (25 50 100 when not given)",
                   {0.0001, 100});
    parameters.add("bins", options_.distribution.bins, "bins of a distribution", {1, 10'000});
    parameters.add("edges", options_.distribution.edges,
                   "range of the bins: of each sample, or common to all",
                   {{"sample", BinEdges::sample}, {"common", BinEdges::common}});
    parameters.add("label-quotients", label_quotients_,
                   "also write the quotient of every label into graphs.csv");
    parameters.add("min-graphs", min_graphs_,
                   "graphs of each class in which a label must occur to be ranked", {1, 1'000'000});
    parameters.add("kernel", options_.bank.family, "wavelets shown over the spectrum",
                   {{"mexican-hat", KernelFamily::mexican_hat},
                    {"heat", KernelFamily::heat},
                    {"beta", KernelFamily::beta},
                    {"meyer", KernelFamily::meyer}});
    parameters.add("width", width_, "number of wavelets", {1, 16});
    parameters.add("depth", depth_, "order K: wavelet i is a series of order i K", {1, 64});
    parameters.add("dense-limit", dense_limit_,
                   "largest graph whose spectrum is computed exactly; larger ones are estimated",
                   {1, 20'000});
    declare_reading(parameters, read_);
    parameters.add("seed", options_.distribution.seed, "seed of the samples");
  }

  int run(const std::vector<std::string>& arguments) override {
    core::AtomicFolder folder(output_);
    const auto graphs = load_graphs(*this, arguments[0], read_);
    if (!samples_.empty()) {
      options_.distribution.shares.clear();
      for (const double percent : samples_) {
        options_.distribution.shares.push_back(percent / 100);
      }
    }
    options_.min_graphs = static_cast<std::size_t>(min_graphs_);
    options_.bank.wavelets = static_cast<std::size_t>(width_);
    options_.order = static_cast<std::size_t>(depth_);
    options_.dense_limit = static_cast<std::size_t>(dense_limit_);
    options_.run = run_options();
    core::ProgressBar bar("spectra", "graphs", graphs.size(), show_progress());
    options_.progress = [&](std::size_t graphs_done) { bar.advance(graphs_done); };
    const auto analysis = spectral::analyse(graphs, options_);
    bar.finish();
    if (analysis.estimated_graphs > 0) {
      log().warn(fmt::format("{} above the dense limit of {} nodes: estimated, marked exact=0",
                             core::counted(analysis.estimated_graphs, "graph"), dense_limit_));
    }
    write(graphs, analysis, folder);
    folder.commit();
    print_out(common.format == Format::json ? report::analysis_json(graphs, analysis).dump(1) + "\n"
                                            : summary_text(graphs, analysis));
    return 0;
  }

 private:
  void write(const GraphSet& graphs, const Analysis& analysis, core::AtomicFolder& folder) const {
    const auto save = [&](const std::string& file, const std::string& text) {
      core::write_file_atomically(folder.file(file), text);
    };
    std::optional<spectral::LabelForms> forms;
    if (label_quotients_) {
      forms = spectral::label_forms(graphs, {}, run_options(), spectral::LabelPairs::none);
    }
    save("graphs.csv", report::graphs_csv(graphs, analysis, forms ? &*forms : nullptr));
    for (const auto& [file, text] : report::analysis_tables(graphs, analysis)) {
      save(file, text);
    }
    for (const auto& [file, text] : report::analysis_figures(graphs, analysis)) {
      save(file, text);
    }
    save("report.html", report::analysis_page(graphs, analysis));
  }

  std::string summary_text(const GraphSet& graphs, const Analysis& analysis) const {
    auto text =
        fmt::format("{}: {}", core::visible(graphs.name()), core::counted(graphs.size(), "graph"));
    if (analysis.anomalous_graphs > 0) {
      text += fmt::format(", {} normal and {} anomalous\n\nseparation by one number alone\n",
                          core::with_commas(analysis.normal_graphs),
                          core::with_commas(analysis.anomalous_graphs));
      Table table({"", "normal", "anomalous", "AUC", "KS", "p"});
      for (const auto& column : analysis.columns) {
        if (const auto& s = column.separation) {
          table.add({column.description, fmt::format("{:.4g}", s->normal_mean),
                     fmt::format("{:.4g}", s->anomalous_mean), fmt::format("{:.3f}", s->auc),
                     fmt::format("{:.3f}", s->ks), fmt::format("{:.2g}", s->p_value)});
        }
      }
      text += table.text();
      Table labels({"", "AUC", "KS", "p (Holm)", "graphs"});
      for (std::size_t i = 0; i < std::min<std::size_t>(5, analysis.labels.size()); ++i) {
        const auto& row = analysis.labels[i];
        const auto& s = row.separation;
        labels.add({core::printable(graphs.node_labels()[row.label]), fmt::format("{:.3f}", s.auc),
                    fmt::format("{:.3f}", s.ks), fmt::format("{:.2g}", row.adjusted_p),
                    core::with_commas(s.normal + s.anomalous)});
      }
      if (!analysis.labels.empty()) {
        text += "\nlabels whose quotient separates best\n" + labels.text();
      }
    } else {
      text += ", one class\n";
    }
    return text + fmt::format("\nreport: {}/report.html\n", output_);
  }

  std::string output_;
  spectral::AnalysisOptions options_;
  io::ReadOptions read_;
  std::vector<double> samples_;  ///< per cent
  bool label_quotients_ = false;
  int min_graphs_ = 10;
  int width_ = 4;
  int depth_ = 6;
  int dense_limit_ = static_cast<int>(spectral::kDenseLimit);
};

}  // namespace

std::unique_ptr<Verb> make_analyze() { return std::make_unique<Analyze>(); }

}  // namespace rayleigh::cli
