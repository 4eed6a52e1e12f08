#include "models/model.h"

#include "nn/ops_loss.h"

namespace rayleigh::models {

template <typename Real>
void Model<Real>::scores(nn::Tape<Real>& tape, nn::Value result, std::span<double> scores) const {
  nn::anomaly_probability<Real>(tape.value(result), scores);
}

template class Model<float>;
template class Model<double>;

}  // namespace rayleigh::models
