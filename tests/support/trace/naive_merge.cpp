#include "support/trace/naive_merge.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "support/trace/naive_links.h"

namespace mora::trace::naive {
namespace {

constexpr std::size_t none = SIZE_MAX;

/// Where an item stands: time, location and ordinal of the record it stands at, and its rank there (record itself: 0).
struct Place {
  Nanoseconds time = 0;
  LocationId location = 0;
  std::uint64_t ordinal = 0;
  std::int64_t rank = 0;
  auto operator<=>(const Place&) const = default;
};

struct Item {
  Place place;
  ViewEvent event;
  std::size_t link = none;
  std::size_t late_send = none;  ///< of a receive that the clocks put before it
  std::size_t instance = none;   ///< of exits of collectives
};

class Merge {
 public:
  Merge(const MemorySource& trace, RmaModel model) : trace_(trace), defs_(trace.defs), model_(model) {}

  Merged run() {
    for (LocationId l = 0; l < trace_.events.size(); ++l) {
      for (std::uint64_t i = 0; i < trace_.events[l].size(); ++i) add(l, i);
    }
    links();
    releases(model_ == RmaModel::extended);
    order();
    return std::move(result_);
  }

 private:
  const Event& at(LocationId l, std::uint64_t i) const { return trace_.events[l][i]; }

  std::optional<std::uint64_t> leave_around(LocationId l, std::uint64_t i) const {
    const std::uint64_t leave = naive::leave_around(trace_.events[l], i);
    return leave == no_leave ? std::nullopt : std::optional(leave);
  }
  /// What the exit at record i says: the last closing record directly inside its region.
  const Event* exit_record(LocationId l, std::uint64_t i) const {
    int depth = 0;
    for (std::uint64_t k = i; k-- > 0;) {
      const Event& e = at(l, k);
      if (e.kind == EventKind::leave) ++depth;
      if (e.kind == EventKind::enter && depth-- == 0) return nullptr;
      if (depth == 0 && (e.kind == EventKind::collective_end || e.kind == EventKind::rma_collective_end ||
                         e.kind == EventKind::group_sync || e.kind == EventKind::team_collective_end))
        return &e;
    }
    return nullptr;
  }

  Item& item(LocationId l, std::uint64_t i, EarlType type, std::int64_t rank = 0) {
    Item x;
    x.place = {at(l, i).time, l, i, rank};
    x.event.time = at(l, i).time;
    x.event.location = x.event.recorded_on = l;
    x.event.ordinal = i;
    x.event.type = type;
    items_.push_back(x);
    return items_.back();
  }

  void add(LocationId l, std::uint64_t i) {
    const Event& e = at(l, i);
    switch (e.kind) {
      case EventKind::enter:
        item(l, i, EarlType::enter).event.region = e.region;
        break;
      case EventKind::leave:
        if (!e.mended) exit(l, i);
        break;
      case EventKind::send:
      case EventKind::send_request:
      case EventKind::receive:
      case EventKind::receive_complete: {
        const bool send = e.kind == EventKind::send || e.kind == EventKind::send_request;
        ViewEvent& v = item(l, i, send ? EarlType::send : EarlType::recv).event;
        v.peer = e.peer;
        v.tag = e.tag;
        v.comm = e.comm;
        v.bytes = e.bytes;
        item_of_[{l, i}] = items_.size() - 1;
        break;
      }
      case EventKind::lock_request:
      case EventKind::lock_release: {
        ViewEvent& v = item(l, i, e.kind == EventKind::lock_request ? EarlType::wlock : EarlType::wunlock).event;
        v.window = e.window;
        v.peer = e.peer;
        v.exclusive = e.lock_exclusive;
        v.assertion = e.assertion;
        item_of_[{l, i}] = items_.size() - 1;
        break;
      }
      case EventKind::put:
      case EventKind::get:
      case EventKind::atomic:
        transfer(l, i);
        break;
      default:
        other(l, i);
    }
  }

