/// Transfers and the calls that complete them, as each consumer puts them together.
#include <algorithm>
#include <map>
#include <vector>

#include "export/arrows/arrows.h"
#include "links_drivers.h"
#include "support/trace/naive_links.h"
#include "trace/earl/random_adapter.h"
#include "trace/earl/spooled_decoder.h"

namespace mora::links_test {

namespace {

bool is_transfer(const Event& e) {
  return e.kind == EventKind::put || e.kind == EventKind::get || e.kind == EventKind::atomic;
}
bool is_end(EarlType type) {
  return type == EarlType::put_1te || type == EarlType::get_1te || type == EarlType::atomic_1te;
}

/// When it ended by its own record.
Nanoseconds own_end(const MemorySource& source, const End& transfer) {
  const auto& stream = source.events[transfer.location];
  const Event& e = stream[transfer.ordinal];
  if (e.end_time != trace::at_leave) return e.end_time;
  const std::uint64_t leave = trace::naive::leave_around(stream, transfer.ordinal);
  if (leave == trace::naive::no_leave || stream[leave].mended) return e.time;
  return stream[leave].time;
}

/// The extended model puts an end directly before the event of what completes it, at its time; one that nothing
/// completes stays where it was recorded. `events`: all of a view.
std::map<trace::Position, Pair> closings(const MemorySource& source, const std::vector<trace::ViewEvent>& events) {
  std::map<trace::Position, Pair> found;  // by the position of the end
  for (std::size_t p = 0; p < events.size(); ++p) {
    if (!is_end(events[p].type)) continue;
    const End transfer = links_test::end_of(events[p]);
    std::size_t next = p + 1;
    while (next < events.size() && is_end(events[next].type)) ++next;  // a put ends elsewhere than the call
    const Nanoseconds own = own_end(source, transfer);
    if (next == events.size() || events[next].time != events[p].time || events[p].time == own) continue;
    found[p + 1] = {transfer, links_test::end_of(events[next])};
  }
  return found;
}

Pairs values(const std::map<trace::Position, Pair>& closings) {
  Pairs pairs;
  for (const auto& [position, pair] : closings) pairs.insert(pair);
  return pairs;
}

std::vector<trace::ViewEvent> all_of(const trace::View& view) {
  std::vector<trace::ViewEvent> events;
  for (trace::Position p = 1; p <= view.size(); ++p) events.push_back(view.event(p));
  return events;
}

}  // namespace

bool has_transfers(const MemorySource& source) {
  return std::any_of(source.events.begin(), source.events.end(),
                     [](const auto& stream) { return std::any_of(stream.begin(), stream.end(), is_transfer); });
}

Pairs transfers_naively(const MemorySource& source) {
  Pairs pairs;
  for (LocationId l = 0; l < source.events.size(); ++l) {
    for (std::uint64_t i = 0; i < source.events[l].size(); ++i) {
      if (!is_transfer(source.events[l][i])) continue;
      const auto closing = trace::naive::closing_of(source, {l, i});
      if (!closing || source.events[closing->location][closing->ordinal].mended) continue;
      const Pair pair{End{l, i}, End{closing->location, closing->ordinal}};
      // What is complete before it ended by its own record stays there: clocks disagree.
      if (source.events[closing->location][closing->ordinal].time > own_end(source, pair.first)) pairs.insert(pair);
    }
  }
  return pairs;
}

Pairs transfers_of_view(MemorySource& source) { return values(closings(source, all_of(*view_of(source)))); }

Pairs transfers_of_earl(MemorySource& source) {
  std::vector<trace::ViewEvent> events;
  const auto reader =
      std::move(*trace::earl::RandomAdapter::make(*trace::earl::spool(source, trace::RmaModel::extended), {7, 20}));
  for (auto e = *reader->next(); e; e = *reader->next()) events.push_back(*e);
  return values(closings(source, events));
}

Pairs transfers_of_arrows(MemorySource& source) {
  const auto view = view_of(source);
  const auto events = all_of(*view);
  const auto found = closings(source, events);
  const exports::Arrows arrows(*view, {});
  Pairs pairs;
  for (trace::Position p = 1; p <= view->size(); ++p) {
    if (view->type(p) != EarlType::put_1ts && view->type(p) != EarlType::get_1ts) continue;
    const auto arrow = arrows.starting_at(p);
    if (!arrow || !found.contains(arrow->end_event)) continue;
    pairs.insert({end_of(events[arrow->start_event - 1]), found.at(arrow->end_event).second});
  }
  return pairs;
}

bool is_atomic(const MemorySource& source, const Pair& pair) {
  return source.events[pair.first.location][pair.first.ordinal].kind == EventKind::atomic;
}

}  // namespace mora::links_test
