/// How waits are processed: long-term costs, propagating parts and the critical path in one pass.
///
/// Idea: in order of falling end, each wait i is final when it is reached, since every wait that it helped to cause
/// ended later. It then passes its indirect part and its share of K to the waits of its cause that lie in its interval,
/// in proportion to their length. That is one rate (cost per ns of waiting) for all of them, so the cause's location
/// keeps a sum of rates per class of the waits that the cost comes from: an interval is added when its wait is
/// processed and leaves the sum when the sweep has passed its begin. The critical path is walked in the same order: it
/// is on one location and changes to the cause of each wait of that location.
///
/// Ties: among waits with the same end, one whose cause waited until that very instant comes before the cause's wait (a
/// chain of messages without a nanosecond between them). Each location has at most one wait that ends at an instant, so
/// these dependencies are chains, or a ring of contradictory clocks, which is cut at the smallest location.
///
/// Source: Böhme 2016 (the backward replay), Böhme 2012 (the path); one sweep over waits in place of a replay over
/// events is Mora's (docs/adr/0008-causes.md). Waits that are alike (in a queue all wait for the same holder at the
/// same time) open one interval, with the sum of what they hand on. Cost: O(n log n) whatever the length of intervals;
/// memory: what CollectedWaits keeps, 20 bytes for each group of those that are alike, and the open intervals. Limit:
/// costs above 2^94 units of 2^-32 ns saturate.
#include "analysis/causes/sweep.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <queue>
#include <tuple>
#include <utility>

#include "analysis/causes/cause_metrics.h"
#include "analysis/causes/causes.h"
#include "analysis/storage/sorted_by.h"

namespace mora::analysis {

namespace {

__extension__ typedef unsigned __int128 Wide;

/// Rates have 64 binary places more than what they multiply; costs above 2^94 units (six months of waiting) saturate.
constexpr LongTerm largest_cost = LongTerm{1} << 94;

/// (rate * length) >> 32 without overflow.
LongTerm times(LongTerm rate, Nanoseconds length) {
  const auto n = static_cast<Wide>(length);
  const Wide low = static_cast<std::uint64_t>(rate) * n;
  const Wide high = static_cast<std::uint64_t>(rate >> 64) * n;
  const Wide sum = (low >> 32) + (high << 32);
  return std::min<Wide>(sum, largest_cost);
}

/// A share a / b, 0 <= a <= b.
struct Share {
  Nanoseconds a = 0;
  Nanoseconds b = 1;
};
bool operator<(const Share& x, const Share& y) {
  return static_cast<Wide>(x.a) * static_cast<Wide>(y.b) < static_cast<Wide>(y.a) * static_cast<Wide>(x.b);
}

/// The open intervals of later waits on one location. Those that begin at the same time, as the waits for one holder
/// of a lock or for one member of a collective do, are one.
class OpenIntervals {
 public:
  /// An interval that begins at `from`; rate() adds what it hands on.
  void open(Nanoseconds from, Share share) {
    // One that is no larger than one that goes on for longer is never asked for.
    if (by_share_.empty() || by_share_.top().second > from || by_share_.top().first < share)
      by_share_.push({share, from});
    if (last_ != no_rate && ends_[last_].begin == from) return;
    last_ = static_cast<std::uint32_t>(ends_.size());
    if (!by_begin_.empty() && by_begin_.top().first == from) {
      last_ = by_begin_.top().second;
      return;
    }
    by_begin_.push({from, last_});
    ends_.push_back({from});
  }
  /// Of the interval that was opened last.
  void rate(DelayClass delay, bool is_own, LongTerm rate) {
    sums_[is_own][static_cast<std::size_t>(delay)] += rate;
    classes_ |= 1U << static_cast<unsigned>(delay);
    std::uint32_t& first = ends_[last_].first_rate;
    for (std::uint32_t r = first; r != no_rate; r = rates_[r].next) {
      if (rates_[r].delay != delay || rates_[r].is_own != is_own) continue;
      rates_[r].amount += rate;
      return;
    }
    rates_.push_back({delay, is_own, std::exchange(first, static_cast<std::uint32_t>(rates_.size())), rate});
  }
  /// What the intervals that cover a wait beginning at `begin` hand to it: hand(class, cost). Asked with falling
  /// begins.
  template <class Hand>
  void attributed(Nanoseconds begin, Nanoseconds length, bool is_own, const Hand& hand) {
    for (; !by_begin_.empty() && by_begin_.top().first > begin; by_begin_.pop()) {
      if (by_begin_.top().second == last_) last_ = no_rate;
      for (std::uint32_t r = ends_[by_begin_.top().second].first_rate; r != no_rate; r = rates_[r].next) {
        sums_[rates_[r].is_own][static_cast<std::size_t>(rates_[r].delay)] -= rates_[r].amount;
      }
    }
    if (by_begin_.empty()) {
      rates_.clear();
      ends_.clear();
      return;
    }
    for (std::uint32_t left = classes_; left != 0; left &= left - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(left));
      if (const LongTerm sum = sums_[is_own][c]; sum != 0) {
        if (const LongTerm cost = times(sum, length); cost != 0) hand(static_cast<DelayClass>(c), cost);
      }
    }
  }
  /// Its length times the largest share of these intervals, rounded down.
  Nanoseconds propagating(Nanoseconds begin, Nanoseconds length) {
    while (!by_share_.empty() && by_share_.top().second > begin) by_share_.pop();
    if (by_share_.empty()) return 0;
    const Share& s = by_share_.top().first;
    constexpr Nanoseconds small = INT32_MAX;  // two seconds: the product fits a word
    if (length <= small && s.a <= small) return length * s.a / s.b;
    return static_cast<Nanoseconds>(static_cast<Wide>(length) * static_cast<Wide>(s.a) / static_cast<Wide>(s.b));
  }

