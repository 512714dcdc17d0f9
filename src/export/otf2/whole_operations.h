/// Which messages and collective operations have all their ends. Tools that repeat a trace's communication (Scalasca
/// 2.6) wait for every end that is written: of those that lack a partner `mora convert --plain` writes none.
///
/// Partners are those of the view (trace/links/). Cost: one pass over the view's types, O(1) per record. Memory: the
/// ends of operations that are not whole. Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "trace/event.h"
#include "trace/view/view.h"

namespace mora::exports {

class WholeOperations {
 public:
  /// `forget_every`: how many events the view may hold in memory (merge.cpp).
  WholeOperations(const trace::View& view, trace::Position forget_every);

  const trace::View& view() const { return view_; }
  bool is_whole_collective(trace::Position exit) const { return incomplete_.count(exit) == 0; }
  /// A SEND or RECV: its partner is there, on a location that is written.
  bool is_whole_message(trace::Position end) const;

 private:
  const trace::View& view_;
  std::unordered_set<trace::Position> incomplete_;  ///< MPICEXITs
};

/// The records of one location, in order: which of them are written.
class WholeRecords {
 public:
  WholeRecords(const WholeOperations& operations, trace::LocationId location)
      : operations_(operations), location_(location), count_(operations.view().count_on(location)) {}

  /// `ordinal`: number of the record in the location's stream.
  bool keeps(const trace::Event& event, std::uint64_t ordinal);
  /// Ends of messages and of collective operations that are not kept.
  std::uint64_t left_out() const { return left_out_; }

 private:
  bool keeps_message();
  bool keeps_collective(std::uint64_t ordinal);

  const WholeOperations& operations_;
  const trace::LocationId location_;
  const std::uint64_t count_;
  std::uint64_t next_message_ = 0, next_collective_ = 0;  ///< among the location's events
  bool collective_ = true;                                ///< the operation that is open is kept
  std::unordered_set<std::uint64_t> requests_;            ///< of sends that are left out
  std::uint64_t left_out_ = 0;
};

}  // namespace mora::exports
