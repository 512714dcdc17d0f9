/// Slices: the events of one Chrome time line in the order in which they happened, well nested.
///
/// Source: Trace Event Format (phases B, E, X, s, t, f); what it leaves open is Mora's own.
/// Idea: events may stand in any order in the file; Collection sorts them by time, at equal times in the order of the
/// file, which B and E need. X events tell only begin and end, so at equal times ends come before begins, longer slices
/// lie around shorter ones, the end of a flow belongs to the slice that ends there, its start to the slice that begins
/// there. Slices that overlap without nesting are cut where the outer one ends. An E ends the innermost open B of its
/// name, or where none has it, or it has none, the innermost one.
/// Cost: O(n) for n events of the line, which come sorted; each slice is opened and closed once. Memory: the open
/// slices and the events of one time.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/readers/chrome/collection.h"

namespace mora::trace::chrome {

/// Receives the events of one time line in order, well nested.
class SliceSink {
 public:
  virtual ~SliceSink() = default;
  virtual void enter(Nanoseconds time, const Item& slice) = 0;
  /// `slice`: the item that entered it; `end`: the E item, or null.
  virtual void leave(Nanoseconds time, const Item& slice, const Item* end) = 0;
  /// The innermost slices end without E items of their own; returns how many of them have not lost them
  /// (lost_leaves.h).
  virtual std::size_t skip(Nanoseconds time, std::size_t slices) = 0;
  virtual void flow(Nanoseconds time, const Item& flow) = 0;
  virtual void other(const Item& item) = 0;
};

struct SliceCounts {
  std::uint64_t overlapping = 0;  ///< slices that were cut
  std::uint64_t stray = 0;        ///< E without B
  std::uint64_t missing = 0;      ///< B that ends with a slice around it
};

/// All time lines, one after the other.
class Lines {
 public:
  explicit Lines(const Collection& collection)
      : collection_(collection), items_(collection.items()), item_(items_.next()) {}
  /// The number of the line that play() plays next; none at the end.
  std::optional<std::uint32_t> next() const;
  /// Slices still open at the end of the line are not left.
  SliceCounts play(SliceSink& sink);
  bool failed() const { return items_.failed(); }

 private:
  const Collection& collection_;
  Items::Cursor items_;
  const Item* item_;
};

}  // namespace mora::trace::chrome