 private:
  struct LaterBegin {
    bool operator()(const auto& x, const auto& y) const { return x.first < y.first; }
  };
  static constexpr std::uint32_t no_rate = 0xFFFFFFFF;
  struct End {
    Nanoseconds begin = 0;
    std::uint32_t first_rate = no_rate;
  };
  SpillVector<End> ends_;
  std::uint32_t last_ = no_rate;                        ///< the interval opened last, in ends_, while it is open
  using Begin = std::pair<Nanoseconds, std::uint32_t>;  ///< and its place in ends_
  std::priority_queue<Begin, SpillVector<Begin>, LaterBegin> by_begin_;
  struct Rate {
    DelayClass delay = DelayClass::none;
    bool is_own = false;           ///< for waits that the location could have avoided; else for the others
    std::uint32_t next = no_rate;  ///< of the same interval
    LongTerm amount = 0;
  };
  SpillVector<Rate> rates_;
  std::priority_queue<std::pair<Share, Nanoseconds>, SpillVector<std::pair<Share, Nanoseconds>>, LaterBegin> by_share_;
  std::array<std::array<LongTerm, delay_classes>, 2> sums_{};  ///< by Rate::is_own
  std::uint32_t classes_ = 0;                                  ///< bit per class that ever had a rate here
};

class Sweep {
 public:
  Sweep(const CollectedWaits& collected, Scores& scores)
      : collected_(collected), scores_(scores), first_cost_(collected.groups(), none) {
    const std::vector<Lifetime>& lives = collected.lives;
    for (const Lifetime& life : lives) {
      if (life.last == life.first) continue;
      start_ = std::min(start_, life.first);
      if (!walks_ || std::make_tuple(-life.last, life.location) < std::make_tuple(-at_time_, at_)) {
        walks_ = true;
        at_ = life.location;
        at_time_ = life.last;
      }
    }
  }

  void run() {
    struct End {
      Nanoseconds end;
      Packed::Place group;
    };
    SpillVector<End> order;
    order.reserve(collected_.groups());
    collected_.each_group([&](Nanoseconds end, Packed::Place group) { order.push_back({end, group}); });
    sort_by(order, [](const End& e) { return -e.end; });
    std::vector<Turn> turns;
    const auto is_before = [](const Turn& a, const Turn& b) { return a.wait.waiter < b.wait.waiter; };
    StoragePace pace;
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
      turns.clear();
      ending_.clear();
      for (; last < order.size() && order[last].end == order[first].end; ++last) {
        const auto group = static_cast<std::uint32_t>(ending_.size());
        Ending& one = ending_.emplace_back();
        one.number = collected_.read(order[last].group, order[last].end, one.group, [&](const WeighedWait& wait) {
          turns.push_back({wait, group});
        });
        one.left = one.group.waits;
      }
      if (!std::is_sorted(turns.begin(), turns.end(), is_before)) std::sort(turns.begin(), turns.end(), is_before);
      if (turns.size() > 1) order_chains(turns);
      for (const Turn& turn : turns) {
        settle(turn);
        pace.step();
      }
    }
    if (walks_) step_to(start_);
  }

