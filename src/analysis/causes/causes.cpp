/// The stages of a partition (definitions, source, cost and limits: causes.h; order in which waits are processed:
/// sweep.cpp).
///
/// A wait asks the partition of its cause (Question, with the waiter's profile); there the delay is computed and
/// scored, and a WeighedWait of fixed size goes to partition 0. Profiles, the long part, never leave the partition of
/// their location but as one question. Delays keeps d(c) of every question in the order in which partition 0 received
/// it, so that the sweep's answers need no key.
#include "analysis/causes/causes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/causes/cause_metrics.h"
#include "analysis/causes/sweep.h"
#include "base/shares.h"

namespace mora::analysis {

namespace {

constexpr std::uint32_t none = 0xFFFFFFFF;

/// From the waiter's partition to that of the cause; `count` PathAmounts of the waiter's profile follow.
struct Question {
  cube::LocationId waiter = 0;
  cube::LocationId cause = 0;
  cube::CallPathId call_path = 0;
  cube::MetricId metric = 0;
  Nanoseconds begin = 0;
  Nanoseconds amount = 0;
  Nanoseconds from = 0;  ///< pair: the cause's time of the synchronisation point; group: see sequence, instance
  GroupSequence sequence;
  std::uint32_t instance = 0;
  enum class Kind : std::uint32_t { pair, group, never } kind = Kind::never;
  std::uint32_t count = 0;
  Nanoseconds end() const { return begin + amount; }
};

struct PathAmount {
  cube::CallPathId call_path = 0;
  Nanoseconds amount = 0;
};

DelayClass class_of(cube::MetricId metric) { return all_metrics()[metric].delay; }

}  // namespace

struct PartitionCauses::Local {
  CauseLocation at;
  const Timeline* timeline = nullptr;
  SpillVector<Wait> taken;  ///< until take_waits is through
  WaitList waits;
  std::unique_ptr<Activity> activity;
};

/// What weigh() found and settle() needs again, in the order in which partition 0 received it.
struct PartitionCauses::Delays {
  struct Delay {
    cube::LocationId cause = 0;
    DelayClass delay = DelayClass::none;
    std::uint32_t count = 0;  ///< amounts of `parts` that belong to it
    Nanoseconds weight = 0;   ///< D + W
  };
  Chunked<Delay> all;
  Chunked<cube::CallPathId> paths;  ///< of d(c) > 0, global
  Chunked<Nanoseconds> parts;       ///< d(c)
  Tally tally;
};

PartitionCauses::PartitionCauses(const DomainContext& context, Scores& scores, const std::vector<CauseLocation>& locals)
    : context_(context), scores_(scores), delays_(std::make_unique<Delays>()) {
  for (const CauseLocation& at : locals) {
    auto local = std::make_unique<Local>();
    local->at = at;
    local->timeline = context.timelines[at.location].get();
    by_location_[at.location] = local.get();
    locals_.push_back(std::move(local));
  }
}

PartitionCauses::~PartitionCauses() = default;

PartitionCauses::Local* PartitionCauses::local(cube::LocationId location) {
  const auto found = by_location_.find(location);
  return found == by_location_.end() ? nullptr : found->second;
}

// ---- waits and synchronisation points go to the locations they belong to
// -------------------------------------------------

void PartitionCauses::send_waits(std::vector<Buffer>& outgoing) {
  std::vector<std::uint64_t> waits(outgoing.size());
  std::vector<std::uint64_t> points(outgoing.size());
  const auto add = [](std::vector<std::uint64_t>& counts, std::uint32_t to) {
    if (to != none) ++counts[to];
  };
  for (const Wait& wait : scores_.kept_waits()) add(waits, owner(wait.location));
  for (const SyncPoint& m : scores_.sync_points()) {
    add(points, owner(m.location));
    add(points, owner(m.partner));
  }
  for (std::size_t p = 0; p < outgoing.size(); ++p) {
    outgoing[p].reserve(2 * sizeof(std::uint64_t) + waits[p] * sizeof(Wait) + points[p] * sizeof(SyncPoint));
    BufferWriter(outgoing[p]).put(waits[p]);
  }
  for (const Wait& wait : scores_.kept_waits()) {
    if (const std::uint32_t to = owner(wait.location); to != none) BufferWriter(outgoing[to]).put(wait);
  }
  scores_.kept_waits() = {};
  for (std::size_t p = 0; p < outgoing.size(); ++p) BufferWriter(outgoing[p]).put(points[p]);
  for (const SyncPoint& m : scores_.sync_points()) {
    if (const std::uint32_t to = owner(m.location); to != none) BufferWriter(outgoing[to]).put(m);
    if (const std::uint32_t to = owner(m.partner); to != none) {
      BufferWriter(outgoing[to]).put(SyncPoint{m.partner, m.partner_time, m.location, m.time});
    }
  }
  scores_.sync_points() = {};
}

void PartitionCauses::take_waits(const std::vector<Buffer>& incoming) {
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
      const auto wait = in.take<Wait>();
      if (Local* to = local(wait.location)) to->taken.push_back(wait);
    }
    for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
      const auto m = in.take<SyncPoint>();
      if (Local* to = local(m.location)) to->at.sync_points->add(m.location, m.time, m.partner, m.partner_time);
    }
  }
  SyncPoints* sealed = nullptr;
  for (const auto& l : locals_) {  // locations of a rank are neighbours
    if (l->at.sync_points != sealed) l->at.sync_points->seal();
    sealed = l->at.sync_points;
    l->waits = WaitList(std::move(l->taken));
    l->activity = std::make_unique<Activity>(*l->timeline, l->waits, l->at.tree->size());
  }
}

