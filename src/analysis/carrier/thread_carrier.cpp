/// The carrier of one process: the exchange transposes the boxes, nothing is copied.
#include <numeric>
#include <utility>

#include "analysis/carrier/carrier.h"

namespace mora::analysis {

ThreadCarrier::ThreadCarrier(unsigned partitions) : local_(partitions) { std::iota(local_.begin(), local_.end(), 0U); }

Result<Boxes> ThreadCarrier::exchange(Boxes outgoing) {
  const std::size_t count = local_.size();
  Boxes incoming(count, std::vector<Buffer>(count));
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) incoming[to][from] = std::move(outgoing[from][to]);
  }
  return incoming;
}

Result<std::vector<Buffer>> ThreadCarrier::gather_to_all(std::vector<Buffer> own) { return own; }

}  // namespace mora::analysis
