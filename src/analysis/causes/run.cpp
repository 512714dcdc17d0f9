#include "analysis/causes/run.h"

namespace mora::analysis {

Result<void> find_causes(std::vector<std::unique_ptr<PartitionCauses>>& partitions, Carrier& carrier,
                         const std::function<void(const std::function<void(std::size_t)>&)>& each) {
  const auto boxes = [&] { return Boxes(partitions.size(), std::vector<Buffer>(carrier.partitions())); };
  const bool holds_first = !carrier.local_partitions().empty() && carrier.local_partitions().front() == 0;
  Boxes outgoing = boxes();
  each([&](std::size_t p) { partitions[p]->send_waits(outgoing[p]); });
  {
    MORA_TRY(const Boxes waits, carrier.exchange(std::move(outgoing)));
    outgoing = boxes();
    each([&](std::size_t p) {
      partitions[p]->take_waits(waits[p]);
      partitions[p]->ask(outgoing[p]);
    });
  }
  {
    MORA_TRY(const Boxes questions, carrier.exchange(std::move(outgoing)));
    outgoing = boxes();
    each([&](std::size_t p) { partitions[p]->weigh(questions[p], outgoing[p]); });
  }
  {
    MORA_TRY(const Boxes weighed, carrier.exchange(std::move(outgoing)));
    outgoing = boxes();
    if (holds_first) partitions[0]->sweep(weighed[0], outgoing[0]);
  }
  {
    MORA_TRY(const Boxes answers, carrier.exchange(std::move(outgoing)));
    outgoing = boxes();
    each([&](std::size_t p) { partitions[p]->settle(answers[p], outgoing[p]); });
  }
  MORA_TRY(const Boxes costs, carrier.exchange(std::move(outgoing)));
  if (holds_first) partitions[0]->round_off(costs[0]);
  return {};
}

}  // namespace mora::analysis