  void other(LocationId l, std::uint64_t i) {
    static const std::map<EventKind, EarlType> types = {{EventKind::collective_request, EarlType::nbc_start},
                                                        {EventKind::collective_complete, EarlType::nbc_end},
                                                        {EventKind::flush, EarlType::wflush},
                                                        {EventKind::fork, EarlType::fork},
                                                        {EventKind::join, EarlType::join},
                                                        {EventKind::acquire, EarlType::alock},
                                                        {EventKind::release, EarlType::rlock},
                                                        {EventKind::io_begin, EarlType::io_start},
                                                        {EventKind::io_end, EarlType::io_end},
                                                        {EventKind::metric, EarlType::metric},
                                                        {EventKind::sample, EarlType::sample},
                                                        {EventKind::user, EarlType::user}};
    const Event& e = at(l, i);
    const auto type = types.find(e.kind);
    if (type == types.end()) return;
    ViewEvent& v = item(l, i, type->second).event;
    v.comm = e.comm;
    v.window = e.window;
    v.root = e.root;
    v.peer = e.peer;
    v.bytes = e.bytes;
    v.received = e.received;
    v.collective = e.collective;
    v.id = e.kind == EventKind::metric ? e.bytes : e.request;
    v.local = e.rma_operation == RmaOperation::flush_local;
    const bool has_vector = e.kind == EventKind::metric || e.kind == EventKind::sample || e.kind == EventKind::user;
    v.index = has_vector ? e.vector : e.file;
  }

  void exit(LocationId l, std::uint64_t i) {
    ViewEvent& v = item(l, i, EarlType::exit).event;
    item_of_[{l, i}] = items_.size() - 1;
    v.region = at(l, i).region;
    const Event* x = exit_record(l, i);
    if (x == nullptr) return;
    if (x->kind == EventKind::team_collective_end) {
      v.type = EarlType::ompcexit;
      return;
    }
    v.assertion = x->assertion;
    v.window = x->window;
    if (x->kind == EventKind::collective_end) {
      v.type = EarlType::mpicexit;
      v.collective = x->collective;
      v.comm = x->comm;
      v.root = x->root;
      v.bytes = x->bytes;
      v.received = x->received;
    } else if (x->kind == EventKind::rma_collective_end) {
      v.type = EarlType::mpiwcexit;
      v.comm = defs_.windows[x->window].comm;
    } else {
      v.type = EarlType::mpiwexit;
      v.group = x->group;
      v.synex = x->epoch_closed;
    }
  }

  struct Transfer {
    LocationId origin;
    std::uint64_t ordinal;
    std::size_t end;
  };

  void transfer(LocationId l, std::uint64_t i) {
    const Event& e = at(l, i);
    const bool put = e.kind == EventKind::put, atomic = e.kind == EventKind::atomic;
    LocationId target = defs_.location_of_rank(e.peer);
    if (target == no_id) {
      target = l;
      ++result_.damage["transfer-to-unknown-rank"];
    }
    const std::uint32_t origin_rank = defs_.locations[l].rank;
    const auto fill = [&](Item& x, LocationId where, std::uint32_t peer) {
      x.event.location = where;
      x.event.peer = peer;
      x.event.window = e.window;
      x.event.id = e.request;
    };
    if (put || atomic) {
      fill(item(l, i, put ? EarlType::put_1ts : EarlType::atomic_1ts), l, e.peer);
      items_.back().event.bytes = e.bytes;
    } else {
      fill(item(l, i, EarlType::get_1to), l, no_id);
      fill(item(l, i, EarlType::get_1ts, 1), target, origin_rank);
      items_.back().event.bytes = e.bytes;
      items_.back().link = items_.size() - 2;
    }
    Item& end = item(l, i, put ? EarlType::put_1te : atomic ? EarlType::atomic_1te : EarlType::get_1te, 2);
    fill(end, put ? target : l, put ? origin_rank : e.peer);
    end.event.received = e.received;
    end.link = items_.size() - 2;
    // In the basic model the end is at its recorded time, before later records of that time; one without a time of its
    // own is directly before the exit of its call.
    const auto leave = leave_around(l, i);
    if (e.end_time == at_leave && leave && !at(l, *leave).mended) {
      end.event.time = at(l, *leave).time;
      end.place = {end.event.time, l, *leave, -1000 + static_cast<std::int64_t>(transfers_.size())};
    } else {
      end.event.time = e.end_time == at_leave ? e.time : e.end_time;
      end.place = {end.event.time, l, i, 2};
    }
    transfers_.push_back({l, i, items_.size() - 1});
  }

  void links() {
    const Messages found = messages(trace_);
    result_.damage.insert(found.damage.begin(), found.damage.end());
    for (const Message& m : found.pairs) {
      const std::size_t send = item_of_.at({m.send.location, m.send.ordinal});
      Item& receive = items_[item_of_.at({m.receive.location, m.receive.ordinal})];
      if (items_[send].place.time > receive.place.time) {
        ++result_.damage["receive-before-send"];
        receive.late_send = send;
      } else {
        receive.link = send;
      }
    }
    std::size_t number = 0;
    for (const Instance& instance : instances(trace_)) {
      ++number;
      for (const Record& member : instance.members) {
        if (at(member.location, member.ordinal).kind == EventKind::collective_request) continue;
        const std::size_t exit = exit_of(member.location, member.ordinal);
        if (exit != none) items_[exit].instance = number;
      }
    }
  }

