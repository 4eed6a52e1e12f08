// What training and evaluation need to know about their graphs.
// Behind train() of rayleigh/training.h and Detector::evaluate().
// One pass over the set.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/graph_set.h"

#include "models/dense_features.h"

namespace rayleigh::learn {

/// anomaly_labels(), and UsageErrors for data that cannot be learned from.
std::vector<std::int8_t> learnable_labels(const GraphSet& graphs,
                                          const std::optional<std::string>& anomaly_class);

/// The record of a model file, and back.
nlohmann::ordered_json json_of(const DataSummary& data);
DataSummary training_data_from(const nlohmann::ordered_json& json);

/// DataError that names the first column of node attributes, and the graph, with a number so far
/// from those of the training nodes that arithmetic on it overflows.
void refuse_overflow(const GraphSet& graphs, const models::AttributeScale& scale);

/// Its own name, or its number from 1.
std::string shown_name(const GraphSet& graphs, std::size_t graph);

}  // namespace rayleigh::learn
