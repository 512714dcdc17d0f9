#include "report/losses/joining.h"

#include "report/losses/functions.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/efficiency/focus.h"
#include "analysis/result.h"
#include "cube/algebra.h"
#include "cube/labels.h"

namespace mora::report {
namespace {

constexpr double dominant = 0.6;          ///< share of a cause from which on one rank is named
constexpr double serial_from = 0.5;       ///< of the time of all others
constexpr double messages_from = 0.25;    ///< of serial work: what is waited for in messages, not where all meet
constexpr double static_from = 0.6;       ///< of a delay: what the sums over the run explain
constexpr double alike_from = 0.5;        ///< of the largest: delays of single ranks that are joined
constexpr double both_sides_from = 0.1;   ///< of the largest: calls that move the same messages
constexpr double named_from = 0.02;       ///< of the largest: a first execution whose place is named
constexpr double held_up = 0.9;           ///< of serial work: so long at least one other waits
constexpr Nanoseconds late_quarters = 3;  ///< of the way from the first to the last: who is late as the last one is

double part(Nanoseconds amount, double share) { return share * static_cast<double>(amount); }

/// What each of these ranks has more than the mean of the others; 0 if there are no others.
Nanoseconds beyond_others(const ByRank& amounts, const std::vector<std::uint32_t>& ranks) {
  const auto count = static_cast<Nanoseconds>(ranks.size()), all = static_cast<Nanoseconds>(amounts.size());
  if (count == 0 || count >= all) return 0;
  Nanoseconds theirs = 0;
  for (const std::uint32_t r : ranks) theirs += amounts[r];
  return theirs / count - (sum(amounts) - theirs) / (all - count);
}

/// `other` goes into `to`, which keeps its place and symptom; its own place is kept by name.
void absorb(Candidate& to, Candidate& other) {
  to.cause.amount += other.cause.amount;
  to.cause.waiting += other.cause.waiting;
  to.cause.calls += other.cause.calls;
  to.cause.bytes += other.cause.bytes;
  if (!other.cause.call_path.empty()) to.cause.with.push_back(other.cause.call_path.back());
  add(to.costs, other.costs);
  add(to.spent, other.spent);
  to.core.add(other.core);
  to.paths.insert(to.paths.end(), other.paths.begin(), other.paths.end());
  to.instances.insert(other.instances.begin(), other.instances.end());
  other.cause.amount = 0;
}

void forget_absorbed(std::vector<Candidate>& candidates) {
  std::erase_if(candidates, [](const Candidate& c) { return c.cause.amount == 0; });
}

/// Largest first; equal ones in their order.
void sort(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cause.amount > b.cause.amount; });
}

using Members = std::vector<Candidate*>;

/// Candidates that `is_member` takes, by function.
template <class IsMember>
std::map<cube::CallPathId, Members> by_function(std::vector<Candidate>& candidates, IsMember is_member) {
  std::map<cube::CallPathId, Members> found;
  for (Candidate& c : candidates) {
    if (is_member(c)) found[c.function].push_back(&c);
  }
  return found;
}

/// Whether at least half of the others wait all the time that a rank spends in this code, or one does, as in pairs that
/// work in turn.
bool holds_up_others(const Candidate& c) {
  const auto others = static_cast<Nanoseconds>(c.spent.size()) - 1;
  const double half = part(others * sum(c.spent), serial_from), one = part(sum(c.spent), held_up);
  return others > 0 && static_cast<double>(c.cause.amount) >= std::min(half, one);
}

bool is_serial(const Members& delays) {
  Nanoseconds cost = 0, by_message = 0;
  ByRank costs;
  for (const Candidate* c : delays) {
    cost += c->cause.amount;
    by_message += c->by_message;
    add(costs, c->costs);
  }
  const auto ranks = static_cast<Nanoseconds>(costs.size());
  const auto taking_part =
      std::count_if(costs.begin(), costs.end(), [&](Nanoseconds c) { return c * 2 * ranks >= cost; });
  return taking_part >= 2 && 2 * taking_part >= ranks && !dominating(costs) &&
         static_cast<double>(by_message) >= part(cost, messages_from);
}

/// Who does the same work as those who are named, but is waited for less, since nobody comes after.
void name_others_at_work(Candidate& c) {
  std::vector<std::uint32_t>& named = c.cause.ranks;
  const Nanoseconds most = *std::max_element(c.spent.begin(), c.spent.end());
  for (std::uint32_t r = 0; r < c.spent.size(); ++r) {
    const bool is_named = std::find(named.begin(), named.end(), r) != named.end();
    if (!is_named && 2 * c.spent[r] >= most) named.push_back(r);
  }
}

