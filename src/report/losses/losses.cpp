/// The division of lost time (losses.h): cells of delay costs are collected into causes by rank and code, calls are
/// charged with their own time without waiting. What has one remedy is joined afterwards (joining.h).
#include "report/losses/losses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/efficiency/focus.h"
#include "analysis/efficiency/interval_table.h"
#include "analysis/metric_info.h"
#include "report/losses/sites.h"
#include "report/losses/teams.h"

namespace mora::report {
namespace {

using cube::CallPathId;
using cube::MetricId;

constexpr double listed_from = 0.01;  ///< of the focus

/// What one call path costs: as a delay, by rank and by class.
struct Delay {
  ByRank by_rank;
  std::map<std::string, Nanoseconds> by_class;     ///< id of the class: "barrier"
  std::map<std::uint32_t, Nanoseconds> by_thread;  ///< of class "threads", by number in the process
  std::set<CallPathId> instances;                  ///< numbered ones of marked intervals that it is in
};

class Division {
 public:
  Division(const cube::Cube& cube, ReportData& data, const std::vector<analysis::CallTrend>& trends)
      : cube_(cube), data_(data), trends_(trends), losses_(data.losses), sites_(cube, data.run.ranks) {}

  void run() {
    const MetricId time = cube_.find_metric("time");
    if (time == cube::no_id || data_.run.ranks == 0) return;
    shmem_ = cube_.find_metric("shmem");
    const MetricId readings = cube_.find_metric("core-readings");
    knows_core_ = readings != cube::no_id && cube_.total(readings) > 0;
    collect_delays();
    measure_focus(time);
    add_delays(delays_, time, inner_);
    add_delays(outer_delays_, time, outer_);
    add_calls(time);
    add_devices();
    add_measurement();
    measure_queues();
    losses_.causes = joined_causes(std::move(inner_), cube_);
    losses_.start_and_end = joined_causes(std::move(outer_), cube_);
    cut(losses_.causes);
    cut(losses_.start_and_end);
    for (const LossCause& cause : losses_.causes) explain_waits(cause);
  }

 private:
  /// The functions by which its ranks came late, at the finding of the waits for them.
  void explain_waits(const LossCause& cause) const {
    if (cause.functions.empty()) return;
    for (Finding& finding : data_.findings) {
      if (finding.call_path != cause.waits_at || finding.name != cause.symptom) continue;
      for (CauseCall& call : finding.cause_calls) {
        if (std::find(cause.ranks.begin(), cause.ranks.end(), call.rank) != cause.ranks.end())
          call.functions = cause.functions;
      }
    }
  }

  /// While a thread waits for others a core would be of no use to it: all its waiting may be of that kind.
  void measure_queues() {
    const MetricId queue = cube_.find_metric("run-queue-wait");
    if (queue == cube::no_id) return;
    std::vector<Nanoseconds> beyond = cube_.by_location(queue);
    for (const MetricId waits : analysis::waiting_metrics(cube_)) {
      const std::vector<Nanoseconds> waiting = cube_.by_location(waits);
      for (std::size_t l = 0; l < beyond.size(); ++l) beyond[l] -= waiting[l];
    }
    losses_.without_core = 0;
    for (const Nanoseconds amount : beyond) *losses_.without_core += std::max<Nanoseconds>(amount, 0);
  }

