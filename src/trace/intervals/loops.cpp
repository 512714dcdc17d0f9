#include "trace/intervals/loops.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

namespace mora::trace {
namespace {

constexpr std::size_t fewest_iterations = 3;
constexpr std::size_t most_calls_apart = 8;
constexpr std::size_t fewest_kinds = 3, most_distances = 16, most_per_iteration = 4;  // of amounts
constexpr std::size_t most_tried_alike = 3;  // heads that are visited equally often
constexpr std::size_t fewest_tried = 8, most_tried = 64, steps_of_tries = 4000000;

std::uint64_t hash_of(RegionId region) {
  std::uint64_t z = (region + 1ULL) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// The visits directly inside one visit, or of the whole location.
// How one level (the visits directly inside one visit) is searched: possible_heads() lists the regions by how much of
// the time they span; try_head() cuts at each, compares the pieces and takes the best stretch; heads that are visited
// once per iteration of a loop found already only turn it (turn_to()) and need no search of their own.
class Level {
 public:
  Level(const VisitCollector& collected, std::size_t regions)
      : collected_(collected), visits_(collected.visits()), stamps_(regions), counts_(regions), hashes_(regions) {}

  void take(std::uint32_t from, std::uint32_t to);
  /// The visit inside that takes most of the time, and has visits inside itself; no_id = there is none.
  std::uint32_t heaviest() const;
  void search(std::vector<LoopCandidate>& found);

 private:
  /// A stretch of items that begins with a visit of the head, and ends before another.
  struct Piece {
    std::size_t from = 0, to = 0;  ///< places in items_
    std::uint64_t regions = 0;     ///< hash of the set of its regions
    std::uint64_t sequence = 0;    ///< hash of its regions in order, and of what their calls send
    bool is_alike = false;
  };

  const Visit& item(std::size_t place) const { return visits_[items_[place]]; }
  Nanoseconds time(const Piece& piece) const { return item(piece.to).enter - item(piece.from).enter; }

  /// A region that is visited often enough to begin iterations, and where its visits stand.
  struct Head {
    RegionId region = no_id;
    const std::uint32_t* places = nullptr;
    std::size_t count = 0;
  };

  /// Visits of the head that make one iteration, and those between which they do.
  struct Period {
    std::size_t apart = 1;
    std::size_t from = 0, to = SIZE_MAX;  ///< pieces cut at every visit
    bool by_amounts = false;              ///< the regions alone repeat more often
  };

  RegionId region(std::size_t place) const { return regions_[place]; }
  std::uint64_t hash(RegionId region) {
    std::uint64_t& known = hashes_[region];  // a location visits few of the regions
    return known != 0 ? known : known = hash_of(region);
  }
  Nanoseconds extent(const Head& head) const {
    return item(head.places[head.count - 1]).leave - item(head.places[0]).enter;
  }
  std::vector<std::vector<Head>> possible_heads();
  bool try_head(const Head& head, LoopCandidate& candidate);
  bool turn_to(const Head& head, LoopCandidate& candidate) const;
  std::uint64_t set_hash(std::size_t from, std::size_t to);
  std::uint64_t sequence_hash(std::size_t from, std::size_t to);
  void cut(const Head& head, std::size_t apart, std::size_t from, std::size_t to);
  Period period_of(const Head& head);
  Period period_of_amounts() const;
  std::uint64_t usual_set();
  void compare_with(const Piece& usual);
  void take_in_others();
  bool is_like(std::size_t from, std::size_t to);
  bool best_stretch(std::size_t& first, std::size_t& last) const;
  bool last_iteration(std::size_t first, std::size_t last, std::size_t least_heads, LoopCandidate& candidate);

  const VisitCollector& collected_;
  const std::vector<Visit>& visits_;
  std::vector<std::uint32_t> items_;   ///< indices in visits_
  std::vector<RegionId> regions_;      ///< … and their regions
  std::vector<std::uint32_t> places_;  ///< in items_, ordered by region
  std::vector<Piece> pieces_;
  std::size_t first_ = 0, last_ = 0;  ///< the loop's pieces
  std::size_t loop_end_ = 0;          ///< place behind the loop
  std::size_t seen_to_ = 0;           ///< place where last_iteration() saw that the loop is over
  bool goes_on_ = false;
  std::vector<std::uint64_t> stamps_;  ///< by region: the last set it was counted in
  std::uint64_t stamp_ = 0;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> hashes_;  ///< by region; 0: not known yet
  std::vector<bool> in_usual_;
  std::size_t usual_size_ = 0;
};

void Level::take(std::uint32_t from, std::uint32_t to) {
  items_.clear();
  regions_.clear();
  for (std::uint32_t v = from; v < to; v = visits_[v].end) {
    items_.push_back(v);
    regions_.push_back(visits_[v].region);
  }
}

std::uint32_t Level::heaviest() const {
  std::uint32_t best = no_id;
  for (const std::uint32_t v : items_) {
    if (visits_[v].end == v + 1) continue;
    if (best == no_id || visits_[v].leave - visits_[v].enter > visits_[best].leave - visits_[best].enter) best = v;
  }
  return best;
}

void Level::search(std::vector<LoopCandidate>& found) {
  if (items_.size() < fewest_iterations) return;
  const std::size_t limit = std::clamp(steps_of_tries / items_.size(), fewest_tried, most_tried);
  std::size_t tried = 0;
  for (std::vector<Head>& alike : possible_heads()) {
    for (std::size_t i = 0; i < alike.size() && i < most_tried_alike && tried < limit; ++i) {
      ++tried;
      LoopCandidate candidate;
      if (!try_head(alike[i], candidate)) continue;
      found.push_back(candidate);
      if (candidate.loop.calls_apart != 1) continue;
      goes_on_ = candidate.goes_on;
      const auto rest = alike.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      alike.erase(std::remove_if(rest, alike.end(),
                                 [&](const Head& other) {
                                   LoopCandidate turned;
                                   if (!turn_to(other, turned)) return false;
                                   found.push_back(turned);
                                   return true;
                                 }),
                  alike.end());
    }
  }
}

/// Regions visited often enough, over a tenth as long as any. Those visited equally often stand together, the earliest
/// first: if they are calls of one loop, they cut it into the same pieces, only turned. Those over the longest time go
/// first (in eighths), of these the ones with the longest periods.
std::vector<std::vector<Level::Head>> Level::possible_heads() {
  std::vector<std::uint32_t> ends(stamps_.size() + 1);
  for (const RegionId r : regions_) ++ends[r + 1];
  for (std::size_t r = 1; r < ends.size(); ++r) ends[r] += ends[r - 1];
  places_.resize(regions_.size());
  for (std::size_t place = 0; place < regions_.size(); ++place)
    places_[ends[regions_[place]]++] = static_cast<std::uint32_t>(place);
  std::vector<Head> heads;
  Nanoseconds longest = 1;
  for (std::size_t r = 0; r + 1 < ends.size(); ++r) {
    const std::uint32_t begin = r == 0 ? 0 : ends[r - 1];
    const Head head{static_cast<RegionId>(r), places_.data() + begin, ends[r] - begin};
    if (head.count < fewest_iterations || collected_.is_poll(head.region)) continue;
    heads.push_back(head);
    longest = std::max(longest, extent(head));
  }
  std::erase_if(heads, [&](const Head& head) { return extent(head) < longest / 10; });
  std::sort(heads.begin(), heads.end(), [](const Head& a, const Head& b) {
    return a.count != b.count ? a.count < b.count : a.places[0] < b.places[0];
  });
  std::vector<std::pair<Nanoseconds, std::vector<Head>>> groups;
  for (const Head& head : heads) {
    if (groups.empty() || groups.back().second[0].count != head.count) groups.emplace_back();
    groups.back().first = std::max(groups.back().first, extent(head) / (longest / 8 + 1));
    groups.back().second.push_back(head);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::vector<Head>> result;
  for (auto& group : groups) result.push_back(std::move(group.second));
  return result;
}

std::uint64_t Level::set_hash(std::size_t from, std::size_t to) {
  ++stamp_;
  std::uint64_t hash = 0;
  for (std::size_t place = from; place < to; ++place) {
    const RegionId here = region(place);
    if (stamps_[here] == stamp_) continue;
    stamps_[here] = stamp_;
    hash += this->hash(here);
  }
  return hash;
}

std::uint64_t Level::sequence_hash(std::size_t from, std::size_t to) {
  std::uint64_t hash = 0;
  for (std::size_t place = from; place < to; ++place)
    hash = (hash ^ this->hash(region(place)) ^ item(place).amounts) * 0x9E3779B97F4A7C15ULL;
  return hash;
}

void Level::cut(const Head& head, std::size_t apart, std::size_t from, std::size_t to) {
  pieces_.clear();
  for (std::size_t i = from; i + apart < head.count && i + apart <= to; i += apart) {
    Piece piece;
    piece.from = head.places[i];
    piece.to = head.places[i + apart];
    piece.regions = set_hash(piece.from, piece.to);
    if (apart == 1) piece.sequence = sequence_hash(piece.from, piece.to);
    pieces_.push_back(piece);
  }
}

/// The smallest distance at which nine of ten pieces have equal sets of regions, else 1; if what they send repeats at a
/// longer one, that. The pieces are cut at every visit.
Level::Period Level::period_of(const Head& head) {
  cut(head, 1, 0, SIZE_MAX);
  Period period;
  for (std::size_t apart = 1; apart <= most_calls_apart && pieces_.size() >= fewest_iterations * apart; ++apart) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i + apart < pieces_.size(); ++i)
      equal += pieces_[i].regions == pieces_[i + apart].regions ? 1 : 0;
    if (equal * 10 < (pieces_.size() - apart) * 9) continue;
    const Period longer = period_of_amounts();
    if (longer.apart > apart) return longer;
    period.apart = apart;
    return period;
  }
  return period;
}

/// Calls at one place that send other amounts from visit to visit, in an order that repeats: the levels of a multigrid
/// cycle, say. Candidates are the distances between most pieces of one kind and the next of it; the stretch where
/// nine in ten pieces equal those one period later is to hold three iterations, and half of the time or of the pieces
/// (short runs spend most time before their loop). Two kinds that alternate are no such order. Cost: O(pieces) per
/// candidate.
Level::Period Level::period_of_amounts() const {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < pieces_.size(); ++i) kinds[pieces_[i].sequence].push_back(i);
  std::map<std::size_t, std::size_t> votes;  // by distance
  std::size_t repeated = 0;
  for (const auto& [kind, places] : kinds) {
    if (places.size() < fewest_iterations) continue;
    ++repeated;
    const std::size_t middle = places.size() / 2;
    for (std::size_t next = middle + 1; next < places.size() && next <= middle + most_per_iteration; ++next)
      ++votes[places[next] - places[middle]];
  }
  if (repeated < fewest_kinds) return {};
  std::vector<std::pair<std::size_t, std::size_t>> distances;  // votes, distance
  for (const auto& [distance, count] : votes) distances.emplace_back(count, distance);
  std::sort(distances.begin(), distances.end(), std::greater<>());
  if (distances.size() > most_distances) distances.resize(most_distances);
  std::sort(distances.begin(), distances.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Period best;
  const Nanoseconds half = (item(pieces_.back().to).enter - item(pieces_.front().from).enter) / 2;
  Nanoseconds longest = 0;
  for (const auto& [count, apart] : distances) {
    if (apart < fewest_kinds || pieces_.size() < fewest_iterations * apart) continue;
    std::size_t begin = 0, from = 0, to = 0;
    std::ptrdiff_t sum = 0, most = 0;
    for (std::size_t i = 0; i + apart < pieces_.size(); ++i) {
      if (sum <= 0) {
        sum = 0;
        begin = i;
      }
      sum += pieces_[i].sequence == pieces_[i + apart].sequence ? 1 : -9;
      if (sum <= most) continue;
      most = sum;
      from = begin;
      to = i + 1;
    }
    if (to - from < (fewest_iterations - 1) * apart) continue;
    const Nanoseconds covered = item(pieces_[to + apart - 1].to).enter - item(pieces_[from].from).enter;
    if (covered <= half && 2 * (to + apart - from) <= pieces_.size()) continue;
    if (covered <= longest) continue;  // of equally long ones the shortest period
    longest = covered;
    best = {apart, from, to + apart, true};
  }
  return best;
}

/// The piece whose set of regions takes most of the time: index of its first occurrence.
std::uint64_t Level::usual_set() {
  std::unordered_map<std::uint64_t, std::pair<Nanoseconds, std::size_t>> times;
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    times.try_emplace(pieces_[i].regions, Nanoseconds{0}, i).first->second.first += time(pieces_[i]) + 1;
  std::pair<Nanoseconds, std::size_t> best{-1, 0};
  for (const auto& [regions, one] : times) {
    if (one.first > best.first || (one.first == best.first && one.second < best.second)) best = one;
  }
  return best.second;
}

void Level::compare_with(const Piece& usual) {
  in_usual_.assign(stamps_.size(), false);
  usual_size_ = 0;
  for (std::size_t place = usual.from; place < usual.to; ++place) {
    if (in_usual_[region(place)]) continue;
    in_usual_[region(place)] = true;
    ++usual_size_;
  }
  std::unordered_map<std::uint64_t, bool> alike;
  for (Piece& piece : pieces_) {
    const auto [known, is_new] = alike.try_emplace(piece.regions, false);
    if (is_new) known->second = is_like(piece.from, piece.to);
    piece.is_alike = known->second;
  }
  take_in_others();
}

/// Steps that differ in their calls (a solver that is chosen by the step) are one loop's if the kinds come among each
/// other: a kind is taken in if half of its pieces, two at least, stand between pieces that are alike, and a quarter of
/// the gaps between these hold one. So two loops one after the other stay two.
void Level::take_in_others() {
  const auto is_alike = [](const Piece& piece) { return piece.is_alike; };
  const auto first = std::find_if(pieces_.begin(), pieces_.end(), is_alike);
  const auto last = std::find_if(pieces_.rbegin(), pieces_.rend(), is_alike).base();
  struct Kind {
    std::size_t all = 0, between = 0, gaps = 0, last_gap = 0;
  };
  std::unordered_map<std::uint64_t, Kind> kinds;
  std::size_t gaps = 0;  // and the number of the one that we are in
  for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
    if (piece->is_alike) {
      gaps += piece + 1 != pieces_.end() && !(piece + 1)->is_alike && piece + 1 < last ? 1 : 0;
      continue;
    }
    Kind& kind = kinds[piece->regions];
    ++kind.all;
    if (piece < first || piece >= last) continue;
    ++kind.between;
    if (kind.last_gap != gaps) ++kind.gaps;
    kind.last_gap = gaps;
  }
  for (Piece& piece : pieces_) {
    const auto kind = kinds.find(piece.regions);
    if (kind == kinds.end()) continue;
    const auto& [all, between, in_gaps, last_gap] = kind->second;
    piece.is_alike = between >= 2 && 2 * between >= all && 4 * in_gaps >= gaps && in_gaps >= 2;
  }
}

bool Level::is_like(std::size_t from, std::size_t to) {
  ++stamp_;
  std::size_t common = 0, here = 0;
  for (std::size_t place = from; place < to; ++place) {
    if (stamps_[region(place)] == stamp_) continue;
    stamps_[region(place)] = stamp_;
    ++here;
    common += in_usual_[region(place)] ? 1 : 0;
  }
  return 3 * common >= 2 * (usual_size_ + here - common);
}

/// The stretch of pieces where those alike outweigh the others most; three of four are alike.
bool Level::best_stretch(std::size_t& first, std::size_t& last) const {
  Nanoseconds best = 0, sum = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (sum <= 0) {
      sum = 0;
      begin = i;
    }
    const Nanoseconds weight = time(pieces_[i]) + 1;
    sum += pieces_[i].is_alike ? weight : -weight;
    if (sum <= best) continue;
    best = sum;
    first = begin;
    last = i;
  }
  if (best == 0) return false;
  const auto alike = static_cast<std::size_t>(std::count_if(pieces_.begin() + static_cast<std::ptrdiff_t>(first),
                                                            pieces_.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                                                            [](const Piece& p) { return p.is_alike; }));
  return alike * 4 >= (last - first + 1) * 3;
}

