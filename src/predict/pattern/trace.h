/// The pattern trace: what every rank of an MPI program communicates, in its order and without times (time-independent
/// traces: Kotomatas 2018, 2.4.2). `mora pattern record` and `dryrun` write it, text traces and OTF2 experiments are
/// converted to it, and parse, matrix, features and placement read it. Rule `what-a-pattern-holds` (docs/rules.md).
///
/// A rank's calls are kept once each (`calls`), and their order as a loop-compressed sequence (`order`, sequence.h):
/// memory follows the number of different calls, not the number of calls. Everything here is plain data; const access
/// is thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "predict/pattern/operation.h"
#include "predict/pattern/sequence.h"

namespace mora::predict {

inline constexpr std::uint32_t no_id = 0xffffffff;
inline constexpr std::int32_t peer_none = -1;  ///< MPI_PROC_NULL, or no peer at all: nothing moves
inline constexpr std::int32_t peer_any = -2;   ///< MPI_ANY_SOURCE that was never completed
inline constexpr std::int32_t root_here = -3;  ///< MPI_ROOT of an inter-communicator
inline constexpr std::int32_t tag_any = -1;

struct Datatype {
  std::string name;         ///< MPI_Type_get_name, or the combiner ("vector") if it has none
  std::uint64_t size = 0;   ///< bytes of data in one element (MPI_Type_size)
  std::int64_t extent = 0;  ///< bytes from one element to the next
  bool contiguous = true;   ///< any number of elements is one run of bytes in type-map order: no packing needed
  bool predefined = true;
  std::uint8_t code = 6;  ///< Kotomatas 2018, Table 3.2: 0…6; other types 100 if contiguous, else 101
  bool operator==(const Datatype&) const = default;
};

struct Communicator {
  std::string name;  ///< the same in all ranks: MPI_COMM_WORLD, MPI_COMM_SELF, mini_comm_<event>_<colour>, …
  Operation made_by = Operation::other;
  std::uint32_t parent = no_id;  ///< index; no_id for MPI_COMM_WORLD and where the parent is not known
  std::uint32_t event =
      no_id;  ///< which creation made it, numbered over the whole job from 0; siblings of a split share it
  std::int32_t color = 0, key = 0;     ///< of MPI_Comm_split; key of the member with local rank 0
  std::vector<std::uint32_t> members;  ///< world ranks in local-rank order. MPI_COMM_SELF: empty (each rank is its own)
  std::vector<std::uint32_t> remote;   ///< of an inter-communicator
  bool operator==(const Communicator&) const = default;
};

struct Window {
  std::uint32_t communicator = 0;  ///< index in communicators
  std::string name;
  bool operator==(const Window&) const = default;
};

/// `count` elements of a type. count < 0: not significant in this call (a non-root's receive side).
struct Payload {
  std::int64_t count = -1;
  std::uint32_t type = no_id;  ///< index in Definitions::datatypes
  bool operator==(const Payload&) const = default;
};

/// A completed request of a Wait or Test.
struct Completion {
  std::uint32_t age =
      0;  ///< 0: the request started last before this call by this rank, 1: the one before it …; no_id: not known
  std::int32_t source = peer_none;  ///< of a receive: who sent it (rank in the receive's communicator)
  std::int32_t tag = tag_any;       ///< of a receive
  std::uint64_t bytes = 0;          ///< of a receive: what arrived
  bool cancelled = false;
  bool operator==(const Completion&) const = default;
};

/// One call. Unused fields keep their defaults, so that equal calls are equal.
struct Call {
  Operation operation = Operation::other;
  bool in_place = false;
  bool posted_any_source = false;  ///< a receive that asked for MPI_ANY_SOURCE (its peer is the actual one, if known)
  bool posted_any_tag = false;
  std::uint16_t thread = 0;            ///< 0: the one that called MPI_Init; others in order of appearance
  std::uint32_t communicator = no_id;  ///< index in Definitions; of one-sided calls and windows: the window's
  std::int32_t peer = peer_none;  ///< send: destination; receive: source; rooted: root; one-sided, lock, flush: target.
                                  ///< Ranks of the communicator
  std::int32_t tag = tag_any;
  std::int32_t peer2 = peer_none;  ///< sendrecv: source
  std::int32_t tag2 = tag_any;     ///< sendrecv: of the receive; split: key
  Payload sent;      ///< what this rank gives; of reductions: the operand. Of vector calls count is the sum
  Payload received;  ///< what it takes, as its arguments say (receives: the capacity)
  std::uint64_t bytes_received = 0;  ///< receives, sendrecv: what really arrived (0 for irecv: see its completion)
  std::uint32_t sent_vector =
      no_id;  ///< index in RankTrace::vectors: bytes for each peer (neighbourhoods: pairs rank, bytes)
  std::uint32_t received_vector = no_id;
  std::uint32_t completions = no_id;  ///< index in RankTrace::completions
  std::uint32_t argument =
      no_id;  ///< phase index; new communicator's index of a communicator call; window index of window and
              ///< one-sided calls; id of a function (operation other); age of the request of cancel, request_free,
              ///< start_*; value of bytes for file calls is in sent (write) or received (read)
  bool operator==(const Call&) const = default;
};

struct RankTrace {
  std::uint32_t rank = 0;   ///< in MPI_COMM_WORLD
  std::vector<Call> calls;  ///< different calls
  std::vector<std::vector<std::uint64_t>> vectors;
  std::vector<std::vector<Completion>> completions;
  Sequence order;  ///< of indices into calls
  std::uint64_t dropped_tests =
      0;  ///< unsuccessful tests and probes: they depend on time, say nothing of communication, and are not kept
  bool complete = true;  ///< MPI_Finalize was reached
};

enum class Origin : std::uint8_t { record, dryrun, text, otf2 };

struct Definitions {
  std::uint32_t world_size = 0;
  Origin origin = Origin::record;
  std::string program, command, mpi;  ///< "" = not known
  std::vector<Datatype> datatypes;
  std::vector<Communicator> communicators;  ///< 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF
  std::vector<Window> windows;
  std::vector<std::string> phases;  ///< names
  bool exact_vectors = true;        ///< false: read from a text trace, which keeps min, median, max only
  /// Host of each rank as recorded; empty = not known.
  std::vector<std::string> hosts;
};

struct PatternTrace {
  Definitions definitions;
  std::vector<RankTrace> ranks;  ///< ascending; a dry run has only some of them
  DataQuality quality;
};

/// World rank of `peer` seen by `rank` on a communicator; no_id for peer_none, peer_any and ranks outside of
/// MPI_COMM_WORLD.
std::uint32_t world_rank(const Communicator& communicator, std::uint32_t rank, std::int32_t peer);
/// Rank of a world rank in a communicator, -1 if it is no member.
std::int32_t local_rank(const Communicator& communicator, std::uint32_t world_rank);
/// Processes that take part in collectives: of MPI_COMM_SELF 1.
std::uint32_t size_of(const Communicator& communicator);
/// count x size of the type; 0 if not significant.
std::uint64_t bytes_of(const Payload& payload, const Definitions& definitions);

/// Fills a RankTrace call by call: finds equal calls, vectors and completion lists, compresses loops as they come.
class RankTraceBuilder {
 public:
  explicit RankTraceBuilder(std::uint32_t rank);
  ~RankTraceBuilder();
  RankTraceBuilder(RankTraceBuilder&&) noexcept;
  RankTraceBuilder& operator=(RankTraceBuilder&&) noexcept;
  /// Indices for Call::sent_vector and Call::completions.
  std::uint32_t vector(std::vector<std::uint64_t> bytes);
  std::uint32_t completions(std::vector<Completion> list);
  void add(const Call& call);
  /// How many calls were added so far.
  std::uint64_t size() const;
  RankTrace finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mora::predict
