#include "trace/view/nonblocking_instances.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "trace/links/joined_sequences.h"
#include "trace/links/location_ends.h"

namespace mora::trace {

namespace {

using Starts = std::vector<std::pair<std::uint64_t, Position>>;  ///< of a location, by ordinal

/// The starts of one location, numbered.
class StartReader : public EventSink {
 public:
  struct Start {
    SequenceEnd end;
    Position position = 0;
  };

  StartReader(const Definitions& definitions, LocationId location, const Starts& starts)
      : starts_(starts),
        ends_(definitions, location, has_other_threads(definitions, location), [](const PostingOrder::Receive&) {}) {}

  void on_event(const Event& e) override {
    ends_.recording(e.kind);
    if (e.kind == EventKind::enter) enters_.push_back(e.time);
    if (e.kind == EventKind::leave && !enters_.empty()) enters_.pop_back();
    if (e.kind == EventKind::collective_request) {
      const SequenceEnd end = ends_.collective(e, enters_.empty() ? e.time : enters_.back());
      const auto at = std::lower_bound(starts_.begin(), starts_.end(), std::pair(ordinal_, Position{0}));
      if (at != starts_.end() && at->first == ordinal_) found.push_back({end, at->second});
    }
    ++ordinal_;
  }
  std::vector<LocalSequence> finish() { return ends_.finish(); }

  std::vector<Start> found;

 private:
  const Starts& starts_;
  LocationEnds ends_;
  std::vector<Nanoseconds> enters_;
  std::uint64_t ordinal_ = 0;
};

std::vector<Starts> starts_of(const View& view) {
  const EventColumns& events = view.columns();
  std::vector<Starts> starts(view.definitions().locations.size());
  for (std::uint64_t i = 0; i < events.size; ++i) {
    if (events.type[i] == EarlType::nbc_start) starts[events.location[i]].emplace_back(events.ordinal[i], i + 1);
  }
  for (Starts& of_location : starts) std::sort(of_location.begin(), of_location.end());
  return starts;
}

}  // namespace

std::vector<NonblockingInstance> nonblocking_instances(const View& view) {
  const Definitions& d = view.definitions();
  const std::vector<Starts> starts = starts_of(view);
  std::vector<NonblockingInstance> instances;
  if (std::all_of(starts.begin(), starts.end(), [](const Starts& one) { return one.empty(); })) return instances;
  std::vector<std::vector<StartReader::Start>> found(d.locations.size());
  std::vector<std::vector<LocalSequence>> sequences;
  for (LocationId l = 0; l < d.locations.size(); ++l) {
    StartReader reader(d, l, starts[l]);
    if (!starts[l].empty()) static_cast<void>(view.source().read_location(l, reader));  // the view counted what is bad
    sequences.push_back(reader.finish());
    found[l] = std::move(reader.found);
  }
  const JoinedSequences joined(d, std::move(sequences));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> place;
  for (LocationId l = 0; l < d.locations.size(); ++l) {
    for (const auto& [end, position] : found[l]) {
      const std::uint32_t sequence = joined.sequence(l, end.sequence);
      const std::uint32_t number = joined.source(l, end.sequence, end.serial);
      if (number == no_id) {
        instances.push_back({{position}, false});
        continue;
      }
      const auto [at, is_new] = place.try_emplace({sequence, number}, instances.size());
      if (is_new) instances.emplace_back();
      NonblockingInstance& instance = instances[at->second];
      instance.starts.push_back(position);
      instance.is_whole = instance.starts.size() == joined.all()[sequence].members;
    }
  }
  for (NonblockingInstance& instance : instances) std::sort(instance.starts.begin(), instance.starts.end());
  std::sort(instances.begin(), instances.end(),
            [](const NonblockingInstance& a, const NonblockingInstance& b) { return a.starts[0] < b.starts[0]; });
  return instances;
}

}  // namespace mora::trace
