/// How the two sides of post-start-complete-wait learn of each other.
///
/// Idea: each side of an epoch pair needs a little of the other: the origin when its target posted, the target when its
/// origin completed and last accessed. So one exchange suffices: for every pair the origin sends a SeenAccess to the
/// partition of the target, and the target a SeenExposure to that of the origin, in the order of their numbers. A rank
/// then has whole transactions: an access epoch with all its exposure epochs, an exposure epoch with all its access
/// epochs, though the numbers of one transaction differ from partner to partner.
///
/// Source: Kühnal 2006, 5 and 6; Mora's rules post-start-complete-wait and origin-learns-of-post. Cost: O(pairs log
/// pairs), 16 to 32 bytes per pair on its way; work is spread as the ranks are, also within one window. Limits: without
/// one partner's epoch the whole transaction gets no waiting, since the maximum is not known; after an interruption of
/// the recording numbers hold only if both sides have the same count.
#include "analysis/patterns/active_target/transactions.h"

#include <type_traits>

#include "analysis/patterns/active_target/rules/rules.h"

namespace mora::analysis {

namespace {

struct BatchHead {
  std::uint32_t is_access = 0;
  std::uint32_t to = 0;
  std::uint32_t from = 0;
  std::uint32_t window = 0;
  std::uint32_t stretch = 0;
  std::uint32_t count = 0;
};

struct Channel {
  std::uint32_t to = 0;
  std::uint32_t window = 0;
  std::uint32_t stretch = 0;
  auto operator<=>(const Channel&) const = default;
};

template <class Seen>
void write(const std::map<Channel, std::vector<Seen>>& channels, std::uint32_t from, const DomainContext& context,
           std::vector<Buffer>& outgoing) {
  for (const auto& [channel, halves] : channels) {
    if (channel.to >= context.partition_of_rank.size()) continue;
    const std::uint32_t partition = context.partition_of_rank[channel.to];
    if (partition >= outgoing.size()) continue;  // not in the trace
    BufferWriter out(outgoing[partition]);
    out.put(BatchHead{std::is_same_v<Seen, SeenAccess> ? 1U : 0U, channel.to, from, channel.window, channel.stretch,
                      static_cast<std::uint32_t>(halves.size())});
    for (const Seen& half : halves) out.put(half);
  }
}

EpochCall with_path(EpochCall call, const DomainContext& context) {
  call.call_path = context.path(call.location, call.call_path);
  return call;
}

}  // namespace

void send_epochs(RankEpochs& epochs, const DomainContext& context, std::vector<Buffer>& outgoing) {
  std::map<Channel, std::vector<SeenAccess>> accesses;
  for (const RankEpochs::Epoch& epoch : epochs.access_epochs()) {
    const std::vector<std::uint32_t>& targets = epochs.members(epoch);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      SeenAccess seen;
      seen.closed = epoch.closed ? 1 : 0;
      seen.is_opened = epoch.is_opened ? 1 : 0;
      seen.last_access = epochs.partners()[epoch.first_partner + i].last_access;
      if (epoch.closed) {
        seen.complete = epoch.close.enter;
        seen.location = epoch.close.location;
        seen.call_path = context.path(epoch.close.location, epoch.close.call_path);
      }
      accesses[{targets[i], epoch.window, epoch.stretch}].push_back(seen);
    }
  }
  write(accesses, epochs.rank(), context, outgoing);
  std::map<Channel, std::vector<SeenExposure>> exposures;
  for (const RankEpochs::Epoch& epoch : epochs.exposure_epochs()) {
    const SeenExposure seen{epoch.open.enter, epoch.open.location,
                            context.path(epoch.open.location, epoch.open.call_path), epoch.is_opened ? 1U : 0U};
    for (const std::uint32_t origin : epochs.members(epoch)) {
      exposures[{origin, epoch.window, epoch.stretch}].push_back(seen);
    }
  }
  write(exposures, epochs.rank(), context, outgoing);
}

void SeenEpochs::take(BufferReader& in) {
  while (!in.empty()) {
    const auto head = in.take<BatchHead>();
    const std::size_t size = head.is_access != 0 ? sizeof(SeenAccess) : sizeof(SeenExposure);
    batches_[{head.is_access, head.to, head.from, head.window, head.stretch}] =
        Batch{head.count, in.skip(head.count * size)};
  }
}

