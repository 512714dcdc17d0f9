/// Junctions: where the sources of edges meet their sinks, over all locations.
///
/// Source: the mapping of collectives to messages, Becker 2009.
/// Idea: a message is a junction with one source and one sink. A collective is one, too, whatever its size: every
/// member's end comes after the latest begin of the others (n to n), after the root's begin (1 to n), and so on; a scan
/// is a chain of junctions, each fed by the one before. So edges are never listed one by one. A junction keeps the two
/// largest values of different locations, because no member waits for itself.
/// Cost: O(links), twice. Memory: 32 bytes per message or collective instance, the keys of all sequences.
/// Limits: what cannot be matched with certainty orders nothing and is counted in unused(): what links/ gives no
/// partner, and several locations of one rank in one sequence.
#pragma once

#include <vector>

#include "trace/clock/clock_options.h"
#include "trace/clock/link_collector.h"
#include "trace/links/joined_sequences.h"
#include "trace/mpi_function.h"

namespace mora::trace {

/// How far the ends of an edge are apart: threads of one rank, one node, different nodes. Decides the least latency.
enum class Distance : std::uint8_t { threads, inside, between };

/// One meeting of sources and sinks. Values are times of sources, by whatever clock is being looked at.
struct Junction {
  static constexpr Nanoseconds nothing = INT64_MIN;
  Nanoseconds first = nothing;     ///< the largest value …
  Nanoseconds second = nothing;    ///< … and the largest of other locations
  std::uint32_t location = no_id;  ///< of `first`
  std::uint32_t pending = 0;       ///< sources that have not been met (forward sweep)
  EdgeKind kind = EdgeKind::message;
  Distance distance = Distance::inside;
  bool follows = false;  ///< the junction before is a source
  bool awaited = false;  ///< a location is blocked here (forward sweep)

  /// A source at location `from` has this time.
  void offer(Nanoseconds value, std::uint32_t from) {
    if (value > first) {
      if (location != from) second = first;
      first = value;
      location = from;
    } else if (from != location && value > second) {
      second = value;
    }
  }
  /// The latest source of other locations; `nothing` if there is none.
  Nanoseconds value_for(std::uint32_t asking) const { return asking == location ? second : first; }
  void forget() {
    first = second = nothing;
    location = no_id;
  }
};
static_assert(sizeof(Junction) == 32);

/// The end of an edge that a link is.
struct EdgeEnd {
  std::uint32_t junction = no_id;  ///< no_id: none
  bool sink = false;
  bool is_open = false;  ///< a sink without a junction: whom it waits for the trace does not tell for sure
};

class Junctions {
 public:
  /// Reads all links once or twice; takes the locations' sequences. Errors: the spool cannot be read.
  static Result<Junctions> make(const Definitions& definitions, const ClockOptions& options, const Spool<Link>& links,
                                std::vector<LocationLinks>& locations);

  /// Which junction the link belongs to, and as what. Thread-safe.
  EdgeEnd end(std::uint32_t location, const Link& link) const;
  Junction& at(std::uint32_t junction) { return junctions_[junction]; }
  const Junction& at(std::uint32_t junction) const { return junctions_[junction]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(junctions_.size()); }
  Nanoseconds latency(const Junction& junction) const {
    return latencies_[static_cast<std::size_t>(junction.distance)];
  }
  void forget_values();
  /// Ends of messages and collectives that could not be matched with certainty.
  std::uint64_t unused() const { return unused_; }

 private:
  Junctions(const Definitions& definitions, const ClockOptions& options, const std::vector<LocationLinks>& locations)
      : definitions_(&definitions),
        locations_(&locations),
        latencies_{options.between_threads, options.inside_node, options.between_nodes} {}
  /// Where the junctions of a sequence (of joined_) are, and how many of its pairs are certain enough for clocks.
  struct Sequence {
    std::uint32_t first = 0;  ///< junction, or of collectives: index of instances_
    std::uint32_t count = 0;
    std::vector<std::uint32_t> members;  ///< world ranks; of collectives
  };
  struct Instance {
    std::uint32_t junction = no_id;
    std::uint32_t seen = 0;
    std::uint32_t root = no_id;
    std::uint8_t operation = 0;
  };
  void settle(std::uint32_t sequence);
  Distance distance(std::uint32_t one, std::uint32_t other) const;
  const SequenceKey& key_of(std::uint32_t sequence) const { return joined_.all()[sequence].key; }
  /// Index of instances_ that the begin or end of a member belongs to; no_id: none.
  std::uint32_t instance_of(std::uint32_t location, const Link& link) const;
  Result<void> look_at_instances(const Spool<Link>& links);
  Result<void> count_sources(const Spool<Link>& links);
  void make_instance_junctions();
  std::uint32_t add_junctions(std::uint32_t count, EdgeKind kind, Distance distance);
  EdgeEnd collective_end(std::uint32_t location, const Link& link, std::uint32_t sequence) const;

  const Definitions* definitions_;
  const std::vector<LocationLinks>* locations_;
  Nanoseconds latencies_[3];
  JoinedSequences joined_;
  std::vector<Sequence> sequences_;  ///< parallel to joined_.all()
  std::vector<Instance> instances_;
  std::vector<Junction> junctions_;
  std::vector<std::uint32_t> first_thread_;  ///< per rank
  std::uint64_t unused_ = 0;
};

/// Which ends of a collective wait for which begins. Neighbourhood collectives, collectives with counts per partner
/// (Alltoallv) and the management of communicators order nothing here; a barrier is all to all.
CollectiveShape shape_of(const SequenceKey& key, std::uint8_t operation);

}  // namespace mora::trace
