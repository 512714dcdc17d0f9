#include <algorithm>
#include <optional>
#include <vector>

#include "support/trace/naive_links.h"

namespace mora::trace::naive {
namespace {

bool is_group_sync(const Event& e, RmaOperation operation) {
  return e.kind == EventKind::group_sync && e.rma_operation == operation;
}
bool is_fence(const Event& e) {
  return e.kind == EventKind::rma_collective_end && e.rma_operation == RmaOperation::fence;
}

/// Nothing that was open before a gap in the recording is known to be open behind it.
class Closing {
 public:
  Closing(const MemorySource& trace, const Record& transfer)
      : trace_(trace), t_(transfer), gaps_(stretch(trace.events[transfer.location], transfer.ordinal)) {}

  std::optional<Record> find() const {
    const Event& e = at(t_.location, t_.ordinal);
    const bool put = e.kind == EventKind::put;
    const auto mine = records(t_.location, e.window);
    bool locked = false, all_locked = false;
    GroupId access = no_id;
    std::size_t fences = 0, accesses = 0, all_accesses = 0;
    for (const std::uint64_t i : mine) {
      const Event& x = at(t_.location, i);
      const bool is_unseen =
          is_group_sync(x, RmaOperation::complete) && has_no_beginning(trace_.events[t_.location], i);
      const bool begins = is_group_sync(x, RmaOperation::start) || is_unseen;
      if (begins && contains(x.group, e.peer)) ++all_accesses;
      if (i >= t_.ordinal) continue;
      if (x.kind == EventKind::lock_request || x.kind == EventKind::lock_release) {
        if (x.peer == e.peer) locked = x.kind == EventKind::lock_request;
        if (x.peer == no_id) all_locked = x.kind == EventKind::lock_request;  // MPI_Win_lock_all
      }
      if (is_fence(x)) ++fences;
      if (begins && contains(x.group, e.peer)) ++accesses;
      if (is_group_sync(x, RmaOperation::start)) access = x.group;
      if (is_group_sync(x, RmaOperation::complete)) access = no_id;
    }
    if (locked || all_locked) {
      for (const std::uint64_t i : mine) {
        if (i <= t_.ordinal || at(t_.location, i).peer != (locked ? e.peer : no_id)) continue;
        if (at(t_.location, i).kind == EventKind::lock_release) return Record{t_.location, i};
        if (at(t_.location, i).kind == EventKind::lock_request) break;  // the unlock is lost
      }
      return std::nullopt;
    }
    if (access != no_id && contains(access, e.peer)) {
      if (put) return exposure_end(accesses, all_accesses);
      for (const std::uint64_t i : mine) {
        if (i > t_.ordinal && is_group_sync(at(t_.location, i), RmaOperation::complete)) return leave(t_.location, i);
      }
      return std::nullopt;
    }
    if (fences == 0 && gaps_ == 0) return std::nullopt;
    const LocationId ends_on = put ? target() : t_.location;
    if (ends_on != t_.location && is_torn(trace_, e.window, gaps_)) return std::nullopt;
    std::size_t count = 0;
    for (const std::uint64_t i : records(ends_on, e.window)) {
      if (is_fence(at(ends_on, i)) && ++count == fences + 1) return leave(ends_on, i);
    }
    return std::nullopt;
  }

 private:
  const Event& at(LocationId l, std::uint64_t i) const { return trace_.events[l][i]; }
  LocationId target() const { return trace_.defs.location_of_rank(at(t_.location, t_.ordinal).peer); }
  bool contains(GroupId group, std::uint32_t rank) const {
    const auto& members = trace_.defs.groups[group].members;
    return std::find(members.begin(), members.end(), rank) != members.end();
  }
  std::optional<Record> leave(LocationId l, std::uint64_t i) const {
    const std::uint64_t leave = leave_around(trace_.events[l], i);
    return leave == no_leave ? std::nullopt : std::optional(Record{l, leave});
  }
  /// Records of the window on a location, in the transfer's stretch of recording.
  std::vector<std::uint64_t> records(LocationId l, WindowId window) const {
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; l != no_id && i < trace_.events[l].size(); ++i) {
      if (at(l, i).window == window && stretch(trace_.events[l], i) == gaps_) found.push_back(i);
    }
    return found;
  }
  /// The wait, or successful test, that ends the k-th exposure epoch of the target to the origin.
  std::optional<Record> exposure_end(std::size_t k, std::size_t accesses) const {
    const std::uint32_t origin = trace_.defs.locations[t_.location].rank;
    const LocationId on = target();
    std::size_t count = 0;
    std::optional<Record> found;
    bool open = false;
    for (const std::uint64_t i : records(on, at(t_.location, t_.ordinal).window)) {
      const Event& x = at(on, i);
      if (is_group_sync(x, RmaOperation::post)) {
        open = contains(x.group, origin);
        count += open ? 1 : 0;
      } else if (has_no_beginning(trace_.events[on], i) && x.rma_operation != RmaOperation::complete) {
        count += contains(x.group, origin) ? 1 : 0;
      }
      if (x.kind != EventKind::group_sync || !x.epoch_closed) continue;
      if (x.rma_operation != RmaOperation::wait && x.rma_operation != RmaOperation::test) continue;
      if (open && count == k) found = leave(on, i);
      open = false;
    }
    const bool torn = gaps_ != 0 && count != accesses && on != trace_.defs.location_of_rank(origin);
    return torn ? std::nullopt : found;
  }

  const MemorySource& trace_;
  const Record t_;
  const std::uint32_t gaps_;
};

}  // namespace

std::optional<Record> closing_of(const MemorySource& trace, const Record& transfer) {
  return Closing(trace, transfer).find();
}

}  // namespace mora::trace::naive
