#include "cli/reading.h"

#include <fmt/format.h>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::cli {
namespace {

void warn_of_lost_rows(const Verb& verb, const GraphSet& graphs) {
  for (const Finding& finding : graphs.findings()) {
    if (finding.kind == "not_a_molecule" || finding.kind == "missing_label") {
      verb.log().warn(fmt::format("{}: {} {}", finding.first.text(),
                                  core::with_commas(finding.count), finding.description));
    }
  }
}

}  // namespace

void declare_reading(core::OptionSet& options, io::ReadOptions& read) {
  auto& molecules = read.molecules;
  options
      .add("input", read.input, "how DATA is written; auto goes by its name, and stdin is JSONL",
           {{"auto", io::InputFormat::automatic},
            {"jsonl", io::InputFormat::jsonl},
            {"smi", io::InputFormat::smi},
            {"csv", io::InputFormat::csv},
            {"tsv", io::InputFormat::tsv},
            {"sdf", io::InputFormat::sdf}})
      .without_effect();
  options
      .add("smiles-column", molecules.smiles_column, "NAME",
           "column of a table with the molecules; guessed when not given, like the next two")
      .without_effect();
  options.add("label-column", molecules.label, "NAME", "column of a table with the classes")
      .without_effect();
  options.add("id-column", molecules.id_column, "NAME", "column of a table with the names")
      .without_effect();
  options.add("task", molecules.label, "NAME", "the same as --label-column")
      .without_effect()
      .instead_of("label-column");
  options.add("label-property", molecules.label, "NAME", "property of an SDF file with the classes")
      .without_effect()
      .instead_of("label-column")
      .instead_of("task");
  options
      .add("atoms", molecules.atoms,
           "label of an atom: N, N+, or with neighbours and aromaticity n+:3",
           {{"element", io::AtomLabels::element},
            {"element+charge", io::AtomLabels::element_charge},
            {"detailed", io::AtomLabels::detailed}})
      .without_effect();
  options
      .add("fragments", molecules.fragments, "what is kept of a salt or mixture",
           {{"largest", io::Fragments::largest}, {"all", io::Fragments::all}})
      .without_effect();
  options.add("max-nodes", read.max_nodes, "most nodes a graph may have", {1, 1U << 31U})
      .without_effect();
}

Detector load_model(const std::vector<std::string>& arguments) {
  if (!Detector::is_model_file(arguments[0]) && Detector::is_model_file(arguments[1])) {
    throw DataError({arguments[0], 0},
                    fmt::format("this is not a model, but {} is: MODEL comes first, then DATA",
                                core::printable(arguments[1], 200)));
  }
  refuse_model(arguments[1]);
  return Detector::load(arguments[0]);
}

void refuse_model(const std::string& path) {
  if (Detector::is_model_file(path)) {
    throw DataError({path, 0},
                    "this is a model, expected graphs or molecules; `rayleigh inspect` "
                    "shows what a model is");
  }
}

void settle_reading(const Verb& verb, io::ReadOptions& read) {
  read.run = verb.run_options();
  read.say = [log = verb.log()](const std::string& text) { log.info(command_words(text)); };
}

GraphSet load_graphs(const Verb& verb, const std::string& path, io::ReadOptions& read) {
  refuse_model(path);
  settle_reading(verb, read);
  GraphSet graphs = io::load(path, read);
  warn_of_lost_rows(verb, graphs);
  return graphs;
}

void read_like(const Detector& detector, const core::OptionSet& options, io::ReadOptions& read) {
  const io::ReadOptions like = detector.reading();
  if (!options.at("atoms").given) {
    read.molecules.atoms = like.molecules.atoms;
  }
  if (!options.at("fragments").given) {
    read.molecules.fragments = like.molecules.fragments;
  }
  read.molecules.fingerprints = like.molecules.fingerprints;
}

}  // namespace rayleigh::cli