/// The iteration that begins where the last piece ends, if it is whole: up to the visit that the others ended with,
/// with at least so many visits of the head.
bool Level::last_iteration(std::size_t first, std::size_t last, std::size_t least_heads, LoopCandidate& candidate) {
  seen_to_ = items_.size();
  std::map<RegionId, std::size_t> tails;
  for (std::size_t i = first; i <= last; ++i)
    if (pieces_[i].is_alike) ++tails[region(pieces_[i].to - 1)];
  const RegionId tail = std::max_element(tails.begin(), tails.end(), [](const auto& a, const auto& b) {
                          return a.second < b.second;
                        })->first;
  if (collected_.is_recursive(tail)) return false;
  std::size_t most_tails = 0, most_heads_within = 0;
  std::vector<bool> belongs(stamps_.size(), false);
  for (std::size_t i = first; i <= last; ++i) {
    if (!pieces_[i].is_alike) continue;
    std::size_t tails_here = 0, heads_here = 0;
    for (std::size_t place = pieces_[i].from; place < pieces_[i].to; ++place) {
      belongs[region(place)] = true;
      tails_here += region(place) == tail ? 1 : 0;
      heads_here += region(place) == candidate.loop.head ? 1 : 0;
    }
    most_tails = std::max(most_tails, tails_here);
    most_heads_within = std::max(most_heads_within, heads_here);
  }
  const std::size_t begin = pieces_[last].to;
  std::size_t end = begin, seen = 0, heads = 0;
  std::size_t place = begin;
  for (; place < items_.size() && belongs[region(place)] && seen < most_tails; ++place) {
    heads += region(place) == candidate.loop.head ? 1 : 0;
    if (heads > most_heads_within) break;
    if (region(place) != tail) continue;
    ++seen;
    end = place + 1;
  }
  seen_to_ = place;
  if (end == begin || heads < least_heads || !is_like(begin, end)) return false;
  loop_end_ = end;
  candidate.loop.tail = tail;
  candidate.loop.tail_visit = item(end - 1).number;
  candidate.covered += item(end - 1).leave - item(begin).enter;
  return true;
}

