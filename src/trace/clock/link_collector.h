/// One location's stream becomes links (link.h).
///
/// Idea: each event that must come before or after one of another location gets a link. A collective is recorded at its
/// end, but its source is the begin of the call: the enters of open calls wait in a queue until it is known whether
/// they are one. So do the begins of non-blocking collectives in archives that tell their communicator only at their
/// end (OTF2): they are numbered in the order of their begins as soon as all before them have ended. Events that are no
/// ends of edges are dropped, unless they are 1 ns behind their predecessor (forward_clock.h says why) or the first or
/// last one. Cost: O(1) amortised per event, O(n) per end of one of n such collectives under way. Memory: the events
/// since the begin of the outermost open call or of the first such collective under way.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/storage/spool.h"
#include "trace/clock/link.h"
#include "trace/links/location_ends.h"
#include "trace/source.h"

namespace mora::trace {

/// What is kept of a location beside its links.
struct LocationLinks {
  std::vector<LocalSequence> sequences;
  std::vector<std::uint32_t> serials;     ///< of each receive in stream order: k on its channel
  std::vector<Nanoseconds> forks, joins;  ///< of the rank's first thread
  std::uint64_t events = 0;
};

class LinkCollector : public EventSink {
 public:
  /// `threads`: the location's rank has several locations. `starts_wait`: MPI_Win_start, not MPI_Win_complete, comes
  /// after MPI_Win_post: what MPI lets be, but no clock may rely on. Everything referred to must outlive the collector.
  LinkCollector(const Definitions& definitions, LocationId location, bool threads, Spool<Link>& links,
                LocationLinks& into, bool starts_wait = false);
  void on_event(const Event& event) override;
  /// The stream is over. Errors (system): a link could not be spooled.
  Result<void> finish();

 private:
  /// An event whose links may still grow: the begin of a call is known to be one when the call ends.
  struct Waiting {
    Link event;
    std::vector<Link> links;
    bool open = false;
  };
  struct Frame {
    std::uint64_t begin = none;  ///< number in the queue
    RegionId region = no_id;
    bool mpi = false;
    Nanoseconds enter = 0;
  };
  static constexpr std::uint64_t none = UINT64_MAX;
  /// A non-blocking collective whose begin does not tell its communicator.
  struct Begun {
    std::uint64_t request = 0, begin = none, end = none;  ///< numbers in the queue
    Nanoseconds enter = 0;
    Event complete;
  };

  // The queue: events wait in it until it is known which links they get. wait() appends the event at hand and returns
  // its number; close() says that it gets no more; flush() passes on what is complete at the front.
  std::uint64_t wait();
  void close(std::uint64_t& number);
  void flush();
  void emit(const Link& link);
  void add(LinkRole role, const SequenceEnd& end);
  void add_at(std::uint64_t begin, const Link& link);
  /// Of the innermost open region; of the program, if none is.
  Nanoseconds enter_time() const;

  /// True: the event stands in the queue.
  bool enter(const Event& event);
  void leave(const Event& event);
  void collective(const SequenceEnd& end, std::uint32_t root, std::uint8_t operation, std::uint8_t flags);
  bool collective_request(const Event& event);   ///< likewise
  bool collective_complete(const Event& event);  ///< likewise
  void number_begun();
  void group_sync(const Event& event);

  const Definitions& definitions_;
  const LocationId location_;
  const std::uint32_t rank_;
  const bool threads_, first_thread_, starts_wait_;
  Spool<Link>& links_;
  LocationLinks& into_;
  LocationEnds ends_;
  std::vector<Frame> stack_;
  std::deque<Waiting> queue_;
  std::uint64_t queue_first_ = 0;
  Link here_;                                         ///< the event at hand, without links
  std::vector<Link> more_;                            ///< its links
  std::unordered_map<std::uint64_t, Link> requests_;  ///< non-blocking collectives under way
  std::deque<Begun> begun_;                           ///< in the order of their begins
  std::uint32_t receives_ = 0;
  Nanoseconds first_ = 0;  ///< of the stream
  bool started_ = false, last_emitted_ = false;
  std::optional<Error> error_;
};

}  // namespace mora::trace