// ---- each wait asks its cause ----------------------------------------------------------------------------------

bool PartitionCauses::ask(std::uint64_t most, std::vector<Buffer>& outgoing) {
  std::uint64_t asked = 0;
  for (; next_local_ < locals_.size(); ++next_local_, next_wait_ = 0) {
    const auto& l = locals_[next_local_];
    const auto& global = context_.tree.of_location[l->at.location];
    for (; next_wait_ < l->waits.size(); ++next_wait_) {
      if (asked++ == most) return true;
      const CausedWait& wait = l->waits[next_wait_];
      const std::uint32_t to = owner(wait.cause);
      if (to == none) continue;
      Question q;
      q.waiter = l->at.location;
      q.cause = wait.cause;
      q.call_path = wait.call_path;
      q.metric = wait.metric;
      q.begin = wait.begin;
      q.amount = l->waits.amount(next_wait_);
      Nanoseconds from = INT64_MIN;
      if (const auto met =
              l->at.sync_points->last(l->at.location, wait.cause, context_.definitions.locations[wait.cause].rank,
                                      wait.begin, wait.begin + q.amount)) {
        from = l->waits.after_waiting_at(met->time, next_wait_);
        q.from = met->partner_time;
        q.sequence = met->sequence;
        q.instance = met->instance;
        q.kind = met->is_group ? Question::Kind::group : Question::Kind::pair;
      }
      Tally& tally = delays_->tally;
      tally.reset(l->at.tree->size());
      l->activity->add_interval(from, wait.begin, tally);
      q.count = static_cast<std::uint32_t>(tally.touched().size());
      BufferWriter out(outgoing[to]);
      out.put(q);
      for (const std::uint32_t node : tally.touched()) out.put(PathAmount{global[node], tally[node]});
    }
  }
  return false;
}

// ---- the cause weighs delay against its own waiting ------------------------------------------------------------

