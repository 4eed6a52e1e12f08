#include "models/rqgnn.h"

#include "models/rqgnn_paper.h"
#include "models/rqgnn_published.h"

namespace rayleigh::models {

template <typename Real>
std::unique_ptr<Model<Real>> make_rqgnn(const RqgnnOptions& options, std::size_t labels) {
  switch (options.profile) {
    case Profile::published:
      return std::make_unique<RqgnnPublished<Real>>(options, labels);
    case Profile::paper:
      return std::make_unique<RqgnnPaper<Real>>(options, labels);
    case Profile::rayleigh:
      break;
  }
  return nullptr;
}

template std::unique_ptr<Model<float>> make_rqgnn(const RqgnnOptions&, std::size_t);
template std::unique_ptr<Model<double>> make_rqgnn(const RqgnnOptions&, std::size_t);

}  // namespace rayleigh::models