  void collect_delays() {
    for (MetricId m = 0; m < cube_.metrics.size(); ++m) {
      const std::string& id = cube_.metrics[m].id;
      const bool is_short = id.ends_with("-short-term"), is_long = id.ends_with("-long-term");
      if (!id.starts_with("delay-costs-") || (!is_short && !is_long)) continue;
      const std::size_t first = std::string_view("delay-costs-").size();
      const std::string name = id.substr(first, id.rfind(is_short ? "-short-term" : "-long-term") - first);
      for (const auto& [path, cells] : cube_.rows(m)) {
        // Threads that wait while MPI starts and ends do so in the same calls: outside of the focus, too.
        const bool is_outer =
            name == "start-and-end" || (name == "threads" && analysis::starts_or_ends_mpi(cube_.call_paths[path]));
        auto& delays = is_outer ? outer_delays_ : delays_;
        Delay& delay = delays[sites_.site_of(path)];
        const ByRank amounts = sites_.row(m, path);
        add(delay.by_rank, amounts);
        delay.by_class[name] += sum(amounts);
        if (const CallPathId instance = sites_.instance_of(path); instance != cube::no_id)
          delay.instances.insert(instance);
        for (std::size_t l = 0; name == "threads" && l < cells.size(); ++l)
          delay.by_thread[cube_.locations[l].thread] += cells[l];
      }
    }
  }

  /// All time but that in MPI_Init and MPI_Finalize, before the former, after the latter, and measurement next to them
  /// (of clocks). If hardly anything is left, all of it.
  void measure_focus(MetricId time) {
    outside_.assign(cube_.call_paths.size(), false);
    is_once_.assign(cube_.call_paths.size(), false);
    const MetricId overhead = cube_.find_metric("overhead"), visits = cube_.find_metric("visits");
    const MetricId shmem_ends = cube_.find_metric("shmem-init-finalize");
    is_end_.resize(cube_.call_paths.size());
    std::map<CallPathId, std::int64_t> calls_of_site;
    for (CallPathId c = 0; visits != cube::no_id && c < cube_.call_paths.size(); ++c)
      if (sites_.is_call(c)) calls_of_site[sites_.site_of(c)] += cube_.call_path_total(visits, c);
    for (CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      const cube::CallPath& path = cube_.call_paths[c];
      is_once_[c] = sites_.is_call(c) && is_set_up(path.name) && visits != cube::no_id &&
                    calls_of_site[sites_.site_of(c)] <= static_cast<std::int64_t>(data_.run.ranks);
      const auto stretch = sites_.stretch_of(c);
      const bool is_next = stretch && (analysis::called_function(stretch->from).call == mpi::CallClass::init ||
                                       analysis::called_function(stretch->to).call == mpi::CallClass::finalize);
      is_end_[c] = outside_[c] = analysis::starts_or_ends_mpi(path) || sites_.has(shmem_ends, c);
      const Nanoseconds amount = cube_.call_path_total(time, c);
      const Nanoseconds clocks = is_next && overhead != cube::no_id ? cube_.call_path_total(overhead, c) : 0;
      (outside_[c] ? losses_.outside : losses_.focus) += amount - clocks;
      losses_.outside += clocks;
      clocks_ += clocks;
    }
    if (static_cast<double>(losses_.focus) >=
        analysis::smallest_focus * static_cast<double>(losses_.focus + losses_.outside))
      return;
    losses_.focus += losses_.outside;
    losses_.outside = 0;
    clocks_ = 0;
    outside_.assign(cube_.call_paths.size(), false);
    for (const auto& [path, delay] : outer_delays_) {
      Delay& to = delays_[path];
      add(to.by_rank, delay.by_rank);
      for (const auto& [name, amount] : delay.by_class) to.by_class[name] += amount;
      for (const auto& [thread, amount] : delay.by_thread) to.by_thread[thread] += amount;
      to.instances.insert(delay.instances.begin(), delay.instances.end());
    }
    outer_delays_.clear();
  }

  CoreByRank core_of(CallPathId path) const {
    if (!knows_core_) return {};
    const auto row = [&](const char* metric) { return sites_.row(cube_.find_metric(metric), path); };
    return {row("not-running"), row("computation-without-core"), row("computation-in-kernel"),
            row("page-faults"), row("voluntary-switches"),       row("involuntary-switches")};
  }

