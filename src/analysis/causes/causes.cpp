/// The stages of a partition (definitions, source, cost and limits: causes.h; order in which waits are processed:
/// sweep.cpp; what comes back from it: settle.cpp).
///
/// A wait asks the partition of its cause (Question, with the waiter's profile); there the delay is computed and
/// scored, and a WeighedWait of fixed size goes to partition 0, with those that are alike in one WeighedGroup.
/// Profiles, the long part, never leave the partition of their location but as one question. Delays keeps d(c) of every
/// question in the order in which partition 0 received it, so that the sweep's answers need no key.
#include "analysis/causes/causes.h"

#include <algorithm>

#include "analysis/causes/cause_metrics.h"
#include "analysis/causes/netting.h"
#include "analysis/causes/partition_state.h"
#include "analysis/causes/sweep.h"
#include "analysis/storage/sorted_by.h"
#include "base/numbers/shares.h"

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
  LastSyncPoint point;     ///< where both were last seen together; has_point: there is one
  Nanoseconds from = 0;    ///< begin of the waiter's interval
  std::uint64_t wait = 0;  ///< index on the waiter's location
  bool has_point = false;
  bool is_own = false;  ///< the waiter could have avoided it: no profile, no point
  std::uint32_t count = 0;
  Nanoseconds end() const { return begin + amount; }
};

/// The answer of the cause's partition when the cause was still behind at the point of the question.
struct Rejection {
  cube::LocationId waiter = 0;
  std::uint64_t wait = 0;
  LastSyncPoint point;
};

}  // namespace

PartitionCauses::PartitionCauses(const DomainContext& context, Scores& scores, const std::vector<CauseLocation>& locals)
    : context_(context), scores_(scores), delays_(std::make_unique<Delays>()) {
  for (const trace::Location& location : context.definitions.locations)
    owners_.push_back(location.rank < context.partition_of_rank.size() ? context.partition_of_rank[location.rank]
                                                                       : none);
  for (const CauseLocation& at : locals) {
    auto local = std::make_unique<Local>();
    local->at = at;
    local->timeline = context.timelines[at.location].get();
    if (at.location >= by_location_.size()) by_location_.resize(at.location + std::size_t{1});
    by_location_[at.location] = local.get();
    locals_.push_back(std::move(local));
  }
}

PartitionCauses::~PartitionCauses() = default;

// ---- waits and synchronisation points go to the locations they belong to
// -------------------------------------------------

/// What stays here is not sent.
void PartitionCauses::send_waits(std::vector<Buffer>& outgoing) {
  Nanoseconds start = INT64_MAX;
  for (const auto& l : locals_) {
    if (l->timeline->size() != 0) start = std::min(start, l->timeline->begin(0));
  }
  std::vector<std::unique_ptr<KeptWaits>>& kept = scores_.kept_waits();
  std::vector<std::uint64_t> waits(outgoing.size());
  std::vector<std::uint64_t> points(outgoing.size());
  for (cube::LocationId l = 0; l < kept.size(); ++l) {
    if (kept[l] == nullptr) continue;
    if (Local* here = local(l)) {
      here->kept = std::move(kept[l]);
    } else if (owner(l) != none) {
      waits[owner(l)] += kept[l]->size();
    }
  }
  Chunked<SyncPoint>& sides = scores_.sync_points();
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (const std::uint32_t to = owner(sides[i].location); to != none) ++points[to];
  }
  for (std::size_t p = 0; p < outgoing.size(); ++p) {
    outgoing[p].reserve(3 * sizeof(std::uint64_t) + waits[p] * sizeof(Wait) + points[p] * sizeof(SyncPoint));
    BufferWriter(outgoing[p]).put(start);
    BufferWriter(outgoing[p]).put(waits[p]);
  }
  for (cube::LocationId l = 0; l < kept.size(); ++l) {
    if (kept[l] == nullptr || owner(l) == none) continue;
    BufferWriter out(outgoing[owner(l)]);
    kept[l]->each(l, [&](const Wait& wait) { out.put(wait); });
    kept[l].reset();
  }
  kept.clear();
  for (std::size_t p = 0; p < outgoing.size(); ++p) BufferWriter(outgoing[p]).put(points[p]);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (const std::uint32_t to = owner(sides[i].location); to != none) BufferWriter(outgoing[to]).put(sides[i]);
  }
  sides.clear();
}

