/// Who sent how much to whom: point-to-point messages and one-sided transfers of a view, how large they were, and when.
///
/// A message that was received counts as its reception says (its length is that), one that was not as its sending does;
/// a get counts from the target to the origin, an atomic operation from the origin to the target with what it brings
/// back. All stand at the time and the call that began them. Cost: one pass over the view. Filled by one thread, then
/// read by any.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "serve/kept_bytes.h"
#include "serve/site.h"
#include "trace/view/view.h"

namespace mora::serve {

/// By location: begin and end of the stretches in which it executes something, in order of time, none in another.
using Executions = std::vector<std::vector<std::pair<Nanoseconds, Nanoseconds>>>;

/// What is counted.
struct TrafficChoice {
  std::optional<Nanoseconds> from, until;  ///< of the begin; nothing: of the trace
  trace::RegionId region = trace::no_id;   ///< the call that sends; no_id: any
  bool messages = true, transfers = true;
  const Executions* executions = nullptr;  ///< of the sender, or origin; nullptr: whenever it is

  bool is_all() const;
};
/// Query: `from`, `until`, `region`, `kind` ("messages", "transfers"; default both). Errors (usage).
Result<TrafficChoice> asked_traffic(const Query& query, std::size_t regions);

class Traffic {
 public:
  static constexpr std::size_t time_bins = 240;  ///< equal parts of the time
  Traffic(const trace::Definitions& definitions, Nanoseconds duration, const TrafficChoice& choice = {});
  void pass(const trace::EventColumns& events, std::uint64_t i);  ///< event i + 1
  void keep(KeptBytes& bytes);
  void read(const trace::View& view);  ///< all events

  /// Query: `by` ("rank", "node"), `order` ("given", "clustered": those next to each other that exchange most),
  /// `first`, `count` of what is shown then (default: all), `cells` at most in each direction (256): more are joined.
  Result<std::string> json(const Query& query) const;

 private:
  struct Amount {
    std::uint64_t messages = 0, bytes = 0;
    void add(const Amount& other) { messages += other.messages, bytes += other.bytes; }
  };
  struct Passed {
    std::uint32_t from = 0, to = 0;
    std::uint64_t bytes = 0, begin = 0;  ///< position of the event that began it
    bool is_message = false;
  };
  std::optional<Passed> passed_at(const trace::EventColumns& events, std::uint64_t i) const;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Amount> pairs_of(const std::vector<std::uint32_t>& item) const;

  const trace::Definitions& definitions_;
  TrafficChoice choice_;
  Nanoseconds from_, until_;
  std::uint32_t ranks_;
  std::unordered_map<std::uint64_t, Amount> pairs_;  ///< from << 32 | to
  std::array<Amount, 65> sizes_{};                   ///< by bit length
  std::vector<Amount> calls_;                        ///< by region
  std::array<Amount, time_bins> bins_{};
  Amount all_;
};

}  // namespace mora::serve