  /// Stretches of computation before the same call are one; those of one function in which the same ranks are late,
  /// too.
  void add_delays(const std::map<CallPathId, Delay>& delays, MetricId time, std::vector<Candidate>& causes) {
    // parent or path; call after it; who is late
    using Key = std::tuple<CallPathId, std::string, std::vector<std::uint32_t>>;
    struct Group {
      Delay all;
      CallPathId largest = 0;
      Nanoseconds most = 0;
      ByRank spent;     ///< time in its call paths
      CoreByRank core;  ///< of it
      std::vector<CallPathId> paths;
    };
    const auto merge = [&](Group& to, CallPathId path, const Delay& delay, const ByRank& spent,
                           const CoreByRank& core) {
      add(to.spent, spent);
      to.core.add(core);
      add(to.all.by_rank, delay.by_rank);
      for (const auto& [name, amount] : delay.by_class) to.all.by_class[name] += amount;
      for (const auto& [thread, amount] : delay.by_thread) to.all.by_thread[thread] += amount;
      to.all.instances.insert(delay.instances.begin(), delay.instances.end());
      if (const Nanoseconds amount = sum(delay.by_rank); amount > to.most) to.most = amount, to.largest = path;
    };
    std::map<Key, Group> by_call;
    for (const auto& [path, delay] : delays) {
      const auto stretch = sites_.stretch_of(path);
      Group& group = by_call[{stretch ? sites_.function_of(path) : path, std::string(stretch ? stretch->to : ""), {}}];
      merge(group, path, delay, sites_.row(time, path), core_of(path));
      group.paths.push_back(path);
    }
    std::map<Key, Group> by_function;
    for (const auto& [key, group] : by_call) {
      const auto& [place, after, none] = key;
      std::vector<std::uint32_t> late = late_by_time(sum(group.all.by_rank), group.spent);
      const auto rank = dominating(group.all.by_rank);
      if (late.empty() && rank) late = {*rank};
      Group& whole = by_function[!late.empty() && !after.empty() ? Key{place, "", late} : key];
      merge(whole, group.largest, group.all, group.spent, group.core);
      whole.paths.insert(whole.paths.end(), group.paths.begin(), group.paths.end());
    }
    for (const auto& [key, group] : by_function) {
      LossCause cause = delay_cause(group.all, group.largest);
      if (cause.kind == "delay") cause.trend = trend_of(group.largest, group.all.by_rank, group.spent);
      // Measuring clocks beside MPI_Init makes ranks enter their first operation at different times.
      const bool is_clocks = cause.kind == "delay-by-measurement" && cause.amount <= clocks_ * data_.run.ranks;
      const bool is_apart = is_clocks || is_once_[group.largest];
      Candidate candidate{std::move(cause), sites_.function_of(group.largest), group.all.by_rank, group.spent};
      candidate.paths = group.paths;
      candidate.instances = group.all.instances;
      if (knows_core_ && candidate.cause.kind == "delay") candidate.core = group.core;
      for (const auto& [name, amount] : group.all.by_class) {
        if (name == "late-sender" || name == "late-receiver" || name == "prefix") candidate.by_message += amount;
      }
      if (candidate.cause.symptom.find("Lock") != std::string::npos) {
        candidate.is_for_lock = true;
        candidate.cause.target = only_target();
      }
      (is_apart ? outer_ : causes).push_back(std::move(candidate));
    }
  }

  /// The rank that all transfers between ranks go to.
  std::optional<std::uint32_t> only_target() const {
    std::optional<std::uint32_t> target;
    for (const Transfer& t : data_.transfers) {
      if (t.origin == t.target) continue;
      if (target && *target != t.target) return std::nullopt;
      target = t.target;
    }
    return target;
  }

