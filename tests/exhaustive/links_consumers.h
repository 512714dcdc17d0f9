/// The pairs that each consumer of trace/links/ makes of a trace, as ends (location, ordinal of the record), whatever
/// the consumer's own form of them is.
#pragma once

#include <compare>
#include <cstdint>
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

/// Pairs that a consumer leaves out by a rule of its own.
bool is_against_time(const trace::MemorySource& source, const Pair& pair);        ///< the view: the send is later
bool is_of_several_threads(const trace::MemorySource& source, const Pair& pair);  ///< clocks
bool is_outside_calls(const trace::MemorySource& source, const Pair& pair);       ///< the engine
bool is_on_one_location(const Pair& pair);

}  // namespace mora::links_test
