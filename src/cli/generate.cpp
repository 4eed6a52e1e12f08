#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/error.h"
#include "rayleigh/generators.h"
#include "rayleigh/graph_io.h"

#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/atomic_file.h"
#include "core/text.h"

namespace rayleigh::cli {
namespace {

bool is_jsonl(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".jsonl.gz");
}

/// What all kinds share: where to write and what to say afterwards.
class Generate : public Verb {
 public:
  void declare(core::OptionSet& parameters) override {
    parameters.add("output", output_, "DIR", "TU folder to write, or a .jsonl or .jsonl.gz file")
        .shortcut('o')
        .must_be_given()
        .without_effect();
    declare_kind(parameters);
  }

  bool can_stop() const override { return true; }

  int run(const std::vector<std::string>& arguments) override {
    const GraphSet graphs = make(arguments);
    check_stop();
    save(graphs);
    check_stop();
    save_more();
    say(graphs);
    return 0;
  }

 protected:
  virtual void declare_kind(core::OptionSet& parameters) = 0;
  virtual GraphSet make(const std::vector<std::string>& arguments) = 0;
  /// Called after the graphs are written.
  virtual void save_more() {}
  const std::string& output() const { return output_; }

 private:
  void save(const GraphSet& graphs) {
    if (is_jsonl(output_)) {
      io::save_jsonl(graphs, output_);
    } else {
      io::save_tu(graphs, output_);
    }
  }

  void check_stop() const {
    if (common.stop.stop_requested()) {
      throw Cancelled();
    }
  }

  void say(const GraphSet& graphs) const {
    if (common.format == Format::json) {
      print_out(nlohmann::ordered_json{{"output", output_},
                                       {"graphs", graphs.size()},
                                       {"nodes", graphs.nodes()},
                                       {"edges", graphs.directed_edges() / 2},
                                       {"labels", graphs.node_labels().size()},
                                       {"classes", graphs.classes().size()}}
                    .dump(2) +
                "\n");
    } else if (!common.quiet) {
      log().info(fmt::format("wrote {}, {}, {} to {}", core::counted(graphs.size(), "graph"),
                             core::counted(graphs.nodes(), "node"),
                             core::counted(graphs.directed_edges() / 2, "edge"), output_));
    }
  }

  std::string output_;
};

class GenerateColors3 : public Generate {
 public:
  std::string name() const override { return "generate colors3"; }
  std::string summary() const override {
    return "makes COLORS-3: the class of a graph is its number of green nodes";
  }
  Arguments arguments() const override { return {}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh generate colors3 -o COLORS-3",
            "rayleigh generate colors3 -o c.jsonl.gz --graphs 500 --seed 7"};
  }

 protected:
  void declare_kind(core::OptionSet& parameters) override {
    parameters.add("graphs", options_.graphs, "how many graphs", {21, 100'000'000});
    parameters.add("seed", options_.seed, "seed of all random numbers");
  }
  GraphSet make(const std::vector<std::string>& /*arguments*/) override {
    return generate::colors3(options_);
  }

 private:
  generate::Colors3Options options_;
};

class GenerateMolecules : public Generate {
 public:
  std::string name() const override { return "generate molecules"; }
  std::string summary() const override {
    return "makes molecule-like graphs whose anomalies show in the Rayleigh quotients only";
  }
  Arguments arguments() const override { return {}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh generate molecules -o molecules",
            "rayleigh generate molecules -o large --graphs 100000 --anomalous 0.02"};
  }

 protected:
  void declare_kind(core::OptionSet& parameters) override {
    parameters.add("graphs", options_.graphs, "how many graphs", {1, 100'000'000});
    parameters.add("anomalous", options_.anomalous, "share of anomalous graphs (class 1)", {0, 1});
    parameters.add("seed", options_.seed, "seed of all random numbers");
  }
  GraphSet make(const std::vector<std::string>& /*arguments*/) override {
    return generate::molecules(options_);
  }

 private:
  generate::MoleculesOptions options_;
};

class GeneratePerturb : public Generate {
 public:
  std::string name() const override { return "generate perturb"; }
  std::string summary() const override {
    return "perturbs a share of the normal graphs of DATA, which become the anomalies";
  }
  Arguments arguments() const override { return {"DATA", 1, 1}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh generate perturb SN12C.zip -o SN12C-15 --probability 0.15",
            "rayleigh generate perturb graphs.jsonl -o p.jsonl --how delete --share 0.1"};
  }

 protected:
  void declare_kind(core::OptionSet& parameters) override {
    using generate::Perturbation;
    parameters.add("probability", options_.probability, "chance that an edge is changed", {0, 1})
        .shortcut('p');
    parameters.add("share", options_.share, "share of the normal graphs that is perturbed", {0, 1});
    parameters.add("how", options_.how, "what happens to a changed edge",
                   {{"rewire", Perturbation::rewire},
                    {"delete", Perturbation::remove},
                    {"flip", Perturbation::flip}});
    parameters.add("anomaly-class", options_.anomaly_class, "LABEL",
                   "class of DATA that is left out; the rarer of two when not given");
    parameters.add("seed", options_.seed, "seed of all random numbers");
    declare_reading(parameters, read_);
  }

  GraphSet make(const std::vector<std::string>& arguments) override {
    auto perturbed = generate::perturb(load_graphs(*this, arguments[0], read_), options_);
    touched_ = std::move(perturbed.touched);
    return std::move(perturbed.graphs);
  }

  /// Which nodes were touched, to judge explanations by.
  void save_more() override {
    std::string text = "graph,node\n";
    for (const auto& [graph, node] : touched_) {
      text += fmt::format("{},{}\n", graph, node);
    }
    const auto file = is_jsonl(output()) ? std::filesystem::path(output() + ".touched.csv")
                                         : std::filesystem::path(output()) / "touched.csv";
    core::write_file_atomically(file, text);
  }

 private:
  generate::PerturbOptions options_;
  io::ReadOptions read_;
  std::vector<generate::PerturbedNode> touched_;
};

}  // namespace

std::unique_ptr<Verb> make_generate_colors3() { return std::make_unique<GenerateColors3>(); }
std::unique_ptr<Verb> make_generate_molecules() { return std::make_unique<GenerateMolecules>(); }
std::unique_ptr<Verb> make_generate_perturb() { return std::make_unique<GeneratePerturb>(); }

}  // namespace rayleigh::cli
