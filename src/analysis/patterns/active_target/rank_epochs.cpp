/// Records become epochs one by one (take()); with several threads they are collected first and sorted by time. Idea
/// and limits: rank_epochs.h.
#include "analysis/patterns/active_target/rank_epochs.h"

#include <algorithm>

namespace mora::analysis {

using trace::no_id;

const std::vector<std::uint32_t>& RankEpochs::members_of(trace::GroupId group) {
  const auto [place, is_new] = groups_.try_emplace(group);
  if (is_new && group < definitions_.groups.size()) {
    place->second = definitions_.groups[group].members;
    std::sort(place->second.begin(), place->second.end());
    place->second.erase(std::unique(place->second.begin(), place->second.end()), place->second.end());
  }
  return place->second;
}

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
    window.locked.clear();
    window.pending.clear();
    window.has_fence = false;
    window.cut = true;
  }
  switch (record.kind) {
    case Kind::start:
      open(record, window.access, access_epochs_, true);
      window.has_epochs = true;
      break;
    case Kind::post:
      open(record, window.exposure, exposure_epochs_, false);
      break;
    case Kind::complete:
      close(record, window.access, access_epochs_);
      break;
    case Kind::close:
      close(record, window.exposure, exposure_epochs_);
      break;
    case Kind::collective:
      collective(record, window);
      break;
    case Kind::lock:
    case Kind::unlock:
      window.locked[record.partner] = record.kind == Kind::lock;
      break;
    case Kind::access:
      access(record, window);
      break;
  }
}

/// Opens an epoch and numbers it for each partner. One that is still open has lost its end.
void RankEpochs::open(const EpochRecord& record, OpenEpoch& open, SpillVector<Epoch>& epochs, bool is_access) {
  if (open.open) {  // its end is missing
    ++unclosed_;
    put_away(open, epochs[open.index]);
  }
  if (record.partner >= definitions_.groups.size())
    ++without_group_;  // an epoch with no partner: so its end is not stray
  Epoch epoch;
  epoch.open = record.call;
  epoch.window = record.window;
  epoch.stretch = record.stretch;
  epoch.group = record.partner;
  epoch.first_partner = partners_.size();
  for (const std::uint32_t rank : members_of(record.partner)) {
    partners_.push_back(Partner{numbers_[{is_access, record.window, record.stretch, rank}]++, no_time});
  }
  open.open = true;
  open.index = epochs.size();
  epochs.push_back(epoch);
}

void RankEpochs::close(const EpochRecord& record, OpenEpoch& open, SpillVector<Epoch>& epochs) {
  if (!open.open) {
    ++(record.stretch == 0 ? unopened_ : across_gap_);
    return;
  }
  Epoch& epoch = epochs[open.index];
  if (epoch.stretch == record.stretch) {
    epoch.closed = true;
    epoch.close = record.call;
    epoch.by_test = record.by_test;
  } else {
    ++across_gap_;  // another epoch may have begun in between
  }
  put_away(open, epoch);
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

/// To which epoch an access belongs: a lock on its target first, then the access epoch if its group has the target,
/// then the fences around it. Accesses under a lock are of no interest here.
void RankEpochs::access(const EpochRecord& record, Window& window) {
  const std::uint32_t target = record.partner;
  for (const std::uint32_t whose : {target, no_id}) {
    if (const auto lock = window.locked.find(whose); lock != window.locked.end() && lock->second) return;
  }
  if (window.access.open && access_epochs_[window.access.index].stretch == record.stretch) {
    const Epoch& epoch = access_epochs_[window.access.index];
    const std::vector<std::uint32_t>& targets = members_of(epoch.group);
    const auto place = std::lower_bound(targets.begin(), targets.end(), target);
    if (place != targets.end() && *place == target) {
      const auto index = static_cast<std::size_t>(place - targets.begin());
      window.access.calls.push_back(DataCall{static_cast<std::uint32_t>(index), record.visit, record.call});
      Nanoseconds& last = partners_[epoch.first_partner + index].last_access;
      last = std::max(last, record.call.leave);
      return;
    }
  }
  if (!window.has_fence && !window.cut) {
    ++window.outside;
    return;
  }
  Access& last = window.pending.try_emplace(target, Access{no_time, target, 0, 0}).first->second;
  if (record.call.leave >= last.leave) {
    last = Access{record.call.leave, target, record.call.location, record.call.call_path};
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
    window.has_fence = window.has_epochs = true;
  }
  collectives_.push_back(half);
}

void RankEpochs::report(DataQuality& quality, std::uint64_t unmatched, std::uint64_t across_gap) const {
  const trace::LocationId location = definitions_.location_of_rank(rank_);
  const std::string where = location < definitions_.locations.size() ? definitions_.locations[location].name
                                                                     : "rank " + std::to_string(rank_);
  std::uint64_t outside = 0;
  for (const auto& [id, window] : windows_) outside += window.has_epochs ? window.outside : 0;
  if (unclosed_ != 0) {
    quality.add("unclosed-epoch", Severity::warning, where, unclosed_,
                "MPI_Win_start or MPI_Win_post has no MPI_Win_complete, MPI_Win_wait or successful MPI_Win_test; no "
                "waiting was computed for these epochs",
                "normal at the end of a killed job; otherwise records are missing: record again");
  }
  if (unopened_ != 0) {
    quality.add("unopened-epoch", Severity::warning, where, unopened_,
                "MPI_Win_complete, MPI_Win_wait or a successful MPI_Win_test ends an epoch that was never opened",
                "the trace lost its beginning or a record of this location; record again");
  }
  if (without_group_ != 0) {
    quality.add("epoch-without-group", Severity::warning, where, without_group_,
                "MPI_Win_start or MPI_Win_post without a known group; nothing was computed for these epochs",
                "the trace's definitions of groups are incomplete; record again with Mora or Score-P 8");
  }
  if (across_gap_ + across_gap != 0) {
    quality.add("epoch-across-gap", Severity::warning, where, across_gap_ + across_gap,
                "access or exposure epochs reach into a stretch without recording, or cannot be numbered safely after "
                "one; they were left out",
                "switch recording off and on between epochs, and at the same place on all ranks");
  }
  if (unmatched != 0) {
    quality.add(
        "unmatched-epoch", Severity::warning, where, unmatched,
        "access or exposure epochs lack the partner's epoch of the same number; no waiting was computed for them",
        "normal at the end of a killed job; otherwise some rank's records are missing: record again");
  }
  if (outside != 0) {
    quality.add("access-outside-epoch", Severity::warning, where, outside,
                "puts, gets or accumulates lie in no access epoch towards their target; they take no part in patterns",
                "the trace lost the beginning of their epoch, or the program is wrong");
  }
  if (outside_call_ != 0) {
    quality.add("event-outside-call", Severity::warning, where, outside_call_,
                "a message or collective record is not inside an MPI call of its kind and was ignored",
                "record with Mora or Score-P 8, which put these records inside the region of their call");
  }
}

}  // namespace mora::analysis
