/// The epochs of one rank, put together from its records: access and exposure epochs with their numbers, and the
/// accesses between two fences.
///
/// Which epochs belong together, and to which epoch an access belongs: trace/links/epochs.h. Epochs belong to the
/// process: records of its threads are merged by time.
///
/// Cost: O(log) per record. Memory (spilled if it is bounded): 48 bytes per data call in an access epoch, 104 per epoch
/// and 16 per partner of it, 80 per window collective, 24 per target accessed between two fences. Limit: an epoch that
/// reaches into an interruption is counted as epoch-across-gap and scores nothing. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/patterns/active_target/rules/epochs.h"
#include "analysis/storage/storage.h"
#include "base/data_quality.h"
#include "trace/definitions.h"
#include "trace/event.h"
#include "trace/links/epochs.h"

namespace mora::analysis {

/// A record in its call, when that is left. Call paths are nodes of the location's local tree until the exchange.
struct EpochRecord {
  enum class Kind : std::uint8_t { start, complete, post, close, collective, lock, unlock, access };
  Kind kind = Kind::access;
  trace::RmaOperation operation = trace::RmaOperation::none;  ///< collective: create, free or fence
  bool by_test = false;                                       ///< close: MPI_Win_test
  std::uint32_t window = 0;
  std::uint32_t partner = 0;  ///< start, post: GroupId; access, lock, unlock: target (no_id: all)
  std::uint32_t stretch = 0;  ///< number of interruptions of the recording before it
  Nanoseconds time = 0;       ///< of the record
  Nanoseconds begin = 0;      ///< B; of collectives
  std::uint64_t visit = 0;
  EpochCall call;
};

class RankEpochs {
 public:
  struct Epoch {
    EpochCall open, close;
    std::uint32_t window = 0;
    std::uint32_t stretch = 0;
    std::size_t first_partner = 0;  ///< in partners()
    std::size_t first_call = 0;     ///< in calls()
    std::size_t calls = 0;
    std::uint32_t group = 0;
    bool closed = false;
    bool by_test = false;
    bool is_opened = true;  ///< false: only its end was recorded; it takes a number, and no more
  };
  struct Partner {
    std::uint32_t number = 0;           ///< of this epoch among those with this partner, from 0
    Nanoseconds last_access = no_time;  ///< access epochs
  };
  struct Access {  ///< the last one towards a target between two fences
    Nanoseconds leave = 0;
    std::uint32_t target = 0;
    cube::LocationId location = 0;
    cube::CallPathId call_path = 0;
  };
  struct Collective {
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    EpochCall call;
    std::uint32_t window = 0;
    std::uint32_t stretch = 0;
    std::size_t first_access = 0;  ///< in accesses()
    std::size_t accesses = 0;
    trace::RmaOperation operation = trace::RmaOperation::none;
    bool cut = false;  ///< a fence whose epoch reaches into an interruption of the recording
  };

  /// `threads`: locations of the rank that record; with one, records are taken as they come.
  RankEpochs(const trace::Definitions& definitions, std::uint32_t rank, std::size_t threads)
      : definitions_(definitions), rank_(rank), threads_(threads), epochs_(definitions) {}

  std::uint32_t rank() const { return rank_; }
  /// In the order of the stream of each location.
  void add(const EpochRecord& record);
  /// A record outside a call of its kind: ignored, and counted for report().
  void count_outside_call() { ++outside_call_; }
  /// After the last record; once.
  void finish();

  const SpillVector<Epoch>& access_epochs() const { return access_epochs_; }
  const SpillVector<Epoch>& exposure_epochs() const { return exposure_epochs_; }
  /// The group of an epoch: ascending world ranks, each once. Parallel to partners() from first_partner on.
  const std::vector<std::uint32_t>& members(const Epoch& epoch) { return epochs_.members(epoch.group); }
  const SpillVector<Partner>& partners() const { return partners_; }
  const SpillVector<DataCall>& calls() const { return calls_; }
  /// How many epochs with this partner the rank opened on the window in the stretch, which lies behind a gap.
  std::uint32_t count(bool is_access, std::uint32_t window, std::uint32_t stretch, std::uint32_t partner) const {
    const auto found = counts_.find({is_access, window, stretch, partner});
    return found == counts_.end() ? 0 : found->second;
  }
  /// In the order in which the members' sequences are numbered (engine/collectives.cpp).
  const SpillVector<Collective>& collectives() const { return collectives_; }
  const SpillVector<Access>& accesses() const { return accesses_; }

  /// Adds the counted damage; `unmatched`, `across_gap`: found when the epochs were matched.
  void report(DataQuality& quality, std::uint64_t unmatched, std::uint64_t across_gap) const;

 private:
  struct OpenEpoch {
    std::size_t index = 0;  ///< in access_epochs_ or exposure_epochs_
    std::vector<DataCall> calls;
    bool open = false;
  };
  struct Window {
    OpenEpoch access, exposure;
    std::map<std::uint32_t, Access> pending;  ///< since the last fence, by target
    std::uint64_t outside = 0;                ///< accesses in no epoch
    std::uint32_t stretch = 0;
    bool cut = false;  ///< no fence since an interruption
    bool has_epochs = false;
  };

  void take(const EpochRecord& record);
  void change(const EpochRecord& record, Window& window, trace::EpochChange change);
  Epoch& add_epoch(const EpochRecord& record, const trace::WindowEpochs::Epoch& numbered, bool is_access);
  void put_away(OpenEpoch& open, Epoch& epoch);
  void access(const EpochRecord& record, Window& window);
  void collective(const EpochRecord& record, Window& window);

  const trace::Definitions& definitions_;
  const std::uint32_t rank_;
  const std::size_t threads_;
  std::vector<EpochRecord> records_;  ///< of several threads
  std::map<std::uint32_t, Window> windows_;
  trace::WindowEpochs epochs_;
  /// (is access, window, stretch, partner) -> epochs so far; behind gaps only
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> counts_;
  SpillVector<Epoch> access_epochs_, exposure_epochs_;
  SpillVector<Partner> partners_;
  SpillVector<DataCall> calls_;
  SpillVector<Collective> collectives_;
  SpillVector<Access> accesses_;
  // counted damage
  std::uint64_t unclosed_ = 0;
  std::uint64_t unopened_ = 0;
  std::uint64_t without_group_ = 0;
  std::uint64_t across_gap_ = 0;
  std::uint64_t outside_call_ = 0;
};

}  // namespace mora::analysis
