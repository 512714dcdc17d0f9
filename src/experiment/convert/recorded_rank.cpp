#include "experiment/convert/recorded_rank.h"

#include <algorithm>
#include <map>

namespace mora::experiment {

void RecordedRank::read_definitions() {
  std::vector<const journal::Journal*> journals{&*journal};
  std::vector<CodeOfRank*> codes{&code};
  for (OtherThread& thread : others) {
    journals.push_back(&thread.journal);
    codes.push_back(&thread.code);
  }
  ProcessRecords records(journals);
  journal::Record r;
  for (std::size_t which = 0; records.next(which, r);) {
    codes[which]->take(r);
    if (!others.empty()) handed.take(r, which == 0 ? 0 : others[which - 1].number);
    if (r.function != 0) {
      definitions.take_call(r);
    } else if (r.shape == MORA_SHAPE_CLOCK_OFFSET) {
      offsets.push_back({r.payload[0], static_cast<std::int64_t>(r.payload[1]), r.payload[2]});
    } else if (!marks.take(r) && !processors.take(r)) {
      definitions.take(r);
    }
  }
  for (std::size_t which = 0; which < journals.size(); ++which) codes[which]->take(journals[which]->state());
  for (std::size_t which = 1; which < codes.size(); ++which) code.take_functions(*codes[which]);
  for (std::size_t which = 1; which < codes.size(); ++which) codes[which]->take_functions(code);
}

std::uint32_t RecordedRank::team_threads() const {
  std::map<std::uint64_t, std::uint32_t> threads;
  const auto add = [&](const CodeOfRank& thread) {
    for (const std::uint64_t maker : thread.team_makers()) ++threads[maker];
  };
  add(code);
  for (const OtherThread& thread : others) add(thread.code);
  std::uint32_t most = 0;
  for (const auto& [maker, of] : threads) most = std::max(most, of);
  return most;
}

void find_collected(std::vector<RecordedRank>& ranks, DataQuality& quality) {
  std::vector<const LocalDefinitions*> local;
  std::vector<IdMap*> ids;
  for (RecordedRank& rank : ranks) {
    local.push_back(rank.journal ? &rank.definitions : nullptr);
    ids.push_back(&rank.ids);
  }
  if (const auto unknown = find_collected(local, ids); unknown != 0)
    quality.add("unknown-collect-bytes", Severity::warning, "", unknown,
                "how much processes received in shmem_collect is not known, as the calls of others are missing",
                "it counts as 0; a run that ends normally has it");
}

}  // namespace mora::experiment
