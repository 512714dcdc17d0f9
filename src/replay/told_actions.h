/// What a MessageListener hears of the actions of a location, beside the steps of collectives (costed_calls.h).
#pragma once

#include <algorithm>
#include <vector>

#include "replay/actions/message_listener.h"
#include "replay/costed_calls.h"
#include "replay/runner.h"

namespace mora::replay {

/// Ranks that begin later than the first are busy until then. One without events begins nowhere. `ranks`: by location.
inline void tell_begins(MessageListener& listener, const std::vector<LocationActions>& locations,
                        const std::vector<Runner>& runners, const std::vector<std::uint32_t>& ranks) {
  Nanoseconds first = INT64_MAX;
  const auto begins = [&](std::size_t l) { return runners[l].is_first_thread && locations[l].was_read; };
  for (std::size_t l = 0; l < runners.size(); ++l) {
    if (begins(l)) first = std::min(first, runners[l].now);
  }
  for (std::size_t l = 0; l < runners.size(); ++l) {
    if (begins(l) && runners[l].now > first) listener.busy(ranks[l], runners[l].now - first);
  }
}

/// When the location has come to the action and done what others see of it. `given`: what it sends;
/// `sender`: of the receive at hand; `call`: where it stands; `eager`: the network lets no plain send of that wait.
inline void tell_action(MessageListener& listener, std::uint32_t rank, const Runner& r, const Action& a,
                        const MessageName& given, std::uint32_t sender, trace::RegionId call, bool eager) {
  if (!r.is_first_thread) {
    if (has_detail(a.kind)) listener.other(rank, call);
    return;
  }
  if (a.kept != 0) listener.busy(rank, a.kept);
  const MessageName received{r.receive.key, r.receive.serial};
  const bool is_known = r.receive.is_known() && received.exists();
  const bool posts = a.kind != ActionKind::complete,
             takes = a.kind == ActionKind::complete || a.kind == ActionKind::receive;
  switch (a.kind) {
    case ActionKind::send:
      if (!given.exists()) return listener.other(rank, call, MessageListener::Untold::without_other_end);
      listener.send(rank, given.id(), r.detail.peer, r.detail.bytes);
      if (r.detail.synchronous && eager) listener.other(rank, call, MessageListener::Untold::synchronous);
      return;
    case ActionKind::await_posted:
      if (given.exists()) listener.await_sent(rank, given.id());
      return;
    case ActionKind::post:
    case ActionKind::post_matched:
    case ActionKind::receive:
    case ActionKind::complete:
      if (r.receive.is_known() && !is_known && posts)
        listener.other(rank, call, MessageListener::Untold::without_other_end);
      if (is_known && posts) listener.post(rank, received.id(), sender);
      if (is_known && takes) listener.await_received(rank, received.id(), r.detail.bytes);
      return;
    case ActionKind::collective:
    case ActionKind::arrive:
      if (r.steps == nullptr) listener.other(rank, call);
      return;
    case ActionKind::collect:
    case ActionKind::transferred:
    case ActionKind::end:
      return;
    default:
      listener.other(rank, call);
  }
}

}  // namespace mora::replay