void join_serial(std::vector<Candidate>& candidates) {
  const auto in_mpi = by_function(candidates, [](const Candidate& c) { return c.cause.kind == "delay-in-mpi"; });
  const auto is_member = [](const Candidate& c) { return c.cause.kind == "delay" && holds_up_others(c); };
  for (auto& [function, delays] : by_function(candidates, is_member)) {
    if (!is_serial(delays)) continue;
    Candidate& first = *delays.front();
    first.cause.kind = "serial";
    for (std::size_t i = 1; i < delays.size(); ++i) absorb(first, *delays[i]);
    for (Candidate& other : candidates) {
      if (other.cause.kind != "delay" || other.function != function || other.cause.ranks.size() != 1) continue;
      if (first.spent[other.cause.ranks.front()] == 0) absorb(first, other);
    }
    if (const auto calls = in_mpi.find(function); calls != in_mpi.end()) {
      for (Candidate* call : calls->second) absorb(first, *call);
    }
    name_ranks(first.costs, first.cause);
    name_others_at_work(first);
  }
  forget_absorbed(candidates);
}

void join_locks(std::vector<Candidate>& candidates) {
  const auto is_member = [](const Candidate& c) { return c.cause.kind == "delay" && c.is_for_lock; };
  for (auto& [function, delays] : by_function(candidates, is_member)) {
    ByRank costs;
    for (const Candidate* c : delays) add(costs, c->costs);
    if (dominating(costs)) continue;
    Candidate& first = *delays.front();
    first.cause.kind = "lock";
    for (std::size_t i = 1; i < delays.size(); ++i) absorb(first, *delays[i]);
    name_ranks(first.costs, first.cause);
    name_others_at_work(first);
  }
  forget_absorbed(candidates);
}

void join_places(std::vector<Candidate>& candidates) {
  const auto is_of_one = [](const Candidate& c) { return c.cause.kind == "delay" && c.cause.ranks.size() == 1; };
  for (auto& [function, delays] : by_function(candidates, is_of_one)) {
    Candidate& first = *delays.front();
    const double least = part(first.cause.amount, alike_from);
    bool has_joined = false;
    for (std::size_t i = 1; i < delays.size(); ++i) {
      Candidate& other = *delays[i];
      if (static_cast<double>(other.cause.amount) < least || other.cause.symptom != first.cause.symptom) continue;
      absorb(first, other);
      has_joined = true;
    }
    if (!has_joined) continue;
    first.cause.longer = 0;
    name_ranks(first.costs, first.cause);
  }
  forget_absorbed(candidates);
}

/// The functions around a call path, outermost first, whatever found iteration or numbered instance it is in.
std::vector<std::string> functions_above(const cube::Cube& cube, cube::CallPathId path) {
  std::vector<std::string> functions;
  for (cube::CallPathId c = cube.call_paths[path].parent; c != cube::no_id; c = cube.call_paths[c].parent) {
    if (!analysis::is_found_iteration(cube.call_paths[c]))
      functions.push_back(cube::without_instance(cube::label(cube.call_paths[c])));
  }
  std::reverse(functions.begin(), functions.end());
  return functions;
}

/// What a function computes before its first call is time of the function that calls it, whose other calls it lies
/// between: in a loop, the first execution of what is a stretch of that function from then on. The same ranks are late
/// in it; where they are late in turn, one of them.
void join_first_executions(std::vector<Candidate>& candidates, const cube::Cube& cube) {
  const auto is_delay = [](const Candidate& c) {
    return c.cause.kind == "delay" && c.cause.amount != 0 && !c.cause.ranks.empty() && !c.paths.empty();
  };
  const auto is_first_of = [](const LossCause& other, const LossCause& cause) {
    if (2 * other.amount > cause.amount) return false;
    const bool is_in_turn = cause.ranks.size() > 1 && cause.longer == 0;
    return is_in_turn ? other.ranks.size() == 1 &&
                            std::find(cause.ranks.begin(), cause.ranks.end(), other.ranks.front()) != cause.ranks.end()
                      : other.ranks == cause.ranks;
  };
  for (Candidate& first : candidates) {
    if (!is_delay(first)) continue;
    const std::vector<std::string> functions = functions_above(cube, first.paths.front());
    for (Candidate& other : candidates) {
      if (!is_delay(other) || !is_first_of(other.cause, first.cause)) continue;
      const std::vector<std::string> callers = functions_above(cube, other.paths.front());
      if (callers.size() >= functions.size() || !std::equal(callers.begin(), callers.end(), functions.begin()))
        continue;
      const bool is_named = (first.cause.ranks.size() == 1 || first.cause.longer != 0) &&
                            static_cast<double>(other.cause.amount) >= part(first.cause.amount, named_from);
      absorb(first, other);
      if (!is_named && !first.cause.with.empty()) first.cause.with.pop_back();
      if (first.cause.longer != 0) first.cause.longer = beyond_others(first.spent, first.cause.ranks);
    }
  }
  forget_absorbed(candidates);
}

