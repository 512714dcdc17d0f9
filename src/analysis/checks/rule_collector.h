/// Follows the epochs of one location on every window and notes which of MPI's rules they violate. Not thread-safe; one
/// per location.
#pragma once

#include <map>
#include <set>

#include "analysis/checks/rule_halves.h"
#include "analysis/core/domain.h"
#include "trace/links/epochs.h"

namespace mora::analysis::checks {

/// What the name of a data call says.
struct TransferCall {
  bool accumulates = false;
  bool is_request_based = false;
};

class RuleCollector : public Collector {
 public:
  /// All references outlive it.
  RuleCollector(const DomainContext& context, const std::vector<TransferCall>& calls, RuleHalves& halves)
      : context_(context), transfer_calls_(calls), halves_(halves), epochs_(context.definitions) {}

  void on_event(const trace::Event& event, const OpenCall& call) override;
  void on_leave(const OpenCall& call, Nanoseconds leave) override;
  void finish(Nanoseconds last) override;

 private:
  struct Lock {
    std::uint32_t call = 0;
    bool exclusive = false;
    bool is_checked = true;  ///< false: MPI_MODE_NOCHECK
  };
  /// What is open on one window.
  struct State {
    std::uint32_t fences = 0;
    bool nosucceed = false;           ///< said by the last fence
    std::uint32_t fence_use = no_id;  ///< first call that accessed after the last fence
    std::uint32_t start = no_id;      ///< call; no_id: no access epoch is open
    std::size_t first_access = 0;     ///< of the open access epoch: in RuleHalves::accesses, one for each partner
    std::uint32_t post = no_id;
    std::uint32_t posts = 0;
    std::map<std::uint32_t, Lock> locks;                          ///< by target; no_id: lock_all
    std::map<std::uint32_t, std::uint32_t> put_since_fence;       ///< target -> fences when it was noted, plus 1
    std::vector<std::size_t> active;                              ///< accesses of the open fence or access epoch
    std::map<std::uint32_t, std::vector<std::size_t>> unflushed;  ///< lock accesses with ranges, by target
    std::map<std::uint64_t, std::size_t> fetching;                ///< those of them that fetch, by the transfer's id
    std::map<std::uint32_t, std::uint32_t> stretches;             ///< between flushes, by target
    bool is_open() const { return start != no_id || post != no_id || !locks.empty() || fence_use != no_id; }
  };

  std::uint32_t index_of(const OpenCall& call);
  void violation(RmaRule rule, trace::WindowId window, const OpenCall& call, std::uint32_t partner = no_id);
  void on_fence(const trace::Event& event, const OpenCall& call, State& state);
  void on_group(const trace::Event& event, const OpenCall& call, State& state);
  /// An access or exposure epoch with each of its partners; not opened: `call` ends it, and nothing more is known.
  void access(const trace::WindowEpochs::Epoch& epoch, std::uint32_t call, bool is_opened);
  void expose(const trace::WindowEpochs::Epoch& epoch, std::uint32_t call, State& state, bool noput, bool is_unseen);
  void on_lock(const trace::Event& event, const OpenCall& call, State& state);
  void on_unlock(const trace::Event& event, const OpenCall& call, State& state);
  void on_flush(const trace::Event& event, const OpenCall& call, State& state);
  void on_transfer(const trace::Event& event, const OpenCall& call);
  /// Which epoch an access belongs to, and whether it may be there.
  void judge_transfer(const trace::Event& event, const OpenCall& call, State& state);
  void on_free(trace::WindowId window, const OpenCall& call);
  /// What was fetched is there: the transfer with this id, or all from `target` (no_id: from anywhere).
  void close_fetched(State& state, std::uint64_t transfer);
  void close_fetches(State& state, std::uint32_t target);
  /// An unlock or flush orders the accesses to `target` (no_id: all) before what follows.
  void close_ranges(State& state, std::uint32_t target);
  /// The end of a fence or access epoch; not `is_known`: it was not recorded, so that its accesses are taken as
  /// complete at once.
  void close_active(State& state, bool is_known);
  void complete(std::size_t access);
  /// Notes `rule` for everything that is still open; `call`: the call that found it, nullptr: the end of the trace.
  void report_open(trace::WindowId window, const State& state, RmaRule rule, const OpenCall* call);

  const DomainContext& context_;
  const std::vector<TransferCall>& transfer_calls_;  ///< index = RegionId
  RuleHalves& halves_;
  trace::WindowEpochs epochs_;  ///< of the stretch before the first gap
  std::map<trace::WindowId, State> states_;
  std::uint64_t last_number_ = UINT64_MAX;
};

}  // namespace mora::analysis::checks
