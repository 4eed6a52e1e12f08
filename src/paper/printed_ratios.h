// The distance ratios that the paper prints for its distributions of the Rayleigh quotient.
// Shown beside ours in E5 and E6.
// Constant tables.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace rayleigh::paper {

/// Distances between the distributions, a number for each of ten bins.
struct PrintedRatios {
  std::string_view data;
  std::array<double, 10> inter_over_anomalous;
  std::array<double, 10> inter_over_normal;
};
std::span<const PrintedRatios> printed_ratios();
/// Null for a dataset that the table does not have.
const PrintedRatios* printed_ratios(std::string_view data);
/// Of SN12C, by how many edges were moved.
std::span<const PrintedRatios> printed_perturbation_ratios();

}  // namespace rayleigh::paper