/// What others wait for a call has the remedy of its cause: if its rank computes longer, too, and costs more by that,
/// it belongs there; else to the time of the call itself.
void join_busy(std::vector<Candidate>& candidates) {
  std::map<std::vector<std::string>, Candidate*> of_call;
  std::map<std::uint32_t, Candidate*> of_rank;
  for (Candidate& c : candidates) {
    const LossCause& cause = c.cause;
    if (cause.calls > 0) of_call[cause.call_path] = &c;
    if (cause.kind == "delay" && cause.ranks.size() == 1) of_rank.try_emplace(cause.ranks.front(), &c);
  }
  for (Candidate& c : candidates) {
    LossCause& delay = c.cause;
    if (delay.kind != "delay-in-mpi") continue;
    const auto rank = delay.ranks.size() == 1 ? of_rank.find(delay.ranks.front()) : of_rank.end();
    const auto call = of_call.find(delay.call_path);
    const bool is_of_rank = rank != of_rank.end() && rank->second->cause.amount >= delay.amount;
    if (!is_of_rank && call == of_call.end()) continue;
    Candidate& other = is_of_rank ? *rank->second : *call->second;
    LossCause& to = other.cause;
    if (is_of_rank) {
      to.share_of_first += delay.share_of_first;
    } else {
      if (delay.amount > to.amount) to.ranks = delay.ranks, to.share_of_first = delay.share_of_first;
      to.waits_at = delay.waits_at;
      to.symptom = delay.symptom;
    }
    to.amount += delay.amount;
    to.waiting += delay.amount;
    other.instances.insert(c.instances.begin(), c.instances.end());
    delay.amount = 0;
  }
  forget_absorbed(candidates);
}

void join_small(std::vector<Candidate>& candidates) {
  const auto is_many = [](const Candidate& c) { return c.cause.kind == "transfer" && is_small(c.cause); };
  for (auto& [function, calls] : by_function(candidates, is_many)) {
    if (calls.size() == 1) continue;
    for (std::size_t i = 1; i < calls.size(); ++i) absorb(*calls.front(), *calls[i]);
    name_ranks(calls.front()->costs, calls.front()->cause);
  }
  forget_absorbed(candidates);
}

/// A call in which messages move, and nothing is computed meanwhile.
bool moves_messages(const Candidate& c) {
  if (c.cause.kind != "transfer" || c.cause.overlappable > 0 || c.cause.call_path.empty()) return false;
  const mpi::CallClass call = analysis::called_function(c.cause.call_path.back()).call;
  return call == mpi::CallClass::send || call == mpi::CallClass::receive || call == mpi::CallClass::send_receive ||
         call == mpi::CallClass::wait_single || call == mpi::CallClass::wait_multiple;
}

void join_messages(std::vector<Candidate>& candidates) {
  for (auto& [function, calls] : by_function(candidates, moves_messages)) {
    Candidate& first = *calls.front();
    const double least = part(first.cause.amount, both_sides_from);
    const std::vector<std::uint32_t> of_first = first.cause.ranks;
    for (std::size_t i = 1; i < calls.size(); ++i) {
      if (static_cast<double>(calls[i]->cause.amount) < least) continue;
      absorb(first, *calls[i]);
      first.cause.call_ranks = of_first;
    }
    if (!first.cause.call_ranks.empty()) name_ranks(first.costs, first.cause);
  }
  forget_absorbed(candidates);
}

void name_by_time(Candidate& c) {
  LossCause& cause = c.cause;
  if (cause.kind != "delay" || c.spent.empty()) return;
  const std::vector<std::uint32_t> late = late_by_time(cause.amount, c.spent);
  if (!late.empty()) cause.ranks = late;
  if (!late.empty() || dominating(c.costs)) cause.longer = beyond_others(c.spent, cause.ranks);
}

/// Of the ranks that are named.
void note_core(Candidate& c) {
  if (c.core.not_running.empty() || c.spent.empty()) return;
  const std::pair<const ByRank&, std::int64_t CoreUse::*> amounts[] = {
      {c.spent, &CoreUse::time},
      {c.core.not_running, &CoreUse::not_running},
      {c.core.without_core, &CoreUse::without_core},
      {c.core.in_kernel, &CoreUse::in_kernel},
      {c.core.page_faults, &CoreUse::page_faults},
      {c.core.voluntary, &CoreUse::voluntary_switches},
      {c.core.involuntary, &CoreUse::involuntary_switches}};
  CoreUse use;
  for (const auto& [by_rank, member] : amounts)
    for (const std::uint32_t rank : c.cause.ranks) use.*member += by_rank[rank];
  c.cause.core = use;
}

}  // namespace

