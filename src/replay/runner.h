/// What the simulation keeps of each location while it runs. Times in ns.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "replay/costs/collective_plan.h"
#include "replay/costs/message_clock.h"
#include "replay/costs/window_transfers.h"
#include "replay/waiting/under_way.h"

namespace mora::replay {

/// What becomes of a wait.
struct Outcome {
  enum Kind : std::uint8_t { done, blocked, without_partner, several_threads } kind = done;
  Nanoseconds time = never;        ///< done: not before
  Nanoseconds begins = INT64_MAX;  ///< from then on the network was at work, before it another rank was waited for
  Nanoseconds overhead = 0;        ///< … the processor is busy for so long after it
};

inline Outcome known(const std::optional<Nanoseconds>& time) {
  return time ? Outcome{Outcome::done, *time} : Outcome{Outcome::blocked, never};
}

/// A receive: the sequence of its message and the number there.
struct OpenReceive {
  std::uint32_t key = no_id;     ///< no_id: it took no message
  std::uint32_t serial = no_id;  ///< no_id: its message is not in the trace
  Nanoseconds time = never;      ///< a matched probe has seen its message
  Nanoseconds posted = 0;
  bool is_live = false;  ///< numbered_windows.h
  bool is_known() const { return key != no_id; }
};

/// Where a rank is in its calls, or in a non-blocking collective that goes on beside them (asides.h).
struct CallState {
  trace::LocationId location = 0;  ///< which is woken when it can go on
  Nanoseconds now = 0;
  bool is_first_thread = true;  ///< of its rank

  // On a network that costs something.
  Detail detail;  ///< of the action at hand
  MessageClock clock;
  std::uint32_t sender = 0;                    ///< of equal messages those of the lower one are served first …
  std::uint64_t messages_sent = 0;             ///< … and those with the lower number
  std::shared_ptr<const CollectivePlan> plan;  ///< of the collective at hand; else its own steps
  std::vector<Step> own_steps;
  const std::vector<Step>* steps = nullptr;  ///< nullptr: the collective is not run as messages
  std::size_t step = 0;
  std::uint32_t messages = no_id;       ///< of the collective at hand: their sequence
  std::uint32_t told_sequence = no_id;  ///< … as listeners hear of it: no other collective has it
  Nanoseconds round_posted = 0;
};

struct Runner : CallState {
  Runner(const Actions& all, trace::LocationId l)
      : actions(all.actions.cursor(l)), postings(all.postings.cursor(l)), partners(all.partners.cursor(l)) {
    location = sender = l;
    if (all.collecting.detailed) details.emplace(all.details.cursor(l));
  }
  Spool<Action>::Cursor actions;
  Spool<Posting>::Cursor postings;
  Spool<std::uint32_t>::Cursor partners;
  const Action* action = nullptr;
  const Posting* posting = nullptr;  ///< of the next receive, if it was looked at
  Nanoseconds call = 0;    ///< when the call at hand would have come so far if it lasted what it lasted in the trace
  bool has_acted = false;  ///< of `action` only the waiting is left
  bool gives_up = false, has_begun = false;
  std::uint32_t posted = 0;
  OpenReceive receive;                ///< of the receive at hand
  std::vector<std::uint32_t> needed;  ///< of the collective at hand: partners, root
  Nanoseconds io_recorded = 0;

  // On a network that costs something.
  std::optional<Spool<Detail>::Cursor> details;
  WindowTransfers transfers;
  Nanoseconds lock_asked = 0;  ///< the request is at the target
};

}  // namespace mora::replay
