#include "experiment/journals/process_records.h"

#include <algorithm>

namespace mora::experiment {

ProcessRecords::ProcessRecords(const std::vector<const journal::Journal*>& journals) : given_(journals.size()) {
  streams_.reserve(journals.size());
  for (const auto* journal : journals) streams_.push_back({journal->records(), {}, 0});
  for (std::size_t which = 0; which < streams_.size(); ++which) advance(which);
}

void ProcessRecords::advance(std::size_t which) {
  Stream& stream = streams_[which];
  if (!stream.cursor.next(stream.record)) return;
  stream.time = std::max(stream.time, stream.record.end());  // facts without a time stay where they are
  heads_.emplace(stream.time, which);
}

bool ProcessRecords::next(std::size_t& which, journal::Record& record) {
  if (given_ < streams_.size()) advance(given_);
  if (heads_.empty()) {
    given_ = streams_.size();
    return false;
  }
  which = given_ = heads_.top().second;
  heads_.pop();
  record = streams_[which].record;
  return true;
}

void HandedRequests::take(const journal::Record& record, std::uint32_t thread) {
  const auto take_one = [&](std::uint64_t request) {
    if (request != 0 && thread_of_request(request) != thread) requests_.insert(request);
  };
  if (record.shape == MORA_SHAPE_COMPLETE) {
    for (std::size_t i = 0; i + 4 <= record.payload.size(); i += 4) take_one(record.payload[i]);
  } else if (record.shape == MORA_SHAPE_RECV && record.payload.size() > 2) {
    take_one(record.payload[2]);
  }
}

}  // namespace mora::experiment
