/// Records become epochs one by one (take()); with several threads they are collected first and sorted by time. Idea
/// and limits: rank_epochs.h.
#include "analysis/patterns/active_target/rank_epochs.h"

#include <algorithm>

namespace mora::analysis {

using trace::no_id;

void RankEpochs::add(const EpochRecord& record) {
  if (threads_ > 1) {
    records_.push_back(record);
  } else {
    take(record);
  }
}

void RankEpochs::finish() {
  if (threads_ > 1) {
    std::stable_sort(records_.begin(), records_.end(),
                     [](const EpochRecord& a, const EpochRecord& b) { return a.time < b.time; });
    for (const EpochRecord& record : records_) take(record);
    records_ = {};
    // As engine/collectives.cpp numbers the collectives of several threads.
    std::stable_sort(collectives_.begin(), collectives_.end(), [](const Collective& a, const Collective& b) {
      return std::tie(a.begin, a.call.location) < std::tie(b.begin, b.call.location);
    });
  }
  for (auto& [id, window] : windows_) {
    for (OpenEpoch* open : {&window.access, &window.exposure}) {
      if (!open->open) continue;
      ++unclosed_;
      put_away(*open, (open == &window.access ? access_epochs_ : exposure_epochs_)[open->index]);
    }
  }
}

void RankEpochs::take(const EpochRecord& record) {
  using Kind = EpochRecord::Kind;
  Window& window = windows_[record.window];
  if (record.stretch != window.stretch) {
    window.stretch = record.stretch;
    window.pending.clear();
    window.cut = true;
  }
  switch (record.kind) {
    case Kind::start:
      change(record, window, trace::EpochChange::opens_access);
      window.has_epochs = true;
      break;
    case Kind::post:
      change(record, window, trace::EpochChange::opens_exposure);
      break;
    case Kind::complete:
      change(record, window, trace::EpochChange::closes_access);
      break;
    case Kind::close:
      change(record, window, trace::EpochChange::closes_exposure);
      break;
    case Kind::collective:
      collective(record, window);
      break;
    case Kind::lock:
    case Kind::unlock:
      epochs_.lock(record.window, record.partner, record.kind == Kind::lock, record.stretch);
      break;
    case Kind::access:
      access(record, window);
      break;
  }
}

/// Opens or closes an epoch. One that is still open, or was opened before a gap, has lost its end.
void RankEpochs::change(const EpochRecord& record, Window& window, trace::EpochChange change) {
  const bool is_access = change == trace::EpochChange::opens_access || change == trace::EpochChange::closes_access;
  const bool opens = change == trace::EpochChange::opens_access || change == trace::EpochChange::opens_exposure;
  OpenEpoch& open = is_access ? window.access : window.exposure;
  SpillVector<Epoch>& epochs = is_access ? access_epochs_ : exposure_epochs_;
  const auto& result = epochs_.change(change, record.window, record.partner, record.stretch);
  if (result.unseen != nullptr) {
    ++(record.stretch == 0 ? unopened_ : across_gap_);
    add_epoch(record, *result.unseen, is_access).is_opened = false;
    return;
  }
  if (result.lost != nullptr) ++(opens ? unclosed_ : across_gap_);
  if (!opens && result.epoch != nullptr) {
    Epoch& epoch = epochs[open.index];
    epoch.closed = true;
    epoch.close = record.call;
    epoch.by_test = record.by_test;
  }
  if (open.open) put_away(open, epochs[open.index]);
  if (!opens) return;
  if (record.partner >= definitions_.groups.size())
    ++without_group_;  // an epoch with no partner: so its end is not stray
  open.open = true;
  open.index = epochs.size();
  add_epoch(record, *result.epoch, is_access);
}

RankEpochs::Epoch& RankEpochs::add_epoch(const EpochRecord& record, const trace::WindowEpochs::Epoch& numbered,
                                         bool is_access) {
  Epoch epoch;
  epoch.open = record.call;
  epoch.window = record.window;
  epoch.stretch = record.stretch;
  epoch.group = record.partner;
  epoch.first_partner = partners_.size();
  for (const auto& partner : numbered.partners) {
    partners_.push_back(Partner{partner.number, no_time});
    if (record.stretch != 0) counts_[{is_access, record.window, record.stretch, partner.rank}] = partner.number + 1;
  }
  SpillVector<Epoch>& epochs = is_access ? access_epochs_ : exposure_epochs_;
  epochs.push_back(epoch);
  return epochs[epochs.size() - 1];
}

void RankEpochs::put_away(OpenEpoch& open, Epoch& epoch) {
  open.open = false;
  if (epoch.closed) {
    epoch.first_call = calls_.size();
    epoch.calls = open.calls.size();
    calls_.insert(calls_.end(), open.calls.begin(), open.calls.end());
  }
  open.calls.clear();
}

/// Accesses under a lock are of no interest here.
void RankEpochs::access(const EpochRecord& record, Window& window) {
  using Place = trace::WindowEpochs::Place;
  const auto place = epochs_.place(record.window, record.partner, record.stretch);
  switch (place.place) {
    case Place::lock:
    case Place::lock_all:
      return;
    case Place::access: {
      const auto index = static_cast<std::size_t>(place.partner - place.epoch->partners.data());
      window.access.calls.push_back(DataCall{static_cast<std::uint32_t>(index), record.visit, record.call});
      Nanoseconds& last = partners_[access_epochs_[window.access.index].first_partner + index].last_access;
      last = std::max(last, record.call.leave);
      return;
    }
    case Place::outside:
      ++window.outside;
      return;
    case Place::fence:
      break;
  }
  Access& last = window.pending.try_emplace(record.partner, Access{no_time, record.partner, 0, 0}).first->second;
  if (record.call.leave >= last.leave) {
    last = Access{record.call.leave, record.partner, record.call.location, record.call.call_path};
  }
}

/// Keeps the collective; a fence takes the last access towards each target since the fence before with it.
void RankEpochs::collective(const EpochRecord& record, Window& window) {
  Collective half;
  half.begin = record.begin;
  half.end = record.time;
  half.call = record.call;
  half.window = record.window;
  half.stretch = record.stretch;
  half.operation = record.operation;
  if (record.operation == trace::RmaOperation::fence) {
    half.cut = window.cut;
    half.first_access = accesses_.size();
    half.accesses = window.pending.size();
    for (const auto& [target, last] : window.pending) accesses_.push_back(last);
    window.pending.clear();
    window.cut = false;
    window.has_epochs = true;
    epochs_.fence(record.window, record.stretch);
  }
  collectives_.push_back(half);
}

void RankEpochs::report(DataQuality& quality, std::uint64_t unmatched, std::uint64_t across_gap) const {
  const trace::LocationId location = definitions_.location_of_rank(rank_);
  const std::string where = location < definitions_.locations.size() ? definitions_.locations[location].name
                                                                     : "rank " + std::to_string(rank_);
  std::uint64_t outside = 0;
  for (const auto& [id, window] : windows_) outside += window.has_epochs ? window.outside : 0;
  quality.add("unclosed-epoch", Severity::warning, where, unclosed_,
              "MPI_Win_start or MPI_Win_post has no MPI_Win_complete, MPI_Win_wait or successful MPI_Win_test; no "
              "waiting was computed for these epochs",
              "normal at the end of a killed job; otherwise records are missing: record again");
  quality.add("unopened-epoch", Severity::warning, where, unopened_,
              "MPI_Win_complete, MPI_Win_wait or a successful MPI_Win_test ends an epoch that was never opened",
              "the trace lost its beginning or a record of this location; record again");
  quality.add("epoch-without-group", Severity::warning, where, without_group_,
              "MPI_Win_start or MPI_Win_post without a known group; nothing was computed for these epochs",
              "the trace's definitions of groups are incomplete; record again with Mora or Score-P 8");
  quality.add("epoch-across-gap", Severity::warning, where, across_gap_ + across_gap,
              "access or exposure epochs reach into a stretch without recording, or cannot be numbered safely after "
              "one; they were left out",
              "switch recording off and on between epochs, and at the same place on all ranks");
  quality.add("unmatched-epoch", Severity::warning, where, unmatched,
              "access or exposure epochs lack the partner's epoch of the same number; no waiting was computed for them",
              "normal at the end of a killed job; otherwise some rank's records are missing: record again");
  quality.add("access-outside-epoch", Severity::warning, where, outside,
              "puts, gets or accumulates lie in no access epoch towards their target; they take no part in patterns",
              "the trace lost the beginning of their epoch, or the program is wrong");
  quality.add("event-outside-call", Severity::warning, where, outside_call_,
              "a message or collective record is not inside an MPI call of its kind and was ignored",
              "record with Mora or Score-P 8, which put these records inside the region of their call");
}

}  // namespace mora::analysis