  /// If one rank is late, and at least half of its time above the mean of the others is due to how its executions
  /// follow each other.
  std::optional<LossTrend> trend_of(CallPathId path, const ByRank& costs, const ByRank& spent) const {
    const auto rank = dominating(costs);
    if (!rank || spent.size() < 2) return std::nullopt;
    const Nanoseconds others = (sum(spent) - spent[*rank]) / static_cast<Nanoseconds>(spent.size() - 1);
    for (const analysis::CallTrend& one : trends_) {
      const cube::Location& location = cube_.locations[one.location];
      if (one.call_path != path || location.rank != *rank || location.thread != 0) continue;
      if (2 * one.shape.excess < spent[*rank] - others || all_alternate(one)) continue;
      const bool is_outlier = one.shape.kind == analysis::TrendKind::outlier;
      return LossTrend{is_outlier                                           ? "outlier"
                       : one.shape.kind == analysis::TrendKind::alternating ? "alternating"
                       : one.shape.kind == analysis::TrendKind::growing     ? "growing"
                                                                            : "shrinking",
                       one.shape.from, one.shape.to, is_outlier ? one.shape.number + 1 : 0, one.shape.executions};
    }
    return std::nullopt;
  }

  /// Whether another rank alternates there at least half as much: then the code takes turns, not this rank.
  bool all_alternate(const analysis::CallTrend& of) const {
    return of.shape.kind == analysis::TrendKind::alternating &&
           std::any_of(trends_.begin(), trends_.end(), [&](const analysis::CallTrend& other) {
             return other.call_path == of.call_path && other.location != of.location &&
                    other.shape.kind == of.shape.kind &&
                    2 * (other.shape.to - other.shape.from) >= of.shape.to - of.shape.from;
           });
  }

  /// Whether most of what a call site delays at once is its own waiting in the wrong order.
  bool is_avoidable(CallPathId site) const {
    const MetricId avoidable = cube_.find_metric("late-sender-avoidable");
    if (avoidable == cube::no_id || cube_.total(avoidable) == 0) return false;
    Nanoseconds own = 0, all = 0;
    for (CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      if (sites_.site_of(c) != site) continue;
      own += cube_.call_path_total(avoidable, c);
      for (MetricId m = 0; m < cube_.metrics.size(); ++m) {
        const std::string& id = cube_.metrics[m].id;
        if (id.starts_with("delay-costs-") && id.ends_with("-short-term")) all += cube_.call_path_total(m, c);
      }
    }
    return own > 0 && 2 * own >= all;
  }

  LossCause delay_cause(const Delay& delay, CallPathId path) const {
    LossCause cause;
    const cube::CallPath& p = cube_.call_paths[path];
    cause.kind = sites_.is_call(path)                    ? "delay-in-mpi"
                 : p.kind == cube::CallPathKind::program ? "late-start"
                 : p.name == "measurement"               ? "delay-by-measurement"
                 : p.name == "not recorded"              ? "delay-not-recorded"
                                                         : "delay";
    if (cause.kind == "delay-in-mpi" && is_avoidable(path)) cause.kind = "receive-order";
    cause.amount = cause.waiting = sum(delay.by_rank);
    place(path, cause);
    name_ranks(delay.by_rank, cause);
    std::string kind;
    Nanoseconds most = 0;
    for (const auto& [name, amount] : delay.by_class) {
      if (amount > most) most = amount, kind = name;
    }
    const bool may_be_team = kind == "threads" && (cause.kind == "delay" || cause.kind == "late-start");
    if (may_be_team && name_team_wait(data_, delay.by_thread, cause)) return cause;
    name_symptom(kind, cause);
    return cause;
  }

  void place(CallPathId path, LossCause& cause) const {
    cause.call_path = labels_of(cube_, path);
    cause.call_site = {cube_.call_paths[path].file, cube_.call_paths[path].line};
  }

  /// The largest wait of this class that one of the cause's ranks ended, else the largest of the class.
  void name_symptom(const std::string& kind, LossCause& cause) const {
    const Finding* found = nullptr;
    bool is_direct = false;
    for (const Finding& finding : data_.findings) {  // largest first
      const analysis::MetricInfo* info = analysis::find_metric_info(finding.metric);
      if (info == nullptr || cube_.find_metric("delay-costs-" + kind) == cube::no_id) continue;
      if (analysis::delay_class_id(info->delay) != kind) continue;
      const bool direct = std::any_of(finding.causes.begin(), finding.causes.end(), [&](const Cause& c) {
        return std::find(cause.ranks.begin(), cause.ranks.end(), c.rank) != cause.ranks.end();
      });
      if (found != nullptr && (is_direct || !direct)) continue;
      found = &finding, is_direct = direct;
    }
    if (found == nullptr) return;
    cause.symptom = found->name;
    cause.waits_at = found->call_path;
  }

