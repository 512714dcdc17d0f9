/// Collective operations as each consumer puts them together.
#include <algorithm>
#include <map>

#include "analysis/analyze.h"
#include "links_drivers.h"
#include "trace/mpi_function.h"

namespace mora::links_test {

std::string text(const Instances& instances) {
  std::string all;
  for (const auto& members : instances) {
    for (const End& e : members) all += std::to_string(e.location) + "/" + std::to_string(e.ordinal) + " ";
    all += "| ";
  }
  return all;
}

namespace {

bool is_instance_record(const MemorySource& source, const Event& e) {
  const bool window = e.kind == EventKind::rma_collective_end;
  if (!window && e.kind != EventKind::collective_end && e.kind != EventKind::collective_request) return false;
  const auto& comm = source.defs.communicators[window ? source.defs.windows[e.window].comm : e.comm];
  return !comm.self && comm.members.size() > 1;
}

}  // namespace

Instances instances_of_view(MemorySource& source) {
  // An exit says what the last record directly inside its region said.
  std::map<End, End> record_of_leave;
  for (LocationId l = 0; l < source.events.size(); ++l) {
    std::vector<std::uint64_t> records;
    for (std::uint64_t i = 0; i < source.events[l].size(); ++i) {
      const Event& e = source.events[l][i];
      if (e.kind == EventKind::enter) records.push_back(UINT64_MAX);
      if (!records.empty() && (e.kind == EventKind::collective_end || e.kind == EventKind::rma_collective_end))
        records.back() = i;
      if (e.kind != EventKind::leave || records.empty()) continue;
      record_of_leave[{l, i}] = {l, records.back()};
      records.pop_back();
    }
  }
  const auto view = view_of(source);
  std::map<trace::Position, std::set<End>> chains;  // by the last exit so far
  for (trace::Position p = 1; p <= view->size(); ++p) {
    if (view->type(p) != EarlType::mpicexit && view->type(p) != EarlType::mpiwcexit) continue;
    std::set<End> chain;
    if (const auto before = chains.find(view->link(p)); before != chains.end()) {
      chain = std::move(before->second);
      chains.erase(before);
    }
    chain.insert(record_of_leave.at(end_of(view->event(p))));
    chains[p] = std::move(chain);
  }
  Instances instances;
  for (const auto& [last, chain] : chains) {
    if (chain.size() > 1) instances.insert(chain);
  }
  return instances;
}

Instances instances_of_clocks(MemorySource& source) {
  const std::size_t n = source.defs.locations.size();
  Spool<trace::Link> links(n, 1 << 20);
  std::vector<trace::LocationLinks> locations(n);
  const auto junctions = junctions_of(source, links, locations);
  std::map<std::uint32_t, std::set<End>> ends;
  for (LocationId l = 0; l < n; ++l) {
    auto cursor = links.cursor(l);
    while (const trace::Link* link = cursor.next()) {
      const trace::EdgeEnd end = junctions.end(l, *link);
      if (end.junction == trace::no_id || link->role != trace::LinkRole::end) continue;
      if (junctions.at(end.junction).kind == trace::EdgeKind::threads) continue;
      // Completions stand for their starts.
      const Event& e = source.events[l][link->ordinal];
      std::uint64_t ordinal = link->ordinal;
      if (e.kind == EventKind::collective_complete) {
        while (source.events[l][ordinal].kind != EventKind::collective_request ||
               source.events[l][ordinal].request != e.request)
          --ordinal;
      }
      ends[end.junction].insert({l, ordinal});
    }
  }
  Instances instances;
  for (const auto& [junction, members] : ends) {
    if (members.size() > 1) instances.insert(members);
  }
  return instances;
}

Instances instances_of_replay(MemorySource& source) {
  const std::size_t n = source.defs.locations.size();
  replay::Actions actions(n, 1 << 20);
  const auto joined = joined_of(source, actions);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<End>> instances;
  for (LocationId l = 0; l < n; ++l) {
    std::vector<End> records;
    for (std::uint64_t i = 0; i < source.events[l].size(); ++i) {
      if (is_instance_record(source, source.events[l][i])) records.push_back({l, i});
    }
    auto cursor = actions.actions.cursor(l);
    std::size_t seen = 0;
    while (const replay::Action* a = cursor.next()) {
      if (a->kind != replay::ActionKind::collective && a->kind != replay::ActionKind::arrive) continue;
      const std::uint32_t instance = joined.source(l, a->key, a->serial);
      const End record = records[seen++];
      if (instance != trace::no_id) instances[{joined.sequence(l, a->key), instance}].insert(record);
    }
  }
  Instances all;
  for (const auto& [name, members] : instances) all.insert(members);
  return all;
}

/// Every call gets a call path of its own; the metric potential-synchronization then says how long its member was there
/// before the last one, and so which begin that had.
Instances instances_of_engine(MemorySource& source) {
  MemorySource own;
  own.defs = source.defs;
  own.events = source.events;
  std::vector<std::pair<std::string, std::uint32_t>> names;
  std::map<std::pair<LocationId, std::uint32_t>, std::pair<End, Nanoseconds>>
      calls;  // by location and line of the call
  for (LocationId l = 0; l < own.events.size(); ++l) {
    struct Open {
      std::uint32_t line = 0;
      Nanoseconds begin = 0;
    };
    std::vector<Open> stack;
    for (std::uint64_t i = 0; i < own.events[l].size(); ++i) {
      Event& e = own.events[l][i];
      if (e.kind == EventKind::enter) {
        trace::Region region = own.defs.regions[e.region];
        region.function = mpi::find(region.name);
        region.call_site_file = "f";
        region.call_site_line = static_cast<std::uint32_t>(own.defs.regions.size());
        stack.push_back({region.call_site_line, e.time});
        e.region = static_cast<trace::RegionId>(own.defs.regions.size());
        own.defs.regions.push_back(region);
      } else if (e.kind == EventKind::leave) {
        e.region = stack.back().line;
        stack.pop_back();
      } else if (e.kind == EventKind::collective_begin || e.kind == EventKind::rma_collective_begin) {
        stack.back().begin = e.time;
      } else if (is_instance_record(own, e) && !stack.empty()) {
        calls[{l, stack.back().line}] = {End{l, i}, stack.back().begin};
      }
    }
  }
  analysis::AnalyzeOptions options;
  options.workers = 1;
  options.partitions = 2;
  options.causes = options.ideal_network = false;
  const auto result = analysis::analyze(own, "links", options);
  std::map<Nanoseconds, std::set<End>> instances;  // by the begin of the last member
  const cube::Cube& cube = result->cube;
  const cube::MetricId metric = cube.find_metric("potential-synchronization-collective");
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    for (LocationId l = 0; l < own.events.size(); ++l) {
      const auto call = calls.find({l, cube.call_paths[c].line});
      if (call == calls.end() || cube.call_paths[c].file != "f") continue;
      const auto& [record, begin] = call->second;
      instances[begin + cube.get(metric, c, l)].insert(record);
    }
  }
  Instances all;
  for (const auto& [begin, members] : instances) {
    if (members.size() > 1) all.insert(members);
  }
  return all;
}

}  // namespace mora::links_test
