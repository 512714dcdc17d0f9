/// The ends of messages, collective operations and epochs on one location, numbered while its stream is read: the half
/// of the matching rules that one location decides. The other half, for whole traces, is joined_sequences.h.
///
/// Whoever drives it calls one function per record, in stream order, and keeps the ends for what it makes of them. The
/// number of a receive is known when every receive posted before it is complete; then `leave` is told. Rules:
/// channel.h, request_map.h; of collectives: an end is a call, blocking ones, non-blocking ones (by their starts) and
/// those on windows (creation, fences, free) are counted apart, and communicators of one process have none.
///
/// Cost: O(1) amortised per record. Memory: open requests, sequences; 4 bytes per collective call; 8 bytes per end if
/// the rank has several threads. Not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "trace/event.h"
#include "trace/links/channel.h"
#include "trace/links/epochs.h"
#include "trace/links/posting_order.h"
#include "trace/links/recording_gaps.h"
#include "trace/links/request_map.h"
#include "trace/links/sequence.h"

namespace mora::trace {

/// True: the location's rank has several locations, so that ends on them must be put in order.
bool has_other_threads(const Definitions& definitions, LocationId location);

/// An end: number `serial` of the location's sequence `sequence`; no_id: it belongs to nothing.
struct SequenceEnd {
  std::uint32_t sequence = no_id;
  std::uint32_t serial = 0;
  bool exists() const { return sequence != no_id; }
};

class LocationEnds {
 public:
  /// A complete receive. `posting`: number of its posting; nothing: it was posted where it is complete.
  struct Received {
    std::uint32_t sequence = no_id;
    std::optional<std::uint32_t> posting;
  };

  /// `several_threads`: the location's rank has others. `leave` gets the numbers of receives (posting_order.h).
  LocationEnds(const Definitions& definitions, LocationId location, bool several_threads, PostingOrder::Leave leave);

  /// All records of the location may be given; only those that begin or end a gap count.
  void recording(EventKind kind) {
    if (kind == EventKind::recording_off) gaps_.off();
    if (kind == EventKind::recording_on) gaps_.on();
  }
  const RecordingGaps& gaps() const { return gaps_; }

  // Messages. `enter`: of the call that holds the record.
  SequenceEnd send(const Event& event, Nanoseconds enter);  ///< send, send_request
  SequenceEnd send_complete(const Event& event);            ///< the send whose request is complete
  /// Place of the last send with a request, or of the one that was completed last: from when it is begun until it is
  /// complete no other has it. Places are few.
  std::uint32_t place() const { return place_; }
  void post(const Event& event, Nanoseconds enter);         ///< receive_request
  Received receive(const Event& event, Nanoseconds enter);  ///< receive, receive_complete
  void cancel(const Event& event);                          ///< cancelled

  // Collective operations. `enter`: begin of the operation.
  /// collective_end, collective_request, rma_collective_end.
  SequenceEnd collective(const Event& event, Nanoseconds enter);
  /// A call of a sequence that records do not name (MPI_Init, files).
  SequenceEnd member(const SequenceKey& key, Nanoseconds enter);

  /// An end of the other kind, for sequences that have both.
  SequenceEnd sink(const SequenceKey& key);

  // Epochs on windows.
  WindowEpochs& epochs() { return epochs_; }
  /// group_sync: counts the epoch for all its partners; their ends are numbered as in the result.
  const WindowEpochs::Result& group_sync(const Event& event);
  /// The sequence of the epochs of an access (or exposure) epoch with one of its partners.
  std::uint32_t epochs_with(std::uint32_t partner, bool is_access, const WindowEpochs::Epoch& epoch) {
    return sequences_.number({SequenceKind::epoch, epoch.window, is_access ? rank_ : partner,
                              is_access ? partner : rank_, 0, epoch.stretch});
  }

  /// Number of any other sequence, for ends that are numbered elsewhere; its counts are the caller's to keep.
  std::uint32_t sequence(const SequenceKey& key) { return sequences_.number(key); }
  LocalSequence& operator[](std::uint32_t sequence) { return sequences_[sequence]; }

  /// The stream is over: the sequences of the location.
  std::vector<LocalSequence> finish();

 private:
  std::uint32_t channel(const Event& event, bool is_send);
  void replace(std::uint64_t request, std::uint32_t slot);
  void keep(LocalSequence& s, std::vector<Nanoseconds> LocalSequence::Lists::*enters, Nanoseconds enter) const {
    if (several_threads_) (s.lists().*enters).push_back(enter);
  }

  void lose(const WindowEpochs::Epoch& epoch);

  const Definitions& definitions_;
  const std::uint32_t rank_;
  const bool several_threads_;
  RecordingGaps gaps_;
  WindowEpochs epochs_;
  LocalSequences sequences_;
  /// The channel of the last send and of the last receive: programs repeat themselves.
  struct Recent {
    Channel channel;
    std::uint32_t sequence = no_id;
  };
  Recent recent_[2];
  PostingOrder posting_;
  RequestMap requests_;  ///< slots: of sends 2 * index in sends_, of receives 2 * posting + 1
  std::vector<SequenceEnd> sends_;
  std::vector<std::uint32_t> unused_;  ///< places in sends_
  std::uint32_t place_ = 0;
};

}  // namespace mora::trace
