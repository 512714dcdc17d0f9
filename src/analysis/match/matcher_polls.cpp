/// Polls and probes: their waiting belongs to the message that they found. A loop of tests ends with the test that
/// completes something; what MPI_Probe and MPI_Iprobe found is not recorded, and is taken to be the message of the
/// receive that the location posts next, if no other call that communicates comes before (Mora's rules poll-loops and
/// probe-waits). What waited is kept as a call of its own, to which the call is linked that posts or completes the
/// receive (PriorCall).
#include "analysis/match/matcher.h"

namespace mora::analysis {

/// A region is entered while a loop is open: does it go on? The gap before it then belongs to the polls, and is no
/// computation between them.
bool Matcher::joins_poll_loop(std::uint32_t region, Nanoseconds time) {
  Frame& top = stack_.back();
  if (region == no_id || !polls_.goes_on(region, top.node)) return false;
  const bool is_broken = interruption_ != Interruption::none || top.pending.has_time() || top.pending.has_counts();
  if (!polls_.goes_on_after(time - top.resume, is_broken)) return true;
  tree_.amounts(polls_.node()).own += time - top.resume;
  top.resume = time;
  if (timeline_ != nullptr) timeline_->resolve(top.chain, polls_.node() | Timeline::in_mpi);
  return true;
}

/// The loop ends without its polls telling what they found.
void Matcher::end_poll_loop() {
  const bool is_of_probes = regions_[polls_.region()].is_probe;
  const auto& waits = polls_.finish();
  if (is_of_probes && !waits.empty()) probed_ = Probed{waits, polls_.node(), polls_.polling(), polls_.polls()};
  polls_.forget();
}

/// A poll or probe is left. A test that found something ends its loop: the polls before it were waiting, and their time
/// belongs to what it completed.
void Matcher::close_poll(Frame& frame, Nanoseconds time) {
  if (!regions_[frame.region].is_poll) return;
  if (frame.is_broken) {
    polls_.forget();
    return;
  }
  NodeAmounts& amounts = tree_.amounts(frame.node);
  polls_.add(frame.node, frame.enter, time, frame.polls, frame.found);
  if (!frame.found) {
    amounts.polling += frame.pending.own;
    amounts.polling_calls += frame.polls;
    return;
  }
  const auto& waits = polls_.finish();
  if (waits.empty()) return;
  amounts.polling -= polls_.polling();
  amounts.polling_calls -= polls_.polls();
  if (frame.completes != 0) {
    Nanoseconds before = frame.enter - waits.back().begin;
    for (std::size_t i = 0; i + 1 < waits.size(); ++i) before += waits[i].end - waits[i].begin;
    amounts.own -= before;
    own_for(first_kind(frame.completes), amounts) += before;
  }
  if (frame.call != no_id && !frame.is_no_call) waited_before(frame.call, waits, frame.node);
}

/// A call is left, all of its records are known. One that communicates ends what was probed before it; a blocking probe
/// begins anew.
void Matcher::close_probe(Frame& frame, Nanoseconds time) {
  if (!frame.is_mpi) return;
  const RegionTraits& traits = regions_[frame.region];
  if (traits.account != Account::other_mpi) probed_.waits.clear();
  if (frame.is_broken || traits.is_poll) return;
  if (traits.is_probe) probed_ = Probed{{{frame.enter, time}}, frame.node, 0, 0};
  if (traits.is_matched_probe && frame.call != no_id && !frame.is_no_call) {
    halves_.priors.push_back({frame.call, frame.call});
    halves_.calls[frame.call].flags |= call_has_prior | call_is_prior;
  }
}

/// `call` posts the receive of the message that was probed.
void Matcher::take_probed(std::uint32_t call) {
  if (!stack_.back().is_no_call) {
    NodeAmounts& amounts = tree_.amounts(probed_.node);
    amounts.polling -= probed_.polling;
    amounts.polling_calls -= probed_.polls;
    waited_before(call, probed_.waits, probed_.node);
  }
  probed_.waits.clear();
}

void Matcher::waited_before(std::uint32_t call, const std::vector<TimeInterval>& waits, std::uint32_t node) {
  halves_.calls[call].flags |= call_has_prior;
  for (const TimeInterval& wait : waits) {
    halves_.priors.push_back({call, static_cast<std::uint32_t>(halves_.calls.size())});
    Call prior;
    prior.enter = wait.begin;
    prior.leave = wait.end;
    prior.node = node;
    prior.thread = thread_;
    prior.flags = call_is_prior | (stack_.back().completes > completes_message ? call_is_mixed : 0);
    halves_.calls.push_back(prior);
  }
}

}  // namespace mora::analysis