  /// Of a group, by class.
  void put_costs(std::size_t group, BufferWriter out) const {
    const std::uint32_t first = first_cost_[group];
    std::uint32_t count = 0;
    for (std::uint32_t k = first; k != none; k = costs_[k].next) ++count;
    out.put(count);
    for (std::uint32_t k = first; k != none; k = costs_[k].next) out.put(ClassCost{costs_[k].delay, costs_[k].amount});
  }
  /// Of all groups.
  std::size_t costs_bytes() const {
    return first_cost_.size() * sizeof(std::uint32_t) + costs_.size() * sizeof(ClassCost);
  }
  /// Passes the critical path, from its end to its begin.
  template <class Use>
  void each_piece(const Use& use) const {
    Packed::Reader in(pieces_);
    PathPiece piece;
    piece.from = path_end_;
    for (std::uint64_t left = piece_count_; left > 0; --left) {
      const auto [location, length] = in.take<2>();
      piece.to = piece.from;
      piece.location = static_cast<cube::LocationId>(location);
      piece.from -= static_cast<Nanoseconds>(length);
      use(static_cast<const PathPiece&>(piece));
    }
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  /// A group that ends at the time where the sweep is.
  struct Ending {
    WeighedGroup group;
    std::uint64_t number = 0;
    std::uint32_t left = 0;  ///< waits that are not settled
  };
  struct Turn {
    WeighedWait wait;
    std::uint32_t group = 0;  ///< in ending_
  };
  /// What later waits attribute to a group is a list.
  struct Cost {
    DelayClass delay = DelayClass::none;
    std::uint32_t next = none;
    LongTerm amount = 0;
  };

  void attribute(std::uint32_t& first, DelayClass delay, LongTerm amount) {
    for (std::uint32_t k = first; k != none; k = costs_[k].next) {
      if (costs_[k].delay != delay) continue;
      costs_[k].amount += amount;
      return;
    }
    costs_.push_back({delay, std::exchange(first, static_cast<std::uint32_t>(costs_.size())), amount});
  }

  /// Waits with one end, ascending by location: each before that of its cause's location, if there is one.
  void order_chains(std::vector<Turn>& turns) {
    const std::size_t count = turns.size();
    next_.assign(count, count);  // whose location is the cause; `count`: none of these
    indebted_.assign(count, 0);  // how many must come before it
    bool is_chained = false;
    cube::LocationId cause = cube::no_id;
    std::size_t next = count;
    for (std::size_t i = 0; i < count; ++i) {
      if (const cube::LocationId of = ending_[turns[i].group].group.cause; of != cause) {
        cause = of;  // one for many waits that end together
        const auto at = std::lower_bound(turns.begin(), turns.end(), of,
                                         [](const Turn& t, cube::LocationId x) { return t.wait.waiter < x; });
        next = at == turns.end() || at->wait.waiter != of ? count : static_cast<std::size_t>(at - turns.begin());
      }
      if (next == count) continue;
      next_[i] = next;
      ++indebted_[next];
      is_chained = true;
    }
    if (!is_chained) return;
    members_ = turns;
    auto out = turns.begin();
    const auto follow = [&](std::size_t i) {
      for (;;) {
        *out++ = members_[i];
        members_[i].group = done;
        i = next_[i];
        if (i == count || members_[i].group == done || --indebted_[i] != 0) return;
      }
    };
    for (std::size_t i = 0; i < count; ++i) {
      if (members_[i].group != done && indebted_[i] == 0) follow(i);
    }
    for (std::size_t i = 0; i < count; ++i) {  // rings
      if (members_[i].group != done) follow(i);
    }
  }

  /// A wait is final: what open intervals of later waits pass to it is known. Scores its propagating part and moves the
  /// critical path there if it is on the waiter; the last of a group opens their interval on their cause's location.
  void settle(const Turn& turn) {
    Ending& ending = ending_[turn.group];
    const WeighedGroup& group = ending.group;
    const WeighedWait& w = turn.wait;
    std::uint32_t& first_cost = first_cost_[ending.number];
    Nanoseconds propagating = 0;
    if (OpenIntervals* on = w.waiter < open_.size() ? open_[w.waiter].get() : nullptr) {
      on->attributed(group.end - w.amount, w.amount, group.is_own,
                     [&](DelayClass of, LongTerm amount) { attribute(first_cost, of, amount); });
      propagating = on->propagating(group.end - w.amount, w.amount);
    }
    scores_.count(ids_.split(Split::propagating, group.delay), w.call_path, w.waiter, propagating);
    scores_.count(ids_.split(Split::terminal, group.delay), w.call_path, w.waiter, w.amount - propagating);
    if (--ending.left == 0 && group.waited > 0) hand_on(group, first_cost);
    if (walks_ && w.waiter == at_ && group.end <= at_time_) {
      if (group.end < at_time_) step_to(group.end);
      at_ = group.cause;
    }
  }

  /// From `time` on the path was where it is; it is followed from there.
  void step_to(Nanoseconds time) {
    if (piece_count_++ == 0) path_end_ = at_time_;
    pieces_.put(at_, at_time_ - time);
    at_time_ = time;
  }

  /// Passes the indirect part of a group, and its share of K on; the largest of its waits says how much propagates.
  /// What the cause could have avoided comes first (`own_part` of the wait, which is the only one then, and the same
  /// share of K); the costs from `first` on keep the rest, which is divided over D and other waiting.
  void hand_on(const WeighedGroup& w, std::uint32_t first) {
    const Nanoseconds own_part = std::min(w.own, w.largest), others = w.waited - w.own;
    const Nanoseconds weight = w.delayed + w.waited;
    const auto part = [](LongTerm amount, Nanoseconds of, Nanoseconds all) {  // of amount, without overflow
      const auto a = static_cast<LongTerm>(of), b = static_cast<LongTerm>(all);
      return b == 0 ? 0 : amount / b * a + amount % b * a / b;
    };
    if (w.cause >= open_.size()) open_.resize(w.cause + std::size_t{1});
    if (open_[w.cause] == nullptr) open_[w.cause] = std::make_unique<OpenIntervals>();
    OpenIntervals& on = *open_[w.cause];
    on.open(w.from, Share{std::min(w.largest, weight), weight});
    const auto rate = [&](DelayClass of, bool is_own, LongTerm handed, Nanoseconds over) {
      if (handed != 0 && over > 0) {
        on.rate(of, is_own, (std::min(handed, largest_cost) << 32) / static_cast<LongTerm>(over));
      }
    };
    const auto units = [](Nanoseconds amount) { return static_cast<LongTerm>(amount) << 32; };
    LongTerm own = units(own_part), other = units(w.indirect - own_part);
    for (std::uint32_t k = first; k != none; k = costs_[k].next) {
      Cost& cost = costs_[k];
      const LongTerm to_own = own_part == 0 ? 0 : part(cost.amount, own_part, w.largest);
      cost.amount -= to_own;
      const LongTerm to_others = part(cost.amount, others, weight - w.own);
      const bool is_same = cost.delay == w.delay;
      rate(cost.delay, true, to_own + (is_same ? std::exchange(own, 0) : 0), w.own);
      rate(cost.delay, false, to_others + (is_same ? std::exchange(other, 0) : 0), others);
    }
    rate(w.delay, true, own, w.own);
    rate(w.delay, false, other, others);
  }

  const CollectedWaits& collected_;
  Scores& scores_;
  const CauseIds& ids_ = cause_ids();
  std::vector<Ending> ending_;
  SpillVector<std::uint32_t> first_cost_;  ///< in costs_, by number of the group
  Chunked<Cost> costs_;
  std::vector<std::unique_ptr<OpenIntervals>> open_;  ///< by location
  static constexpr std::uint32_t done = 0xFFFFFFFF;
  std::vector<Turn> members_;  ///< of order_chains()
  std::vector<std::size_t> next_;
  std::vector<std::size_t> indebted_;
  Nanoseconds start_ = INT64_MAX;
  bool walks_ = false;
  cube::LocationId at_ = 0;
  Nanoseconds at_time_ = 0;
  Packed pieces_;  ///< of the path, from its end: location, length
  std::uint64_t piece_count_ = 0;
  Nanoseconds path_end_ = 0;
};

}  // namespace

