#include "cli/reading.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace rayleigh::cli {
namespace {

constexpr const char* kRemembered[] = {"atoms", "fragments"};

void warn_of_lost_rows(const Verb& verb, const GraphSet& graphs) {
  for (const Finding& finding : graphs.findings()) {
    if (finding.kind == "not_a_molecule" || finding.kind == "missing_label") {
      verb.log().warn(fmt::format("{}: {} {}", finding.first.text(),
                                  core::with_commas(finding.count), finding.description));
    }
  }
}

}  // namespace

void declare_reading(core::ParameterSet& parameters, io::ReadOptions& options) {
  auto& molecules = options.molecules;
  parameters
      .add("input", options.input, "how DATA is written; auto goes by its name, and stdin is JSONL",
           {{"auto", io::InputFormat::automatic},
            {"jsonl", io::InputFormat::jsonl},
            {"smi", io::InputFormat::smi},
            {"csv", io::InputFormat::csv},
            {"tsv", io::InputFormat::tsv},
            {"sdf", io::InputFormat::sdf}})
      .without_effect();
  parameters
      .add("smiles-column", molecules.smiles_column, "NAME",
           "column of a table with the molecules; guessed when not given, as the next two")
      .without_effect();
  parameters.add("label-column", molecules.label, "NAME", "column of a table with the classes")
      .without_effect();
  parameters.add("id-column", molecules.id_column, "NAME", "column of a table with the names")
      .without_effect();
  parameters.add("task", molecules.label, "NAME", "the same as --label-column").without_effect();
  parameters
      .add("label-property", molecules.label, "NAME", "property of an SDF file with the classes")
      .without_effect();
  parameters
      .add("atoms", molecules.atoms,
           "label of an atom: N, N+, or with neighbours and aromaticity n+:3",
           {{"element", io::AtomLabels::element},
            {"element+charge", io::AtomLabels::element_charge},
            {"detailed", io::AtomLabels::detailed}})
      .without_effect();
  parameters
      .add("fragments", molecules.fragments, "what is kept of a salt or mixture",
           {{"largest", io::Fragments::largest}, {"all", io::Fragments::all}})
      .without_effect();
  parameters.add("max-nodes", options.max_nodes, "largest graph that is read", {1, 1U << 31U})
      .without_effect();
}

void settle_reading(const Verb& verb, io::ReadOptions& options) {
  options.threads = verb.common.threads;
  options.say = [log = verb.log()](const std::string& text) { log.info(text); };
}

GraphSet load_graphs(const Verb& verb, const std::string& path, io::ReadOptions& options) {
  settle_reading(verb, options);
  GraphSet graphs = io::load(path, options);
  warn_of_lost_rows(verb, graphs);
  return graphs;
}

nlohmann::ordered_json reading_record(const io::ReadOptions& options) {
  core::ParameterSet given;
  core::ParameterSet usual;
  io::ReadOptions own = options;
  io::ReadOptions defaults;
  declare_reading(given, own);
  declare_reading(usual, defaults);
  auto record = nlohmann::ordered_json::object();
  for (const char* name : kRemembered) {
    if (given.find(name)->value() != usual.find(name)->value()) {
      record[name] = given.find(name)->value();
    }
  }
  return record.empty() ? nlohmann::ordered_json() : record;
}

void follow_reading_record(const nlohmann::ordered_json& record, core::ParameterSet& parameters) {
  if (!record.is_object() || !record.contains("reading")) {
    return;
  }
  const auto& reading = record["reading"];
  for (const char* name : kRemembered) {
    core::Parameter* parameter = parameters.find(name);
    if (reading.is_object() && reading.contains(name) && !parameter->given) {
      core::ParameterSet::assign_json(*parameter, reading[name],
                                      fmt::format("the model's own --{}", name));
    }
  }
}

}  // namespace rayleigh::cli
