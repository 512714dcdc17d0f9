/// The pairs that each consumer of trace/links/ makes of a trace, as ends (location, ordinal of the record), whatever
/// the consumer's own form of them is.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "trace/memory_source.h"

namespace mora::links_test {

struct End {
  trace::LocationId location = 0;
  std::uint64_t ordinal = 0;
  auto operator<=>(const End&) const = default;
};
struct Pair {
  End first, second;  ///< of messages send and receive
  auto operator<=>(const Pair&) const = default;
};
using Pairs = std::set<Pair>;

std::string text(const Pairs& pairs);

/// `source`: no two events at one time.
Pairs messages_of_view(trace::MemorySource& source);
Pairs messages_of_earl(trace::MemorySource& source);    ///< without an index
Pairs messages_of_arrows(trace::MemorySource& source);  ///< exports
Pairs messages_of_clocks(trace::MemorySource& source);
Pairs messages_of_replay(trace::MemorySource& source);
Pairs messages_of_engine(trace::MemorySource& source);

/// One collective operation: the records of its members. Of blocking operations collective_end and rma_collective_end,
/// of others collective_request.
using Instances = std::set<std::set<End>>;
std::string text(const Instances& instances);

Instances instances_of_view(trace::MemorySource& source);  ///< blocking ones, members that left their call
Instances instances_of_clocks(
    trace::MemorySource& source);  ///< those that order all members, as far as sinks and sources
Instances instances_of_replay(trace::MemorySource& source);
Instances instances_of_engine(trace::MemorySource& source);

/// Epochs that belong together: (MPI_Win_post, MPI_Win_complete) or (MPI_Win_complete, the end of the exposure epoch),
/// or where a consumer says so (MPI_Win_post, MPI_Win_start); by the records of the calls.
Pairs epochs_of_view(trace::MemorySource& source);    ///< post and start, complete and end
Pairs epochs_of_clocks(trace::MemorySource& source);  ///< post and complete, complete and end
Pairs epochs_of_replay(trace::MemorySource& source);  ///< post and complete, complete and end
Pairs epochs_of_engine(trace::MemorySource& source);  ///< complete and end, of different ranks
Pairs epochs_of_checks(trace::MemorySource& source);  ///< post and start, before the first gap of either side

/// One-sided transfers: put, get or atomic, and the leave of the call that completes it (of an unlock its record).
bool has_transfers(const trace::MemorySource& source);
Pairs transfers_naively(const trace::MemorySource& source);
Pairs transfers_of_view(trace::MemorySource& source);
Pairs transfers_of_earl(trace::MemorySource& source);    ///< without an index
Pairs transfers_of_arrows(trace::MemorySource& source);  ///< exports: puts and gets

/// Locks of windows. When each that was asked for (its record) was granted, if later than asked for.
using Grants = std::map<End, Nanoseconds>;
std::string text(const Grants& grants);
Grants grants_of_view(trace::MemorySource& source);  ///< released ones; without gaps in the recording
Grants grants_naively(const trace::MemorySource& source);
/// Epochs that held one target's lock directly after each other, by the records that ask for it; without
/// MPI_Win_lock_all. The engine's order: exhaustive.passive.
Pairs locks_of_replay(trace::MemorySource& source);
Pairs locks_naively(const trace::MemorySource& source);

/// Requests: the record that starts one and the one that completes it, of messages, non-blocking collectives, files.
Pairs requests_naively(const trace::MemorySource& source);
Pairs requests_of_view(trace::MemorySource& source);     ///< collectives and files
Pairs requests_of_pattern(trace::MemorySource& source);  ///< messages and collectives, both ends in MPI calls

/// Pairs that a consumer leaves out by a rule of its own.
bool is_atomic(const trace::MemorySource& source, const Pair& pair);         ///< exports, of transfers
bool is_against_time(const trace::MemorySource& source, const Pair& pair);   ///< the view: the send is later
bool is_outside_calls(const trace::MemorySource& source, const Pair& pair);  ///< the engine
bool is_of_message(const trace::MemorySource& source, const Pair& pair);     ///< the view, of requests
bool is_of_file(const trace::MemorySource& source, const Pair& pair);        ///< patterns, of requests

}  // namespace mora::links_test
