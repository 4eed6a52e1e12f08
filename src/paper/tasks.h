// Sets of graphs made into tasks of anomaly detection, as the paper makes them: a rare class, one
// class against the rest, anomalies of a class that was never trained on.
// For E3; quick runs of all experiments thin their sets.
// A copy of the graphs each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "rayleigh/graph_set.h"
#include "rayleigh/split.h"

namespace rayleigh::paper {

/// The two classes of a set that is made.
inline constexpr const char* kNormalClass = "0";
inline constexpr const char* kAnomalousClass = "1";

/// At most `most` graphs, of each class its share, drawn by a fixed seed, in their order.
GraphSet thinned(const GraphSet& graphs, std::size_t most);

/// DBLP_v1 has two classes of equal size: all of one stay and are normal; of the other so many are
/// drawn that there are 5 anomalies for 100 normal graphs.
GraphSet rare_class(const GraphSet& graphs, double share, std::uint64_t seed);

/// COLORS-3: the class whose share is nearest that of the paper against all others. The name of
/// the result says which.
GraphSet one_class_against_rest(const GraphSet& graphs, double share);
/// The class that is given, under a name that is given.
GraphSet class_against_rest(const GraphSet& graphs, const std::string& word, std::string name);

/// COLORS-3-ind: two classes are anomalous, and one of them is never trained on. Graphs are named
/// "known" and "unseen".
GraphSet two_classes_against_rest(const GraphSet& graphs, std::string_view known,
                                  std::string_view unseen);
/// The pair whose unseen class has a share of the test graphs nearest to `test_share`.
std::pair<std::string, std::string> classes_by_share(const GraphSet& graphs, double test_share);
/// Normal graphs are cut as ever; anomalies named "known" train and validate, "unseen" ones test.
Split out_of_distribution_split(const GraphSet& graphs, std::uint64_t seed);

}  // namespace rayleigh::paper
