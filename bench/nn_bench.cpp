// Nanoseconds that every operator of the network engine takes forward and backward.
//   nn_bench [--filter TEXT] [--threads 1] [--isa NAME] [--milliseconds 30] [--double] [--json]
// Runs the large shapes of the operator table of the tests (tests/nn/operator_table.h).
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/error.h"

#include "operator_table.h"

namespace {

using namespace rayleigh::nn;
using rayleigh::nn::test::Case;
using rayleigh::nn::test::CaseRun;
using rayleigh::nn::test::Purpose;

struct Options {
  std::string filter;
  int threads = 1;
  int milliseconds = 30;  ///< for each operator
  rayleigh::core::Isa isa = rayleigh::core::best_isa();
  bool in_double = false;
  bool json = false;
};

[[noreturn]] void refuse(std::string_view word) {
  throw rayleigh::UsageError(
      fmt::format("'{}' is not understood; usage: nn_bench [--filter TEXT] [--threads N] "
                  "[--isa NAME] [--milliseconds N] [--double] [--json]",
                  word));
}

int number(std::string_view word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 1) {
    refuse(word);
  }
  return value;
}

rayleigh::core::Isa isa_of(std::string_view word) {
  const auto isa = rayleigh::core::isa_by_name(word);
  if (!isa || *isa > rayleigh::core::best_isa()) {
    refuse(word);
  }
  return *isa;
}

Options parse(int argc, char** argv) {
  Options options;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if (words[i] == "--json") {
      options.json = true;
    } else if (words[i] == "--double") {
      options.in_double = true;
    } else if (words[i] == "--filter" && more) {
      options.filter = words[++i];
    } else if (words[i] == "--threads" && more) {
      options.threads = number(words[++i]);
    } else if (words[i] == "--milliseconds" && more) {
      options.milliseconds = number(words[++i]);
    } else if (words[i] == "--isa" && more) {
      options.isa = isa_of(words[++i]);
    } else {
      refuse(words[i]);
    }
  }
  return options;
}

struct Timing {
  std::string name;
  std::string shape;
  double forward = 0;     ///< nanoseconds
  double backward = 0;    ///< nanoseconds
  double operations = 0;  ///< of the forward pass
  double bytes = 0;       ///< read and written by the forward pass at least

  /// Of the forward pass: operations where they are what counts, else bytes.
  double rate() const { return (operations > 0 ? operations : bytes) / forward; }
  std::string_view unit() const { return operations > 0 ? "GFLOP/s" : "GB/s"; }
};

double nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// The best of as many rounds as fit into the time, at least three.
template <typename Real>
Timing measure(const std::string& name, const Case<Real>& operation, const Options& options,
               rayleigh::core::ThreadPool& pool) {
  CaseRun<Real> run(operation, pool, options.isa);
  const auto out = run.forward();
  const std::vector<Real> weight(out.size(), Real{1});
  constexpr double kMost = std::numeric_limits<double>::infinity();
  Timing timing{.name = name,
                .shape = operation.shape,
                .forward = kMost,
                .backward = kMost,
                .operations = operation.operations,
                .bytes = static_cast<double>(out.size() * sizeof(Real))};
  for (std::size_t k = 0; k < run.inputs(); ++k) {
    timing.bytes += static_cast<double>(run.value(k).size() * sizeof(Real));
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < 3 || nanoseconds_since(begin) < 1e6 * options.milliseconds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    run.forward();
    timing.forward = std::min(timing.forward, nanoseconds_since(start));
    run.zero_gradients();
    const auto middle = std::chrono::steady_clock::now();
    run.backward(weight);
    timing.backward = std::min(timing.backward, nanoseconds_since(middle));
  }
  return timing;
}

void print_row(const Timing& t) {
  fmt::print("{:<30} {:<36} {:>12.0f} {:>12.0f} {:>9.2f} {}\n", t.name, t.shape, t.forward,
             t.backward, t.rate(), t.unit());
}

void print_json(const Options& options, const std::vector<Timing>& timings) {
  fmt::print("{{\n \"threads\": {},\n \"isa\": \"{}\",\n \"precision\": \"{}\",\n \"operators\": [",
             options.threads, rayleigh::core::isa_name(options.isa),
             options.in_double ? "double" : "single");
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const Timing& t = timings[i];
    fmt::print(
        "{}\n  {{\"name\": \"{}\", \"shape\": \"{}\", \"forward_ns\": {:.0f}, \"backward_ns\": "
        "{:.0f}, \"rate\": {:.3f}, \"unit\": \"{}\"}}",
        i == 0 ? "" : ",", t.name, t.shape, t.forward, t.backward, t.rate(), t.unit());
  }
  fmt::print("\n ]\n}}\n");
}

template <typename Real>
void run(const Options& options) {
  rayleigh::core::ThreadPool pool(options.threads);
  std::vector<Timing> timings;
  if (!options.json) {
    fmt::print("{:<30} {:<36} {:>12} {:>12} {:>9}\n", "operator", "shape", "forward ns",
               "backward ns", "rate");
  }
  for (const auto& entry : rayleigh::nn::test::operator_table<Real>()) {
    if (entry.name.find(options.filter) == std::string::npos) {
      continue;
    }
    for (const Case<Real>& operation : entry.cases()) {
      if (operation.purpose == Purpose::bench) {
        timings.push_back(measure(entry.name, operation, options, pool));
        if (!options.json) {
          print_row(timings.back());
        }
      }
    }
  }
  if (options.json) {
    print_json(options, timings);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    options.in_double ? run<double>(options) : run<float>(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
