#include "paper/published.h"

#include "paper/methods.h"
#include "paper/printed_values.h"

namespace rayleigh::paper {

report::Published published() {
  return {.name = "paper",
          .note = "The paper gives one run on one split.",
          .method = method_in_paper,
          .order = order_in_paper,
          .value = [](std::string_view data,
                      std::string_view method) -> std::optional<report::PublishedValue> {
            const auto found = printed_value(data, method);
            return found ? std::optional(report::PublishedValue{
                               std::string(data), std::string(method), found->auc, found->macro_f1})
                         : std::nullopt;
          }};
}

}  // namespace rayleigh::paper