void PartitionCauses::take_waits(const std::vector<Buffer>& incoming) {
  for (const Buffer& buffer : incoming) {
    BufferReader in(buffer);
    start_ = std::min(start_, in.take<Nanoseconds>());
    for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
      const auto wait = in.take<Wait>();
      Local* to = local(wait.location);
      if (to == nullptr) continue;
      if (to->kept == nullptr) to->kept = std::make_unique<KeptWaits>();
      to->kept->add(wait);
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
    SpillVector<Wait> waits;
    if (l->kept != nullptr) {
      waits.reserve(l->kept->size());
      l->kept->each(l->at.location, [&](const Wait& wait) { waits.push_back(wait); });
      l->kept.reset();
    }
    l->waits = WaitList(std::move(waits));
    l->activity = std::make_unique<Activity>(*l->timeline, l->waits, l->at.tree->size());
  }
}

// ---- each wait asks its cause ----------------------------------------------------------------------------------

std::uint64_t PartitionCauses::not_asked(Nanoseconds until) const {
  std::uint64_t count = 0;
  for (const auto& l : locals_) count += l->waits.first_ending_after(until, l->asked) - l->asked;
  return count;
}

Nanoseconds PartitionCauses::end_of_slice(std::uint64_t most) const {
  const std::uint64_t left = not_asked(all_asked - 1);
  if (left == 0 && rejected_count_ == 0) return all_asked;
  most -= std::min(most, rejected_count_);
  if (left <= most) return all_asked - 1;
  Nanoseconds first = INT64_MAX, last = INT64_MIN;
  for (const auto& l : locals_) {
    if (l->asked == l->waits.size()) continue;
    first = std::min(first, l->waits.end(l->asked));
    last = std::max(last, l->waits.end(l->waits.size() - 1));
  }
  while (first + 1 < last) {  // at `last` there are too many
    const Nanoseconds middle = first + (last - first) / 2;
    (not_asked(middle) <= most ? first : last) = middle;
  }
  return std::min(first, all_asked - 1);
}

void PartitionCauses::ask(Nanoseconds until, std::vector<Buffer>& outgoing) {
  const std::uint64_t count = not_asked(until);
  StoragePace pace;
  for (BufferReader again(rejected_); !again.empty();) {
    const auto r = again.take<Rejection>();
    ask(*local(r.waiter), r.wait, outgoing);
    pace.step();
  }
  rejected_.clear();
  rejected_count_ = 0;
  for (Buffer& box : outgoing)  // most of those in a queue have no profile
    box.reserve(box.size() + count / outgoing.size() * (sizeof(Question) + sizeof(PathAmount)));
  for (const auto& l : locals_) {
    for (const std::size_t end = l->waits.first_ending_after(until, l->asked); l->asked < end; ++l->asked) {
      ask(*l, l->asked, outgoing);
      pace.step();
    }
  }
}

/// Asks about one wait, from the last synchronisation point at which the cause may have been level.
void PartitionCauses::ask(Local& l, std::uint64_t wait_index, std::vector<Buffer>& outgoing) {
  const CausedWait& wait = l.waits[wait_index];
  const std::uint32_t to = owner(wait.cause);
  if (to == none) return;
  const cube::LocationId location = l.at.location;
  std::size_t& near = delays_->near_wait;
  // All parts of one wait ask about its call's enter.
  const auto level = [&](Nanoseconds t) {
    Delays::Level& last = delays_->level;
    if (last.of != &l || last.time != t) last = {&l, t, l.waits.after_waiting_at(t, near), near};
    near = last.wait;
    return last.after;
  };
  Question q;
  q.waiter = location;
  q.cause = wait.cause;
  q.call_path = wait.call_path;
  q.metric = wait.metric;
  q.begin = l.waits.begin(wait_index);
  q.amount = l.waits.amount(wait_index);
  q.wait = wait_index;
  q.from = start_;
  q.is_own = wait.is_own;
  if (q.is_own) {
    BufferWriter(outgoing[to]).put(q);
    return;
  }
  const auto last = [&](const LastSyncPoint* tried) {
    const std::uint32_t rank = context_.definitions.locations[wait.cause].rank;
    return l.at.sync_points->last(location, wait.cause, rank, q.begin, tried, level);
  };
  if (const auto met =
          l.rejected.skip(wait.cause, last(nullptr), [&](const LastSyncPoint& tried) { return last(&tried); })) {
    q.point = *met;
    q.has_point = true;
    q.from = level(met->time);
  }
  BufferWriter out(outgoing[to]);
  if (l.waits.is_covered(q.from, wait_index, near)) {  // it only waited: nothing to compare
    out.put(q);
    return;
  }
  const Tally& tally = delays_->window.move(*l.activity, q.from, q.begin, near, wait_index);
  q.count = static_cast<std::uint32_t>(tally.touched().size());
  out.put(q);
  const auto& global = context_.tree.of_location[location];
  for (const std::uint32_t node : tally.touched()) out.put(PathAmount{global[node], tally[node]});
}

