/// Communicators of the parser: members from split records, and collectives of which not all records have come yet.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "predict/pattern/parse/parse.h"
#include "predict/pattern/parse/step.h"

namespace mora::predict {

/// A rootless collective whose records are being counted.
struct PendingCollective {
  std::int64_t id = 0;
  Operation operation = Operation::other;
  std::uint64_t count = 0;
  std::uint32_t rank = 0;  ///< the lowest so far: the collective is written in the phase of that rank
  std::uint32_t node = 0;
  bool contiguous = true, vector = false, uneven = false;
  std::int64_t min = 0, max = 0, median_twice = 0;
  std::vector<std::int64_t> medians;  ///< if they differ
};

class ParseCommunicators {
 public:
  ParseCommunicators(StepSource& source, ParseResult& result);

  /// Counts how many members of each communicator have a trace: needed when ranks are missing.
  Result<void> count_present();

  struct State {
    bool self = false;
    std::uint64_t size = 0;    ///< 0: in no record so far
    std::uint64_t needed = 0;  ///< records of a collective: size, less the ranks that are missing
    std::string tail[2];       ///< " no_contig NAME)\n", " contig NAME)\n"
    std::uint64_t sends = 0, receives = 0, rooted = 0, roots = 0;
    std::uint64_t vague = 0;  ///< receives from a negative rank: MPI_ANY_SOURCE or MPI_PROC_NULL
    struct Member {
      std::int64_t color, key;
      std::uint32_t rank;
    };
    std::vector<Member> members;
    PendingCollective* last = nullptr;
    const KnownCommunicator* known = nullptr;
    bool listed = false;  ///< in order_
    bool seen = false;
  };
  State& state(std::uint32_t name) {
    if (name >= states_.size() || !states_[name].seen) meet(name);
    return states_[name];
  }

  /// A `Comm` record: the process is a member, with its key and colour.
  void add_member(std::uint32_t rank, const Step& step);

  /// Counts a rootless record in; the collective if this was its last record (valid until the next call).
  const PendingCollective* add_collective(std::uint32_t rank, std::uint32_t node, const Step& step);
  /// Collectives that lack records: calls `write(name, collective)` for those that are complete after all, and
  /// counts the others.
  template <class Write>
  void finish_collectives(Write write) {
    for (auto& [key, pending] : take_sorted()) {
      State& s = state(key.name);
      if (s.needed != 0 && pending.count >= s.needed)
        write(key.name, pending);
      else
        note_incomplete(key.name, pending);
    }
  }

  /// Into the result: communicators in order of appearance, what does not fit together.
  void finish();

 private:
  struct Key {
    std::uint32_t name = 0;
    Operation operation = Operation::other;
    std::int64_t id = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return (static_cast<std::uint64_t>(k.id) * 0x9e3779b97f4a7c15ULL) ^ (std::uint64_t{k.name} << 20) ^
             static_cast<std::uint64_t>(k.operation);
    }
  };
  void meet(std::uint32_t name);
  /// Unfinished collectives by name, operation and number, so that the output does not depend on hashing.
  std::vector<std::pair<Key, PendingCollective>> take_sorted();
  void note_incomplete(std::uint32_t name, const PendingCollective& pending);

  StepSource* source_;
  ParseResult* result_;
  std::vector<State> states_;
  std::vector<std::uint32_t> order_;  ///< names of communicators in the order in which they were made
  std::unordered_map<std::uint32_t, std::uint64_t> present_;
  std::vector<KnownCommunicator> known_;
  std::unordered_map<std::string_view, const KnownCommunicator*> known_by_name_;
  std::vector<std::uint32_t> streams_;  ///< their ranks, ascending
  bool some_missing_ = false;
  std::unordered_map<Key, PendingCollective, Hash> pending_;
  PendingCollective done_;
};

}  // namespace mora::predict
