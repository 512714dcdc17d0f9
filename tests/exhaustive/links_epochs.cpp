/// Epochs as each consumer puts them together.
#include <map>
#include <tuple>

#include "analysis/checks/rule_collector.h"
#include "analysis/checks/rule_domain.h"
#include "analysis/match/matcher.h"
#include "analysis/patterns/domains.h"
#include "links_drivers.h"
#include "trace/mpi_function.h"
#include "trace/rma/synchronisations.h"

namespace mora::links_test {

Pairs epochs_of_view(MemorySource& source) {
  std::map<trace::Position, End> records;
  const auto view = view_of(source);
  for (trace::Position p = 1; p <= view->size(); ++p) {
    if (view->type(p) != EarlType::mpiwexit) continue;
    const End leave = end_of(view->event(p));
    for (std::uint64_t i = leave.ordinal; i-- > 0;) {
      if (source.events[leave.location][i].kind != EventKind::group_sync) continue;
      records[p] = {leave.location, i};
      break;
    }
  }
  Pairs pairs;
  using Epoch = trace::Synchronisations::Epoch;
  trace::Synchronisations(*view).each_pair([&](trace::WindowId, const Epoch& access, const Epoch& exposure) {
    pairs.insert({records.at(exposure.open), records.at(access.open)});
    if (access.close != 0 && exposure.close != 0) pairs.insert({records.at(access.close), records.at(exposure.close)});
  });
  return pairs;
}

Pairs epochs_of_clocks(MemorySource& source) {
  const std::size_t n = source.defs.locations.size();
  Spool<trace::Link> links(n, 1 << 20);
  std::vector<trace::LocationLinks> locations(n);
  const auto junctions = junctions_of(source, links, locations);
  std::map<std::uint32_t, Pair> ends;
  std::map<std::uint32_t, int> seen;
  for (LocationId l = 0; l < n; ++l) {
    auto cursor = links.cursor(l);
    while (const trace::Link* link = cursor.next()) {
      const trace::EdgeEnd end = junctions.end(l, *link);
      if (end.junction == trace::no_id || junctions.at(end.junction).kind != trace::EdgeKind::rma) continue;
      if (link->role != trace::LinkRole::source && link->role != trace::LinkRole::sink) continue;
      std::uint64_t ordinal = link->ordinal;  // sources stand at the begin of their call
      while (source.events[l][ordinal].kind != EventKind::group_sync) ++ordinal;
      (end.sink ? ends[end.junction].second : ends[end.junction].first) = {l, ordinal};
      seen[end.junction] |= end.sink ? 2 : 1;
    }
  }
  Pairs pairs;
  for (const auto& [junction, pair] : ends) {
    if (seen[junction] == 3) pairs.insert(pair);
  }
  return pairs;
}

Pairs epochs_of_replay(MemorySource& source) {
  const std::size_t n = source.defs.locations.size();
  replay::Actions actions(n, 1 << 20);
  const auto joined = joined_of(source, actions);
  using Name = std::tuple<std::uint32_t, std::uint32_t, bool>;
  std::map<Name, End> given, taken;
  for (LocationId l = 0; l < n; ++l) {
    std::vector<End> records;  // those that have actions
    trace::LocationEnds ends(source.defs, l, false, [](const trace::PostingOrder::Receive&) {});
    for (std::uint64_t i = 0; i < source.events[l].size(); ++i) {
      const Event& e = source.events[l][i];
      ends.recording(e.kind);
      if (e.kind != EventKind::group_sync) continue;
      const auto& result = ends.group_sync(e);
      if (result.epoch == nullptr || result.change == trace::EpochChange::opens_access) continue;
      const std::size_t times = result.change == trace::EpochChange::closes_access ? 2 : 1;
      records.insert(records.end(), times * result.epoch->partners.size(), {l, i});
    }
    auto cursor = actions.actions.cursor(l);
    std::size_t seen = 0;
    while (const replay::Action* a = cursor.next()) {
      if (a->kind != replay::ActionKind::signal && a->kind != replay::ActionKind::await) continue;
      const End record = records.at(seen++);
      const std::uint32_t number = joined.sink(l, a->key, a->serial);
      if (number == trace::no_id) continue;
      const Name name{joined.sequence(l, a->key), number, (a->flags & replay::of_complete) != 0};
      (a->kind == replay::ActionKind::signal ? given : taken)[name] = record;
    }
  }
  Pairs pairs;
  for (const auto& [name, end] : taken) {
    if (given.contains(name)) pairs.insert({given[name], end});
  }
  return pairs;
}

namespace {

/// Keeps the synchronisation points that a domain notes.
class SyncPointSink : public analysis::WaitSink {
 public:
  void add(const analysis::Wait&) override {}
  void clock_violation(cube::LocationId) override {}
  void sync_point(const analysis::SyncPoint& point) override { points.push_back(point); }
  std::vector<analysis::SyncPoint> points;
};

/// What analysis gives to the collectors of one domain, for all locations.
struct Driven {
  explicit Driven(MemorySource& source)
      : source(source),
        defs(source.defs),
        regions(analysis::classify_regions(source.defs)),
        timelines(source.defs.locations.size()) {
    tree.of_location.assign(source.defs.locations.size(), std::vector<std::uint32_t>(1000, 0));
    partitions.assign(source.defs.world_size, 0);
    for (LocationId l = 0; l < source.events.size(); ++l) {
      Nanoseconds enter = 0;
      for (std::uint64_t i = 0; i < source.events[l].size(); ++i) {
        if (source.events[l][i].kind == EventKind::enter) enter = source.events[l][i].time;
        if (source.events[l][i].kind == EventKind::group_sync) calls[{l, enter}] = {l, i};
      }
    }
  }
  void run(LocationId l, std::unique_ptr<analysis::Collector> collector, const analysis::Domain& domain) {
    analysis::RankHalves halves;
    halves.rank = source.defs.locations[l].rank;
    analysis::Matcher matcher(source.defs, regions, l, halves, quality);
    matcher.add_collector(std::move(collector), domain.kinds, domain.all_leaves);
    for (const Event& e : source.events[l]) matcher.on_event(e);
    matcher.finish();
  }

