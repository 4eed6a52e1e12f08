#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "core/text.h"
#include "paper/printed_ratios.h"
#include "paper/reproduction.h"
#include "plot/html_page.h"

namespace rayleigh::paper {

using plot::CaptionedFigure;
using plot::HtmlPage;
using plot::MarkedCell;
using plot::MarkedRows;
using report::Comparison;
using report::ComparisonEntry;
using report::ComparisonMetric;
using report::failure_reasons;
using report::Granted;
using report::granted;
using report::kAuc;
using report::kMacroF1;
using report::kMacroF1Tuned;
using report::Summary;
namespace {

using core::with_commas;
using Rows = std::vector<std::vector<std::string>>;

std::string four(double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-"; }

std::string signed_four(double value) {
  return fmt::format("{}{:.4f}", value < 0 ? "−" : "+", std::abs(value));
}

std::string ratio(double value) {
  return std::isnan(value) ? "-" : std::isinf(value) ? "inf" : fmt::format("{:.2f}", value);
}

/// Next to each other where there is room, wide ones below.
void add_figures(HtmlPage& page, const Reproduction& r, Experiment experiment) {
  const auto figures = reproduction_figures(r, experiment);
  std::vector<CaptionedFigure> row;
  for (const ReportFigure& figure : figures) {
    if (!figure.wide) {
      row.push_back({figure.svg, figure.caption});
    }
  }
  if (!row.empty()) {
    page.figures(row);
  }
  for (const ReportFigure& figure : figures) {
    if (figure.wide) {
      page.figure(figure.svg, figure.caption);
    }
  }
}

void add_misses(HtmlPage& page, const Reproduction& r, const std::vector<Match>& all) {
  Rows rows{{"", "data", "method", "metric", "ours", "the paper", "difference", "what differs"}};
  for (const Match& m : all) {
    if (m.difference() < -kMatch) {
      rows.push_back({short_name(m.experiment), m.data, m.method,
                      std::string(short_title(m.metric)), four(m.ours), four(m.paper),
                      signed_four(m.difference()), m.why});
    }
  }
  if (rows.size() > 1) {
    page.table(
        rows, fmt::format("Where we are more than {} below the paper. {}", kMatch, protocol_of(r)));
  }
}

void add_summary(HtmlPage& page, const Reproduction& r) {
  const auto all = matches(r);
  page.heading("Summary");
  Tally sum{.title = "all"};
  Rows rows{{"", "cells", fmt::format("within {}", kMatch), "above", "below", "mean difference"}};
  for (const Tally& tally : tallies(all)) {
    rows.push_back({tally.title, fmt::format("{}", tally.cells), fmt::format("{}", tally.within),
                    fmt::format("{}", tally.above), fmt::format("{}", tally.below),
                    signed_four(tally.mean_difference)});
    sum.cells += tally.cells;
    sum.within += tally.within;
    sum.above += tally.above;
    sum.below += tally.below;
  }
  if (!all.empty()) {
    page.facts({{fmt::format("{}", sum.cells), "figures that the paper and we both have"},
                {fmt::format("{}", sum.within), fmt::format("match: within {}", kMatch)},
                {fmt::format("{}", sum.above), "beat it by more"},
                {fmt::format("{}", sum.below), "miss it by more"}});
  }
  if (!r.missing.empty()) {
    page.paragraph(
        fmt::format("Datasets of the paper that were not there: {}.", fmt::join(r.missing, ", ")));
  }
  if (!r.failed.empty()) {
    Rows failed{{"what failed", "why"}};
    for (const auto& [what, why] : r.failed) {
      failed.push_back({what, why});
    }
    page.table(failed, "What could not be done. The same command tries it again.");
  }
  if (!all.empty()) {
    page.table(rows,
               "Our mean over seeds minus the paper's one run, over methods and datasets of E1, E2 "
               "and E3; COLORS-3-ind and E5, whose definitions are ours, do not count. " +
                   protocol_of(r));
    add_misses(page, r, all);
  }
}

void add_datasets(HtmlPage& page, const Reproduction& r) {
  if (r.datasets.empty()) {
    return;
  }
  page.heading("E0: the datasets");
  Rows rows{{"data", "tumour", "assay", "", "normal", "anomalous", "share", "mean nodes",
             "mean edges", "labels"}};
  const auto share = [](std::size_t normal, std::size_t anomalous) {
    return fmt::format("{:.2f} %", 100.0 * static_cast<double>(anomalous) /
                                       static_cast<double>(normal + anomalous));
  };
  for (const DatasetFacts& facts : r.datasets) {
    const MainDataset* const at = main_dataset(facts.name);
    const bool known = at != nullptr;
    rows.push_back({facts.name, known ? std::string(at->tumour) : "-",
                    known ? fmt::format("{}", at->assay) : "-", "ours", with_commas(facts.normal),
                    with_commas(facts.anomalous), share(facts.normal, facts.anomalous),
                    fmt::format("{:.2f}", facts.mean_nodes),
                    fmt::format("{:.2f}", facts.mean_edges), with_commas(facts.labels)});
    if (known) {
      rows.push_back({"", "", "", "paper", with_commas(at->normal), with_commas(at->anomalous),
                      share(at->normal, at->anomalous), fmt::format("{:.2f}", at->mean_nodes),
                      fmt::format("{:.2f}", at->mean_edges), with_commas(at->labels)});
    }
  }
  page.table(rows,
             "All graphs of the files that were found, beside the paper's table. Assay: number of "
             "the PubChem assay. Slips of the paper: 262.09 nodes for UACC257 must be about 26.09, "
             "and the tumour of SN12C is renal, not “rental”.");
}

/// How many graphs tested, and how the set was made where its name tells.
std::string about_data(const compare::CellResult& cell) {
  const std::string name = cell.description.value("name", "");
  const auto made = name.find(", ");
  return fmt::format("{} test graphs, {} anomalous{}", with_commas(cell.test.graphs),
                     with_commas(cell.test.anomalous),
                     made == std::string::npos ? "" : name.substr(made));
}

/// What each method was given, and which runs failed.
void add_notes(HtmlPage& page, const Comparison& comparison) {
  Rows rows{{"method", "seeds", "epochs at most", "training graphs"}};
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    const Granted given = granted(comparison, row);
    rows.push_back({comparison.rows[row].title, given.seeds, given.epochs, given.train_graphs});
  }
  page.table(rows,
             "What each method was given. Slow ones have a budget unless --full is given; their "
             "figures are those of a shorter training than the paper's.");
  if (comparison.failures() > 0) {
    Rows failed{{"data", "method", "seeds", "why"}};
    for (const auto& reason : failure_reasons(comparison)) {
      failed.push_back({reason.data, reason.models, reason.seeds, reason.why});
    }
    page.table(failed, "Runs that failed. The same command tries them again.");
  }
}

/// Methods down, datasets across; the paper's figure below ours.
void add_table(HtmlPage& page, const Comparison& comparison, const ComparisonMetric& metric,
               const std::string& caption) {
  MarkedRows header(1);
  header[0].push_back({.text = "method", .marks = "name"});
  for (std::size_t set = 0; set < comparison.data.size(); ++set) {
    const compare::CellResult* const cell = comparison.any_of(set);
    header[0].push_back(
        {.text = comparison.data[set], .below = cell == nullptr ? "" : about_data(*cell)});
  }
  MarkedRows rows;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    auto& cells = rows.emplace_back();
    cells.push_back({.text = comparison.rows[row].title,
                     .below = comparison.rows[row].published_as,
                     .marks = comparison.rows[row].yardstick ? "name yardstick" : "name"});
    for (std::size_t set = 0; set < comparison.data.size(); ++set) {
      const ComparisonEntry& entry = comparison.entries[row][set];
      const Summary& summary = entry.*metric.of;
      const auto paper = report::published_value(entry, metric);
      MarkedCell cell{.text = "-"};
      if (summary.count > 0) {
        cell.text = four(summary.mean);
        if (std::isfinite(summary.deviation)) {
          cell.text += fmt::format(" ± {:.3f}", summary.deviation);
        }
        cell.marks = comparison.is_best(row, set, metric) ? "best" : "";
      } else if (!entry.failed.empty()) {
        cell = {.text = "failed", .marks = "failed"};
      }
      if (paper && std::isfinite(*paper)) {
        cell.below = fmt::format("paper {:.4f}", *paper);
      }
      cells.push_back(std::move(cell));
    }
  }
  page.marked_table(header, rows, caption);
}

void add_tables(HtmlPage& page, const Reproduction& r, Experiment experiment,
                const std::string& heading, const std::string& words) {
  const Comparison* const table = r.table(experiment);
  if (table == nullptr) {
    return;
  }
  page.heading(heading);
  page.paragraph(words);
  add_table(page, *table, kAuc, "Test AUC. " + protocol_of(r));
  add_table(
      page, *table, kMacroF1,
      "Macro-F1 at 0.5, the paper's protocol; one-class scores are not probabilities, see the "
      "next table. " +
          protocol_of(r));
  add_table(page, *table, kMacroF1Tuned,
            "Macro-F1 at the threshold tuned on validation graphs. " + protocol_of(r));
  add_notes(page, *table);
}

void add_quotients(HtmlPage& page, const Reproduction& r) {
  if (r.quotients.empty()) {
    return;
  }
  page.heading("E4: distributions of the Rayleigh quotient");
  add_figures(page, r, Experiment::distributions);
}

void add_ratio_table(HtmlPage& page, const std::vector<QuotientFacts>& all,
                     std::span<const PrintedRatios> printed, const std::string& caption) {
  Rows rows{{"data", "ratio", "", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const bool anomalous : {true, false}) {
      std::vector<std::string> ours{all[i].name, anomalous ? "d_i/d_a" : "d_i/d_n", "ours"};
      for (const auto& bin : all[i].ratios) {
        ours.push_back(ratio(anomalous ? bin.to_anomalous() : bin.to_normal()));
      }
      rows.push_back(std::move(ours));
      // Perturbed sets have the order of the paper's, others its names.
      const auto named = std::ranges::find(printed, all[i].name, &PrintedRatios::data);
      const PrintedRatios* const paper = named != printed.end()         ? &*named
                                         : printed.size() == all.size() ? &printed[i]
                                                                        : nullptr;
      if (paper != nullptr) {
        std::vector<std::string> theirs{"", "", "paper"};
        for (const double value :
             anomalous ? paper->inter_over_anomalous : paper->inter_over_normal) {
          theirs.push_back(ratio(value));
        }
        rows.push_back(std::move(theirs));
      }
    }
  }
  page.table(rows, caption);
}

void add_ratios(HtmlPage& page, const Reproduction& r) {
  if (r.quotients.empty()) {
    return;
  }
  page.heading("E5: distance ratios");
  page.paragraph(
      "For each of ten bins: the mean distance between the frequencies of the two classes, divided "
      "by that between samples of one class. This reading is ours; no definition we tried gives "
      "the paper's numbers, so both are shown and neither counts as match or miss.");
  add_ratio_table(page, r.quotients, printed_ratios(),
                  "By dataset and bin, normalised Laplacian, bins over the range of each sample. " +
                      sample_of(r));
}

void add_perturbation(HtmlPage& page, const Reproduction& r) {
  if (r.table(Experiment::perturbation) == nullptr && r.perturbed.empty()) {
    return;
  }
  page.heading("E6: perturbed graphs");
  add_figures(page, r, Experiment::perturbation);
  if (!r.perturbed.empty()) {
    add_ratio_table(
        page, r.perturbed, printed_perturbation_ratios(),
        "Distance ratios of the perturbed sets by bin, normalised Laplacian. " + sample_of(r));
  }
}

void add_parameters(HtmlPage& page, const Reproduction& r) {
  if (r.table(Experiment::parameters) == nullptr) {
    return;
  }
  page.heading("E7: parameters");
  add_figures(page, r, Experiment::parameters);
}

std::string interval(const SampleDistance& distance) {
  return std::isfinite(distance.value)
             ? fmt::format("{:.3f} ({:.3f} … {:.3f})", distance.value, distance.low, distance.high)
             : "-";
}

std::string chance(const SampleDistance& distance) {
  return std::isfinite(distance.by_chance) ? fmt::format("{:.3f}", distance.by_chance) : "-";
}

void add_case_study(HtmlPage& page, const Reproduction& r) {
  if (!r.case_study) {
    return;
  }
  page.heading("E8: case study");
  page.paragraph(
      "The paper claims that test graphs which are classified correctly have quotients distributed "
      "like those of training graphs, and that those which are not have others. If so, wrong ones "
      "are farther from training graphs than equally many graphs drawn by chance.");
  Rows rows{{"class", "called", "graphs", "Wasserstein", "by chance", "Kolmogorov-Smirnov",
             "by chance", "the paper's claim"}};
  for (const auto& group : r.case_study->groups) {
    const char* const name = group.anomalous ? "anomalous" : "normal";
    const auto verdict = group.bears_out_the_paper();
    rows.push_back({name, "right", with_commas(group.right.size()),
                    interval(group.wasserstein_right), chance(group.wasserstein_right),
                    interval(group.ks_right), chance(group.ks_right),
                    !verdict   ? "untested"
                    : *verdict ? "borne out"
                               : "not borne out"});
    rows.push_back({"", "wrong", with_commas(group.wrong.size()), interval(group.wasserstein_wrong),
                    chance(group.wasserstein_wrong), interval(group.ks_wrong),
                    chance(group.ks_wrong), ""});
  }
  add_figures(page, r, Experiment::case_study);
  page.table(rows,
             "Distances of test graphs to the training graphs of their class, with 95 % bootstrap "
             "intervals. By chance: how often equally many test graphs of the class, whatever they "
             "were called, are at least as far. The claim is borne out when that is below 0.05 for "
             "wrong ones and not for right ones, with both distances. Profile published, seed 1. " +
                 protocol_of(r));
}

void add_theory(HtmlPage& page, const Reproduction& r) {
  if (r.theory.empty()) {
    return;
  }
  page.heading("E9: theory, measured");
  Rows rows{{"claim", "what is measured", "cases", "worst", "bound", "", "note"}};
  for (const auto& margin : r.theory) {
    rows.push_back({margin.claim, margin.measure, with_commas(margin.cases),
                    fmt::format("{:.3g}", margin.worst), fmt::format("{:.3g}", margin.bound),
                    margin.cases == 0 ? "untested"
                    : margin.holds()  ? "holds"
                                      : "fails",
                    margin.note});
  }
  page.table(
      rows, fmt::format("Random signals and perturbations on up to 500 graphs of {}, seed 1; every "
                        "claim is a property test too.",
                        r.theory_data));
}

void add_claims(HtmlPage& page, const Reproduction& r) {
  if (r.claims.empty()) {
    return;
  }
  page.heading("E10: what the text claims");
  const auto cell = [](const ClaimCheck& check) {
    std::string text(word_of(check.verdict));
    if (check.value) {
      text += fmt::format(", {:.2f} %", *check.value);
    }
    return check.words.empty() ? text : text + " (" + check.words + ")";
  };
  std::array<std::size_t, 3> paper{};
  std::array<std::size_t, 3> ours{};
  for (const Claim& claim : r.claims) {
    ++paper[static_cast<std::size_t>(claim.paper.verdict)];
    ++ours[static_cast<std::size_t>(claim.ours.verdict)];
  }
  page.paragraph(fmt::format(
      "{} claims. In the paper's own tables {} are true, {} false, {} cannot be told; in "
      "ours {} are true, {} false, {} untested.",
      r.claims.size(), paper[0], paper[1], paper[2], ours[0], ours[1], ours[2]));
  Rows rows{{"section", "claim", "in its tables", "in ours"}};
  for (const Claim& claim : r.claims) {
    rows.push_back({claim.where, claim.text, cell(claim.paper), cell(claim.ours)});
  }
  page.table(rows,
             "Every numeric or ordinal claim, recomputed. A lead counts as true in ours when "
             "it is a lead; its size need not agree. " +
                 protocol_of(r));
}

}  // namespace

