/// A loop of polls (MPI_Test…, MPI_Iprobe, MPI_Improbe) waits as one call does: which polls of a location belong
/// together.
///
/// A stretch: two polls or more of one call path with nothing between them but gaps that together take no longer than
/// the polls; the gaps are part of it. (How long a gap is says nothing: the recorder's own time is in it, and the
/// operating system may stop a process anywhere.) A loop: stretches of one call path with nothing but computation
/// between them; it ends with the poll that found something, or with another call. A poll alone waits for nothing, and
/// what is computed between two stretches is no waiting: so a program that computes and now and then tests is not said
/// to wait.
///
/// Source: Mora's rule poll-loops. Cost: O(1) per poll; memory: 16 bytes per stretch of the loop that is going on.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/core/timeline.h"

namespace mora::analysis {

class PollLoop {
 public:
  static constexpr std::uint32_t no_region = 0xFFFFFFFF;

  bool is_open() const { return region_ != no_region; }
  std::uint32_t region() const { return region_; }
  std::uint32_t node() const { return node_; }
  /// A poll of `region` is entered below node `parent`: true if the loop goes on with it.
  bool goes_on(std::uint32_t region, std::uint32_t parent) const { return region == region_ && parent == parent_; }
  /// It begins after a gap: is it still the same stretch? Else, and if the gap `is_broken`, the stretch ends here.
  bool goes_on_after(Nanoseconds gap, bool is_broken) {
    if (!is_broken && gaps_ + gap <= end_ - begin_ - gaps_) {
      gaps_ += gap;
      return true;
    }
    end_stretch();
    return false;
  }
  void begin(std::uint32_t region, std::uint32_t parent) {
    forget();
    region_ = region;
    parent_ = parent;
  }
  /// A poll of the loop is left, or several that were recorded as one.
  void add(std::uint32_t node, Nanoseconds enter, Nanoseconds leave, std::int64_t polls, bool has_found) {
    node_ = node;
    if (polls_ == 0) begin_ = enter;
    polls_ += polls;
    end_ = leave;
    if (!has_found) unfound_ += leave - enter, unfound_polls_ += polls;
  }
  /// No poll of the loop comes any more: its stretches, and what polling() and polls() were in them.
  const std::vector<TimeInterval>& finish() {
    end_stretch();
    region_ = no_region;
    return stretches_;
  }
  Nanoseconds polling() const { return polling_; }
  std::int64_t polls() const { return polling_calls_; }
  void forget() {
    region_ = no_region;
    polls_ = 0;
    gaps_ = unfound_ = polling_ = 0;
    unfound_polls_ = polling_calls_ = 0;
    stretches_.clear();
  }

 private:
  void end_stretch() {
    if (polls_ > 1) {
      stretches_.push_back({begin_, end_});
      polling_ += unfound_;
      polling_calls_ += unfound_polls_;
    }
    polls_ = 0;
    gaps_ = 0;
    unfound_ = 0;
    unfound_polls_ = 0;
  }

  std::uint32_t region_ = no_region;
  std::uint32_t node_ = 0;
  std::uint32_t parent_ = 0;
  std::vector<TimeInterval> stretches_;  ///< that ended
  Nanoseconds polling_ = 0;              ///< in them: time of polls that found nothing
  std::int64_t polling_calls_ = 0;
  // The stretch that is going on.
  std::int64_t polls_ = 0;
  Nanoseconds begin_ = 0;
  Nanoseconds end_ = 0;
  Nanoseconds gaps_ = 0;  ///< in it, together
  Nanoseconds unfound_ = 0;
  std::int64_t unfound_polls_ = 0;
};

}  // namespace mora::analysis