  // Synchronisation.
  /// Item of the exit of the call that holds record i of l; nothing if it is not left.
  std::size_t exit_of(LocationId l, std::uint64_t i) const {
    const auto leave = leave_around(l, i);
    if (!leave) return none;
    const auto found = item_of_.find({l, *leave});
    return found == item_of_.end() ? none : found->second;
  }

  /// Item before which a transfer's end stands in the extended model; none if nothing completes it.
  std::size_t release(const Transfer& t) const {
    const auto closing = closing_of(trace_, {t.origin, t.ordinal});
    if (!closing) return none;
    const auto found = item_of_.find({closing->location, closing->ordinal});
    return found == item_of_.end() ? none : found->second;
  }

  void releases(bool move) {
    std::vector<std::size_t> by_end(transfers_.size());
    for (std::size_t i = 0; i < by_end.size(); ++i) by_end[i] = i;
    std::stable_sort(by_end.begin(), by_end.end(), [&](std::size_t a, std::size_t b) {
      return items_[transfers_[a].end].place < items_[transfers_[b].end].place;
    });
    std::int64_t rank = -1000000;
    for (const std::size_t i : by_end) {
      Item& end = items_[transfers_[i].end];
      const std::size_t by = release(transfers_[i]);
      if (by == none) {
        ++result_.damage["unreleased-transfer"];
      } else if (move && items_[by].place.time < end.place.time) {
        ++result_.damage["release-before-transfer"];
      } else if (move) {
        end.place = items_[by].place;
        end.place.rank = rank++;
        end.event.time = end.place.time;
      }
    }
  }

  /// Takes the earliest item, of equal times that of the smallest location, but none before its link.
  void order() {
    std::map<LocationId, std::vector<std::size_t>> queues;  // next item last
    for (std::size_t i = 0; i < items_.size(); ++i) queues[items_[i].place.location].push_back(i);
    for (auto& [location, queue] : queues)
      std::sort(queue.begin(), queue.end(),
                [&](std::size_t a, std::size_t b) { return items_[b].place < items_[a].place; });
    std::vector<Position> number(items_.size(), 0);
    std::map<std::size_t, Position> last_exit;  // of a collective instance
    while (!queues.empty()) {
      Nanoseconds now = INT64_MAX;
      for (const auto& [location, queue] : queues) now = std::min(now, items_[queue.back()].place.time);
      auto chosen = queues.end(), smallest = queues.end();
      for (auto it = queues.begin(); it != queues.end() && chosen == queues.end(); ++it) {
        const Item& next = items_[it->second.back()];
        if (next.place.time != now) continue;
        if (smallest == queues.end()) smallest = it;
        if (next.link == none || number[next.link] != 0) chosen = it;
      }
      if (chosen == queues.end()) chosen = smallest;
      const std::size_t i = chosen->second.back();
      chosen->second.pop_back();
      if (chosen->second.empty()) queues.erase(chosen);
      ViewEvent e = items_[i].event;
      e.link = items_[i].link == none ? 0 : number[items_[i].link];
      // At one time on one location the order of the records stands, whatever it means.
      if (e.type == EarlType::recv && items_[i].link != none && e.link == 0) ++result_.damage["receive-before-send"];
      if (items_[i].instance != none) {
        Position& last = last_exit[items_[i].instance];
        e.link = last;
        last = result_.events.size() + 1;
      }
      if (e.type == EarlType::recv && items_[i].link != none && e.link == 0) items_[i].late_send = items_[i].link;
      result_.events.push_back(e);
      number[i] = result_.events.size();
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].late_send == none) continue;
      result_.events[number[items_[i].late_send] - 1].forward = number[i];
      result_.events[number[i] - 1].forward = number[items_[i].late_send];
    }
  }

  const MemorySource& trace_;
  const Definitions& defs_;
  const RmaModel model_;
  std::vector<Item> items_;
  std::vector<Transfer> transfers_;
  std::map<std::pair<LocationId, std::uint64_t>, std::size_t> item_of_;
  Merged result_;
};

}  // namespace

Merged merge(const MemorySource& trace, RmaModel model) { return Merge(trace, model).run(); }

}  // namespace mora::trace::naive