void CollectedWaits::add(const WeighedGroup& group, BufferReader& waits) {
  const Packed::Place place = groups_.end();
  heads_.put(folded(group.end - std::exchange(last_end_, group.end)), place - std::exchange(last_place_, place));
  const std::uint64_t kind =
      std::uint64_t{group.waits} << 8 | static_cast<std::uint64_t>(group.delay) << 1 | (group.is_own ? 1 : 0);
  groups_.put(count_++, kind, group.cause, group.end - group.from, group.delayed, group.waited, group.own,
              group.indirect);
  for (std::uint32_t left = group.waits; left > 0; --left) {
    const auto wait = waits.take<WeighedWait>();
    groups_.put(wait.amount, wait.waiter, wait.call_path);
  }
}

void PartitionCauses::collect(const std::vector<Buffer>& incoming) {
  if (collected_ == nullptr) collected_ = std::make_unique<CollectedWaits>();
  for (std::uint32_t p = 0; p < incoming.size(); ++p) {
    BufferReader in(incoming[p]);
    if (in.empty()) continue;
    for (auto left = in.take<std::uint64_t>(); left > 0; --left) collected_->lives.push_back(in.take<Lifetime>());
    std::uint64_t count = 0;
    for (; !in.empty(); ++count) {
      const auto group = in.take<WeighedGroup>();
      collected_->add(group, in);
    }
    collected_->runs.emplace_back(p, count);
  }
}

