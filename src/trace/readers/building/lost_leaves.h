/// Lost leaves: regions that a tool entered again and again and never left, and where they end.
///
/// Source: Mora's own (rule `lost-leaves`); seen in APEX's archives, where tasks end on other threads than they began.
/// Idea: of the regions that one leave, or the end of the location, closes together, those from the first on that is
/// entered again among them have lost their leaves. Each ends where the location next enters or leaves a region, so
/// that it nests nothing else. Nothing tells how long it lasted; taking that it contains what follows would nest a
/// location's tasks in each other. Which regions these are is known when they are closed, where they end is earlier: so
/// a location is read twice, or EndLostRegions stands behind the spool.
/// Cost: O(1) per region that is closed. Memory: 8 bytes for each leave that is lost.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/data_quality.h"
#include "trace/source.h"

namespace mora::trace {

/// Which enters of a location have lost their leaves: their numbers, from 0, ascending.
using LostLeaves = std::vector<std::uint64_t>;

/// An open region: which, and the number of its enter.
struct OpenRegion {
  RegionId region;
  std::uint64_t number;
};

/// Collects the lost leaves of one location.
class FindLostLeaves {
 public:
  /// `closed`: regions that end together without leaves of their own, outermost first (derived from OpenRegion).
  /// Returns how many of them have lost their leaves; they are the innermost ones.
  template <typename Open>
  std::size_t note(std::span<const Open> closed) {
    if (closed.size() < 2) return 0;
    std::unordered_set<RegionId> inner;
    std::size_t from = closed.size();
    for (std::size_t i = closed.size(); i-- > 0;) {
      if (!inner.insert(closed[i].region).second) from = i;
    }
    for (std::size_t i = from; i < closed.size(); ++i) found_.push_back(closed[i].number);
    return closed.size() - from;
  }
  std::size_t size() const { return found_.size(); }
  LostLeaves take() &&;

 private:
  LostLeaves found_;
};

/// Walks through the enters of a location in order.
class LostLeavesCursor {
 public:
  /// `lost` must outlive this.
  explicit LostLeavesCursor(const LostLeaves& lost) : lost_(lost) {}
  /// Whether the next enter has lost its leave.
  bool next() {
    const bool is_lost = at_ < lost_.size() && lost_[at_] == enters_;
    at_ += is_lost ? 1 : 0;
    ++enters_;
    return is_lost;
  }

 private:
  const LostLeaves& lost_;
  std::size_t at_ = 0;
  std::uint64_t enters_ = 0;
};

/// Passes on a location's events, which are well nested, with the lost regions ended early.
class EndLostRegions : public EventSink {
 public:
  EndLostRegions(const LostLeaves& lost, EventSink& sink) : lost_(lost), sink_(sink) {}
  void on_event(const Event& event) override;

 private:
  enum class State : std::uint8_t { usual, lost, ended };
  struct Open {
    RegionId region;
    State state;
  };
  LostLeavesCursor lost_;
  EventSink& sink_;
  std::vector<Open> open_;
};

/// What was repaired in the time stamps and the nesting of one location.
struct NestingRepairs {
  std::uint64_t clamped = 0, stray = 0, missing = 0, lost = 0, unclosed = 0;
  /// A row of docs/user/data-quality.md for each that is not 0.
  void report(DataQuality& quality, const std::string& location) const;
};

}  // namespace mora::trace
