/// Collective calls against each other: the n-th of a communicator (of a window) must be the same operation in all its
/// members, with the same root and amounts that fit (MPI-3.1, 5). Each rank's calls are sorted by communicator once;
/// then the members' n-th calls are compared. Combinations of calls that were seen before are not compared again: a
/// repeated iteration costs one hash look-up. Memory: the collective calls of one communicator of all members at a
/// time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "predict/pattern/check/parts.h"

namespace mora::predict {
namespace {

/// All members of the communicator (of the window) must make this call.
bool is_collective(const Call& call) {
  switch (info(call.operation).kind) {
    case OperationClass::rooted:
    case OperationClass::rootless:
    case OperationClass::neighborhood:
      return true;
    case OperationClass::communicator:
      return call.operation != Operation::comm_create_group && call.operation != Operation::comm_other;
    case OperationClass::window:
      return call.operation == Operation::win_create || call.operation == Operation::win_free ||
             call.operation == Operation::win_fence;
    default:
      return call.operation == Operation::file_open;
  }
}

struct Entry {
  std::uint32_t call;    // index in the rank's calls
  std::uint64_t number;  // within the rank, from 1
};

/// One rank's collective calls on one communicator or window.
struct Member {
  const RankTrace* rank = nullptr;
  std::vector<Entry> entries;
};

/// Streams are identified by (communicator, window or no_id): the calls on a window have an order of their own.
using Stream = std::pair<std::uint32_t, std::uint32_t>;

std::uint64_t scramble(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

class Round {
 public:
  Round(const PatternTrace& trace, const Communicator& communicator, const std::vector<Member>& members, std::size_t n)
      : trace_(trace), communicator_(communicator) {
    for (const auto& m : members) {
      if (n >= m.entries.size()) continue;
      const auto& entry = m.entries[n];
      takers_.push_back({m.rank, &m.rank->calls[entry.call], entry.number, local_rank(communicator, m.rank->rank)});
    }
  }

  /// False if from here on the members do different things.
  bool check(std::vector<Disagreement>& found) {
    const auto& first = takers_.front();
    for (const auto& t : takers_)
      if (t.call->operation != first.call->operation) {
        report(
            found, "pattern-collective-operation", t, first,
            fmt::format("{}, where rank {} (call {}) does {}", text(t), first.rank->rank, first.number, text(first)));
        return false;
      }
    if (takers_.size() == 1 && communicator_.members.size() != 1) return true;
    if (!communicator_.remote.empty()) return true;  // two groups with different roles: operation and number only
    const auto kind = info(first.call->operation).kind;
    if (kind == OperationClass::rooted) check_rooted(found);
    if (kind == OperationClass::rootless) check_rootless(found);
    if (kind == OperationClass::neighborhood) check_neighbors(found);
    return true;
  }

 private:
  struct Taker {
    const RankTrace* rank;
    const Call* call;
    std::uint64_t number;
    std::int32_t local;
  };

  std::string text(const Taker& t) const { return describe(*t.call, trace_, *t.rank); }
  std::uint64_t sent(const Taker& t) const { return bytes_of(t.call->sent, trace_.definitions); }
  std::uint64_t received(const Taker& t) const { return bytes_of(t.call->received, trace_.definitions); }
  /// What a call moves where both sides are equal (bcast, reductions): the side that is significant.
  std::uint64_t moved(const Taker& t) const { return t.call->sent.count >= 0 ? sent(t) : received(t); }
  static const std::vector<std::uint64_t>* vector_of(const Taker& t, std::uint32_t index) {
    return index < t.rank->vectors.size() ? &t.rank->vectors[index] : nullptr;
  }
  bool counts_are_exact() const { return trace_.definitions.exact_vectors; }

  static void report(std::vector<Disagreement>& found, const char* kind, const Taker& who, const Taker& other,
                     std::string what) {
    found.push_back({kind, who.rank->rank, other.rank->rank, who.number, std::move(what)});
  }
  void tell_size(std::vector<Disagreement>& found, const Taker& who, const Taker& other, std::uint64_t gives,
                 std::uint64_t takes) const {
    report(found, "pattern-collective-size", who, other,
           fmt::format("{}: {} bytes, where rank {} (call {}) has {} for it", text(who), gives, other.rank->rank,
                       other.number, takes));
  }

  void check_rooted(std::vector<Disagreement>& found) {
    const auto& first = takers_.front();
    for (const auto& t : takers_)
      if (t.call->peer != first.call->peer)
        return report(found, "pattern-collective-root", t, first,
                      fmt::format("{}, where rank {} (call {}) says root {}", text(t), first.rank->rank, first.number,
                                  first.call->peer));
    const auto operation = blocking_form(first.call->operation);
    const auto root =
        std::find_if(takers_.begin(), takers_.end(), [&](const Taker& t) { return t.local == t.call->peer; });
    for (const auto& t : takers_) {
      if (operation == Operation::bcast || operation == Operation::reduce) {
        if (moved(t) != moved(first)) return tell_size(found, t, first, moved(t), moved(first));
        continue;
      }
      if (root == takers_.end() || (t.local == root->local && t.call->in_place)) continue;
      const bool gathers = operation == Operation::gather || operation == Operation::gatherv;
      const auto mine = gathers ? sent(t) : received(t);
      auto roots = gathers ? received(*root) : sent(*root);
      if (operation == Operation::gatherv || operation == Operation::scatterv) {
        const auto* vector = vector_of(*root, gathers ? root->call->received_vector : root->call->sent_vector);
        if (!vector || !counts_are_exact() || static_cast<std::size_t>(t.local) >= vector->size()) continue;
        roots = (*vector)[static_cast<std::size_t>(t.local)];
      }
      if (mine != roots) return tell_size(found, t, *root, mine, roots);
    }
  }

  void check_rootless(std::vector<Disagreement>& found) {
    const auto& first = takers_.front();
    const auto operation = blocking_form(first.call->operation);
    if (operation == Operation::barrier) return;
    if (operation == Operation::alltoallv || operation == Operation::alltoallw) return check_pairs(found);
    for (const auto& t : takers_) {
      if (operation == Operation::allgatherv || operation == Operation::reduce_scatter) {
        if (!check_common_vector(found, t, operation == Operation::allgatherv)) return;
      } else if (moved(t) != moved(first)) {
        return tell_size(found, t, first, moved(t), moved(first));
      } else if ((operation == Operation::allgather || operation == Operation::alltoall) && t.call->sent.count >= 0 &&
                 sent(t) != received(t)) {
        return tell_size(found, t, t, sent(t), received(t));
      }
    }
  }

  /// allgatherv, reduce_scatter: all give the same counts, and each contributes what they say.
  bool check_common_vector(std::vector<Disagreement>& found, const Taker& t, bool contributes) {
    const auto counts_of = [&](const Taker& x) {
      const auto* v = vector_of(x, x.call->received_vector);
      return v ? v : vector_of(x, x.call->sent_vector);
    };
    const auto& first = takers_.front();
    const auto *counts = counts_of(t), *expected = counts_of(first);
    if (!counts || !expected || !counts_are_exact()) return true;
    if (*counts != *expected) {
      const auto [a, b] = std::mismatch(counts->begin(), counts->end(), expected->begin(), expected->end());
      tell_size(found, t, first, a == counts->end() ? 0 : *a, b == expected->end() ? 0 : *b);
      return false;
    }
    if (contributes && t.call->sent.count >= 0 && static_cast<std::size_t>(t.local) < counts->size() &&
        sent(t) != (*counts)[static_cast<std::size_t>(t.local)]) {
      tell_size(found, t, t, sent(t), (*counts)[static_cast<std::size_t>(t.local)]);
      return false;
    }
    return true;
  }

  void check_pairs(std::vector<Disagreement>& found) {
    if (!counts_are_exact()) return;
    for (const auto& from : takers_) {
      const auto* gives = vector_of(from, from.call->in_place ? from.call->received_vector : from.call->sent_vector);
      if (!gives) continue;
      for (const auto& to : takers_) {
        const auto* takes = vector_of(to, to.call->received_vector);
        if (!takes || static_cast<std::size_t>(to.local) >= gives->size() ||
            static_cast<std::size_t>(from.local) >= takes->size())
          continue;
        const auto a = (*gives)[static_cast<std::size_t>(to.local)], b = (*takes)[static_cast<std::size_t>(from.local)];
        if (a != b) return tell_size(found, from, to, a, b);
      }
    }
  }

  /// Vectors are pairs (rank of the communicator, bytes). A neighbour may stand there more than once: sums are
  /// compared.
  void check_neighbors(std::vector<Disagreement>& found) {
    if (!counts_are_exact()) return;
    std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::uint64_t, std::uint64_t>> flows;
    std::map<std::int32_t, const Taker*> by_local;
    for (const auto& t : takers_) {
      by_local[t.local] = &t;
      const auto *gives = vector_of(t, t.call->sent_vector), *takes = vector_of(t, t.call->received_vector);
      if (!gives || !takes) return;
      for (std::size_t i = 0; i + 1 < gives->size(); i += 2)
        flows[{t.local, static_cast<std::int32_t>((*gives)[i])}].first += (*gives)[i + 1];
      for (std::size_t i = 0; i + 1 < takes->size(); i += 2)
        flows[{static_cast<std::int32_t>((*takes)[i]), t.local}].second += (*takes)[i + 1];
    }
    for (const auto& [who, bytes] : flows) {
      const auto from = by_local.find(who.first), to = by_local.find(who.second);
      if (bytes.first != bytes.second && from != by_local.end() && to != by_local.end())
        return tell_size(found, *from->second, *to->second, bytes.first, bytes.second);
    }
  }

  const PatternTrace& trace_;
  const Communicator& communicator_;
  std::vector<Taker> takers_;
};

void check_stream(const PatternTrace& trace, const Communicator& communicator, const std::string& name,
                  const std::vector<Member>& members, std::vector<Disagreement>& found) {
  std::size_t rounds = 0, usual = 0;
  for (std::size_t m = 0; m < members.size(); ++m)
    if (members[m].entries.size() > rounds) {
      rounds = members[m].entries.size();
      usual = m;
    }
  std::unordered_set<std::uint64_t> good;
  std::set<std::string> reported;  // one of each kind: later differences are mostly consequences of the first
  bool together = true;
  for (std::size_t n = 0; together && n < rounds; ++n) {
    std::uint64_t combination = 0;
    for (std::size_t m = 0; m < members.size(); ++m)
      combination += scramble((std::uint64_t{static_cast<std::uint32_t>(m)} << 32) +
                              (n < members[m].entries.size() ? members[m].entries[n].call + 1 : 0));
    if (!good.insert(combination).second) continue;
    std::vector<Disagreement> here;
    together = Round(trace, communicator, members, n).check(here);
    for (auto& d : here)
      if (reported.insert(d.kind).second) found.push_back(std::move(d));
  }
  if (!together) return;
  for (const auto& m : members) {
    if (m.entries.size() == rounds || !m.rank->complete) continue;
    const auto& most = members[usual];
    const auto& entry = most.entries[m.entries.size()];
    found.push_back({"pattern-collective-missing", m.rank->rank, most.rank->rank,
                     m.entries.empty() ? 0 : m.entries.back().number,
                     fmt::format("{} collective calls on {}, rank {} makes {}: the next one is {} (call {})",
                                 m.entries.size(), name, most.rank->rank, rounds,
                                 describe(most.rank->calls[entry.call], trace, *most.rank), entry.number)});
  }
}

}  // namespace

void check_collectives(const PatternTrace& trace, std::vector<Disagreement>& found) {
  std::map<Stream, std::map<std::uint32_t, Member>> streams;
  for (const auto& rank : trace.ranks) {
    std::vector<std::vector<Entry>*> entries_of(rank.calls.size());
    for (std::size_t i = 0; i < rank.calls.size(); ++i) {
      const auto& call = rank.calls[i];
      if (!is_collective(call) || call.communicator >= trace.definitions.communicators.size()) continue;
      if (trace.definitions.communicators[call.communicator].members.empty()) continue;  // MPI_COMM_SELF
      const bool own_order = call.operation == Operation::win_free || call.operation == Operation::win_fence;
      auto& member = streams[{call.communicator, own_order ? call.argument : no_id}][rank.rank];
      member.rank = &rank;
      entries_of[i] = &member.entries;
    }
    std::uint64_t number = 0;
    auto cursor = rank.order.cursor();
    for (std::uint32_t at; cursor.next(at);) {
      ++number;
      if (entries_of[at]) entries_of[at]->push_back({at, number});
    }
  }
  for (auto& [stream, by_rank] : streams) {
    const auto& communicator = trace.definitions.communicators[stream.first];
    std::vector<Member> members;
    for (const auto& rank : trace.ranks) {
      const auto local =
          std::find(communicator.members.begin(), communicator.members.end(), rank.rank) != communicator.members.end();
      const auto remote =
          std::find(communicator.remote.begin(), communicator.remote.end(), rank.rank) != communicator.remote.end();
      if (!local && !remote) continue;
      auto& member = by_rank[rank.rank];
      member.rank = &rank;
      members.push_back(std::move(member));
    }
    if (members.empty()) continue;
    auto name = communicator_name(trace, stream.first);
    if (stream.second < trace.definitions.windows.size() && !trace.definitions.windows[stream.second].name.empty())
      name = trace.definitions.windows[stream.second].name;
    check_stream(trace, communicator, name, members, found);
  }
}

}  // namespace mora::predict
