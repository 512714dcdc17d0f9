/// Joining by key: the ends of each sequence are counted over all locations, ranks one after the other, then each
/// sequence is closed by the rule of its kind (settle()).
#include "trace/links/joined_sequences.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "trace/links/channel.h"
#include "trace/links/epochs.h"
#include "trace/links/instances.h"
#include "trace/links/thread_order.h"

namespace mora::trace {

std::vector<std::uint32_t> members_of(const SequenceKey& key, const Definitions& definitions) {
  if (key.kind == SequenceKind::init || key.kind == SequenceKind::finalize || key.kind == SequenceKind::everyone) {
    std::vector<std::uint32_t> world(definitions.world_size);
    for (std::uint32_t rank = 0; rank < definitions.world_size; ++rank) world[rank] = rank;
    return world;
  }
  CommId comm = key.a;
  if (key.kind == SequenceKind::window) {
    comm = key.a < definitions.windows.size() ? definitions.windows[key.a].comm : no_id;
  }
  if (comm >= definitions.communicators.size()) return {};
  std::vector<std::uint32_t> members = definitions.communicators[comm].members;
  const auto& remote = definitions.communicators[comm].remote_members;
  members.insert(members.end(), remote.begin(), remote.end());
  return members;
}

/// Adds the locations' sequences one by one, threads of a rank next to each other.
class JoinedSequences::Joiner {
 public:
  Joiner(const Definitions& definitions, std::vector<std::vector<LocalSequence>> locals, JoinedSequences& into)
      : definitions_(definitions), locals_(std::move(locals)), into_(into) {}

  void run() {
    into_.places_.resize(locals_.size());
    std::size_t all = 0;
    for (const auto& of_one : locals_) all += of_one.size();
    // As a rule a sequence of messages is on two locations.
    numbers_.resize(std::bit_ceil(all + all / 2 + 1));
    into_.all_.reserve(all / 2);
    sides_.reserve(all / 2);
    for (LocationId l = 0; l < locals_.size(); ++l) {
      for (LocalSequence& local : locals_[l]) add(l, local);
    }
    for (std::uint32_t s = 0; s < into_.all_.size(); ++s) settle(s);
    for (auto& places : into_.places_) {
      for (Place& place : places) {
        const JoinedSequence& s = into_.all_[place.sequence];
        if (!is_collective(s.key.kind) || place.position != no_id) place.count = s.count;
        place.has_mismatched = !s.mismatched.empty();
      }
    }
  }

 private:
  /// A location's part; `local` is its number there.
  struct Part {
    LocationId location = 0;
    std::uint32_t local = 0;
  };
  /// A list of parts, in parts_.
  struct Parts {
    std::uint32_t first = no_id, last = no_id;
  };
  struct LinkedPart {
    Part part;
    std::uint32_t next = no_id;
  };
  /// What is only needed until all locations are added.
  struct Sides {
    ChannelSide sent, received;
    Parts sources, sinks;  ///< of collective operations: of the rank at hand
    Parts members;         ///< of collective operations
    std::uint32_t last_rank = no_id;
    std::uint32_t calls = 0;  ///< of the rank at hand
    std::uint32_t contributors = 0;
    MemberCounts counts;     ///< of collective operations, and of teams
    bool has_freed = false;  ///< the window, the rank at hand
  };

  void append(Parts& parts, const Part& part) {
    const auto at = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back({part});
    (parts.first == no_id ? parts.first : parts_[parts.last].next) = at;
    parts.last = at;
  }

  /// Open addressing: there are as many places as there can be sequences, and half as many again.
  std::uint32_t number(const SequenceKey& key) {
    const std::size_t hash = SequenceHash{}(key), mask = numbers_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t i = hash & mask;
    for (; numbers_[i].number != no_id; i = (i + 1) & mask) {
      if (numbers_[i].tag == tag && into_.all_[numbers_[i].number].key == key) return numbers_[i].number;
    }
    numbers_[i] = {tag, static_cast<std::uint32_t>(into_.all_.size())};
    into_.all_.emplace_back().key = key;
    sides_.emplace_back();
    return numbers_[i].number;
  }

  void add(LocationId l, LocalSequence& local) {
    const std::uint32_t number = this->number(local.key);
    const LocalSequence::Lists& lists = std::as_const(local).lists();
    JoinedSequence& s = into_.all_[number];
    Sides& sides = sides_[number];
    Place place;
    place.sequence = number;
    const Part part{l, static_cast<std::uint32_t>(into_.places_[l].size())};
    const std::uint32_t live = local.sources - static_cast<std::uint32_t>(lists.cancelled.size());
    if (is_collective(local.key.kind)) {
      add_member(number, part, local, place);
    } else {
      if (local.sources > 0) append(sides.sources, part);
      if (local.sinks > 0) append(sides.sinks, part);
      sides.sent.messages += live;
      sides.sent.bytes += local.source_bytes;
      sides.sent.has_cancelled = sides.sent.has_cancelled || !lists.cancelled.empty();
      sides.received.messages += local.sinks;
      sides.received.bytes += local.sink_bytes;
      if (local.key.kind == SequenceKind::team) sides.counts.add(local.sources);
    }
    if (local.sources > 0) s.source = l, ++s.source_locations;
    if (local.sinks > 0) s.sink = l, ++s.sink_locations;
    s.sources += live;
    s.sinks += local.sinks;
    s.unclosed.insert(s.unclosed.end(), lists.unclosed.begin(), lists.unclosed.end());
    s.unopened.insert(s.unopened.end(), lists.unopened.begin(), lists.unopened.end());
    if (!lists.cancelled.empty()) place.cancelled = lists.cancelled;
    into_.places_[l].push_back(std::move(place));
  }

