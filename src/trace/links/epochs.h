/// Epochs of one process on its windows: which access and exposure epochs belong together, and to which epoch a
/// transfer belongs. The half that one location decides; joined_sequences.h pairs the numbers.
///
/// The k-th access epoch of (origin, target, window) belongs to the k-th exposure epoch of (target, origin, window);
/// they are numbered where they open (MPI_Win_start, MPI_Win_post), for each partner, and anew behind each gap in the
/// recording. Time decides nothing: access epochs may run ahead of exposure epochs (MPI-3.1, 11.5.2 and 11.7; Hermanns
/// 2004, 3.4.1).
///
///   group      each member once, ascending
///   no end     an epoch that is open when the next one of its kind opens has lost its end; it keeps its number
///   no start   an end without an open epoch ends one that was opened unseen: it takes a number from each member of its
///              group, so that those behind it keep theirs; it has no pair itself
///   gaps       what was open before a gap is not known to be open behind it: its end there closes nothing
///   transfers  belong to an open lock on their target, else to a lock on all, else to the open access epoch if its
///              group has the target, else to the fences around them (MPI-3.1, 11.5)
///
/// Cost: O(log windows + log partners) per transfer, O(group) per group synchronisation. Memory: one number per window
/// and partner. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::trace {

/// What MPI_Win_start, complete, post, wait and test do.
enum class EpochChange : std::uint8_t { none, opens_access, closes_access, opens_exposure, closes_exposure };
/// Of a group_sync record; a test that failed changes nothing.
EpochChange epoch_change(const Event& event);

/// Behind a gap in the recording epochs are paired only if both sides opened the same number in the stretch.
inline bool is_torn(std::uint32_t stretch, std::uint64_t accesses, std::uint64_t exposures) {
  return stretch != 0 && accesses != exposures;
}

class WindowEpochs {
 public:
  /// One partner of an epoch, and which epoch with this partner it is, from 0.
  struct Partner {
    std::uint32_t rank = 0;
    std::uint32_t number = 0;
  };
  struct Epoch {
    WindowId window = no_id;
    GroupId group = no_id;
    std::uint32_t stretch = 0;
    std::vector<Partner> partners;
  };
  /// What a record did; valid until the next call.
  struct Result {
    EpochChange change = EpochChange::none;
    const Epoch* epoch = nullptr;   ///< the one that opens or closes; nullptr: none
    const Epoch* lost = nullptr;    ///< one whose end is missing: open until now, or open before a gap
    const Epoch* unseen = nullptr;  ///< the one that this ends, whose beginning was not recorded
  };

  explicit WindowEpochs(const Definitions& definitions) : definitions_(definitions) {}

  /// MPI_Win_start, complete …; `group`: of the epoch, as the record has it.
  const Result& change(EpochChange change, WindowId window, GroupId group, std::uint32_t stretch);
  /// lock_request (`takes`) or lock_release; `target` no_id: all.
  void lock(WindowId window, std::uint32_t target, bool takes, std::uint32_t stretch);
  /// rma_collective_end; only fences matter. The number of the fence in its stretch, from 0.
  std::uint32_t fence(WindowId window, std::uint32_t stretch);

  enum class Place : std::uint8_t { outside, lock, lock_all, access, fence };
  /// To which epoch a transfer to `target` belongs. `partner`: of an access epoch; `number`: of the lock (which one of
  /// this process on the target), of the access epoch (which one of this process), or of the fence that ends it; from
  /// 0.
  struct TransferPlace {
    Place place = Place::outside;
    const Epoch* epoch = nullptr;
    const Partner* partner = nullptr;
    std::uint32_t number = 0;
  };
  TransferPlace place(WindowId window, std::uint32_t target, std::uint32_t stretch);

  /// How many locks of the target this process has taken, how many access epochs it has closed, in the stretch.
  std::uint32_t locks_taken(WindowId window, std::uint32_t target, std::uint32_t stretch);
  std::uint32_t accesses_closed(WindowId id, std::uint32_t stretch) { return window(id, stretch).access.epochs; }

  /// Each member once, ascending.
  const std::vector<std::uint32_t>& members(GroupId group);
  /// Access epochs that are open: their ends are missing if the stream is over.
  std::vector<const Epoch*> open_accesses() const;

 private:
  struct Kind {
    bool is_open = false;
    std::uint32_t epochs = 0;  ///< closed in this stretch
    Epoch epoch;
    std::map<std::uint32_t, std::uint32_t> numbers;  ///< opened in this stretch, by partner
  };
  struct Window {
    std::uint32_t stretch = 0;
    Kind access, exposure;
    std::uint32_t fences = 0;
    struct Lock {
      bool is_held = false;
      std::uint32_t taken = 0;
    };
    std::map<std::uint32_t, Lock> locks;  ///< by target; no_id: all
  };
  Window& window(WindowId window, std::uint32_t stretch);
  void open(Kind& kind, WindowId window, GroupId group, std::uint32_t stretch);
  void close(Kind& kind, WindowId window, GroupId group, std::uint32_t stretch);
  void number(Kind& kind, Epoch& epoch, WindowId window, GroupId group, std::uint32_t stretch);

  const Definitions& definitions_;
  std::map<WindowId, Window> windows_;
  std::map<GroupId, std::vector<std::uint32_t>> groups_;
  Result result_;
  Epoch lost_, unseen_;
};

}  // namespace mora::trace