bool Level::try_head(const Head& head, LoopCandidate& candidate) {
  const Period period = period_of(head);
  const std::size_t apart = period.apart;
  if (apart != 1) cut(head, apart, period.from, period.to);
  if (pieces_.empty()) return false;
  compare_with(pieces_[usual_set()]);
  if (!best_stretch(first_, last_)) return false;
  // Visits of the head elsewhere in between would be counted, too.
  const Visit& begin = item(pieces_[first_].from);
  const Visit& end = item(pieces_[last_].to);
  if (end.number - begin.number != (last_ - first_ + 1) * apart) return false;
  candidate.loop.head = head.region;
  candidate.loop.first = begin.number;
  candidate.loop.calls_apart = apart;
  candidate.loop.iterations = last_ - first_ + 1;
  candidate.begin = begin.enter;
  for (std::size_t i = first_; i <= last_; ++i) candidate.covered += pieces_[i].is_alike ? time(pieces_[i]) : 0;
  loop_end_ = pieces_[last_].to;
  if (last_iteration(first_, last_, period.by_amounts ? apart : 0, candidate)) ++candidate.loop.iterations;
  candidate.goes_on = candidate.loop.is_cut =
      collected_.is_cut() && last_ + 1 == pieces_.size() && seen_to_ == items_.size();
  if (candidate.goes_on) {
    candidate.loop.iterations = (collected_.visits_of(head.region) - 1 - begin.number) / apart;
    candidate.loop.tail = no_id;
  }
  return candidate.loop.iterations >= fewest_iterations;
}