  // ---- collective operations

  void add_member(std::uint32_t number, const Part& part, const LocalSequence& local, Place& place) {
    Sides& sides = sides_[number];
    const std::uint32_t rank = definitions_.locations[part.location].rank;
    if (sides.last_rank != rank) leave_rank(number);
    place.position = position(local.key, rank, sides);
    if (place.position == no_id) return;
    if (sides.last_rank != rank) ++sides.contributors;
    sides.last_rank = rank;
    sides.calls += local.sources;
    sides.has_freed = sides.has_freed || (local.key.kind == SequenceKind::window && !local.lists().calls.empty() &&
                                          ends_window(local.lists().calls.back().operation()));
    append(sides.sources, part);
    append(sides.members, part);
  }

  /// All calls of a rank are added.
  void leave_rank(std::uint32_t number) {
    Sides& sides = sides_[number];
    if (sides.sources.first == no_id) return;
    sides.counts.add(sides.calls, sides.has_freed);
    number_by_enter(number, sides.sources, &LocalSequence::Lists::source_enters, &Place::source_map);
    sides.sources = {};
    sides.calls = 0;
    sides.has_freed = false;
  }

  const std::unordered_map<std::uint32_t, std::uint32_t>& positions(const SequenceKey& key) {
    const auto [at, is_new] = positions_.try_emplace({key.kind == SequenceKind::window, key.a});
    if (is_new) {
      std::uint32_t next = 0;
      for (const std::uint32_t rank : members_of(key, definitions_)) {
        if (!at->second.try_emplace(rank, next++).second)
          repeated_.push_back({key.kind == SequenceKind::window, key.a});
      }
    }
    return at->second;
  }

  /// MPI_Init and MPI_Finalize are of all that call them.
  std::uint32_t position(const SequenceKey& key, std::uint32_t rank, const Sides& sides) {
    if (key.kind == SequenceKind::init || key.kind == SequenceKind::finalize)
      return sides.contributors - (sides.last_rank == rank ? 1 : 0);
    const auto& of_rank = positions(key);
    const auto at = of_rank.find(rank);
    return at == of_rank.end() ? no_id : at->second;
  }

  // ---- closing

  void settle(std::uint32_t number) {
    JoinedSequence& s = into_.all_[number];
    Sides& sides = sides_[number];
    const auto count = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
    switch (s.key.kind) {
      case SequenceKind::message:
        s.is_torn =
            s.source_locations > 0 && s.sink_locations > 0 && is_torn(s.key.stretch, sides.sent, sides.received);
        s.count = count(paired_messages(s.key.stretch, sides.sent, sides.received));
        number_by_enter(number, sides.sources, &LocalSequence::Lists::source_enters, &Place::source_map);
        number_by_enter(number, sides.sinks, &LocalSequence::Lists::sink_enters, &Place::sink_map);
        break;
      case SequenceKind::epoch:
        s.has_several_threads = s.source_locations > 1 || s.sink_locations > 1;
        s.is_torn = is_torn(s.key.stretch, s.sinks, s.sources);
        if (!s.is_torn && !s.has_several_threads) s.count = std::min(s.sources, s.sinks);
        break;
      case SequenceKind::team:
        s.is_torn = sides.counts.least() != sides.counts.most();
        if (!s.is_torn && s.source_locations > 1) s.count = sides.counts.least();
        break;
      case SequenceKind::fork:
        if (s.source_locations == 1) s.count = s.sources;
        break;
      case SequenceKind::join:
        if (s.sink_locations == 1) s.count = s.sinks;
        break;
      default:
        settle_collective(number);
    }
  }

  void settle_collective(std::uint32_t number) {
    leave_rank(number);
    JoinedSequence& s = into_.all_[number];
    const Sides& sides = sides_[number];
    s.members = sides.contributors;
    if (s.key.kind == SequenceKind::init || s.key.kind == SequenceKind::finalize) {
      s.count = sides.contributors == 0 ? 0 : sides.counts.least();
      return;
    }
    const auto& of_rank = positions(s.key);
    s.members = static_cast<std::uint32_t>(of_rank.size());
    const bool has_all = s.members == sides.contributors && s.members != 0;
    s.is_torn = sides.counts.are_torn(s.key.stretch, s.members) || sides.counts.lack_a_call(s.members);
    const bool is_repeated = std::find(repeated_.begin(), repeated_.end(),
                                       std::pair(s.key.kind == SequenceKind::window, s.key.a)) != repeated_.end();
    if (has_all && !s.is_torn && !is_repeated) s.count = sides.counts.least();
    find_mismatched(s, sides);
  }

