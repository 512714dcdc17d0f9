/// Regions: names for the numbers of calls, functions and states, made when first met. A name is the label of the .pcf
/// file, else what Extrae is known to write, else "event TYPE value VALUE". O(1) per look-up.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "trace/readers/building/trace_builder.h"
#include "trace/readers/paraver/labels.h"

namespace mora::trace::paraver {

/// Value of a source-line event type that stands in the same line as a call; type 0 = none.
struct CallSite {
  std::uint64_t type = 0, value = 0;
};

/// Not thread-safe. Unlabelled numbers beyond `most_unlabelled` share one region per type, so that hostile files cannot
/// make a region of every line.
class Regions {
 public:
  static constexpr std::size_t most_unlabelled = 65536;

  Regions(const Labels& labels, TraceBuilder& builder) : labels_(labels), builder_(builder) {}
  /// The region of an event or state by its label, made at the first use; `site`: the line that it was called from.
  RegionId mpi(std::uint64_t type, std::uint64_t value, const CallSite& site);
  RegionId function(std::uint64_t type, std::uint64_t value, const CallSite& site);
  /// States in which a thread does nothing for the program are OpenMP's runtime, those in which it communicates MPI's.
  RegionId state(std::uint64_t state);
  /// By the state's name: idle, not running, not created, blocked, synchronization, scheduling and fork/join.
  bool is_idle(std::uint64_t state);

 private:
  struct Key {
    std::uint64_t type = 0, value = 0, site = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t h = key.type * 0x9E3779B97F4A7C15ULL;
      h = (h ^ key.value) * 0xC2B2AE3D27D4EB4FULL;
      h = (h ^ (h >> 29) ^ key.site) * 0x9E3779B97F4A7C15ULL;
      return h ^ (h >> 32);
    }
  };
  RegionId make(std::uint64_t type, std::uint64_t value, const CallSite& site, const char* known, const char* group);

  const Labels& labels_;
  TraceBuilder& builder_;
  std::unordered_map<Key, RegionId, Hash> known_;
  std::unordered_map<std::uint64_t, bool> idle_;
  std::size_t unlabelled_ = 0;
};

}  // namespace mora::trace::paraver