  /// The time of each call without the waiting in it.
  void add_calls(MetricId time) {
    const MetricId waits = cube_.find_metric("waits-by-origin"), unknown = cube_.find_metric("unknown-wait");
    const MetricId bytes[] = {cube_.find_metric("bytes-sent"), cube_.find_metric("bytes-received"),
                              cube_.find_metric("rma-bytes")};
    const MetricId visits = cube_.find_metric("visits"), polling = cube_.find_metric("polling");
    std::map<CallPathId, ByRank> own, alone;  // by call site
    const auto overlappable = sites_.time_before_completion();
    std::map<CallPathId, std::vector<CallPathId>> paths;
    for (CallPathId c = 0; c < cube_.call_paths.size(); ++c) {
      if (!sites_.is_call(c)) continue;
      const bool is_mpi = cube_.call_paths[c].kind == cube::CallPathKind::mpi;
      const ByRank amounts = sites_.row(is_mpi ? time : shmem_, c), waited = sites_.row(waits, c),
                   lacking = sites_.row(unknown, c);
      ByRank& all = own.try_emplace(sites_.site_of(c), data_.run.ranks).first->second;
      ByRank& unclear = alone.try_emplace(sites_.site_of(c), data_.run.ranks).first->second;
      for (std::size_t r = 0; r < all.size(); ++r) {
        const Nanoseconds rest = std::max<Nanoseconds>(0, amounts[r] - waited[r]);
        const Nanoseconds part = outside_[c] ? 0 : std::min(rest, lacking[r]);
        all[r] += rest - part;
        unclear[r] += part;
      }
      paths[sites_.site_of(c)].push_back(c);
    }
    for (const auto& [site, amounts] : own) {
      const CallPathId c = site;  // lambdas cannot capture a structured binding before clang 16
      const cube::CallPath& path = cube_.call_paths[c];
      const auto total = [&](MetricId metric) { return sites_.total(metric, paths[c]); };
      LossCause cause;
      cause.amount = sum(amounts);
      if (cause.amount == 0) continue;
      place(c, cause);
      name_ranks(amounts, cause);
      cause.calls = total(visits);
      const auto before = overlappable.find({sites_.function_of(c), cube::label(path)});
      if (before != overlappable.end()) cause.overlappable = before->second;
      for (const MetricId m : bytes) cause.bytes = std::max(cause.bytes, total(m));
      const bool is_polling = 2 * total(polling) > cause.amount;
      const bool is_outside = outside_[c];
      const bool is_once = is_once_[c];
      cause.kind = is_end_[c]                                                          ? "start-and-end"
                   : is_once                                                           ? "set-up"
                   : is_polling                                                        ? "polling"
                   : analysis::called_function(path.name).call == mpi::CallClass::file ? "file-io"
                                                                                       : "transfer";
      (is_outside || is_once ? outer_ : inner_)
          .push_back({.cause = std::move(cause),
                      .function = sites_.function_of(c),
                      .costs = amounts,
                      .spent = amounts,
                      .instances = instances_of(paths[c])});
    }
    for (const auto& [site, amounts] : alone) add_unknown(site, amounts, instances_of(paths[site]));
  }

  std::set<CallPathId> instances_of(const std::vector<CallPathId>& paths) const {
    std::set<CallPathId> found;
    for (const CallPathId path : paths) found.insert(sites_.instance_of(path));
    found.erase(cube::no_id);
    return found;
  }

