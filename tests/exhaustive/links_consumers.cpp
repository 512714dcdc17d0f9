/// Every function drives the consumer's own code up to the point where it knows the pairs.
#include "links_drivers.h"

#include <algorithm>
#include <map>
#include <memory>

#include "analysis/engine/messages.h"
#include "analysis/match/matcher.h"
#include "export/arrows/arrows.h"
#include "replay/actions/action_collector.h"
#include "trace/clock/junctions.h"
#include "trace/earl/random_adapter.h"
#include "trace/earl/spooled_decoder.h"
#include "trace/mpi_function.h"
#include "trace/view/view.h"

namespace mora::links_test {

std::string text(const Pairs& pairs) {
  std::string all;
  for (const auto& [a, b] : pairs)
    all += std::to_string(a.location) + "/" + std::to_string(a.ordinal) + "-" + std::to_string(b.location) + "/" +
           std::to_string(b.ordinal) + " ";
  return all;
}

// ---- views

std::unique_ptr<trace::View> view_of(MemorySource& source) {
  return std::move(*trace::View::make(source, trace::RmaModel::extended));
}
End end_of(const trace::ViewEvent& e) { return {e.recorded_on, e.ordinal}; }

Pairs messages_of_view(MemorySource& source) {
  Pairs pairs;
  const auto view = view_of(source);
  for (trace::Position p = 1; p <= view->size(); ++p) {
    if (view->type(p) == EarlType::recv && view->link(p) != 0)
      pairs.insert({end_of(view->event(view->link(p))), end_of(view->event(p))});
  }
  return pairs;
}

Pairs messages_of_earl(MemorySource& source) {
  Pairs pairs;
  const auto reader =
      std::move(*trace::earl::RandomAdapter::make(*trace::earl::spool(source, trace::RmaModel::extended), {7, 20}));
  for (auto e = *reader->next(); e; e = *reader->next()) {
    if (e->type == EarlType::recv && e->link != 0) pairs.insert({end_of(**reader->fetch(e->link)), end_of(*e)});
  }
  return pairs;
}

Pairs messages_of_arrows(MemorySource& source) {
  Pairs pairs;
  const auto view = view_of(source);
  const exports::Arrows arrows(*view, {});
  for (trace::Position p = 1; p <= view->size(); ++p) {
    if (view->type(p) != EarlType::send) continue;
    if (const auto arrow = arrows.starting_at(p))
      pairs.insert({end_of(view->event(arrow->start_event)), end_of(view->event(arrow->end_event))});
  }
  return pairs;
}

// ---- clocks

trace::Junctions junctions_of(const MemorySource& source, Spool<trace::Link>& links,
                              std::vector<trace::LocationLinks>& locations) {
  for (LocationId l = 0; l < locations.size(); ++l) {
    trace::LinkCollector collector(source.defs, l, trace::has_other_threads(source.defs, l), links, locations[l]);
    for (const Event& e : source.events[l]) collector.on_event(e);
    static_cast<void>(collector.finish());
  }
  return std::move(*trace::Junctions::make(source.defs, {}, links, locations));
}

Pairs messages_of_clocks(MemorySource& source) {
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
      if (end.junction == trace::no_id || junctions.at(end.junction).kind != trace::EdgeKind::message) continue;
      (end.sink ? ends[end.junction].second : ends[end.junction].first) = {l, link->ordinal};
      seen[end.junction] |= end.sink ? 2 : 1;
    }
  }
  Pairs pairs;
  for (const auto& [junction, pair] : ends) {
    if (seen[junction] == 3) pairs.insert(pair);
  }
  return pairs;
}

// ---- replay

