// Expands pattern mode's abbreviations (format.h: DATA, REPEAT) into whole records, each call's DATA before it. Where a
// chunk was lost, a number or a serial is unknown: then the DATA, or the record, is left out and counted. Cost:
// constant time a record; memory: one entry for each DATA number and for each place (1024) of repeatable records.
#include <algorithm>

#include "journal/journal_reader.h"
#include "journal/request_words.h"

namespace mora::journal {

namespace {
constexpr std::size_t most_places = 1u << 15;
constexpr std::uint64_t most_lost = 1u << 22;
}  // namespace

void Journal::Cursor::keep_repeatable(Record& record) {
  const std::uint64_t place = record.duration >> 32;
  const auto counter = static_cast<std::uint32_t>(record.begin >> 32);
  record.begin &= 0xffff'ffffu;
  if (place > 0 && place <= most_places) {
    if (repeatable_.size() < place) repeatable_.resize(static_cast<std::size_t>(place));
    auto& kept = repeatable_[static_cast<std::size_t>(place) - 1];
    kept.serial = static_cast<std::uint32_t>(record.duration);
    kept.counter = counter;
    kept.record = record;
    kept.record.duration = 0;
    kept.payload.assign(record.payload.begin(), record.payload.end());
  }
  record.duration = 0;
}

bool Journal::Cursor::repeat(Record& record, unsigned place, std::uint64_t word) {
  if (place >= repeatable_.size() || repeatable_[place].serial != static_cast<std::uint32_t>(word >> 32) ||
      word >> 32 == 0)
    return false;
  const auto& kept = repeatable_[place];
  const std::uint64_t ordinal = record.ordinal;
  record = kept.record;
  record.ordinal = ordinal;
  repeated_ = kept.payload;
  const auto grown = static_cast<std::uint32_t>(word) - kept.counter;
  const auto n = static_cast<unsigned>(repeated_.size());
  const auto in = mora_request_words_of(kept.record.shape, n);
  for (unsigned i = in.first; i < n; i += in.step)
    if (repeated_[i] != 0) repeated_[i] += grown;
  record.payload = repeated_;
  return true;
}

bool Journal::Cursor::keep_data(const Record& record) {
  if (record.shape != MORA_SHAPE_DATA || record.begin == 0) return false;
  // Numbers ascend one by one but where chunks were lost (how many, a damaged chunk's header may exaggerate without
  // bounds).
  if (record.begin > journal_->record_count_ + std::min<std::uint64_t>(journal_->missing_, most_lost)) return false;
  if (data_.size() < record.begin) data_.resize(static_cast<std::size_t>(record.begin));
  data_[static_cast<std::size_t>(record.begin) - 1] = {record.object, record.payload};
  return true;
}

bool Journal::Cursor::next(Record& record) {
  if (has_call_) {
    record = call_;
    has_call_ = false;
    return true;
  }
  do
    if (!next_whole(record)) return false;
  while (keep_data(record));
  if (journal_->header_.clock_kind != MORA_CLOCK_NONE || record.begin == 0 || record.function == 0) return true;
  const auto number = static_cast<std::size_t>(record.begin) - 1;
  record.begin = 0;
  if (record.shape == MORA_SHAPE_VECTOR) return true;
  if (number >= data_.size() || data_[number].payload.empty()) {
    if (damage_ != nullptr) damage_->records++;
    return true;
  }
  call_ = record;
  has_call_ = true;
  record.shape = MORA_SHAPE_DATA;
  record.flags = 0;
  record.site = 0;
  record.object = data_[number].thread;
  record.payload = data_[number].payload;
  return true;
}

}  // namespace mora::journal
