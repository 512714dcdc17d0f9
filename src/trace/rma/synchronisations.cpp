#include "trace/rma/synchronisations.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "trace/links/joined_sequences.h"
#include "trace/links/location_ends.h"

namespace mora::trace {

/// What one location does on windows, with the exits of its calls. An exit is the event of the leave of its call.
class Synchronisations::Reader : public EventSink {
 public:
  struct End {
    std::uint32_t sequence = no_id, number = 0;
    WindowId window = no_id;
    Position exit = 0;
    bool is_fence = false;
  };
  struct OpenedEpoch {
    std::uint32_t sequence = no_id, number = 0;
    WindowId window = no_id;
    bool is_access = false;
    Epoch epoch;
  };

  /// `exits`: of the location, by ordinal.
  Reader(const Definitions& definitions, LocationId location, std::vector<std::pair<std::uint32_t, Position>> exits)
      : exits_(std::move(exits)),
        ends_(definitions, location, has_other_threads(definitions, location), [](const PostingOrder::Receive&) {}) {}

  void on_event(const Event& e) override {
    ends_.recording(e.kind);
    if (e.kind == EventKind::enter) enters_.push_back(e.time);
    if (e.kind == EventKind::leave && !enters_.empty()) {
      leave();
      enters_.pop_back();
    }
    if (!enters_.empty()) synchronise(e);
    ++ordinal_;
  }
  std::vector<LocalSequence> finish() { return ends_.finish(); }

  std::vector<End> collectives;  ///< on windows
  std::vector<OpenedEpoch> epochs;

 private:
  void synchronise(const Event& e) {
    if (e.window == no_id) return;
    if (e.kind == EventKind::rma_collective_end) {
      const SequenceEnd end = ends_.collective(e, enters_.back());
      if (end.exists())
        pending_.push_back({end.sequence, end.serial, e.window, 0, e.rma_operation == RmaOperation::fence});
    }
    if (e.kind != EventKind::group_sync) return;
    const WindowEpochs::Result& result = ends_.group_sync(e);
    if (result.epoch == nullptr) return;
    const bool is_access = result.change == EpochChange::opens_access || result.change == EpochChange::closes_access;
    const bool opens = result.change == EpochChange::opens_access || result.change == EpochChange::opens_exposure;
    for (const WindowEpochs::Partner& partner : result.epoch->partners)
      changed_.push_back({ends_.epochs_with(partner.rank, is_access, *result.epoch),
                          partner.number,
                          e.window,
                          is_access,
                          {opens ? Position{1} : 0, 0}});
  }

  /// The exit of the call is known.
  void leave() {
    if (pending_.empty() && changed_.empty()) return;
    const auto at = std::lower_bound(exits_.begin(), exits_.end(), std::pair(ordinal_, Position{0}));
    const Position exit = at != exits_.end() && at->first == ordinal_ ? at->second : 0;
    for (End& end : pending_) {
      end.exit = exit;
      collectives.push_back(end);
    }
    for (OpenedEpoch& change : changed_) {
      const auto name = std::tuple(change.sequence, change.number, change.is_access);
      if (change.epoch.open != 0) {
        change.epoch.open = exit;
        place_[name] = epochs.size();
        epochs.push_back(change);
      } else if (const auto opened = place_.find(name); opened != place_.end()) {
        epochs[opened->second].epoch.close = exit;
      }
    }
    pending_.clear();
    changed_.clear();
  }

  const std::vector<std::pair<std::uint32_t, Position>> exits_;
  LocationEnds ends_;
  std::vector<Nanoseconds> enters_;
  std::vector<End> pending_;
  std::vector<OpenedEpoch> changed_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t> place_;  ///< in epochs
  std::uint32_t ordinal_ = 0;
};

Synchronisations::Synchronisations(const View& view) {
  const Definitions& d = view.definitions();
  std::vector<std::vector<std::pair<std::uint32_t, Position>>> exits(d.locations.size());
  for (Position p = 1; p <= view.size(); ++p) {
    const EarlType type = view.type(p);
    if (type == EarlType::mpiwcexit || type == EarlType::mpiwexit)
      exits[view.location(p)].emplace_back(static_cast<std::uint32_t>(view.event(p).ordinal), p);
  }
  std::vector<std::unique_ptr<Reader>> readers;
  std::vector<std::vector<LocalSequence>> sequences;
  for (LocationId l = 0; l < d.locations.size(); ++l) {
    readers.push_back(std::make_unique<Reader>(d, l, std::move(exits[l])));
    static_cast<void>(view.source().read_location(l, *readers[l]));  // the view has counted what cannot be read
    sequences.push_back(readers[l]->finish());
  }
  const JoinedSequences joined(d, std::move(sequences));
  for (LocationId l = 0; l < d.locations.size(); ++l) {
    for (const Reader::End& end : readers[l]->collectives) {
      const Name name{joined.sequence(l, end.sequence), joined.source(l, end.sequence, end.number)};
      if (!end.is_fence || end.exit == 0 || name.second == no_id) continue;
      fences_[name].window = end.window;
      fences_[name].exits[d.locations[l].rank] = end.exit;
      fence_of_[end.exit] = name;
    }
    for (const Reader::OpenedEpoch& opened : readers[l]->epochs) {
      const Name name{joined.sequence(l, opened.sequence), joined.sink(l, opened.sequence, opened.number)};
      if (name.second == no_id) continue;
      Pair& pair = pairs_[name];
      pair.window = opened.window;
      pair.target = joined.all()[name.first].key.c;
      (opened.is_access ? pair.access : pair.exposure) = opened.epoch;
      if (opened.is_access && opened.epoch.close != 0) completed_by_[opened.epoch.close].push_back(name);
    }
  }
}

Position Synchronisations::partner_exit(Position exit, std::uint32_t target) const {
  if (const auto fence = fence_of_.find(exit); fence != fence_of_.end()) {
    const auto& exits = fences_.at(fence->second).exits;
    const auto found = exits.find(target);
    return found == exits.end() ? 0 : found->second;
  }
  if (const auto epochs = completed_by_.find(exit); epochs != completed_by_.end()) {
    for (const Name& name : epochs->second) {
      if (pairs_.at(name).target == target) return pairs_.at(name).exposure.close;
    }
  }
  return 0;
}

std::vector<std::vector<Position>> Synchronisations::fences(WindowId window) const {
  std::vector<std::vector<Position>> instances;
  for (const auto& [name, fence] : fences_) {
    if (fence.window != window) continue;
    instances.emplace_back();
    for (const auto& [rank, exit] : fence.exits) instances.back().push_back(exit);
    std::sort(instances.back().begin(), instances.back().end());
  }
  return instances;
}

}  // namespace mora::trace