trace::JoinedSequences joined_of(const MemorySource& source, replay::Actions& actions) {
  std::vector<std::vector<trace::LocalSequence>> sequences;
  for (LocationId l = 0; l < actions.locations.size(); ++l) {
    const LocationId first = source.defs.location_of_rank(source.defs.locations[l].rank);
    replay::ActionCollector collector(source, l, first == l ? nullptr : &actions.locations[first],
                                      trace::has_other_threads(source.defs, l), actions);
    for (const Event& e : source.events[l]) collector.on_event(e);
    static_cast<void>(collector.finish());
  }
  for (auto& location : actions.locations) sequences.push_back(std::move(location.sequences));
  return trace::JoinedSequences(source.defs, std::move(sequences));
}

Pairs messages_of_replay(MemorySource& source) {
  const std::size_t n = source.defs.locations.size();
  replay::Actions actions(n, 1 << 20);
  const auto joined = joined_of(source, actions);
  using Name = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Name, End> sent, received;
  for (LocationId l = 0; l < n; ++l) {
    // The n-th action of a kind is the n-th record of it.
    std::vector<End> sends, receives;
    for (std::uint64_t i = 0; i < source.events[l].size(); ++i) {
      const Event& e = source.events[l][i];
      if (e.peer == trace::no_id) continue;
      if (e.kind == EventKind::send || e.kind == EventKind::send_request) sends.push_back({l, i});
      if (e.kind == EventKind::receive || e.kind == EventKind::receive_complete) receives.push_back({l, i});
    }
    std::vector<replay::Posting> postings;
    auto posting = actions.postings.cursor(l);
    while (const replay::Posting* p = posting.next()) postings.push_back(*p);
    auto cursor = actions.actions.cursor(l);
    std::size_t sends_so_far = 0, receives_so_far = 0, posted = 0;
    const auto receive = [&](std::size_t number) {
      const replay::Posting& p = postings[number];
      const std::uint32_t message = joined.sink(l, p.key, p.serial);
      const End end = receives[receives_so_far++];
      if (message != trace::no_id) received[{joined.sequence(l, p.key), message}] = end;
    };
    while (const replay::Action* a = cursor.next()) {
      if (a->kind == replay::ActionKind::post || a->kind == replay::ActionKind::post_matched) ++posted;
      if (a->kind == replay::ActionKind::receive) receive(posted++);
      if (a->kind == replay::ActionKind::complete) receive(a->serial);
      if (a->kind != replay::ActionKind::send) continue;
      const std::uint32_t message = joined.source(l, a->key, a->serial);
      if (message != trace::no_id) sent[{joined.sequence(l, a->key), message}] = sends[sends_so_far];
      ++sends_so_far;
    }
  }
  Pairs pairs;
  for (const auto& [name, end] : received) {
    if (sent.contains(name)) pairs.insert({sent[name], end});
  }
  return pairs;
}

// ---- analysis

namespace {

/// Enter of the innermost region around each record of a message; nothing outside of calls.
std::map<std::pair<LocationId, Nanoseconds>, End> calls_of_messages(const MemorySource& source, bool sends) {
  std::map<std::pair<LocationId, Nanoseconds>, End> calls;
  for (LocationId l = 0; l < source.events.size(); ++l) {
    std::vector<Nanoseconds> stack;
    for (std::uint64_t i = 0; i < source.events[l].size(); ++i) {
      const Event& e = source.events[l][i];
      if (e.kind == EventKind::enter) stack.push_back(e.time);
      if (e.kind == EventKind::leave && !stack.empty()) stack.pop_back();
      const bool is_send = e.kind == EventKind::send || e.kind == EventKind::send_request;
      const bool is_receive = e.kind == EventKind::receive || e.kind == EventKind::receive_complete;
      if ((sends ? is_send : is_receive) && !stack.empty()) calls[{l, stack.back()}] = {l, i};
    }
  }
  return calls;
}

}  // namespace