/// Questions are sorted by (cause, end), so that neighbours often have the same interval and the cause's profile is
/// computed once for them. The row `theirs` holds the waiter's profile for the length of one question.
void PartitionCauses::weigh(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_collect) {
  struct Asked {
    cube::LocationId cause = 0;
    cube::LocationId waiter = 0;
    Nanoseconds end = 0;
    const std::byte* question = nullptr;
  };
  SpillVector<Asked> asked;
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    while (!in.empty()) {
      const std::byte* at = in.skip(sizeof(Question));
      const auto q = element<Question>(at, 0);
      in.skip(q.count * sizeof(PathAmount));
      asked.push_back({q.cause, q.waiter, q.end(), at});
    }
  }
  std::sort(asked.begin(), asked.end(), [](const Asked& a, const Asked& b) {
    return std::tie(a.cause, a.end, a.waiter) < std::tie(b.cause, b.end, b.waiter);  // no waiter has two with one end
  });
  BufferWriter out(to_collect[0]);
  out.put(static_cast<std::uint64_t>(introduced_ ? 0 : locals_.size()));
  for (std::size_t i = 0; i < locals_.size() && !introduced_; ++i) {
    const Timeline& timeline = *locals_[i]->timeline;
    const bool lived = timeline.size() != 0;
    out.put(Lifetime{locals_[i]->at.location, lived ? timeline.begin(0) : 0,
                     lived ? timeline.end(timeline.size() - 1) : 0});
  }
  introduced_ = true;
  std::vector<Nanoseconds> theirs(context_.tree.nodes.size());
  std::vector<PathAmount> ours;  // of [ours_from, ours_end) on `at`, ascending by call path
  const Local* at = nullptr;
  Nanoseconds ours_from = 0;
  Nanoseconds ours_end = 0;
  std::vector<std::int64_t> weights;
  std::size_t near_wait = 0;
  for (const Asked& a : asked) {
    const auto q = element<Question>(a.question, 0);
    const std::byte* amounts = a.question + sizeof(Question);
    Local* here = local(q.cause);
    if (here == nullptr) continue;
    const DelayClass delay = class_of(q.metric);
    Nanoseconds from = q.kind == Question::Kind::pair ? q.from : INT64_MIN;
    if (q.kind == Question::Kind::group)
      from = here->at.sync_points->begin_of(q.sequence, q.instance).value_or(INT64_MIN);
    from = here->waits.after_waiting_at(from, near_wait);
    if (at != here || from != ours_from || q.end() != ours_end) {
      const auto& global = context_.tree.of_location[q.cause];
      delays_->tally.reset(here->at.tree->size());
      here->activity->add_interval(from, q.end(), delays_->tally);
      ours.clear();
      for (const std::uint32_t node : delays_->tally.touched()) ours.push_back({global[node], delays_->tally[node]});
      std::sort(ours.begin(), ours.end(), [](auto& x, auto& y) { return x.call_path < y.call_path; });
      at = here;
      ours_from = from;
      ours_end = q.end();
    }
    const std::size_t first_wait = here->waits.first_beginning_at(from, near_wait);
    const std::size_t last_wait = std::max(first_wait, here->waits.first_ending_after(q.end(), first_wait));
    near_wait = last_wait;
    const Nanoseconds waited = here->waits.total(first_wait, last_wait);
    for (std::uint32_t i = 0; i < q.count; ++i) {
      const auto t = element<PathAmount>(amounts, i);
      theirs[t.call_path] += t.amount;
    }
    const std::size_t first_part = delays_->parts.size();
    Nanoseconds delayed = 0;
    weights.clear();
    for (const PathAmount& t : ours) {
      const Nanoseconds d = t.amount - theirs[t.call_path];
      if (d <= 0) continue;
      delays_->paths.push_back(t.call_path);
      delays_->parts.push_back(d);
      weights.push_back(d);
      delayed += d;
    }
    for (std::uint32_t i = 0; i < q.count; ++i) theirs[element<PathAmount>(amounts, i).call_path] = 0;
    weights.push_back(waited);
    const bool covered = delayed + waited >= q.amount;
    const std::vector<std::int64_t> shares = covered ? exact_shares(q.amount, weights) : weights;
    for (std::size_t i = 0; i + 1 < shares.size(); ++i) {
      scores_.count(short_term_metric(delay), delays_->paths[first_part + i], q.cause, shares[i]);
    }
    scores_.count(split_metric(Split::indirect, delay), q.call_path, q.waiter, shares.back());
    scores_.count(split_metric(Split::direct, delay), q.call_path, q.waiter, q.amount - shares.back());
    delays_->all.push_back(
        {q.cause, delay, static_cast<std::uint32_t>(delays_->parts.size() - first_part), delayed + waited});
    out.put(
        WeighedWait{q.end(), q.amount, from, delayed, waited, shares.back(), q.waiter, q.cause, q.call_path, q.metric});
  }
}

