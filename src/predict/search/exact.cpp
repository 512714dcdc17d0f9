/// Branch and bound. Ranks are placed one after the other. A node that is still empty is tried only if no earlier empty
/// node has the same capacity, as these are interchangeable. A branch ends when the bytes between the ranks placed so
/// far exceed the best so far; with a machine model, whose time is no sum of bytes, all branches are followed. Cost: at
/// most a Bell number of placements (115,975 for 10 ranks).
#include "predict/search/exact.h"

#include <algorithm>

#include "predict/search/node_times.h"

namespace mora::predict {

namespace {

class Exact {
 public:
  Exact(const TrafficMatrix& ranks, const std::vector<std::uint32_t>& capacity, const MachineModel* machine)
      : ranks_(ranks),
        machine_(machine),
        free_(capacity),
        full_(capacity),
        node_of_(ranks.size, 0),
        bytes_(ranks.size) {
    for (auto& row : bytes_) row.assign(ranks.size, 0);
    for (const auto& [from, to, traffic] : ranks.cells) {
      bytes_[from][to] += traffic.bytes;
      bytes_[to][from] += traffic.bytes;
    }
  }

  std::vector<std::uint32_t> best() {
    place(0, 0);
    return best_;
  }

 private:
  void place(std::uint32_t rank, std::uint64_t bytes) {
    if (!best_.empty() && machine_ == nullptr && bytes > best_score_.bytes) return;
    if (rank == ranks_.size) {
      const Score score = score_of(ranks_, node_of_, machine_);
      if (best_.empty() || is_better(score, best_score_)) {
        best_ = node_of_;
        best_score_ = score;
      }
      return;
    }
    for (std::uint32_t node = 0; node < free_.size(); ++node) {
      if (free_[node] == 0 || is_like_an_earlier_one(node)) continue;
      std::uint64_t more = bytes;
      for (std::uint32_t other = 0; other < rank; ++other) more += node_of_[other] != node ? bytes_[rank][other] : 0;
      node_of_[rank] = node;
      --free_[node];
      place(rank + 1, more);
      ++free_[node];
    }
  }

  bool is_like_an_earlier_one(std::uint32_t node) const {
    if (free_[node] != full_[node]) return false;
    for (std::uint32_t earlier = 0; earlier < node; ++earlier) {
      if (free_[earlier] == full_[earlier] && full_[earlier] == full_[node]) return true;
    }
    return false;
  }

  const TrafficMatrix& ranks_;
  const MachineModel* machine_;
  std::vector<std::uint32_t> free_, full_, node_of_, best_;
  std::vector<std::vector<std::uint64_t>> bytes_;
  Score best_score_;
};

}  // namespace

std::vector<std::uint32_t> best_of_all(const TrafficMatrix& ranks, const std::vector<std::uint32_t>& capacity,
                                       const MachineModel* machine) {
  return Exact(ranks, capacity, machine).best();
}

}  // namespace mora::predict