void PartitionCauses::take_rejections(const std::vector<Buffer>& incoming) {
  for (const Buffer& buffer : incoming) {
    rejected_.append(buffer.data(), buffer.size());
    for (BufferReader in(buffer); !in.empty();) {
      const auto r = in.take<Rejection>();
      Local& l = *local(r.waiter);
      l.rejected.add(l.waits[r.wait].cause, r.point);
      ++rejected_count_;
    }
  }
}

// ---- the cause weighs delay against its own waiting ------------------------------------------------------------

/// The questions to this partition, ascending by cause, end and waiter. Each waiter's come in the order of their end:
/// those to one cause are a few runs, which are merged.
SpillVector<const std::byte*> PartitionCauses::in_order(const std::vector<Buffer>& incoming) const {
  struct Asked {
    Nanoseconds end = 0;
    cube::LocationId waiter = 0;
    const std::byte* question = nullptr;
  };
  std::vector<SpillVector<Asked>> by_cause(by_location_.size());
  std::size_t count = 0;
  for (const Buffer& buffer : incoming) {
    for (BufferReader in(buffer); !in.empty();) {
      const std::byte* at = in.skip(sizeof(Question));
      const auto q = element<Question>(at, 0);
      in.skip(q.count * sizeof(PathAmount));
      if (local(q.cause) == nullptr) continue;
      by_cause[q.cause].push_back({q.end(), q.waiter, at});
      ++count;
    }
  }
  SpillVector<const std::byte*> questions;
  questions.reserve(count);
  for (SpillVector<Asked>& asked : by_cause) {
    sort_by(  // no waiter has two with one end
        asked, [](const Asked& a) { return a.end; }, [](const Asked& a) { return a.waiter; });
    for (const Asked& a : asked) questions.push_back(a.question);
    asked = SpillVector<Asked>();
  }
  return questions;
}

