#include "trace/intervals/loops.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace mora::trace {
namespace {

constexpr std::size_t fewest_iterations = 3;
constexpr std::size_t most_calls_apart = 8;
constexpr std::size_t most_heads = 64;

std::uint64_t hash_of(RegionId region) {
  std::uint64_t z = (region + 1ULL) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// The visits directly inside one visit, or of the whole location.
class Level {
 public:
  Level(const VisitCollector& collected, std::size_t regions)
      : collected_(collected), visits_(collected.visits()), stamps_(regions), counts_(regions) {}

  void take(std::uint32_t from, std::uint32_t to);
  /// The visit inside that takes most of the time, and has visits inside itself; no_id = there is none.
  std::uint32_t heaviest() const;
  void search(std::vector<LoopCandidate>& found);

 private:
  /// A stretch of items that begins with a visit of the head, and ends before another.
  struct Piece {
    std::size_t from = 0, to = 0;  ///< places in items_
    std::uint64_t regions = 0;     ///< hash of the set of its regions
    bool is_alike = false;
  };

  const Visit& item(std::size_t place) const { return visits_[items_[place]]; }
  Nanoseconds time(const Piece& piece) const { return item(piece.to).enter - item(piece.from).enter; }

  std::vector<RegionId> possible_heads();
  bool try_head(RegionId head, LoopCandidate& candidate);
  std::uint64_t set_hash(std::size_t from, std::size_t to);
  void cut(const std::vector<std::size_t>& heads, std::size_t apart);
  std::size_t calls_apart(const std::vector<std::size_t>& heads);
  std::uint64_t usual_set();
  void compare_with(const Piece& usual);
  bool is_like(std::size_t from, std::size_t to);
  bool best_stretch(std::size_t& first, std::size_t& last) const;
  bool last_iteration(std::size_t first, std::size_t last, LoopCandidate& candidate);

  const VisitCollector& collected_;
  const std::vector<Visit>& visits_;
  std::vector<std::uint32_t> items_;
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> stamps_;  ///< by region: the last set it was counted in
  std::uint64_t stamp_ = 0;
  std::vector<std::uint32_t> counts_;
  std::vector<bool> in_usual_;
  std::size_t usual_size_ = 0;
};

void Level::take(std::uint32_t from, std::uint32_t to) {
  items_.clear();
  for (std::uint32_t v = from; v < to; v = visits_[v].end) items_.push_back(v);
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
  for (const RegionId head : possible_heads()) {
    LoopCandidate candidate;
    if (try_head(head, candidate)) found.push_back(candidate);
  }
}

/// Regions visited often enough over at least half as long as any: the earliest, and the rarest (calls that all ranks have in common
/// often come late in the loop).
std::vector<RegionId> Level::possible_heads() {
  struct Seen {
    RegionId region;
    std::size_t first, last;
    std::uint32_t count;
  };
  std::unordered_map<RegionId, Seen> seen;
  for (std::size_t place = 0; place < items_.size(); ++place) {
    Seen& one = seen.try_emplace(item(place).region, Seen{item(place).region, place, place, 0}).first->second;
    one.last = place;
    ++one.count;
  }
  const auto extent = [&](const Seen& one) { return item(one.last).leave - item(one.first).enter; };
  std::vector<Seen> often;
  Nanoseconds longest = 0;
  for (const auto& [region, one] : seen) {
    if (one.count < fewest_iterations) continue;
    often.push_back(one);
    longest = std::max(longest, extent(one));
  }
  std::erase_if(often, [&](const Seen& one) { return extent(one) < longest / 2; });
  std::sort(often.begin(), often.end(), [](const Seen& a, const Seen& b) { return a.first < b.first; });
  if (often.size() > most_heads) {
    const auto half = often.begin() + most_heads / 2;
    std::sort(half, often.end(), [](const Seen& a, const Seen& b) {
      return a.count != b.count ? a.count < b.count : a.first < b.first;
    });
    often.resize(most_heads);
  }
  std::vector<RegionId> heads;
  for (const Seen& one : often) heads.push_back(one.region);
  return heads;
}

std::uint64_t Level::set_hash(std::size_t from, std::size_t to) {
  ++stamp_;
  std::uint64_t hash = 0;
  for (std::size_t place = from; place < to; ++place) {
    const RegionId region = item(place).region;
    if (stamps_[region] == stamp_) continue;
    stamps_[region] = stamp_;
    hash += hash_of(region);
  }
  return hash;
}

void Level::cut(const std::vector<std::size_t>& heads, std::size_t apart) {
  pieces_.clear();
  for (std::size_t i = 0; i + apart < heads.size(); i += apart) {
    Piece piece;
    piece.from = heads[i];
    piece.to = heads[i + apart];
    piece.regions = set_hash(piece.from, piece.to);
    pieces_.push_back(piece);
  }
}

/// The smallest distance at which nine of ten pieces are equal; 1 if there is none. The pieces are cut at every visit.
std::size_t Level::calls_apart(const std::vector<std::size_t>& heads) {
  cut(heads, 1);
  for (std::size_t apart = 1; apart <= most_calls_apart && pieces_.size() >= fewest_iterations * apart; ++apart) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i + apart < pieces_.size(); ++i)
      equal += pieces_[i].regions == pieces_[i + apart].regions ? 1 : 0;
    if (equal * 10 >= (pieces_.size() - apart) * 9) return apart;
  }
  return 1;
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
    if (in_usual_[item(place).region]) continue;
    in_usual_[item(place).region] = true;
    ++usual_size_;
  }
  std::unordered_map<std::uint64_t, bool> alike;
  for (Piece& piece : pieces_) {
    const auto [known, is_new] = alike.try_emplace(piece.regions, false);
    if (is_new) known->second = is_like(piece.from, piece.to);
    piece.is_alike = known->second;
  }
}

