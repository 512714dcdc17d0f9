/// Requests as each consumer puts their starts and completions together.
#include <optional>
#include <vector>

#include "links_drivers.h"
#include "predict/pattern/events/from_trace.h"
#include "trace/mpi_function.h"

namespace mora::links_test {

namespace {

/// Requests of different families have numbers of their own.
enum class Family { none, message, collective, file };
struct Meaning {
  Family family = Family::none;
  bool starts = false;
};
Meaning meaning(const Event& e) {
  switch (e.kind) {
    case EventKind::send_request:
    case EventKind::receive_request:
      return {Family::message, true};
    case EventKind::send_complete:
    case EventKind::receive_complete:
    case EventKind::cancelled:
      return {Family::message, false};
    case EventKind::collective_request:
      return {Family::collective, true};
    case EventKind::collective_complete:
      return {Family::collective, false};
    case EventKind::io_begin:
      return {Family::file, true};
    case EventKind::io_end:
      return {Family::file, false};
    default:
      return {};
  }
}

}  // namespace

/// A completion belongs to the start before it under its number, if nothing between them has this number.
Pairs requests_naively(const MemorySource& source) {
  Pairs pairs;
  for (LocationId l = 0; l < source.events.size(); ++l) {
    const auto& stream = source.events[l];
    for (std::uint64_t i = 0; i < stream.size(); ++i) {
      const Meaning end = meaning(stream[i]);
      if (end.family == Family::none || end.starts) continue;
      for (std::uint64_t k = i; k-- > 0;) {
        const Meaning before = meaning(stream[k]);
        if (before.family != end.family || stream[k].request != stream[i].request) continue;
        if (before.starts) pairs.insert(Pair{End{l, k}, End{l, i}});
        break;
      }
    }
  }
  return pairs;
}

Pairs requests_of_view(MemorySource& source) {
  Pairs pairs;
  const auto view = view_of(source);
  for (trace::Position p = 1; p <= view->size(); ++p) {
    const bool ends = view->type(p) == EarlType::nbc_end || view->type(p) == EarlType::io_end;
    if (ends && view->link(p) != 0) pairs.insert({end_of(view->event(view->link(p))), end_of(view->event(p))});
  }
  return pairs;
}

/// A pattern tells of each completion how many requests its rank has started since: the n-th start is the n-th call
/// that starts one, the n-th call with completions the n-th MPI call that holds their records.
Pairs requests_of_pattern(MemorySource& source) {
  Pairs pairs;
  const auto pattern = *predict::pattern_of_trace(source);
  for (const predict::RankTrace& rank : pattern.ranks) {
    std::vector<End> starts;
    std::vector<std::vector<End>> completions;
    for (LocationId l = 0; l < source.events.size(); ++l) {
      if (source.defs.locations[l].rank != rank.rank) continue;
      int depth = 0;
      bool has_started = false;
      std::vector<End> inside;
      for (std::uint64_t i = 0; i < source.events[l].size(); ++i) {
        const Event& e = source.events[l][i];
        const bool is_bound = e.kind == EventKind::enter || e.kind == EventKind::leave;
        if (is_bound && source.defs.regions[e.region].kind == trace::RegionKind::mpi) {
          depth += e.kind == EventKind::enter ? 1 : -1;
          const bool starts_one = mpi::starts_request(trace::function_of(source.defs.regions[e.region]).operation);
          if (depth == 0 && starts_one && !has_started) starts.push_back({l, i});  // its record is lost
          if (depth == 0 && !inside.empty()) completions.push_back(inside);
          if (depth == 0) inside.clear();
          if (depth == 0) has_started = false;
        }
        const Meaning m = meaning(e);
        if (depth == 0 || m.family == Family::none || m.family == Family::file) continue;
        (m.starts ? starts : inside).push_back({l, i});
        has_started = has_started || m.starts;
      }
    }
    std::size_t started = 0, completing = 0;
    auto cursor = rank.order.cursor();
    for (std::uint32_t index = 0; cursor.next(index);) {
      const predict::Call& call = rank.calls[index];
      if (call.completions != predict::no_id) {
        const auto& told = rank.completions[call.completions];
        const auto& records = completions.at(completing++);
        for (std::size_t i = 0; i < told.size(); ++i) {
          if (told[i].age != predict::no_id) pairs.insert(Pair{starts.at(started - told[i].age - 1), records.at(i)});
        }
      }
      started += mpi::starts_request(call.operation) ? 1 : 0;
    }
  }
  return pairs;
}

bool is_of_message(const MemorySource& source, const Pair& pair) {
  return meaning(source.events[pair.first.location][pair.first.ordinal]).family == Family::message;
}
bool is_of_file(const MemorySource& source, const Pair& pair) {
  return meaning(source.events[pair.first.location][pair.first.ordinal]).family == Family::file;
}

}  // namespace mora::links_test
