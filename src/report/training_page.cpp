#include "report/training_page.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "plot/html_page.h"
#include "report/training_figures.h"
#include "report/training_parts.h"

namespace rayleigh::report {
namespace {

using core::counted;
using core::four_digits;
using core::with_commas;
using plot::CaptionedFigure;
using plot::HtmlPage;
using plot::NamedText;
using Rows = std::vector<std::vector<std::string>>;

std::string percent(std::size_t part, std::size_t whole) {
  return whole > 0
             ? fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole))
             : "-";
}

bool has_several_models(const TrainingResult& result) { return result.members.size() > 1; }

/// Whether they are of several kinds.
bool is_blend(const TrainingResult& result) {
  return std::ranges::any_of(result.members, [&](const TrainedMember& member) {
    return member.detector != result.members.front().detector;
  });
}

Rows split_rows(const TrainingResult& result) {
  Rows rows{{"part", "used for", "graphs", "normal", "anomalous", "anomalous share"}};
  const auto add = [&](const Part& part, const char* use) {
    rows.push_back({part.name, use, with_commas(part.labels.size()), with_commas(part.normal()),
                    with_commas(part.anomalous()), percent(part.anomalous(), part.labels.size())});
  };
  const bool one_class = !detector_info(result.detector.options().detector()).supervised;
  add(part_of(result, "training", result.split.train),
      one_class ? "weights (normal graphs only)" : "weights");
  add(validation_part(result), "choice of epoch and threshold, calibration");
  add(test_part(result), "measuring only");
  const auto labelled = static_cast<std::size_t>(
      std::ranges::count_if(result.labels, [](std::int8_t label) { return label >= 0; }));
  const auto in_parts =
      result.split.train.size() + result.split.validation.size() + result.split.test.size();
  if (labelled > in_parts) {
    rows.push_back(
        {"none", "labelled, but in no part", with_commas(labelled - in_parts), "-", "-", "-"});
  }
  if (result.labels.size() > labelled) {
    rows.push_back({"none", "graphs without a label", with_commas(result.labels.size() - labelled),
                    "-", "-", "-"});
  }
  return rows;
}