  /// Time in calls whose partners are not in the trace: waiting or not.
  void add_unknown(CallPathId site, const ByRank& amounts, std::set<CallPathId> instances) {
    LossCause cause;
    cause.amount = sum(amounts);
    if (cause.amount == 0) return;
    cause.kind = "partner-missing";
    place(site, cause);
    name_ranks(amounts, cause);
    inner_.push_back({.cause = std::move(cause),
                      .function = sites_.function_of(site),
                      .costs = amounts,
                      .spent = amounts,
                      .instances = std::move(instances)});
  }

  /// Calls of an accelerator's library: of each function the calls of one name.
  void add_devices() {
    const MetricId device = cube_.find_metric("device"), visits = cube_.find_metric("visits");
    const MetricId wait = cube_.find_metric("device-wait"), transfer = cube_.find_metric("device-transfer");
    if (device == cube::no_id) return;
    std::map<std::pair<CallPathId, std::string>, std::vector<CallPathId>> calls;
    for (const auto& [path, cells] : cube_.rows(device))
      calls[{sites_.function_of(path), cube::label(cube_.call_paths[path])}].push_back(path);
    for (const auto& [where, paths] : calls) {
      ByRank amounts(data_.run.ranks);
      for (const CallPathId c : paths) add(amounts, sites_.row(device, c));
      LossCause cause;
      cause.amount = sum(amounts);
      if (cause.amount == 0) continue;
      cause.kind = sites_.total(wait, paths) > 0       ? "device-wait"
                   : sites_.total(transfer, paths) > 0 ? "device-transfer"
                                                       : "device-call";
      place(*std::max_element(paths.begin(), paths.end(),
                              [&](CallPathId a, CallPathId b) {
                                return cube_.call_path_total(device, a) < cube_.call_path_total(device, b);
                              }),
            cause);
      cause.calls = sites_.total(visits, paths);
      name_ranks(amounts, cause);
      inner_.push_back({.cause = std::move(cause),
                        .function = where.first,
                        .costs = amounts,
                        .spent = amounts,
                        .instances = instances_of(paths)});
    }
  }

  void add_measurement() {
    for (const char* id : {"overhead", "unrecorded"}) {
      const MetricId metric = cube_.find_metric(id);
      if (metric == cube::no_id) continue;
      LossCause cause;
      cause.kind = std::string(id) == "overhead" ? "measurement" : "not-recorded";
      cause.amount = cube_.total(metric) - (std::string(id) == "overhead" ? clocks_ : 0);
      if (cause.amount > 0) inner_.push_back({std::move(cause), cube::no_id, {}, {}, {}, {}});
    }
  }

  /// Causes of at least one hundredth of the focus stay; the others are added up.
  void cut(std::vector<LossCause>& causes) {
    for (const LossCause& cause : causes) losses_.lost += &causes == &losses_.causes ? cause.amount : 0;
    while (!causes.empty() &&
           static_cast<double>(causes.back().amount) < listed_from * static_cast<double>(losses_.focus)) {
      if (&causes == &losses_.causes) losses_.smaller += causes.back().amount;
      causes.pop_back();
    }
  }

  const cube::Cube& cube_;
  ReportData& data_;
  const std::vector<analysis::CallTrend>& trends_;
  Losses& losses_;
  const Sites sites_;
  std::map<CallPathId, Delay> delays_, outer_delays_;
  std::vector<Candidate> inner_, outer_;  ///< of the focus; of start and end
  std::vector<bool> is_once_;             ///< per call path: makes something, once per rank
  std::vector<bool> is_end_;              ///< per call path: starts or ends MPI or OpenSHMEM
  std::vector<bool> outside_;             ///< per call path: not in the focus
  Nanoseconds clocks_ = 0;                ///< measurement outside the focus
  MetricId shmem_ = cube::no_id;
  bool knows_core_ = false;  ///< the scheduler's counters were recorded
};

}  // namespace

void find_losses(const cube::Cube& cube, ReportData& data, const std::vector<analysis::CallTrend>& trends) {
  data.losses = {};
  Division(cube, data, trends).run();
}

}  // namespace mora::report
