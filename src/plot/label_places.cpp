#include "plot/label_places.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace rayleigh::plot {
namespace {

constexpr double kHeight = 13;
constexpr double kPoint = 5;  ///< room around a point

struct Box {
  double left;
  double top;
  double right;
  double bottom;

  double overlap(const Box& other) const {
    const double width = std::min(right, other.right) - std::max(left, other.left);
    const double height = std::min(bottom, other.bottom) - std::max(top, other.top);
    return width > 0 && height > 0 ? width * height : 0;
  }
  double area() const { return (right - left) * (bottom - top); }
};

Box box_of(const LabelPoint& point, const LabelPlace& place) {
  return {place.x, place.y - kHeight + 3, place.x + point.width, place.y + 3};
}

/// Near ones first, right of the point before left of it.
std::vector<LabelPlace> candidates(const LabelPoint& p) {
  std::vector<LabelPlace> places;
  for (const double distance : {0.0, 13.0, 26.0, 39.0, 52.0}) {
    const bool far = distance > 13;
    for (const auto& [across, down] : std::array<std::pair<double, double>, 6>{
             {{1, 0}, {-1, 0}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}}) {
      const double x = across > 0 ? p.x + 8 : p.x - 8 - p.width;
      places.push_back({x, p.y + 4 + down * distance, far});
    }
    places.push_back({p.x - p.width / 2, p.y - 8 - distance, far});
    places.push_back({p.x - p.width / 2, p.y + 16 + distance, far});
  }
  return places;
}

}  // namespace

std::vector<LabelPlace> place_labels(std::span<const LabelPoint> points, const LabelFrame& frame) {
  std::vector<Box> taken;
  taken.reserve(2 * points.size());
  for (const LabelPoint& p : points) {
    taken.push_back({p.x - kPoint, p.y - kPoint, p.x + kPoint, p.y + kPoint});
  }
  const Box inside{frame.left + 2, frame.top, frame.right, frame.bottom - 2};
  std::vector<LabelPlace> places;
  places.reserve(points.size());
  for (const LabelPoint& p : points) {
    LabelPlace best{};
    double least = std::numeric_limits<double>::infinity();
    for (const LabelPlace& place : candidates(p)) {
      const Box box = box_of(p, place);
      double covered = 4 * (box.area() - box.overlap(inside));
      for (const Box& other : taken) {
        covered += box.overlap(other);
      }
      if (covered < least - 1e-9) {
        least = covered;
        best = place;
      }
    }
    taken.push_back(box_of(p, best));
    places.push_back(best);
  }
  return places;
}

}  // namespace rayleigh::plot