/// Questions are sorted by (cause, end), so that neighbours often have the same interval and the cause's profile is
/// computed once for them; of those in a queue, who only waited, so is everything. The row `theirs` holds the waiter's
/// profile for the length of one question.
void PartitionCauses::weigh(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_collect,
                            std::vector<Buffer>& rejections) {
  const SpillVector<const std::byte*> asked = in_order(incoming);
  to_collect[0].reserve(sizeof(std::uint64_t) + locals_.size() * sizeof(Lifetime) + asked.size() * sizeof(WeighedWait));
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
  ActivityWindow window;
  std::vector<PathAmount> ours;    // of [ours_from, ours_end) on `at`, ascending by call path
  std::vector<PathAmount> longer;  // d(c), ascending by call path
  Netting netting(context_.tree);
  const Local* at = nullptr;
  Nanoseconds ours_from = 0;
  Nanoseconds ours_end = 0;
  const Local* met_by = nullptr;
  Nanoseconds met_time = 0, met_after = 0;
  // Of the last question. Those that follow it with the same interval are alike if both waiters only waited.
  bool may_go_on = false;
  DelayClass last_class = DelayClass::none;
  Nanoseconds divided = 0;
  Nanoseconds delayed = 0, waited = 0, own = 0;
  const std::vector<std::int64_t>* shares = nullptr;
  std::vector<std::int64_t> weights;
  std::vector<cube::CallPathId> paths;  // of the weights, but for the last
  std::int64_t times = 0;               // how many waits got these shares, not scored yet
  ExactShares divide;
  const CauseIds& ids = cause_ids();
  const std::vector<MetricInfo>& metrics = all_metrics();
  const auto score_delays = [&] {
    for (std::size_t i = 0; times != 0 && i < paths.size(); ++i)
      scores_.count(ids.short_term(last_class), paths[i], at->at.location, times * (*shares)[i]);
    times = 0;
  };
  WeighedGroup group;  // of the last question, and its waits
  std::vector<WeighedWait> alike;
  const auto add_to_group = [&](const Question& q, Nanoseconds indirect) {
    group.indirect += indirect;
    group.largest = std::max(group.largest, q.amount);
    alike.push_back({q.amount, q.waiter, q.call_path});
  };
  const auto put_group = [&] {
    if (alike.empty()) return;
    group.waits = static_cast<std::uint32_t>(alike.size());
    out.put(group);
    for (const WeighedWait& wait : alike) out.put(wait);
    alike.clear();
  };
  std::size_t near_from = 0;  // where the waits of the last question were
  std::size_t near_end = 0;
  for (const std::byte* question : asked) {
    const auto q = element<Question>(question, 0);
    const std::byte* amounts = question + sizeof(Question);
    Local* here = local(q.cause);
    const DelayClass delay = metrics[q.metric].delay;
    if (q.is_own) {
      may_go_on = false;
      scores_.count(ids.short_term(delay), q.call_path, q.waiter, q.amount);
      scores_.count(ids.split(Split::direct, delay), q.call_path, q.waiter, q.amount);
      delays_->put(q.waiter, q.amount, {&q.call_path, 1}, {&q.amount, 1});
      put_group();
      group = {.end = q.end(), .from = q.end(), .delayed = q.amount, .cause = q.cause, .delay = delay, .is_own = true};
      add_to_group(q, 0);
      continue;
    }
    Nanoseconds from = start_;
    if (q.has_point) {
      const LastSyncPoint& p = q.point;
      from = p.is_group ? here->at.sync_points->begin_of(p.sequence, p.instance).value_or(INT64_MAX) : p.partner_time;
      if (from <= q.from) {
        if (here != met_by || from != met_time) {  // those in a queue met its holder in the same call
          met_by = here;
          met_time = from;
          met_after = here->waits.after_inevitable_waiting_at(from, near_from);
        }
        from = met_after;
      }
      if (from > q.from) {
        BufferWriter(rejections[owner(q.waiter)]).put(Rejection{q.waiter, q.wait, p});
        continue;
      }
    }
    const bool is_same = at == here && from == ours_from && q.end() == ours_end;
    const bool is_alike = is_same && may_go_on && q.count == 0 && delay == last_class;
    if (!is_alike || q.amount != divided) score_delays();
    if (!is_same) {
      const auto& global = context_.tree.of_location[q.cause];
      const std::size_t first_wait = near_from = here->waits.first_beginning_at(from, near_from);
      near_end = here->waits.first_ending_after(q.end(), near_end);
      const Tally& tally = window.move(*here->activity, from, q.end(), near_from, near_end);
      ours.clear();
      for (const std::uint32_t node : tally.touched()) ours.push_back({global[node], tally[node]});
      std::sort(ours.begin(), ours.end(), [](auto& x, auto& y) { return x.call_path < y.call_path; });
      at = here;
      ours_from = from;
      ours_end = q.end();
      const std::size_t last_wait = std::max(first_wait, near_end);
      waited = here->waits.total(first_wait, last_wait);
      own = here->waits.own(first_wait, last_wait);
    }
    const Nanoseconds own_part = std::min(own, q.amount);  // what the cause could have avoided comes first
    if (!is_alike) {
      for (std::uint32_t i = 0; i < q.count; ++i) {
        const auto t = element<PathAmount>(amounts, i);
        theirs[t.call_path] += t.amount;
      }
      longer.clear();
      for (const PathAmount& t : ours) {
        const Nanoseconds d = t.amount - theirs[t.call_path];
        theirs[t.call_path] = 0;
        netting.note(t.call_path, d);
        if (d > 0) longer.push_back({t.call_path, d});
      }
      for (std::uint32_t i = 0; i < q.count; ++i) {  // what only the waiter did
        const cube::CallPathId path = element<PathAmount>(amounts, i).call_path;
        netting.note(path, -theirs[path]);
        theirs[path] = 0;
      }
      netting.cut(longer);
      delayed = 0;
      weights.clear();
      paths.clear();
      for (const PathAmount& d : longer) {
        if (d.amount == 0) continue;
        paths.push_back(d.call_path);
        weights.push_back(d.amount);
        delayed += d.amount;
      }
      delays_->put(q.cause, delayed + waited - own, paths, weights);
      weights.push_back(waited - own);
      may_go_on = q.count == 0 && own == 0;
      last_class = delay;
    }
    if (!is_alike || q.amount != divided) {
      const bool covered = delayed + waited >= q.amount;
      shares = covered ? &divide(q.amount - own_part, weights) : &weights;
      divided = q.amount;
    }
    const Nanoseconds indirect = shares->back() + own_part;
    ++times;
    scores_.count(ids.split(Split::indirect, delay), q.call_path, q.waiter, indirect);
    scores_.count(ids.split(Split::direct, delay), q.call_path, q.waiter, q.amount - indirect);
    if (!is_alike) {
      put_group();
      group = {q.end(), from, delayed, waited, own};
      group.cause = q.cause;
      group.delay = delay;
    }
    add_to_group(q, indirect);
  }
  score_delays();
  put_group();
}

void PartitionCauses::end_questions() {
  for (const auto& l : locals_) {
    l->at.sync_points->forget();
    l->rejected = {};
  }
}

}  // namespace mora::analysis
