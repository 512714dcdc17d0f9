/// Joining by key: the ends of each sequence are counted over all locations; where several threads of a rank take part,
/// its serials are renumbered by recorded time (Mora's rule threads-in-replay). Locks of a window at a target are
/// sorted by release and grouped into exclusive epochs and runs of shared ones; whether the wait was in the call that
/// asks for the lock or in the one that releases it follows from the recorded times. O(n log n).
#include "replay/sequences.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace mora::replay {

namespace {

struct KeyHash {
  std::size_t operator()(const Key& k) const {
    std::uint64_t h = (std::uint64_t{k.a} << 32 | k.b) * 0x9E3779B97F4A7C15U;
    h ^= h >> 31;
    h += (std::uint64_t{k.c} << 32 | static_cast<std::uint32_t>(k.tag)) * 0xC2B2AE3D27D4EB4FU;
    h ^= h >> 29;
    h += (std::uint64_t{k.stretch} << 8 | static_cast<std::uint8_t>(k.kind)) * 0x165667B19E3779F9U;
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

bool is_collective(KeyKind kind) {
  return kind == KeyKind::collective || kind == KeyKind::window || kind == KeyKind::init || kind == KeyKind::finalize ||
         kind == KeyKind::file;
}

/// Adds the locations' sequences one by one, threads of a rank next to each other, then closes each sequence.
class Joiner {
 public:
  Joiner(const trace::Definitions& definitions, const std::vector<LocationActions>& locations)
      : definitions_(definitions), locations_(locations) {}

  Sequences run() {
    result_.places.resize(locations_.size());
    for (trace::LocationId l = 0; l < locations_.size(); ++l) {
      for (const LocalSequence& local : locations_[l].sequences) add(l, local);
    }
    for (std::uint32_t s = 0; s < result_.all.size(); ++s) finish(s);
    return std::move(result_);
  }

 private:
  /// What is only needed until all locations are added.
  struct Sides {
    Key key;
    std::vector<trace::LocationId> sources, sinks;  ///< of messages and signals
    std::vector<trace::LocationId> threads;         ///< of collectives: of the rank at hand
    std::uint32_t contributors = 0, calls = 0;      ///< ranks; calls of the rank at hand
    std::uint32_t last_rank = no_id;
  };

  /// Counts the ends of one location in the sequence of its key.
  void add(trace::LocationId l, const LocalSequence& local) {
    const auto [at, is_new] = numbers_.try_emplace(local.key, static_cast<std::uint32_t>(result_.all.size()));
    if (is_new) {
      result_.all.emplace_back().kind = local.key.kind;
      sides_.emplace_back().key = local.key;
    }
    Sequence& s = result_.all[at->second];
    Sides& sides = sides_[at->second];
    Place place{at->second, no_id};
    if (is_collective(local.key.kind)) {
      const std::uint32_t rank = definitions_.locations[l].rank;
      if (sides.last_rank != rank) leave_rank(at->second);  // threads of a rank stand together
      place.position = position(local.key, rank, sides);
      if (place.position != no_id) {
        if (sides.last_rank != rank) ++sides.contributors;
        sides.last_rank = rank;
        sides.calls += local.given;
        sides.threads.push_back(l);
      }
      s.needs_positions = s.needs_positions || local.needs_positions;
    } else {
      if (local.given > 0) sides.sources.push_back(l);
      if (local.taken > 0) sides.sinks.push_back(l);
      s.given += local.given - static_cast<std::uint32_t>(local.cancelled.size());
      s.taken += local.taken;
      s.synchronous = s.synchronous || local.synchronous;
    }
    result_.places[l].push_back(place);
  }

  /// All calls of a rank in a collective sequence are added.
  void leave_rank(std::uint32_t number) {
    Sequence& s = result_.all[number];
    Sides& sides = sides_[number];
    if (sides.threads.empty()) return;
    s.least = sides.contributors == 1 ? sides.calls : std::min(s.least, sides.calls);
    number_by_time(number, sides.threads, &LocalSequence::given_at, &Place::given_map);
    sides.threads.clear();
    sides.calls = 0;
  }

  /// Several threads of a rank take part on one side: its calls are numbered by their recorded times (ties: lower
  /// threads).
  void number_by_time(std::uint32_t number, const std::vector<trace::LocationId>& threads,
                      std::vector<Nanoseconds> LocalSequence::*times, std::uint32_t Place::*map) {
    if (threads.size() < 2) return;
    struct Entry {
      Nanoseconds time;
      trace::LocationId location;
      std::uint32_t serial;
      std::uint32_t* into;
      bool operator<(const Entry& o) const {
        return std::tie(time, location, serial) < std::tie(o.time, o.location, o.serial);
      }
    };
    std::vector<Entry> entries;
    for (const trace::LocationId l : threads) {
      const auto key = find(l, number);
      if (key == no_id) continue;
      const LocalSequence& local = locations_[l].sequences[key];
      result_.places[l][key].*map = static_cast<std::uint32_t>(result_.maps.size());
      auto& serials = result_.maps.emplace_back((local.*times).size(), no_id);
      for (std::uint32_t i = 0; i < serials.size(); ++i) {
        const bool is_cancelled =
            map == &Place::given_map && std::binary_search(local.cancelled.begin(), local.cancelled.end(), i);
        if (!is_cancelled) entries.push_back({(local.*times)[i], l, i, &serials[i]});
      }
    }
    std::sort(entries.begin(), entries.end());
    for (std::uint32_t i = 0; i < entries.size(); ++i) *entries[i].into = i;
  }

  /// Index of the sequence in the location's own list; no_id: it does not take part.
  std::uint32_t find(trace::LocationId l, std::uint32_t number) const {
    const auto& places = result_.places[l];
    const auto at = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.sequence == number; });
    return at == places.end() ? no_id : static_cast<std::uint32_t>(at - places.begin());
  }