/// The loop of the last try_head() with another head, that was visited once in every iteration: each of its iterations
/// begins inside one of the other's and ends inside the next one.
bool Level::turn_to(const Head& head, LoopCandidate& candidate) const {
  const std::uint32_t* const end = head.places + head.count;
  const std::uint32_t* const begin = std::lower_bound(head.places, end, pieces_[first_].from);
  const std::uint32_t* place = begin;
  for (std::size_t i = first_; i <= last_; ++i, ++place)
    if (place == end || *place < pieces_[i].from || *place >= pieces_[i].to) return false;
  if (place != end && *place < loop_end_) ++place;
  if (place != end && *place < loop_end_) return false;
  const Visit& from = item(*begin);
  const Visit& to = item(*(place - 1));
  candidate.loop.head = head.region;
  candidate.loop.first = from.number;
  candidate.loop.iterations = static_cast<std::size_t>(place - begin) - 1;
  candidate.begin = from.enter;
  candidate.covered = to.enter - from.enter;
  if (to.number - from.number != candidate.loop.iterations) return false;
  candidate.goes_on = candidate.loop.is_cut = goes_on_;
  if (goes_on_) candidate.loop.iterations = collected_.visits_of(head.region) - 1 - from.number;
  return candidate.loop.iterations >= fewest_iterations;
}

}  // namespace

std::vector<LoopCandidate> find_loops(const VisitCollector& collected, std::size_t regions) {
  std::vector<LoopCandidate> found;
  const std::vector<Visit>& visits = collected.visits();
  if (collected.is_damaged() || visits.empty()) return found;
  Nanoseconds span = -visits.front().enter, last = 0;
  for (const Visit& visit : visits) {
    last = std::max(last, visit.leave);
    if (collected.is_start_or_end(visit.region)) span -= visit.leave - visit.enter;
  }
  span += last;
  Level level(collected, regions);
  std::uint32_t from = 0, to = static_cast<std::uint32_t>(visits.size());
  while (true) {
    level.take(from, to);
    level.search(found);
    const std::uint32_t inside = level.heaviest();
    if (inside == no_id || visits[inside].leave - visits[inside].enter < span / 2) break;
    from = inside + 1;
    to = visits[inside].end;
  }
  std::erase_if(found, [span](const LoopCandidate& one) { return one.covered < span / 10; });
  return found;
}

}  // namespace mora::trace
