#include "trace/view_builder.h"

#include <algorithm>
#include <map>

#include "trace/index/index_storage.h"
#include "trace/mpi_function.h"

namespace mora::trace {

/// Turns one location's stream into items.
class ViewBuilder::Collector : public EventSink {
 public:
  Collector(ViewBuilder& builder, LocationId location)
      : b_(builder), location_(location), rank_(builder.definitions_.locations[location].rank) {}

  void on_event(const Event& e) override {
    switch (e.kind) {
      case EventKind::enter: {
        ViewEvent& v = add(e, EarlType::enter).event;
        v.region = e.region;
        stack_.push_back({});
        break;
      }
      case EventKind::leave:
        if (!e.mended) leave(e);
        break;
      case EventKind::send:
      case EventKind::send_request:
      case EventKind::receive:
      case EventKind::receive_complete:
        message(e);
        break;
      case EventKind::receive_request:
      case EventKind::cancelled:
        b_.messages_.add(location_, rank_, ordinal_, e, nothing);
        break;
      case EventKind::collective_end:
      case EventKind::rma_collective_end:
      case EventKind::group_sync:
        if (!stack_.empty()) {
          stack_.back().exit = e;
          stack_.back().has_exit = true;
        }
        break;
      case EventKind::lock_request:
      case EventKind::lock_release: {
        ViewEvent& v = add(e, e.kind == EventKind::lock_request ? EarlType::wlock : EarlType::wunlock).event;
        v.window = e.window;
        v.peer = e.peer;
        v.exclusive = e.lock_exclusive;
        v.assertion = e.assertion;
        b_.epochs_.add(rank_, e, b_.items_.size() - 1);
        break;
      }
      case EventKind::put:
      case EventKind::get:
        transfer(e);
        break;
      default:
        break;  // no events of the model: they serve links and analyses
    }
    ++ordinal_;
  }

 private:
  struct Open {
    Event exit;  ///< what the exit of the region will say
    bool has_exit = false;
    std::vector<std::uint64_t> ends;  ///< items of transfer ends that stand before the region's leave
  };

  Item& add(const Event& e, EarlType type, std::int64_t rank = 0) {
    Item item;
    item.key = {e.time, location_, ordinal_, rank};
    item.event.time = e.time;
    item.event.type = type;
    item.event.location = item.event.recorded_on = location_;
    item.event.ordinal = ordinal_;
    b_.items_.push_back(item);
    return b_.items_.back();
  }

  void message(const Event& e) {
    const bool send = e.kind == EventKind::send || e.kind == EventKind::send_request;
    ViewEvent& v = add(e, send ? EarlType::send : EarlType::recv).event;
    v.peer = e.peer;
    v.tag = e.tag;
    v.comm = e.comm;
    v.bytes = e.bytes;
    b_.messages_.add(location_, rank_, ordinal_, e, b_.items_.size() - 1);
  }

  void leave(const Event& e) {
    Open open;
    if (!stack_.empty()) {
      open = std::move(stack_.back());
      stack_.pop_back();
    }
    // Ends without a time of their own stand at the leave of their call.
    for (std::size_t i = 0; i < open.ends.size(); ++i) {
      Item& item = b_.items_[open.ends[i]];
      if (item.event.time == at_leave || item.event.time == e.time) {
        item.event.time = e.time;
        item.key = {e.time, location_, ordinal_,
                    static_cast<std::int64_t>(i) - static_cast<std::int64_t>(open.ends.size())};
      }
    }
    Item& item = add(e, EarlType::exit);
    ViewEvent& v = item.event;
    v.region = e.region;
    if (!open.has_exit) return;
    const Event& x = open.exit;
    v.assertion = x.assertion;
    v.window = x.window;
    switch (x.kind) {
      case EventKind::collective_end:
        v.type = EarlType::mpicexit;
        v.collective = x.collective;
        v.comm = x.comm;
        v.root = x.root;
        v.bytes = x.bytes;
        v.received = x.received;
        break;
      case EventKind::rma_collective_end:
        v.type = EarlType::mpiwcexit;
        if (x.window < b_.definitions_.windows.size()) v.comm = b_.definitions_.windows[x.window].comm;
        break;
      default:
        v.type = EarlType::mpiwexit;
        v.group = x.group;
        v.synex = x.epoch_closed;
    }
    if (x.kind != EventKind::collective_end) b_.epochs_.add(rank_, x, b_.items_.size() - 1);
  }