std::string setting_text(const nlohmann::ordered_json& value) {
  if (value.is_null() || (value.is_array() && value.empty())) {
    return "not given";
  }
  if (value.is_array()) {
    std::string text;
    for (const auto& item : value) {
      text += (text.empty() ? "" : ", ") + setting_text(item);
    }
    return text;
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? "yes" : "no";
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Name and value, three pairs per row, read down the columns.
Rows settings_rows(const TrainingResult& result) {
  constexpr std::size_t kPairs = 3;
  std::vector<std::pair<std::string, std::string>> settings;
  const auto values = nlohmann::ordered_json::parse(result.detector.options().json());
  for (const auto& [name, value] : values.items()) {
    const bool given = name == "split" && result.split_given;
    settings.emplace_back(name, given ? "by files" : setting_text(value));
  }
  const std::size_t height = (settings.size() + kPairs - 1) / kPairs;
  Rows rows{{}};
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    rows[0].insert(rows[0].end(), {"setting", "value"});
  }
  for (std::size_t r = 0; r < height; ++r) {
    auto& row = rows.emplace_back();
    for (std::size_t i = r; i < height * kPairs; i += height) {
      const bool there = i < settings.size();
      row.push_back(there ? settings[i].first : "");
      row.push_back(there ? settings[i].second : "");
    }
  }
  return rows;
}

Rows member_rows(const TrainingResult& result) {
  Rows rows{{"", "model", "seed", "epochs", "kept epoch", "loss there", "AUC", "average precision",
             "macro-F1 at 0.5"}};
  for (std::size_t m = 0; m < result.members.size(); ++m) {
    const TrainedMember& member = result.members[m];
    const auto kept = std::ranges::find(member.history, member.best_epoch, &EpochRecord::epoch);
    if (kept == member.history.end()) {
      continue;
    }
    rows.push_back({std::to_string(m + 1), member.detector, std::to_string(member.seed),
                    with_commas(member.history.size()) + (member.cut_short ? ", out of time" : ""),
                    with_commas(static_cast<std::uint64_t>(kept->epoch)),
                    fmt::format("{:.4g}", kept->loss), four_digits(kept->validation.auc),
                    four_digits(kept->validation.average_precision),
                    four_digits(kept->validation.macro_f1)});
  }
  return rows;
}

Rows metric_rows(const TrainingResult& result) {
  const auto& v = result.validation;
  const auto& t = result.test;
  const auto row = [&](const std::string& name, double Metrics::*metric, const char* meaning) {
    return std::vector<std::string>{name, four_digits(v.*metric),
                                    t.graphs > 0 ? four_digits(t.*metric) : "-", meaning};
  };
  return {{"metric", "validation", "test", "what it says"},
          row("AUC", &Metrics::auc,
              "chance that an anomalous graph scores above a normal one; 0.5 = no signal"),
          row("average precision", &Metrics::average_precision,
              "mean precision over all recalls; no signal = share of anomalous graphs"),
          row("macro-F1 at 0.5", &Metrics::macro_f1,
              "mean of the F1 of both classes at score 0.5, as the paper reports it"),
          row(fmt::format("macro-F1 at {:.3f}", result.detector.threshold()),
              &Metrics::macro_f1_tuned, "the same at the threshold tuned on validation"),
          row("false positive rate at 95 % recall", &Metrics::fpr_at_95,
              "normal graphs called anomalous to find 95 % of the anomalous; lower is better"),
          row("enrichment at 1 %", &Metrics::enrichment_1,
              "how many times more anomalous graphs in the best 1 % than overall"),
          row("BEDROC (α = 20)", &Metrics::bedroc,
              "are anomalous graphs at the very top of the list; 1 = all of them first")};
}

Rows threshold_rows(const TrainingResult& result) {
  Rows rows{{"part", "threshold", "called anomalous", "found", "missed", "false alarms",
             "precision", "recall", "macro-F1"}};
  for (const Part& part : {validation_part(result), test_part(result)}) {
    if (part.labels.empty()) {
      continue;
    }
    for (const double threshold : {0.5, result.detector.threshold()}) {
      if (threshold == 0.5 && !result.detector.scores_are_probabilities()) {
        continue;  // scores are not probabilities
      }
      const auto c = confusion(part.view(), threshold);
      rows.push_back({part.name, fmt::format("{:.3f}", threshold), with_commas(c.called()),
                      with_commas(c.true_positives), with_commas(c.false_negatives),
                      with_commas(c.false_positives), four_digits(c.precision()),
                      four_digits(c.recall()), four_digits(macro_f1(part.view(), threshold))});
    }
  }
  return rows;
}

Rows confusion_rows(const TrainingResult& result) {
  Rows rows{{"part", "in truth", "called normal", "called anomalous", "all", "called right"}};
  for (const Part& part : {validation_part(result), test_part(result)}) {
    if (part.labels.empty()) {
      continue;
    }
    const auto c = confusion(part.view(), result.detector.threshold());
    rows.push_back({part.name, "normal", with_commas(c.true_negatives),
                    with_commas(c.false_positives), with_commas(c.negatives()),
                    percent(c.true_negatives, c.negatives())});
    rows.push_back({part.name, "anomalous", with_commas(c.false_negatives),
                    with_commas(c.true_positives), with_commas(c.positives()),
                    percent(c.true_positives, c.positives())});
  }
  return rows;
}

/// Of the raw score, where that is a probability, and of the calibrated one.
Rows reliability_rows(const TrainingResult& result) {
  Rows rows{{"predicted", "bin", "graphs", "anomalous", "mean prediction", "observed share",
             "95 % interval"}};
  const auto add = [&](const char* name, const Part& part) {
    for (const auto& bin : reliability_of(part)) {
      const auto interval = share_interval(bin.anomalous, bin.graphs);
      rows.push_back({name, fmt::format("{:.1f} – {:.1f}", bin.low, bin.high),
                      with_commas(bin.graphs), with_commas(bin.anomalous),
                      four_digits(bin.predicted), four_digits(bin.observed()),
                      fmt::format("{:.3f} – {:.3f}", interval.low, interval.high)});
    }
  };
  const Part part = shown_part(result);
  if (result.detector.scores_are_probabilities()) {
    add("raw score", part);
  }
  add("probability", calibrated(part, result.detector));
  return rows;
}

/// What the run is worth, in words.
std::string verdict(const TrainingResult& result) {
  const Part part = shown_part(result);
  const auto& e = part.name == "test" ? result.test : result.validation;
  const auto c = confusion(part.view(), result.detector.threshold());
  return fmt::format(
      "Among the {} {} graphs an anomalous graph scores above a normal one in {:.1f} % of all "
      "pairs "
      "(AUC {:.3f}). At the threshold {:.3f} the detector finds {} of {} ({}) and raises {} among "
      "{}.",
      with_commas(part.labels.size()), part.name, 100 * e.auc, e.auc, result.detector.threshold(),
      with_commas(c.true_positives), counted(c.positives(), "anomalous graph"),
      percent(c.true_positives, c.positives()), counted(c.false_positives, "false alarm"),
      counted(c.negatives(), "normal graph"));
}

/// Why the test part is not shown, or "".
std::string missing_test(const TrainingResult& result) {
  const Part test = test_part(result);
  if (test.has_both_classes()) {
    return "";
  }
  const std::string why = test.labels.empty()
                              ? "The test part is empty"
                              : fmt::format("The test part has no {} graph",
                                            test.anomalous() == 0 ? "anomalous" : "normal");
  return why +
         ": curves, scores and calibration are those of the validation graphs, which also chose "
         "the epoch and the threshold, so they flatter the detector.";
}

/// "0.9073", or with its interval.
std::string mean_text(const ResampledMean& mean) {
  return four_digits(mean.mean) +
         (std::isfinite(mean.low) ? fmt::format(" ({:.3f} – {:.3f})", mean.low, mean.high) : "");
}

Rows fold_rows(const CrossValidation& folds) {
  Rows rows{{"fold", "test graphs", "anomalous", "AUC", "average precision", "macro-F1 at 0.5",
             "macro-F1 tuned"}};
  std::size_t graphs = 0;
  std::size_t anomalous = 0;
  for (std::size_t fold = 0; fold < folds.folds.size(); ++fold) {
    const Metrics& test = folds.folds[fold].test;
    graphs += test.graphs;
    anomalous += test.anomalous;
    rows.push_back({std::to_string(fold + 1), with_commas(test.graphs), with_commas(test.anomalous),
                    four_digits(test.auc), four_digits(test.average_precision),
                    four_digits(test.macro_f1), four_digits(test.macro_f1_tuned)});
  }
  rows.push_back(
      {"all, mean", with_commas(graphs), with_commas(anomalous),
       mean_text(folds.mean(&Metrics::auc)), mean_text(folds.mean(&Metrics::average_precision)),
       mean_text(folds.mean(&Metrics::macro_f1)), mean_text(folds.mean(&Metrics::macro_f1_tuned))});
  return rows;
}

/// Number and unit on one line.
std::string seconds_text(double seconds) {
  auto text = core::human_seconds(seconds);
  if (const auto space = text.find(' '); space != std::string::npos) {
    text.replace(space, 1, "\u00a0");
  }
  return text;
}

std::string speed_text(const TrainingResult& result) {
  if (result.epochs_run == 0) {
    return "All epochs came from the checkpoint.";
  }
  const double rate = result.train_graphs_per_second;
  return fmt::format(
      "Training took {}{}; preparing the graphs {}, validation and test {}.",
      seconds_text(result.seconds.train),
      rate > 0 ? fmt::format(", {} graphs/s", with_commas(static_cast<std::uint64_t>(rate))) : "",
      seconds_text(result.seconds.prepare), seconds_text(result.seconds.evaluate));
}

std::string model_text(const TrainingResult& result) {
  const Detector& detector = result.detector;
  return fmt::format("{}, {} trained parameters{}", detector.options().title(),
                     with_commas(detector.trained_weights()),
                     has_several_models(result)
                         ? fmt::format(", {} of {} models", is_blend(result) ? "a blend" : "mean",
                                       detector.members())
                         : "");
}

std::string learning_text(const TrainingResult& result) {
  if (has_several_models(result)) {
    return fmt::format("Each of the {} models keeps the weights of its own best epoch.",
                       result.members.size());
  }
  return fmt::format("The weights of epoch {} of {} were kept.", result.members[0].best_epoch,
                     result.members[0].history.size());
}

/// Of a model with a test part.
void show_headline(HtmlPage& page, const TrainingResult& result, const Part& part,
                   const Metrics& shown) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {fmt::format("{:.3f}", shown.auc), part.name + " AUC"},
      {fmt::format("{:.3f}", shown.average_precision), part.name + " average precision"}};
  if (std::isfinite(shown.macro_f1)) {
    facts.emplace_back(fmt::format("{:.3f}", shown.macro_f1), part.name + " macro-F1 at 0.5");
  }
  const double threshold = result.detector.threshold();
  facts.emplace_back(fmt::format("{:.3f}", shown.macro_f1_tuned),
                     fmt::format("{} macro-F1 at {:.3f}", part.name, threshold));
  facts.emplace_back(with_commas(part.labels.size()), part.name + " graphs");
  page.facts(facts);
  if (const auto why = missing_test(result); !why.empty()) {
    page.paragraph(why);
  }
  page.paragraph(verdict(result));
}

