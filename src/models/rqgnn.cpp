#include "models/rqgnn.h"

#include "models/rqgnn_paper.h"
#include "models/rqgnn_published.h"
#include "models/rqgnn_rayleigh.h"

namespace rayleigh::models {

template <typename Real>
std::unique_ptr<Model<Real>> make_rqgnn(const RqgnnOptions& options,
                                        std::span<const LabelEncoder> labels) {
  switch (options.profile) {
    case Profile::published:
      return std::make_unique<RqgnnPublished<Real>>(options, labels[0].size());
    case Profile::paper:
      return std::make_unique<RqgnnPaper<Real>>(options, labels[0].size());
    case Profile::rayleigh:
      break;
  }
  return std::make_unique<RqgnnRayleigh<Real>>(options, labels);
}

template std::unique_ptr<Model<float>> make_rqgnn(const RqgnnOptions&,
                                                  std::span<const LabelEncoder>);
template std::unique_ptr<Model<double>> make_rqgnn(const RqgnnOptions&,
                                                   std::span<const LabelEncoder>);

}  // namespace rayleigh::models
