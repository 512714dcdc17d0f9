#include "analysis/causes/run.h"

#include <algorithm>

namespace mora::analysis {

namespace {

/// The least of all partitions' values, the same everywhere.
Result<Nanoseconds> least_of_all(const std::vector<Nanoseconds>& here, Carrier& carrier) {
  std::vector<Buffer> own(here.size());
  for (std::size_t p = 0; p < here.size(); ++p) BufferWriter(own[p]).put(here[p]);
  MORA_TRY(const std::vector<Buffer> all, carrier.gather_to_all(std::move(own)));
  Nanoseconds least = INT64_MAX;
  for (const Buffer& one : all) least = std::min(least, BufferReader(one).take<Nanoseconds>());
  return least;
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
  std::vector<Nanoseconds> ends(partitions.size());
  for (bool is_first = true;; is_first = false) {
    MORA_CHECK_OK(check());
    each([&](std::size_t p) { ends[p] = partitions[p]->end_of_slice(slice); });
    MORA_TRY(const Nanoseconds until, least_of_all(ends, carrier));
    if (until == PartitionCauses::all_asked && !is_first) break;  // the first round says that locations exist
    outgoing = boxes();
    each([&](std::size_t p) { partitions[p]->ask(until, outgoing[p]); });
    MORA_TRY(const Boxes questions, carrier.exchange(std::move(outgoing)));
    outgoing = boxes();
    Boxes rejections = boxes();
    each([&](std::size_t p) { partitions[p]->weigh(questions[p], outgoing[p], rejections[p]); });
    MORA_TRY(const Boxes weighed, carrier.exchange(std::move(outgoing)));
    if (holds_first) partitions[0]->collect(weighed[0]);
    MORA_TRY(const Boxes again, carrier.exchange(std::move(rejections)));
    each([&](std::size_t p) { partitions[p]->take_rejections(again[p]); });
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