  void find_mismatched(JoinedSequence& s, const Sides& sides) const {
    std::vector<MemberCall> instances;
    for (std::uint32_t at = sides.members.first; at != no_id; at = parts_[at].next) {
      const Part& part = parts_[at].part;
      const Place& place = into_.places_[part.location][part.local];
      const std::vector<MemberCall>& calls = std::as_const(locals_[part.location][part.local]).lists().calls;
      if (!calls.empty()) instances.resize(s.count);  // files have none
      for (std::uint32_t i = 0; i < calls.size(); ++i) {
        const std::uint32_t number = place.source_map == no_id ? i : into_.maps_[place.source_map][i];
        if (number < s.count) instances[number].agree(calls[i]);
      }
    }
    for (std::uint32_t n = 0; n < instances.size(); ++n) {
      if (!instances[n].holds()) s.mismatched.push_back(n);
    }
  }

  /// Several threads of a rank take part on one side: its ends are numbered by the enters of their calls.
  void number_by_enter(std::uint32_t number, const Parts& parts, std::vector<Nanoseconds> LocalSequence::Lists::*enters,
                       std::uint32_t Place::*map) {
    if (parts.first == parts.last) return;
    into_.all_[number].has_several_threads = true;
    struct Entry {
      Nanoseconds enter;
      LocationId location;
      std::uint32_t* into;
    };
    std::vector<Entry> entries;
    for (std::uint32_t at = parts.first; at != no_id; at = parts_[at].next) {
      const Part part = parts_[at].part;
      const LocalSequence::Lists& lists = std::as_const(locals_[part.location][part.local]).lists();
      Place& place = into_.places_[part.location][part.local];
      place.*map = static_cast<std::uint32_t>(into_.maps_.size());
      auto& numbers = into_.maps_.emplace_back((lists.*enters).size(), no_id);
      const bool may_be_cancelled = map == &Place::source_map;
      for (std::uint32_t i = 0; i < numbers.size(); ++i) {
        if (may_be_cancelled && std::binary_search(place.cancelled.begin(), place.cancelled.end(), i)) continue;
        entries.push_back({(lists.*enters)[i], part.location, &numbers[i]});
      }
    }
    order_threads(
        entries.begin(), entries.end(), [](const Entry& e) { return e.location; },
        [](const Entry& e) { return e.enter; });
    for (std::uint32_t i = 0; i < entries.size(); ++i) *entries[i].into = i;
  }

  struct PairHash {
    std::size_t operator()(const std::pair<bool, std::uint32_t>& p) const {
      return p.second * 2U + (p.first ? 1U : 0U);
    }
  };
  const Definitions& definitions_;
  std::vector<std::vector<LocalSequence>> locals_;
  JoinedSequences& into_;
  struct Numbered {
    std::uint32_t tag = 0, number = no_id;
  };
  std::vector<Numbered> numbers_;  ///< by the hashes of keys
  std::vector<LinkedPart> parts_;
  std::vector<Sides> sides_;
  /// By (is it a window, its number): place of each rank.
  std::unordered_map<std::pair<bool, std::uint32_t>, std::unordered_map<std::uint32_t, std::uint32_t>, PairHash>
      positions_;
  std::vector<std::pair<bool, std::uint32_t>> repeated_;  ///< groups in which a rank stands twice
};

JoinedSequences::JoinedSequences(const Definitions& definitions, std::vector<std::vector<LocalSequence>> locals) {
  Joiner(definitions, std::move(locals), *this).run();
}

std::uint32_t JoinedSequences::source(LocationId location, std::uint32_t local, std::uint32_t serial) const {
  if (local == no_id) return no_id;
  const Place& place = places_[location][local];
  if (place.source_map != no_id) {
    serial = maps_[place.source_map][serial];
  } else if (!place.cancelled.empty()) {
    const auto at = std::lower_bound(place.cancelled.begin(), place.cancelled.end(), serial);
    if (at != place.cancelled.end() && *at == serial) return no_id;
    serial -= static_cast<std::uint32_t>(at - place.cancelled.begin());
  }
  if (serial >= place.count) return no_id;
  if (place.has_mismatched) {
    const auto& mismatched = all_[place.sequence].mismatched;
    if (std::binary_search(mismatched.begin(), mismatched.end(), serial)) return no_id;
  }
  return serial;
}

std::uint32_t JoinedSequences::sink(LocationId location, std::uint32_t local, std::uint32_t serial) const {
  if (local == no_id) return no_id;
  const Place& place = places_[location][local];
  if (place.sink_map != no_id) serial = maps_[place.sink_map][serial];
  return serial < place.count ? serial : no_id;
}

}  // namespace mora::trace