void show_folds(HtmlPage& page, const CrossValidation& folds) {
  page.facts({{four_digits(folds.mean(&Metrics::auc).mean), "AUC, mean over folds"},
              {four_digits(folds.mean(&Metrics::average_precision).mean), "average precision"},
              {four_digits(folds.mean(&Metrics::macro_f1_tuned).mean), "macro-F1 tuned"},
              {std::to_string(folds.folds.size()), "folds"}});
  page.table(fold_rows(folds),
             "Every graph tested once, by a model that did not see it. In brackets 95 % intervals "
             "of the mean, corrected for training graphs that folds share.");
  page.paragraph(
      "What follows is about the model that was written. It learned from all graphs and has no "
      "test part: curves, scores and calibration are those of its validation graphs, which also "
      "chose the epoch and the threshold, so they flatter it. The folds say how good it is.");
}

}  // namespace

std::string training_page(const TrainingResult& result, const CrossValidation* folds) {
  const auto figures = training_figures(result);
  const auto captioned = [&](std::string_view name, std::string caption) {
    return CaptionedFigure{std::ranges::find(figures, name, &NamedText::first)->second,
                           std::move(caption)};
  };
  const Detector& detector = result.detector;
  const Part part = shown_part(result);
  const auto& shown = part.name == "test" ? result.test : result.validation;

  HtmlPage page(fmt::format("{}: a detector and how good it is", detector.trained_on().name),
                fmt::format("{}; {}", model_text(result), counted(result.labels.size(), "graph")));
  if (folds != nullptr) {
    show_folds(page, *folds);
  } else {
    show_headline(page, result, part, shown);
  }

  page.heading("Data");
  page.table(split_rows(result),
             fmt::format("The graphs of {} and what each part was used for. Anomalous is class {}.",
                         detector.trained_on().name,
                         detector.trained_on().anomaly_class.value_or("not given")));

  page.heading("Metrics");
  page.table(
      metric_rows(result),
      "Metrics of both parts. A dash stands for a metric that needs a class the part lacks.");
  page.table(threshold_rows(result),
             "What is called anomalous at score 0.5 and at the threshold with the best macro-F1 on "
             "the validation graphs.");
  page.table(confusion_rows(result),
             fmt::format("Confusion matrix at the threshold {:.3f}.", detector.threshold()));

  page.heading("Learning");
  page.paragraph(learning_text(result) + " " + speed_text(result));
  page.figures({captioned("loss.svg", "Training loss after every epoch."),
                captioned("validation.svg",
                          "Metrics of the validation graphs after every epoch. Dots: the epoch "
                          "that was kept.")});
  if (has_several_models(result)) {
    page.table(member_rows(result),
               is_blend(result)
                   ? "The parts of the blend, each by itself, metrics of the validation graphs. An "
                     "epoch of trees is a round of boosting, of a linear part a Newton step."
                   : "The models of the ensemble, metrics of the validation graphs.");
  }

  page.heading("Ranking");
  page.figures(
      {captioned("roc.svg", "Receiver operating characteristic; tied scores make slanted lines."),
       captioned("precision_recall.svg",
                 "Precision over recall in steps, whose area is the average precision (AP). Dashed "
                 "grey: the share of anomalous graphs, which a detector without signal reaches.")});

  page.heading("Scores");
  page.figures({captioned("scores.svg", fmt::format("Distribution of the scores of the {} graphs, "
                                                    "each class summing to one.",
                                                    part.name)),
                captioned("score_counts.svg",
                          "The same as numbers of graphs on a logarithmic axis, which shows how "
                          "rare anomalous graphs compete with many normal ones.")});

  page.heading("Calibration");
  page.paragraph(
      "Graphs with about the same prediction share a bin. Where the points lie on the dotted line, "
      "a predicted probability can be taken at its word.");
  std::vector<CaptionedFigure> calibration;
  if (detector.scores_are_probabilities()) {
    calibration.push_back(captioned("calibration_score.svg",
                                    "The raw score taken as a probability. Numbers: graphs in the "
                                    "bin; bars: 95\u00a0% interval of "
                                    "the observed share (Wilson)."));
  }
  calibration.push_back(captioned("calibration.svg",
                                  "The probability that the detector reports, fitted on the "
                                  "validation graphs by Platt's method."));
  page.figures(calibration);
  page.table(reliability_rows(result),
             fmt::format("The bins of the {} graphs; empty ones are left out.", part.name));

  page.heading("Settings");
  page.table(settings_rows(result),
             fmt::format("{}. Every setting that decides the result.", model_text(result)));
  return page.html();
}

}  // namespace rayleigh::report