void PartitionCauses::end_questions() {
  for (const auto& l : locals_) l->at.sync_points->forget();
}

// ---- what the sweep attributed comes back ----------------------------------------------------------------------

void PartitionCauses::charge_path(Local& local, Nanoseconds from, Nanoseconds to) {
  static const cube::MetricId metric = metric_index("critical-path");
  const auto& global = context_.tree.of_location[local.at.location];
  delays_->tally.reset(local.at.tree->size());
  local.activity->add_interval(from, to, delays_->tally);
  for (const std::uint32_t node : delays_->tally.touched()) {
    scores_.count(metric, global[node], local.at.location, delays_->tally[node]);
  }
}

/// The answers stand in the order of `delays_->all`. K d(c) / (D + W) is computed as whole and remainder, so that
/// nothing overflows and nothing is lost but the last of 2^-32 ns.
void PartitionCauses::settle(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_round) {
  BufferReader in(incoming[0]);
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    const auto piece = in.take<PathPiece>();
    if (Local* here = local(piece.location)) charge_path(*here, piece.from, piece.to);
  }
  // Waits of one cause stand together: its costs are added up in a dense row before they go to the map.
  std::map<std::tuple<DelayClass, cube::CallPathId, cube::LocationId>, LongTerm> costs;
  const std::size_t paths = context_.tree.nodes.size();
  std::vector<LongTerm> row(delay_classes * paths);
  std::vector<std::size_t> touched;
  cube::LocationId cause = 0;
  const auto end_row = [&] {
    for (const std::size_t at : touched) {
      costs[{static_cast<DelayClass>(at / paths), static_cast<cube::CallPathId>(at % paths), cause}] += row[at];
      row[at] = 0;
    }
    touched.clear();
  };
  std::size_t part = 0;
  for (std::size_t n = 0; n < delays_->all.size(); ++n) {
    const Delays::Delay& d = delays_->all[n];
    const auto attributed = in.take<LongTerm>();
    if (attributed != 0 && d.weight > 0) {
      if (d.cause != cause) end_row();
      cause = d.cause;
      const auto weight = static_cast<LongTerm>(d.weight);
      const LongTerm whole = attributed / weight;
      const LongTerm rest = attributed % weight;
      for (std::size_t i = part; i < part + d.count; ++i) {
        const std::size_t at = static_cast<std::size_t>(d.delay) * paths + delays_->paths[i];
        const auto amount = static_cast<LongTerm>(delays_->parts[i]);
        if (row[at] == 0) touched.push_back(at);
        row[at] += whole * amount + rest * amount / weight;
      }
    }
    part += d.count;
  }
  end_row();
  BufferWriter out(to_round[0]);
  for (const auto& [where, amount] : costs) {
    out.put(LongTermCost{std::get<0>(where), std::get<1>(where), std::get<2>(where), amount});
  }
  delays_ = std::make_unique<Delays>();
}

/// Largest remainder over all classes, call paths and locations: the exact sum is a whole number (causes.h,
/// conservation).
void PartitionCauses::round_off(const std::vector<Buffer>& incoming) {
  SpillVector<LongTermCost> costs;
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    while (!in.empty()) costs.push_back(in.take<LongTermCost>());
  }
  const auto fraction = [](LongTerm amount) { return static_cast<std::uint32_t>(amount); };
  std::sort(costs.begin(), costs.end(), [&](const LongTermCost& a, const LongTermCost& b) {
    if (fraction(a.amount) != fraction(b.amount)) return fraction(a.amount) > fraction(b.amount);
    return std::tie(a.delay, a.call_path, a.location) < std::tie(b.delay, b.call_path, b.location);
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
    scores_.count(long_term_metric(cost.delay), cost.call_path, cost.location, static_cast<Nanoseconds>(amount));
  }
}

}  // namespace mora::analysis