bool Level::is_like(std::size_t from, std::size_t to) {
  ++stamp_;
  std::size_t common = 0, here = 0;
  for (std::size_t place = from; place < to; ++place) {
    const RegionId region = item(place).region;
    if (stamps_[region] == stamp_) continue;
    stamps_[region] = stamp_;
    ++here;
    common += in_usual_[region] ? 1 : 0;
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
  const auto alike = static_cast<std::size_t>(
      std::count_if(pieces_.begin() + static_cast<std::ptrdiff_t>(first),
                    pieces_.begin() + static_cast<std::ptrdiff_t>(last) + 1, [](const Piece& p) { return p.is_alike; }));
  return alike * 4 >= (last - first + 1) * 3;
}

/// The iteration that begins where the last piece ends, if it is whole: up to the visit that the others ended with.
bool Level::last_iteration(std::size_t first, std::size_t last, LoopCandidate& candidate) {
  std::map<RegionId, std::size_t> tails;
  for (std::size_t i = first; i <= last; ++i)
    if (pieces_[i].is_alike) ++tails[item(pieces_[i].to - 1).region];
  const RegionId tail =
      std::max_element(tails.begin(), tails.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
  if (collected_.is_recursive(tail)) return false;
  std::size_t most_tails = 0, most_heads_within = 0;
  std::vector<bool> belongs(stamps_.size(), false);
  for (std::size_t i = first; i <= last; ++i) {
    if (!pieces_[i].is_alike) continue;
    std::size_t tails_here = 0, heads_here = 0;
    for (std::size_t place = pieces_[i].from; place < pieces_[i].to; ++place) {
      belongs[item(place).region] = true;
      tails_here += item(place).region == tail ? 1 : 0;
      heads_here += item(place).region == candidate.loop.head ? 1 : 0;
    }
    most_tails = std::max(most_tails, tails_here);
    most_heads_within = std::max(most_heads_within, heads_here);
  }
  const std::size_t begin = pieces_[last].to;
  std::size_t end = begin, seen = 0, heads = 0;
  for (std::size_t place = begin; place < items_.size() && belongs[item(place).region] && seen < most_tails; ++place) {
    heads += item(place).region == candidate.loop.head ? 1 : 0;
    if (heads > most_heads_within) break;
    if (item(place).region != tail) continue;
    ++seen;
    end = place + 1;
  }
  if (end == begin || !is_like(begin, end)) return false;
  candidate.loop.tail = tail;
  candidate.loop.tail_visit = item(end - 1).number;
  candidate.covered += item(end - 1).leave - item(begin).enter;
  return true;
}

bool Level::try_head(RegionId head, LoopCandidate& candidate) {
  std::vector<std::size_t> heads;
  for (std::size_t place = 0; place < items_.size(); ++place)
    if (item(place).region == head) heads.push_back(place);
  const std::size_t apart = calls_apart(heads);
  if (apart != 1) cut(heads, apart);
  if (pieces_.empty()) return false;
  compare_with(pieces_[usual_set()]);
  std::size_t first = 0, last = 0;
  if (!best_stretch(first, last)) return false;
  // Visits of the head elsewhere in between would be counted, too.
  const Visit& begin = item(pieces_[first].from);
  const Visit& end = item(pieces_[last].to);
  if (end.number - begin.number != (last - first + 1) * apart) return false;
  candidate.loop.head = head;
  candidate.loop.first = begin.number;
  candidate.loop.calls_apart = apart;
  candidate.loop.iterations = last - first + 1;
  candidate.begin = begin.enter;
  for (std::size_t i = first; i <= last; ++i) candidate.covered += pieces_[i].is_alike ? time(pieces_[i]) : 0;
  if (last_iteration(first, last, candidate)) ++candidate.loop.iterations;
  return candidate.loop.iterations >= fewest_iterations;
}

}  // namespace

std::vector<LoopCandidate> find_loops(const VisitCollector& collected, std::size_t regions) {
  std::vector<LoopCandidate> found;
  const std::vector<Visit>& visits = collected.visits();
  if (!collected.is_complete() || visits.empty()) return found;
  const Nanoseconds span = visits.back().leave - visits.front().enter;
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