void PartitionCauses::sweep(std::vector<Buffer>& answers) {
  Sweep sweep(*collected_, scores_);
  sweep.run();
  const std::vector<std::pair<std::uint32_t, std::uint64_t>> runs = std::move(collected_->runs);
  collected_.reset();
  std::vector<std::uint64_t> pieces(answers.size());
  sweep.each_piece([&](const PathPiece& piece) {
    scores_.path_piece(piece);
    if (const std::uint32_t to = owner(piece.location); to < pieces.size()) ++pieces[to];
  });
  for (std::size_t p = 0; p < answers.size(); ++p) {
    answers[p].reserve(sizeof(std::uint64_t) + pieces[p] * sizeof(PathPiece) + sweep.costs_bytes() / answers.size());
    BufferWriter(answers[p]).put(pieces[p]);
  }
  sweep.each_piece([&](const PathPiece& piece) {
    if (const std::uint32_t to = owner(piece.location); to < pieces.size()) BufferWriter(answers[to]).put(piece);
  });
  std::size_t next = 0;
  for (const auto& [partition, count] : runs) {
    for (std::uint64_t i = 0; i < count; ++i) sweep.put_costs(next++, BufferWriter(answers[partition]));
  }
}

namespace {

/// A cell may come from several partitions: what a wait could have avoided by itself, from that of its cause, too.
void add_up(SpillVector<LongTermCost>& costs) {
  const auto cell = [](const LongTermCost& cost) { return std::tie(cost.call_path, cost.location); };
  std::sort(costs.begin(), costs.end(), [&](const auto& a, const auto& b) { return cell(a) < cell(b); });
  std::size_t count = 0;
  for (const LongTermCost& cost : costs) {
    if (count > 0 && cell(costs[count - 1]) == cell(cost))
      costs[count - 1].amount += cost.amount;
    else
      costs[count++] = cost;
  }
  costs.resize(count);
}

}  // namespace

/// Largest remainder over the call paths and locations of each class, whose exact sum is a whole number (causes.h,
/// conservation).
void PartitionCauses::round_off(const std::vector<Buffer>& incoming) {
  std::array<SpillVector<LongTermCost>, delay_classes> by_class;
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    while (!in.empty()) {
      const auto cost = in.take<LongTermCost>();
      by_class[static_cast<std::size_t>(cost.delay)].push_back(cost);
    }
  }
  // To 2^-16 ns: what was lost on the way, some 2^-32, depends on which waits were weighed together, and that on how
  // many ask at a time; it must not decide between equal fractions.
  const auto fraction = [](LongTerm amount) {
    return (std::uint64_t{static_cast<std::uint32_t>(amount)} + (1U << 15)) >> 16;
  };
  for (SpillVector<LongTermCost>& costs : by_class) {
    add_up(costs);
    std::sort(costs.begin(), costs.end(), [&](const LongTermCost& a, const LongTermCost& b) {
      if (fraction(a.amount) != fraction(b.amount)) return fraction(a.amount) > fraction(b.amount);
      return std::tie(a.call_path, a.location) < std::tie(b.call_path, b.location);
    });
    LongTerm sum = LongTerm{1} << 31;
    LongTerm floors = 0;
    for (const LongTermCost& cost : costs) {
      sum += cost.amount;
      floors += cost.amount >> 32;
    }
    auto left = (sum >> 32) - floors;
    for (const LongTermCost& cost : costs) {
      const LongTerm amount = (cost.amount >> 32) + (left > 0 ? 1 : 0);
      if (left > 0) --left;
      scores_.count(cause_ids().long_term(cost.delay), cost.call_path, cost.location, static_cast<Nanoseconds>(amount));
    }
  }
}

}  // namespace mora::analysis