  void transfer(const Event& e) {
    const bool put = e.kind == EventKind::put;
    LocationId target = b_.definitions_.location_of_rank(e.peer);
    if (target == no_id) {
      b_.view_.quality_.add(
          "transfer-to-unknown-rank", Severity::warning, "rank " + std::to_string(rank_), 1,
          "one-sided transfers go to ranks that are not in the trace; their remote halves are shown at the origin",
          "record all ranks");
      target = location_;
    }
    const auto fill = [&](ViewEvent& v, std::uint32_t peer, bool sent, bool received) {
      v.peer = peer;
      v.window = e.window;
      v.id = e.request;
      if (sent) v.bytes = e.bytes;
      if (received) v.received = e.received;
    };
    Transfer t;
    if (put) {
      fill(add(e, EarlType::put_1ts).event, e.peer, true, false);
    } else {
      fill(add(e, EarlType::get_1to).event, no_id, false, false);
      Item& start = add(e, EarlType::get_1ts, 1);
      fill(start.event, rank_, true, false);
      start.event.location = target;
      start.link = b_.items_.size() - 2;
    }
    t.start = b_.items_.size() - 1;
    // The end stands behind the start; leave() moves it directly before the region's exit if it ends there.
    Item& end = add(e, put ? EarlType::put_1te : EarlType::get_1te, 2);
    fill(end.event, put ? rank_ : e.peer, false, true);
    end.event.location = put ? target : location_;
    end.link = t.start;
    end.event.time = e.end_time;
    end.key.time = e.end_time == at_leave ? e.time : e.end_time;
    t.end = b_.items_.size() - 1;
    if (!stack_.empty())
      stack_.back().ends.push_back(t.end);
    else
      end.event.time = end.key.time;
    b_.transfers_.push_back(t);
    b_.epochs_.add(rank_, e, b_.transfers_.size() - 1);
  }