  MemorySource& source;
  const trace::Definitions& defs;
  const std::vector<analysis::RegionTraits> regions;
  analysis::GlobalCallTree tree;
  std::vector<std::uint32_t> partitions;
  std::vector<std::unique_ptr<analysis::Timeline>> timelines;
  SyncPointSink sink;
  DataQuality quality;
  std::map<std::pair<LocationId, Nanoseconds>, End> calls;  ///< the group synchronisation of a call, by its enter
  const analysis::DomainContext context{defs, regions, tree, partitions, timelines, sink, quality, 1, &source};
};

}  // namespace

/// The domain notes for each ended exposure epoch when its calls, and those that completed its access epochs, were
/// entered.
Pairs epochs_of_engine(MemorySource& source) {
  using namespace analysis;
  Driven driven(source);
  const Domain domain = active_target_domain();
  const auto partition = domain.make(driven.context);
  for (LocationId l = 0; l < source.events.size(); ++l) driven.run(l, partition->collector(l), domain);
  std::vector<Buffer> boxes(1);
  partition->send(0, boxes);
  partition->receive(0, boxes);
  Pairs pairs;
  for (const SyncPoint& p : driven.sink.points) {
    const auto end = driven.calls.find({p.location, p.time}), complete = driven.calls.find({p.partner, p.partner_time});
    if (end == driven.calls.end() || complete == driven.calls.end()) continue;
    const auto operation = [&](const auto& at) {
      return source.events[at->second.location][at->second.ordinal].rma_operation;
    };
    if (operation(complete) == trace::RmaOperation::complete) pairs.insert({complete->second, end->second});
  }
  return pairs;
}

Pairs epochs_of_checks(MemorySource& source) {
  using namespace analysis;
  Driven driven(source);
  std::vector<checks::TransferCall> transfers;
  for (const trace::Region& region : source.defs.regions) {
    const auto& function = trace::function_of(region);
    transfers.push_back({function.call == mpi::CallClass::accumulate, mpi::is_request_based(function)});
  }
  const Domain domain = rma_rules_domain();
  using Name = std::tuple<trace::WindowId, std::uint32_t, std::uint32_t, std::uint32_t>;  // origin, target, number
  std::map<Name, End> starts, posts;
  for (LocationId l = 0; l < source.events.size(); ++l) {
    checks::RuleHalves halves;
    halves.location = l;
    halves.rank = source.defs.locations[l].rank;
    driven.run(l, std::make_unique<checks::RuleCollector>(driven.context, transfers, halves), domain);
    if (trace::has_other_threads(source.defs, l)) continue;
    const auto record = [&](std::uint32_t call) { return driven.calls.at({l, halves.calls[call].enter}); };
    for (const checks::AccessEpoch& access : halves.accesses)
      if (access.start != access.complete)  // else it was not recorded
        starts[{access.window, halves.rank, access.target, access.number}] = record(access.start);
    for (const auto& [with, exposures] : halves.exposures) {
      for (const checks::ExposureEpoch& exposure : exposures)
        if (!exposure.is_unseen) posts[{with.first, with.second, halves.rank, exposure.number}] = record(exposure.post);
    }
  }
  Pairs pairs;
  for (const auto& [name, start] : starts) {
    if (posts.contains(name)) pairs.insert({posts[name], start});
  }
  return pairs;
}

}  // namespace mora::links_test
