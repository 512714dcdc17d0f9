#include "analysis/causes/run.h"

#include <algorithm>

namespace mora::analysis {

namespace {

/// True everywhere if it is true for a partition anywhere.
Result<bool> anywhere(const std::vector<char>& here, Carrier& carrier) {
  std::vector<Buffer> own(here.size());
  for (std::size_t p = 0; p < here.size(); ++p) BufferWriter(own[p]).put(here[p]);
  MORA_TRY(const std::vector<Buffer> all, carrier.gather_to_all(std::move(own)));
  return std::any_of(all.begin(), all.end(), [](const Buffer& b) { return BufferReader(b).take<char>() != 0; });
}

}  // namespace

Result<void> find_causes(std::vector<std::unique_ptr<PartitionCauses>>& partitions, Carrier& carrier,
                         std::uint64_t slice, const std::function<void(const std::function<void(std::size_t)>&)>& each,
                         const std::function<Result<void>()>& check) {
  const auto boxes = [&] { return Boxes(partitions.size(), std::vector<Buffer>(carrier.partitions())); };
  const bool holds_first = !carrier.local_partitions().empty() && carrier.local_partitions().front() == 0;
  Boxes outgoing = boxes();
  each([&](std::size_t p) { partitions[p]->send_waits(outgoing[p]); });
  {
    MORA_TRY(const Boxes waits, carrier.exchange(std::move(outgoing)));
    each([&](std::size_t p) { partitions[p]->take_waits(waits[p]); });
  }
  std::vector<char> has_more(partitions.size());
  for (bool more = true; more;) {
    MORA_CHECK_OK(check());
    outgoing = boxes();
    each([&](std::size_t p) { has_more[p] = partitions[p]->ask(slice, outgoing[p]) ? 1 : 0; });
    MORA_TRY(const Boxes questions, carrier.exchange(std::move(outgoing)));
    outgoing = boxes();
    Boxes rejections = boxes();
    each([&](std::size_t p) { partitions[p]->weigh(questions[p], outgoing[p], rejections[p]); });
    MORA_TRY(const Boxes weighed, carrier.exchange(std::move(outgoing)));
    if (holds_first) partitions[0]->collect(weighed[0]);
    MORA_TRY(const Boxes again, carrier.exchange(std::move(rejections)));
    each([&](std::size_t p) {
      partitions[p]->take_rejections(again[p]);
      if (partitions[p]->has_rejections()) has_more[p] = 1;
    });
    MORA_TRY(more, anywhere(has_more, carrier));
  }
  each([&](std::size_t p) { partitions[p]->end_questions(); });
  outgoing = boxes();
  if (holds_first) partitions[0]->sweep(outgoing[0]);
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
