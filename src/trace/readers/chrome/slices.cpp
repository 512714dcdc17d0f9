#include "trace/readers/chrome/slices.h"

#include <algorithm>
#include <climits>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/mpi_function.h"

namespace mora::trace::chrome {
namespace {

constexpr Nanoseconds never = INT64_MAX;

bool is_flow(const Item& item) {
  return item.phase == Phase::flow_start || item.phase == Phase::flow_step || item.phase == Phase::flow_end;
}

bool can_receive(CallClass c) {
  return c == CallClass::receive || c == CallClass::send_receive || completes_requests(c);
}

bool can_send(CallClass c) {
  return c == CallClass::send || c == CallClass::send_receive || c == CallClass::send_start || c == CallClass::start;
}

/// Plays one time line: opens and closes slices, all events of one time in one run().
class Player {
 public:
  Player(const Collection& collection, SliceSink& sink) : collection_(collection), sink_(sink) {}

  void run(std::span<Item> run) {
    close_before(run[0].time);
    arrange(run);
    for (const Item& each : run) item(each);
  }

  SliceCounts end() {
    close_before(never);
    for (const Item& flow : waiting_) sink_.flow(last_, flow);
    return counts_;
  }

 private:
  struct Open {
    Item slice;
    Nanoseconds own;       ///< its own end; never: not known before its E
    Nanoseconds deadline;  ///< the earliest end of it and all around it
  };

  CallClass call(const Item& slice) const { return mpi::function(mpi::find(collection_.text(slice.name))).call; }

  /// Order of events at one time.
  void arrange(std::span<Item> run) {
    if (run.size() == 1) return;
    std::vector<Item> slices;
    bool has_pairs = false;
    bool has_flows = false;
    for (const Item& item : run) {
      if (item.phase == Phase::complete) slices.push_back(item);
      has_pairs = has_pairs || item.phase == Phase::begin || item.phase == Phase::end;
      has_flows = has_flows || is_flow(item);
    }
    std::stable_sort(slices.begin(), slices.end(), [](const Item& a, const Item& b) { return a.end > b.end; });
    auto next = slices.begin();
    for (Item& item : run) {
      if (item.phase == Phase::complete) item = *next++;
    }
    if (has_pairs || !has_flows || slices.empty()) return;
    // Ends of flows before what begins, starts behind it, unless only the other side is an MPI call that fits.
    const auto begins = [&](bool (*fits)(CallClass)) {
      return std::any_of(slices.begin(), slices.end(), [&](const Item& item) { return fits(call(item)); });
    };
    const bool open_receives = !open_.empty() && can_receive(call(open_.back().slice));
    const bool open_sends = !open_.empty() && can_send(call(open_.back().slice));
    const bool ends_first = open_receives || !begins(can_receive);
    const bool starts_last = !open_sends || begins(can_send);
    const auto place = [&](const Item& item) {
      if (item.phase == Phase::complete) return 1;
      const bool is_first = item.phase == Phase::flow_start ? !starts_last : ends_first;
      return is_first ? 0 : 2;
    };
    std::stable_sort(run.begin(), run.end(), [&](const Item& a, const Item& b) { return place(a) < place(b); });
  }

  void item(const Item& item) {
    last_ = item.time;
    switch (item.phase) {
      case Phase::begin:
        close_until(item.time);
        return open(item, never);
      case Phase::complete:
        close_until(item.time);
        return open(item, item.end);
      case Phase::end:
        return end_pair(item);
      case Phase::flow_start:
      case Phase::flow_step:
      case Phase::flow_end:
        if (item.binds_to_next) {
          waiting_.push_back(item);
        } else {
          sink_.flow(item.time, item);
        }
        return;
      default:
        return sink_.other(item);
    }
  }

  void open(const Item& slice, Nanoseconds own) {
    const Nanoseconds around = open_.empty() ? never : open_.back().deadline;
    open_.push_back({slice, own, std::min(own, around)});
    if (own == never) count_pair(slice, 1);
    sink_.enter(slice.time, slice);
    for (const Item& flow : waiting_) sink_.flow(slice.time, flow);
    waiting_.clear();
  }

  void close(Nanoseconds time, const Item* end) {
    const Open& top = open_.back();
    if (top.own == never) count_pair(top.slice, -1);
    if (end == nullptr && top.own != time) ++counts_.overlapping;
    sink_.leave(time, top.slice, end);
    open_.pop_back();
  }

  void end_pair(const Item& item) {
    while (!open_.empty() && open_.back().own != never && open_.back().deadline <= item.time)
      close(open_.back().deadline, nullptr);
    if (pairs_ == 0) {
      ++counts_.stray;
      return;
    }
    const auto named = names_.find(item.name);
    const bool is_named = named != names_.end() && named->second > 0;
    const auto fits = [&](const Open& open) {
      return open.own == never && (!is_named || open.slice.name == item.name);
    };
    while (!fits(open_.back())) {
      open_.back().own != never ? close(item.time, nullptr) : skip(item.time, fits);
    }
    close(item.time, &item);
  }

  /// The innermost pairs that do not fit end with the slice around them.
  void skip(Nanoseconds time, const auto& fits) {
    std::size_t slices = 0;
    for (; open_.back().own == never && !fits(open_.back()); ++slices) {
      count_pair(open_.back().slice, -1);
      open_.pop_back();
    }
    counts_.missing += sink_.skip(time, slices);
  }

  void count_pair(const Item& slice, int n) {
    pairs_ += n;
    names_[slice.name] += n;
  }

  /// Leaves what ends before the time, or at it.
  void close_before(Nanoseconds time) {
    while (!open_.empty() && open_.back().deadline < time) close(last_ = open_.back().deadline, nullptr);
  }
  void close_until(Nanoseconds time) {
    while (!open_.empty() && open_.back().deadline <= time) close(open_.back().deadline, nullptr);
  }

  const Collection& collection_;
  SliceSink& sink_;
  std::vector<Open> open_;
  std::vector<Item> waiting_;                              ///< ends of flows that belong to the next slice
  std::int64_t pairs_ = 0;                                 ///< open slices that wait for their E
  std::unordered_map<std::uint32_t, std::int64_t> names_;  ///< the same by name
  Nanoseconds last_ = INT64_MIN;
  SliceCounts counts_;
};

}  // namespace

std::optional<std::uint32_t> Lines::next() const {
  if (item_ == nullptr) return std::nullopt;
  return item_->target;
}

SliceCounts Lines::play(SliceSink& sink) {
  Player player(collection_, sink);
  const std::uint32_t line = item_->target;
  std::vector<Item> run;
  while (item_ != nullptr && item_->target == line) {
    run.clear();
    do {
      run.push_back(*item_);
      item_ = items_.next();
    } while (item_ != nullptr && item_->target == line && item_->time == run[0].time);
    player.run(run);
  }
  return player.end();
}

}  // namespace mora::trace::chrome