/// Looks up the partner's epoch of the same number for each rank of the group; `known` says where there is one.
template <class Seen>
SeenEpochs::Found SeenEpochs::find(const RankEpochs& epochs, const RankEpochs::Epoch& epoch,
                                   std::span<const std::uint32_t> ranks, std::vector<Seen>& seen,
                                   std::vector<char>& known) const {
  constexpr bool partner_accesses = std::is_same_v<Seen, SeenAccess>;
  seen.assign(ranks.size(), Seen{});
  known.assign(ranks.size(), 0);
  Found found = Found::all;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto place =
        batches_.find({partner_accesses ? 1U : 0U, epochs.rank(), ranks[i], epoch.window, epoch.stretch});
    const Batch batch = place == batches_.end() ? Batch{} : place->second;
    if (trace::is_torn(epoch.stretch, batch.count,
                       epochs.count(!partner_accesses, epoch.window, epoch.stretch, ranks[i]))) {
      found = Found::across_gap;
      continue;
    }
    const std::uint32_t number = epochs.partners()[epoch.first_partner + i].number;
    if (number < batch.count) seen[i] = element<Seen>(batch.halves, number);
    known[i] = number < batch.count && seen[i].is_opened != 0 ? 1 : 0;
    if (known[i] == 0 && found == Found::all) found = Found::unmatched;
  }
  return found;
}

/// Late Post or Early Transfer, pairs, and the synchronisation points at which the origin learnt of the posts.
SeenEpochs::Found SeenEpochs::score_access(RankEpochs& epochs, const RankEpochs::Epoch& own, WaitSink& sink,
                                           const DomainContext& context) const {
  const std::vector<std::uint32_t>& targets = epochs.members(own);
  std::vector<SeenExposure> exposures;
  std::vector<char> known;
  const Found found = find(epochs, own, targets, exposures, known);
  const EpochCall start = with_path(own.open, context);
  std::int64_t all = 0, unneeded = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (known[i] == 0 || targets[i] == epochs.rank()) continue;
    ++all;
    if (epochs.partners()[own.first_partner + i].last_access == no_time) ++unneeded;
    // The origin knows that the target is there as soon as a call of the epoch returns behind the post.
    const EpochCall& learns = exposures[i].post < start.leave ? start : own.close;
    if (exposures[i].post < learns.leave && (own.closed || &learns == &start)) {
      sink.sync_point(SyncPoint{learns.location, learns.enter, exposures[i].location, exposures[i].post});
    }
  }
  if (!own.closed) return found;
  std::vector<DataCall> calls;
  calls.reserve(own.calls);
  for (std::size_t i = 0; i < own.calls; ++i) {
    DataCall call = epochs.calls()[own.first_call + i];
    call.call = with_path(call.call, context);
    calls.push_back(call);
  }
  const AccessEpoch epoch{start, with_path(own.close, context), targets, calls};
  count_pairwise(epoch.complete.call_path, epoch.complete.location, all, unneeded, sink);
  if (found != Found::all) return found;
  const AccessTransaction transaction{epoch, exposures};
  if (!late_post(transaction, sink)) early_transfer(transaction, sink);
  return found;
}

/// Early Wait and Late Complete, pairs, synchronisation points. An origin that never completed leaves the maximum
/// unknown.
SeenEpochs::Found SeenEpochs::score_exposure(RankEpochs& epochs, const RankEpochs::Epoch& own, WaitSink& sink,
                                             const DomainContext& context) const {
  const std::vector<std::uint32_t>& origins = epochs.members(own);
  std::vector<SeenAccess> accesses;
  std::vector<char> known;
  const Found found = find(epochs, own, origins, accesses, known);
  if (!own.closed) return found;
  const ExposureEpoch epoch{with_path(own.open, context), with_path(own.close, context), own.by_test, origins};
  std::int64_t all = 0, unneeded = 0;
  bool complete = found == Found::all;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (known[i] == 0) continue;
    const SeenAccess& access = accesses[i];
    complete = complete && access.closed != 0;
    if (origins[i] == epochs.rank()) continue;
    ++all;
    if (access.closed == 0) continue;
    if (access.last_access == no_time) ++unneeded;
    sink.sync_point(SyncPoint{epoch.close.location, epoch.close.enter, access.location, access.complete});
  }
  count_pairwise(epoch.close.call_path, epoch.close.location, all, unneeded, sink);
  if (complete) early_wait(ExposureTransaction{epoch, accesses}, sink);
  return found;
}

void SeenEpochs::score(RankEpochs& epochs, const DomainContext& context) const {
  std::uint64_t unmatched = 0, across_gap = 0;
  const auto note = [&](Found found) {
    unmatched += found == Found::unmatched ? 1 : 0;
    across_gap += found == Found::across_gap ? 1 : 0;
  };
  for (const RankEpochs::Epoch& epoch : epochs.access_epochs()) {
    if (epoch.is_opened) note(score_access(epochs, epoch, context.waits, context));
  }
  for (const RankEpochs::Epoch& epoch : epochs.exposure_epochs()) {
    if (epoch.is_opened) note(score_exposure(epochs, epoch, context.waits, context));
  }
  epochs.report(context.quality, unmatched, across_gap);
}

}  // namespace mora::analysis