/// The engine says of each pair only when its calls were entered (SyncPoints): that names them, since no two events
/// have the same time and no call holds two messages.
Pairs messages_of_engine(MemorySource& source) {
  using namespace analysis;
  const auto regions = classify_regions(source.defs);
  DataQuality quality;
  Scores scores(source.defs.locations.size());
  std::vector<std::unique_ptr<RankHalves>> halves;
  std::vector<std::vector<std::uint32_t>> paths(source.defs.locations.size());
  for (LocationId l = 0; l < source.defs.locations.size(); ++l) {
    const std::uint32_t rank = source.defs.locations[l].rank;
    if (halves.empty() || halves.back()->rank != rank) {
      halves.push_back(std::make_unique<RankHalves>());
      halves.back()->rank = rank;
    }
    Matcher matcher(source.defs, regions, l, *halves.back(), quality);
    for (const Event& e : source.events[l]) matcher.on_event(e);
    matcher.finish();
    paths[l].assign(1000, 0);
  }
  std::map<std::uint32_t, std::unique_ptr<RankMessages>> ranks;
  std::map<std::uint32_t, SyncPoints> points;
  for (const auto& half : halves) {
    ranks[half->rank] = std::make_unique<RankMessages>(*half, paths, scores, quality);
    ranks[half->rank]->note_sync_points(points[half->rank], {});
  }
  for (const auto& [rank, messages] : ranks) {
    for (std::uint32_t c = 0; c < messages->send_channels(); ++c) {
      const auto receiver = ranks.find(messages->receiver_of(c));
      if (receiver == ranks.end()) continue;
      // In two blocks, as slices of the exchange cut channels.
      const std::uint32_t all = messages->sends_of(c), half = all / 2;
      for (const auto& [offset, count] : {std::pair(0U, half), std::pair(half, all - half)}) {
        if (count == 0 && all != 0) continue;
        Buffer block, answer;
        messages->send_block(c, offset, count, block);
        BufferReader in(block);
        receiver->second->pair_block(rank, in, answer);
        BufferReader back(answer);
        messages->take_answer(back);
      }
    }
  }
  Pairs pairs;
  const auto sends = calls_of_messages(source, true), receives = calls_of_messages(source, false);
  for (auto& [rank, known] : points) known.seal();
  const auto whatever_level = [](Nanoseconds) { return INT64_MAX; };
  for (const auto& [call, end] : receives) {
    const auto [location, enter] = call;
    SyncPoints& known = points[source.defs.locations[location].rank];
    // The engine knows locations of senders by their rank's first thread.
    for (LocationId l = 0; l < source.defs.locations.size(); ++l) {
      const auto last = known.last(location, l, trace::no_id, enter + 1, nullptr, whatever_level);
      if (!last || last->time != enter) continue;
      for (LocationId from = l; from < source.defs.locations.size(); ++from) {
        const auto send = sends.find({from, last->partner_time});
        if (source.defs.locations[from].rank == source.defs.locations[l].rank && send != sends.end())
          pairs.insert({send->second, end});
      }
    }
  }
  return pairs;
}

// ---- what consumers leave out

bool is_against_time(const MemorySource& source, const Pair& pair) {
  const Nanoseconds sent = source.events[pair.first.location][pair.first.ordinal].time;
  const Nanoseconds received = source.events[pair.second.location][pair.second.ordinal].time;
  if (pair.first.location == pair.second.location) return pair.first.ordinal > pair.second.ordinal;
  return sent > received;
}

bool is_outside_calls(const MemorySource& source, const Pair& pair) {
  const auto is_inside = [&](const End& end) {
    std::vector<trace::RegionId> stack;
    for (std::uint64_t i = 0; i < end.ordinal; ++i) {
      const Event& e = source.events[end.location][i];
      if (e.kind == EventKind::enter) stack.push_back(e.region);
      if (e.kind == EventKind::leave && !stack.empty()) stack.pop_back();
    }
    return !stack.empty() && source.defs.regions[stack.back()].kind == trace::RegionKind::mpi;
  };
  return !is_inside(pair.first) || !is_inside(pair.second);
}

}  // namespace mora::links_test
