/// LateHalves: halves of messages whose line stands behind the end of their call, or so far before it that too many
/// would be pending. The pass that finds them fills it; the next one takes them out in the order of their time.
///
/// Memory: the budget, and two bits for each message of the file; all else is on disk ($TMPDIR).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/storage/sorted_runs.h"
#include "trace/readers/paraver/pending.h"

namespace mora::trace::paraver {

struct LateHalf {
  Half half;
  Object place;
  bool is_send = false;
};

class LateHalves {
  struct Earlier {
    bool operator()(const LateHalf& a, const LateHalf& b) const {
      if (a.half.time != b.half.time) return a.half.time < b.half.time;
      return a.half.order != b.half.order ? a.half.order < b.half.order : a.is_send < b.is_send;
    }
  };

 public:
  using Cursor = SortedRuns<LateHalf, Earlier>::Cursor;

  /// `budget`: bytes of halves that are in memory at a time.
  explicit LateHalves(std::size_t budget) : halves_(budget) {}

  void add(const LateHalf& late) {
    const std::size_t at = bit(late.half, late.is_send);
    if (at >= is_late_.size()) is_late_.resize(at + 1);
    is_late_[at] = true;
    halves_.add(late);
  }
  bool empty() const { return is_late_.empty(); }
  bool has(const Half& half, bool is_send) const {
    const std::size_t at = bit(half, is_send);
    return at < is_late_.size() && is_late_[at];
  }
  /// Once, after the last add().
  void sort() { halves_.sort(); }
  const std::optional<Error>& failure() const { return halves_.failure(); }
  Cursor cursor() const { return halves_.cursor(); }

 private:
  static std::size_t bit(const Half& half, bool is_send) { return 2 * half.order + (is_send ? 1 : 0); }

  SortedRuns<LateHalf, Earlier> halves_;
  std::vector<bool> is_late_;  ///< by order of the line in the file
};

}  // namespace mora::trace::paraver