  trace::CommId comm_of(const Key& key) const {
    if (key.kind == KeyKind::window)
      return key.a < definitions_.windows.size() ? definitions_.windows[key.a].comm : no_id;
    return key.a;
  }

  /// Positions of world ranks in a communicator, both groups of an inter-communicator; nullptr: it is not defined.
  const std::unordered_map<std::uint32_t, std::uint32_t>* positions(trace::CommId comm) {
    if (comm >= definitions_.communicators.size()) return nullptr;
    const auto [at, is_new] = positions_.try_emplace(comm);
    if (is_new) {
      const trace::Communicator& c = definitions_.communicators[comm];
      std::uint32_t next = 0;
      for (const auto* group : {&c.members, &c.remote_members}) {
        for (const std::uint32_t rank : *group) at->second.try_emplace(rank, next++);
      }
    }
    return &at->second;
  }

  /// MPI_Init and MPI_Finalize are of all that call them.
  std::uint32_t position(const Key& key, std::uint32_t rank, const Sides& sides) {
    if (key.kind == KeyKind::init || key.kind == KeyKind::finalize)
      return sides.contributors - (sides.last_rank == rank ? 1 : 0);
    const auto* of_rank = positions(comm_of(key));
    if (of_rank == nullptr) return no_id;
    const auto at = of_rank->find(rank);
    return at == of_rank->end() ? no_id : at->second;
  }

  /// Who takes part is known: renumbers the calls of several threads, and makes collectives that lack a member unusable
  /// (least = 0), so that they are never waited for.
  void finish(std::uint32_t number) {
    Sequence& s = result_.all[number];
    const Sides& sides = sides_[number];
    if (s.kind == KeyKind::message) {
      number_by_time(number, sides.sources, &LocalSequence::given_at, &Place::given_map);
      number_by_time(number, sides.sinks, &LocalSequence::taken_at, &Place::taken_map);
    }
    if (!is_collective(s.kind)) {
      if (s.kind != KeyKind::message) s.is_usable = sides.sources.size() < 2 && sides.sinks.size() < 2;
      return;
    }
    leave_rank(number);
    s.members = sides.contributors;
    if (s.kind == KeyKind::init || s.kind == KeyKind::finalize) return;
    const trace::CommId comm = comm_of(sides.key);
    const auto* of_rank = positions(comm);
    s.members = of_rank == nullptr ? 0 : static_cast<std::uint32_t>(of_rank->size());
    if (s.members != sides.contributors) s.least = 0;
    if (of_rank == nullptr) return;
    const trace::Communicator& c = definitions_.communicators[comm];
    if (c.members.size() + c.remote_members.size() != s.members) s.least = 0;  // a rank stands in it twice
  }

  const trace::Definitions& definitions_;
  const std::vector<LocationActions>& locations_;
  Sequences result_;
  std::unordered_map<Key, std::uint32_t, KeyHash> numbers_;
  std::vector<Sides> sides_;
  std::unordered_map<trace::CommId, std::unordered_map<std::uint32_t, std::uint32_t>> positions_;
};

}  // namespace

Sequences join_sequences(const trace::Definitions& definitions, const std::vector<LocationActions>& locations) {
  return Joiner(definitions, locations).run();
}

/// Epochs on one target in order of release; an exclusive epoch, or an epoch after an exclusive one, begins a new
/// group. The wait is placed in the call that asks for the lock if the group before had released by its end (in the
/// trace), else in the one that releases it.
LockOrder order_locks(const std::vector<LocationActions>& locations) {
  struct Entry {
    const LockEpoch* epoch;
    trace::LocationId location;
    std::uint32_t number;
  };
  LockOrder order;
  order.places.resize(locations.size());
  std::vector<Entry> entries;
  for (trace::LocationId l = 0; l < locations.size(); ++l) {
    const auto& locks = locations[l].locks;
    order.places[l].resize(locks.size());
    for (std::uint32_t n = 0; n < locks.size(); ++n) {
      if (locks[n].ordered) entries.push_back({&locks[n], l, n});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return std::tuple(x.epoch->window, x.epoch->target, x.epoch->release_leave, x.location, x.number) <
           std::tuple(y.epoch->window, y.epoch->target, y.epoch->release_leave, y.location, y.number);
  });
  // When the group before was released at the latest, in the trace. An epoch that waits in its release releases there,
  // too.
  Nanoseconds before = 0, here = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LockEpoch& e = *entries[i].epoch;
    const bool is_first =
        i == 0 || entries[i - 1].epoch->window != e.window || entries[i - 1].epoch->target != e.target;
    if (is_first || e.exclusive || entries[i - 1].epoch->exclusive) {
      before = here;
      here = INT64_MIN;
      order.groups.push_back({0, is_first, 0});
    }
    ++order.groups.back().pending;
    LockPlace& place = order.places[entries[i].location][entries[i].number];
    place.group = static_cast<std::uint32_t>(order.groups.size() - 1);
    place.at_lock = order.groups.back().is_first || before <= e.granted_by;
    here = std::max(here, place.at_lock ? e.release_enter : e.release_leave);
  }
  return order;
}

}  // namespace mora::replay
