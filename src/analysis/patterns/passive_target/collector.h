/// Reads one location: lock epochs with their calls, what each call needs the progress of, repeated atomics, transfers.
/// O(log open epochs) per record; 32 bytes per call of passive target. Not thread-safe.
#pragma once

#include <set>
#include <unordered_map>

#include "analysis/core/domain.h"
#include "analysis/patterns/passive_target/passive.h"

namespace mora::analysis::passive {

/// Lock epochs are followed per location: MPI calls of one epoch must come from one thread (Mora's rule
/// passive-target-disjoint).
class PassiveCollector : public Collector {
 public:
  /// All references outlive it.
  PassiveCollector(const DomainContext& context, const std::vector<bool>& is_request_based, bool keeps_changes,
                   LocationHalves& halves)
      : context_(context), is_request_based_(is_request_based), keeps_changes_(keeps_changes), halves_(halves) {}

  void on_event(const trace::Event& event, const OpenCall& call) override;
  void on_leave(const OpenCall& call, Nanoseconds leave) override;
  void finish(Nanoseconds last) override;

 private:
  struct OpenEpoch : LockEpoch {
    std::vector<std::uint32_t> called;  ///< its calls, in order
    std::set<std::uint32_t> accessed;   ///< of MPI_Win_lock_all
  };
  /// The last attempt of an atomic operation, and the calls after it that end it and begin the next one.
  struct Attempt {
    trace::WindowId window = no_id;
    std::uint32_t target = no_id;
    std::uint64_t offset = 0;
    trace::RegionId region = no_id;
    std::uint32_t call = no_id;
    bool is_no_counter = false;          ///< it compares, replaces or only reads
    bool is_repeated = false;            ///< it belongs to the last of LocationHalves::loops
    std::vector<std::uint32_t> between;  ///< calls: flushes; if it is no counter unlocks and locks, too
    std::uint64_t number = 0;            ///< of the last of these calls
    Nanoseconds enter = 0;
    Nanoseconds leave = 0;
  };

  std::uint32_t current(const OpenCall& call, CallKind kind);
  bool is_request_based(trace::RegionId region) const;
  bool is_attempt(const trace::Event& event, const OpenCall& call) const;
  void add_target(std::uint32_t call, std::uint32_t target);
  void add_targets(std::uint32_t call, const std::set<std::uint32_t>& targets);
  void on_lock(const trace::Event& event, const OpenCall& call);
  void on_unlock(const trace::Event& event, const OpenCall& call);
  void on_flush(const trace::Event& event, const OpenCall& call);
  void count_transfer(const trace::Event& event, const OpenCall& call);
  void on_transfer(const trace::Event& event, const OpenCall& call);
  void on_completion(const trace::Event& event, const OpenCall& call);
  void complete_requests(const OpenCall& call, Nanoseconds leave);
  void end_of_attempt(const trace::Event& event, const OpenCall& call, std::uint32_t index);
  void follow_attempt(const trace::Event& event, const OpenCall& call, std::uint32_t index);
  void forget();

  const DomainContext& context_;
  const std::vector<bool>& is_request_based_;  ///< index = RegionId
  const bool keeps_changes_;
  LocationHalves& halves_;
  trace::OpenLocks<OpenEpoch> open_;
  std::vector<std::uint32_t> spare_;                                ///< memory of an epoch's calls, for the next one
  std::map<trace::WindowId, std::set<std::uint32_t>> unflushed_;    ///< targets with operations
  std::unordered_map<std::uint64_t, std::uint32_t> open_requests_;  ///< id of the transfer -> target
  std::set<std::uint32_t> completed_;                               ///< targets of what call `completing_` completed
  std::uint64_t completing_ = UINT64_MAX;
  Attempt attempt_;
  std::set<trace::WindowId> in_access_epoch_;  ///< of post-start-complete-wait
  std::uint64_t current_number_ = UINT64_MAX;
  std::uint64_t outside_ = 0;
  std::uint64_t incomplete_ = 0;
};

}  // namespace mora::analysis::passive