  ViewBuilder& b_;
  const LocationId location_;
  const std::uint32_t rank_;
  std::uint64_t ordinal_ = 0;
  std::vector<Open> stack_;
};

ViewBuilder::ViewBuilder(View& view)
    : view_(view), definitions_(view.source_.definitions()), epochs_(view.source_.definitions()) {}

Result<void> ViewBuilder::run() {
  MORA_CHECK_OK(collect());
  release_transfers();
  link_messages();
  order();
  number(sorted_);
  view_.quality_.merge(view_.source_.quality());
  return {};
}

Result<void> ViewBuilder::collect() {
  std::size_t failed = 0;
  Error last;
  for (LocationId location = 0; location < definitions_.locations.size(); ++location) {
    Collector collector(*this, location);
    if (auto done = view_.source_.read_location(location, collector); !done) {
      ++failed;
      last = done.error();
      view_.quality_.add("unreadable-location", Severity::loss, definitions_.locations[location].name, 1,
                         "the events of a location cannot be read: " + last.why,
                         "the archive is damaged; use a copy or record again");
    }
  }
  if (failed > 0 && failed == definitions_.locations.size()) return tl::unexpected(last);
  return {};
}

void ViewBuilder::release_transfers() {
  const auto matched = epochs_.match(view_.quality_);
  if (view_.options_.model == RmaModel::basic) return;
  // First recorded end first, per releasing call.
  std::vector<const EpochLinks::Transfer*> fifo;
  for (const auto& t : matched) {
    if (t.release.known) fifo.push_back(&t);
  }
  const auto end_of = [&](const EpochLinks::Transfer* t) -> const Key& { return items_[transfers_[t->id].end].key; };
  std::stable_sort(fifo.begin(), fifo.end(), [&](const auto* a, const auto* b) { return end_of(a) < end_of(b); });
  std::int64_t rank = -(std::int64_t{1} << 60);
  for (const auto* t : fifo) {
    Item& end = items_[transfers_[t->id].end];
    const Item& release = items_[t->release.id];
    if (release.key.time < end.key.time) {
      // TRAP-22: by the clocks the releasing call returned before the transfer was recorded as done.
      view_.quality_.add(
          "release-before-transfer", Severity::warning, "rank " + std::to_string(t->origin), 1,
          "one-sided transfers end after the call that completes them returned; they keep their recorded end",
          "the clocks of the processes differ: check the clock synchronisation");
      continue;
    }
    end.key = release.key;
    end.key.rank = rank++;
    end.event.time = release.key.time;
  }
}

void ViewBuilder::link_messages() {
  for (const auto& pair : messages_.match(view_.quality_)) {
    Item& receive = items_[pair.receive];
    if (items_[pair.send].key.time > receive.key.time) {
      view_.quality_.add("receive-before-send", Severity::warning, definitions_.locations[receive.event.location].name,
                         1, "messages arrive before they are sent; the pair is not linked",
                         "the clocks of the processes differ: check the clock synchronisation");
      continue;
    }
    receive.link = pair.send;
  }
}

void ViewBuilder::order() {
  sorted_.resize(items_.size());
  for (std::uint64_t i = 0; i < sorted_.size(); ++i) sorted_[i] = i;
  std::sort(sorted_.begin(), sorted_.end(),
            [&](std::uint64_t a, std::uint64_t b) { return items_[a].key < items_[b].key; });
  for (std::size_t from = 0; from < sorted_.size();) {
    std::size_t to = from + 1;
    while (to < sorted_.size() && items_[sorted_[to]].key.time == items_[sorted_[from]].key.time) ++to;
    bool broken = false;
    for (std::size_t i = from; i < to && !broken; ++i) {
      const Item& item = items_[sorted_[i]];
      broken = item.link != nothing && items_[item.link].key > item.key;
    }
    if (broken) repair_instant(sorted_, from, to);
    from = to;
  }
}

void ViewBuilder::repair_instant(std::vector<std::uint64_t>& sorted, std::size_t from, std::size_t to) {
  std::map<LocationId, std::vector<std::uint64_t>> queues;  // reversed: next item last
  for (std::size_t i = to; i-- > from;) queues[items_[sorted[i]].key.location].push_back(sorted[i]);
  std::map<std::uint64_t, bool> waiting;
  for (std::size_t i = from; i < to; ++i) waiting[sorted[i]] = true;
  for (std::size_t at = from; at < to; ++at) {
    auto chosen = queues.begin();
    for (auto it = queues.begin(); it != queues.end(); ++it) {
      const auto blocker = waiting.find(items_[it->second.back()].link);
      if (blocker == waiting.end()) {
        chosen = it;
        break;
      }
    }
    sorted[at] = chosen->second.back();
    waiting.erase(sorted[at]);
    chosen->second.pop_back();
    if (chosen->second.empty()) queues.erase(chosen);
  }
}

void ViewBuilder::number(const std::vector<std::uint64_t>& sorted) {
  auto index = std::make_unique<MemoryIndex>();
  std::vector<Position> position(items_.size(), 0);
  std::vector<std::vector<std::uint32_t>> stacks(definitions_.locations.size());
  std::vector<std::vector<std::uint32_t>> on(definitions_.locations.size());
  std::map<std::tuple<WindowId, std::uint32_t>, std::uint32_t> lock_chain;
  std::map<std::tuple<LocationId, WindowId, std::uint32_t>, std::uint32_t> held;
  for (const std::uint64_t i : sorted) {
    const Item& item = items_[i];
    const ViewEvent& v = item.event;
    const auto here = static_cast<std::uint32_t>(index->time.size() + 1);
    position[i] = here;
    auto& stack = stacks[v.location];
    index->time.push_back(v.time);
    index->type.push_back(v.type);
    index->location.push_back(v.location);
    index->ordinal.push_back(static_cast<std::uint32_t>(v.ordinal));
    index->enter.push_back(stack.empty() ? 0 : stack.back());
    index->forward.push_back(0);
    on[v.location].push_back(here);
    std::uint32_t link = item.link == nothing ? 0 : static_cast<std::uint32_t>(position[item.link]);
    if (link != 0) index->forward[link - 1] = here;
    if (v.type == EarlType::wlock || v.type == EarlType::wunlock) {
      std::uint32_t& last = lock_chain[{v.window, v.peer}];
      link = last;
      last = here;
      if (v.type == EarlType::wlock)
        held[{v.location, v.window, v.peer}] = here;
      else if (std::uint32_t& lock = held[{v.location, v.window, v.peer}]; lock != 0)
        index->forward[lock - 1] = here, lock = 0;
    }
    if (is_exit(v.type) && !stack.empty()) {
      index->forward[stack.back() - 1] = here;
      stack.pop_back();
    }
    if (v.type == EarlType::enter) stack.push_back(here);
    if (v.type == EarlType::enter || v.type == EarlType::exit) {
      index->code.push_back(v.region);
      continue;
    }
    index->code.push_back(static_cast<std::uint32_t>(index->detail.size()));
    EventDetail d;
    d.bytes = v.bytes;
    d.received = v.received;
    d.id = v.id;
    d.link = link;
    d.peer = v.type == EarlType::mpicexit ? v.root : v.peer;
    d.comm = v.comm;
    d.window = v.window;
    d.kind = v.type == EarlType::mpiwexit ? v.group : static_cast<std::uint32_t>(v.tag);
    d.assertion = static_cast<std::uint16_t>(v.assertion);
    d.collective = static_cast<std::uint8_t>(v.collective);
    d.flags = static_cast<std::uint8_t>((v.synex ? 1 : 0) | (v.exclusive ? 2 : 0));
    index->detail.push_back(d);
  }
  index->begins.push_back(0);
  for (const auto& events : on) {
    index->events.insert(index->events.end(), events.begin(), events.end());
    index->begins.push_back(index->events.size());
  }
  index->publish();
  view_.columns_ = index->columns;
  view_.storage_ = std::move(index);
}

}  // namespace mora::trace