std::string reproduction_page(const Reproduction& r) {
  HtmlPage page("RQGNN, reproduced",
                r.quick ? protocol_of(r) : "the paper's experiments, E0 to E10");
  add_summary(page, r);
  add_datasets(page, r);
  add_tables(
      page, r, Experiment::main_table, "E1: the main table",
      "RQGNN-1 is pool=mean; pool=sum is what the authors' code has in its place. RQGNN-2 is "
      "no-rql. Profile rayleigh is ours.");
  add_tables(page, r, Experiment::class_balanced_loss, "E2: the class-balanced loss",
             "loss=cb-focal are the paper's -CB rows; RQGNN-3 is RQGNN with cross entropy.");
  add_tables(page, r, Experiment::other_domains, "E3: other domains",
             "COLORS-3: the class whose share is nearest 0.090 is anomalous; the paper does not "
             "name it, and the choice decides how hard the task is (--all-classes). DBLP_v1: all "
             "of one class, 5 % as many of the other. COLORS-3-ind: anomalies of one class train "
             "and validate, those of another test, normal graphs are cut 70/15/15. The paper does "
             "not name the two: ours are 9, seen, and 10, not seen; beside it stands the pair "
             "whose share of the test graphs is nearest the paper's 0.410.");
  add_quotients(page, r);
  add_ratios(page, r);
  add_perturbation(page, r);
  add_parameters(page, r);
  add_case_study(page, r);
  add_theory(page, r);
  add_claims(page, r);
  return page.html();
}

}  // namespace rayleigh::paper