Nanoseconds sum(const ByRank& amounts) { return std::accumulate(amounts.begin(), amounts.end(), Nanoseconds{0}); }

void add(ByRank& to, const ByRank& amounts) {
  to.resize(std::max(to.size(), amounts.size()));
  for (std::size_t r = 0; r < amounts.size(); ++r) to[r] += amounts[r];
}

void CoreByRank::add(const CoreByRank& other) {
  using report::add;
  add(not_running, other.not_running);
  add(without_core, other.without_core);
  add(in_kernel, other.in_kernel);
  add(page_faults, other.page_faults);
  add(voluntary, other.voluntary);
  add(involuntary, other.involuntary);
}

std::optional<std::uint32_t> dominating(const ByRank& amounts) {
  const auto most = std::max_element(amounts.begin(), amounts.end());
  if (most == amounts.end() || *most <= 0) return std::nullopt;
  if (static_cast<double>(*most) < part(sum(amounts), dominant)) return std::nullopt;
  const bool has_equals = std::any_of(amounts.begin(), amounts.end(), [&](const Nanoseconds& other) {
    return &other != &*most && 2 * other > *most;  // of two ranks, one always has half or more
  });
  if (has_equals) return std::nullopt;
  return static_cast<std::uint32_t>(most - amounts.begin());
}

std::vector<std::uint32_t> late_by_time(Nanoseconds amount, const ByRank& spent) {
  if (spent.empty()) return {};
  const auto [least, most] = std::minmax_element(spent.begin(), spent.end());
  const auto ranks = static_cast<Nanoseconds>(spent.size());
  if (static_cast<double>(*most * ranks - sum(spent)) < part(amount, static_from)) return {};
  const Nanoseconds late_from = *least + (*most - *least) * late_quarters / 4;
  std::vector<std::uint32_t> late;
  for (std::uint32_t r = 0; r < spent.size(); ++r)
    if (spent[r] > late_from) late.push_back(r);
  return late.size() < 2 || 2 * late.size() > spent.size() ? std::vector<std::uint32_t>() : late;
}

void name_ranks(const ByRank& costs, LossCause& cause) {
  std::vector<std::uint32_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return costs[a] > costs[b]; });
  cause.ranks.clear();
  cause.share_of_first = costs.empty() ? 0 : costs[order.front()];
  if (dominating(costs)) {
    cause.ranks = {order.front()};
    return;
  }
  const Nanoseconds all = sum(costs);
  Nanoseconds named = 0;
  for (const std::uint32_t r : order) {
    if (10 * static_cast<__int128>(named) >= 9 * static_cast<__int128>(all)) break;
    cause.ranks.push_back(r);
    named += costs[r];
  }
}

bool is_set_up(const std::string& call) {
  static constexpr const char* prefixes[] = {
      "shmem_malloc",     "shmem_calloc", "shmem_align", "shmem_realloc", "shmem_free",
      "shmem_team_split", "shmalloc",     "shmemalign",  "shrealloc",     "shfree"};
  if (analysis::called_function(call).makes_objects) return true;
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](const char* p) { return call.starts_with(p); });
}

bool is_small(const LossCause& cause) { return cause.calls >= 1000 && cause.bytes / cause.calls < 1024; }

std::vector<LossCause> joined_causes(std::vector<Candidate> candidates, const cube::Cube& cube) {
  sort(candidates);
  for (Candidate& c : candidates) name_by_time(c);
  join_serial(candidates);
  join_locks(candidates);
  join_places(candidates);
  join_first_executions(candidates, cube);
  join_busy(candidates);
  join_small(candidates);
  join_messages(candidates);
  sort(candidates);
  for (Candidate& c : candidates) {
    note_core(c);
    if (c.instances.size() > 1) c.cause.instances = c.instances.size();
    // Where the ranks mostly slept, few samples would stand for long times. Without a core there are fewer, too, but of
    // the same code.
    const bool computes =
        !c.cause.core || 2 * (c.cause.core->not_running - c.cause.core->without_core) <= c.cause.core->time;
    if (c.cause.kind == "delay" && computes) c.cause.functions = differing_functions(cube, c.paths, c.cause.ranks);
  }
  std::vector<LossCause> causes;
  for (Candidate& c : candidates) causes.push_back(std::move(c.cause));
  return causes;
}

}  // namespace mora::report
