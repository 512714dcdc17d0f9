#include "trace/links/location_ends.h"

#include <algorithm>

namespace mora::trace {

bool has_other_threads(const Definitions& definitions, LocationId location) {
  const auto& all = definitions.locations;  // sorted by rank
  const std::uint32_t rank = all[location].rank;
  return (location > 0 && all[location - 1].rank == rank) ||
         (location + 1 < all.size() && all[location + 1].rank == rank);
}

LocationEnds::LocationEnds(const Definitions& definitions, LocationId location, bool several_threads,
                           PostingOrder::Leave leave)
    : definitions_(definitions),
      rank_(definitions.locations[location].rank),
      several_threads_(several_threads),
      epochs_(definitions),
      posting_([this, leave = std::move(leave)](const PostingOrder::Receive& receive) {
        if (receive.sequence != no_id)
          keep(sequences_[receive.sequence], &LocalSequence::Lists::sink_enters, receive.enter);
        leave(receive);
      }) {}

// ---- messages

std::uint32_t LocationEnds::channel(const Event& e, bool is_send) {
  const Channel channel{e.peer, e.comm, e.tag, gaps_.stretch()};
  Recent& recent = recent_[is_send ? 1 : 0];
  if (recent.sequence == no_id || !(recent.channel == channel)) {
    const std::uint32_t source = is_send ? rank_ : e.peer, destination = is_send ? e.peer : rank_;
    recent = {channel, sequences_.number({SequenceKind::message, e.comm, source, destination, e.tag, channel.stretch})};
  }
  if (channel.stretch != 0) {
    LocalSequence& s = sequences_[recent.sequence];
    (is_send ? s.source_bytes : s.sink_bytes) += e.bytes;
  }
  return recent.sequence;
}

SequenceEnd LocationEnds::send(const Event& e, Nanoseconds enter) {
  SequenceEnd end;
  if (e.peer != no_id) {
    end.sequence = channel(e, true);
    LocalSequence& s = sequences_[end.sequence];
    end.serial = s.sources++;
    keep(s, &LocalSequence::Lists::source_enters, enter);
  }
  if (e.kind != EventKind::send_request) return end;
  place_ = static_cast<std::uint32_t>(sends_.size());
  if (unused_.empty()) {
    sends_.push_back(end);
  } else {
    place_ = unused_.back();
    unused_.pop_back();
    sends_[place_] = end;
  }
  replace(e.request, 2 * place_);
  return end;
}

/// What was open under the number is never completed.
void LocationEnds::replace(std::uint64_t request, std::uint32_t slot) {
  const std::uint32_t before = requests_.set(request, slot);
  if (before == RequestMap::none) return;
  if ((before & 1) != 0) {
    posting_.drop(before / 2);
  } else {
    unused_.push_back(before / 2);
  }
}

SequenceEnd LocationEnds::send_complete(const Event& e) {
  const std::uint32_t slot = requests_.take(e.request);
  if (slot == RequestMap::none) return {};
  if ((slot & 1) != 0) {
    posting_.drop(slot / 2);
    return {};
  }
  place_ = slot / 2;
  unused_.push_back(place_);
  return sends_[place_];
}

void LocationEnds::post(const Event& e, Nanoseconds enter) { replace(e.request, 2 * posting_.posted(enter) + 1); }

LocationEnds::Received LocationEnds::receive(const Event& e, Nanoseconds enter) {
  std::uint32_t slot = RequestMap::none;
  if (e.kind == EventKind::receive_complete) {
    slot = requests_.take(e.request);
    if (slot != RequestMap::none && (slot & 1) == 0) {
      unused_.push_back(slot / 2);
      slot = RequestMap::none;
    }
  }
  if (e.peer == no_id) {
    if (slot != RequestMap::none) posting_.drop(slot / 2);
    return {};
  }
  Received received;
  received.sequence = channel(e, false);
  ++sequences_[received.sequence].sinks;
  if (slot == RequestMap::none) {
    posting_.received(received.sequence, enter);
  } else {
    received.posting = slot / 2;
    posting_.complete(slot / 2, received.sequence);
  }
  return received;
}

void LocationEnds::cancel(const Event& e) {
  const std::uint32_t slot = requests_.take(e.request);
  if (slot == RequestMap::none) return;
  if ((slot & 1) != 0) return posting_.drop(slot / 2);
  unused_.push_back(slot / 2);
  const SequenceEnd& end = sends_[slot / 2];
  if (!end.exists()) return;
  auto& cancelled = sequences_[end.sequence].lists().cancelled;
  cancelled.insert(std::lower_bound(cancelled.begin(), cancelled.end(), end.serial), end.serial);
}

// ---- collective operations

SequenceEnd LocationEnds::member(const SequenceKey& key, Nanoseconds enter) {
  const std::uint32_t number = sequences_.number(key);
  LocalSequence& s = sequences_[number];
  keep(s, &LocalSequence::Lists::source_enters, enter);
  return {number, s.sources++};
}

SequenceEnd LocationEnds::sink(const SequenceKey& key) {
  const std::uint32_t number = sequences_.number(key);
  return {number, sequences_[number].sinks++};
}

SequenceEnd LocationEnds::collective(const Event& e, Nanoseconds enter) {
  SequenceKey key;
  key.stretch = gaps_.stretch();
  CommId comm = e.comm;
  if (e.kind == EventKind::rma_collective_end) {
    if (e.window >= definitions_.windows.size()) return {};
    key.kind = SequenceKind::window;
    key.a = e.window;
    comm = definitions_.windows[e.window].comm;
  } else {
    if (e.comm >= definitions_.communicators.size()) return {};
    if (e.collective == Collective::init || e.collective == Collective::finalize) return {};
    key.kind = e.kind == EventKind::collective_request ? SequenceKind::nonblocking : SequenceKind::collective;
    key.a = e.comm;
  }
  if (comm < definitions_.communicators.size() && definitions_.communicators[comm].self) return {};
  const SequenceEnd end = member(key, enter);
  const bool is_of_window = key.kind == SequenceKind::window;
  sequences_[end.sequence].lists().calls.emplace_back(
      is_of_window ? static_cast<std::uint8_t>(e.rma_operation) : static_cast<std::uint8_t>(e.collective),
      is_of_window ? no_id : e.root);
  return end;
}

// ---- epochs

const WindowEpochs::Result& LocationEnds::group_sync(const Event& e) {
  const WindowEpochs::Result& result = epochs_.change(epoch_change(e), e.window, e.group, gaps_.stretch());
  const bool is_access = result.change == EpochChange::opens_access || result.change == EpochChange::closes_access;
  if (result.lost != nullptr && is_access) lose(*result.lost);
  const bool opens = result.change == EpochChange::opens_access || result.change == EpochChange::opens_exposure;
  const WindowEpochs::Epoch* counted = opens ? result.epoch : result.unseen;
  if (counted == nullptr) return result;
  for (const WindowEpochs::Partner& partner : counted->partners) {
    LocalSequence& s = sequences_[epochs_with(partner.rank, is_access, *counted)];
    ++(is_access ? s.sinks : s.sources);
    if (result.unseen != nullptr) (is_access ? s.lists().unclosed : s.lists().unopened).push_back(partner.number);
  }
  return result;
}

/// An access epoch has no end.
void LocationEnds::lose(const WindowEpochs::Epoch& epoch) {
  for (const WindowEpochs::Partner& partner : epoch.partners)
    sequences_[epochs_with(partner.rank, true, epoch)].lists().unclosed.push_back(partner.number);
}

std::vector<LocalSequence> LocationEnds::finish() {
  for (const WindowEpochs::Epoch* epoch : epochs_.open_accesses()) lose(*epoch);
  posting_.finish();
  return sequences_.take();
}

}  // namespace mora::trace
