/// Brings both sides of an epoch together: exposure without access and the reverse, access epochs that run ahead,
/// assertions of the target, conflicting accesses.
///
/// One round: what a location saw of epochs with partners goes to the target's partition, where exposure epochs,
/// assertions and ranges are. The k-th access epoch of an origin to a target belongs to the k-th exposure epoch of the
/// target for that origin, never to one that is near in time. Source: MPI-3.1, 11.5 and 11.7; Hermanns 2004, 3.4.1;
/// Mora's rule rma-rules. Cost: O(n log n) for n epochs and accesses. Limits: where one side's record is incomplete
/// (recording was off, not readable, not in the trace, several threads), nothing is said of pairs; local loads and
/// stores are not in the trace.
#include "analysis/checks/rule_domain.h"

#include <algorithm>
#include <tuple>

#include "analysis/checks/conflicts.h"
#include "analysis/checks/order_steps.h"
#include "analysis/checks/rule_collector.h"
#include "trace/links/instances.h"
#include "trace/mpi_function.h"

namespace mora::analysis {

namespace checks {

namespace {

enum class Message : std::uint8_t { lost_rank, access, fence_put, range };

struct AccessHalf {
  AccessEpoch epoch;
  CheckedCall start, complete, put;  ///< location no_id: there is none
};
struct FencePutHalf {
  FencePut put;
  CheckedCall call;
};

/// How many fences the rank made on a window until it freed it; no_id: it did not.
std::uint32_t all_fences(const RuleHalves& halves, trace::WindowId window) {
  const auto found = halves.all_fences.find(window);
  return found == halves.all_fences.end() ? no_id : found->second;
}

/// The numbers of fences of two members do not hold: one of them lacks a record (trace/links/instances.h).
bool is_fence_lost(std::uint32_t all_of_one, std::uint32_t all_of_other) {
  trace::MemberCounts counts;
  for (const std::uint32_t fences : {all_of_one, all_of_other}) counts.add(fences, fences != no_id);
  return counts.lack_a_call(2);
}

bool is_any_fence_lost(const std::vector<MetAccess>& accesses) {
  std::uint32_t known = no_id;
  for (const MetAccess& access : accesses) {
    if (is_fence_lost(known, access.range.all_fences)) return true;
    if (known == no_id) known = access.range.all_fences;
  }
  return false;
}

class RmaRules : public DomainPartition {
 public:
  explicit RmaRules(const DomainContext& context) : context_(context) {
    for (const trace::Region& region : context.definitions.regions) {
      const auto& function = trace::function_of(region);
      transfer_calls_.push_back({function.call == mpi::CallClass::accumulate, mpi::is_request_based(function)});
    }
  }

  std::unique_ptr<Collector> collector(cube::LocationId location) override {
    halves_.push_back(std::make_unique<RuleHalves>());
    halves_.back()->location = location;
    halves_.back()->rank = context_.definitions.locations[location].rank;
    return std::make_unique<RuleCollector>(context_, transfer_calls_, *halves_.back());
  }

  void send(unsigned round, std::vector<Buffer>& outgoing) override;
  void receive(unsigned round, const std::vector<Buffer>& incoming) override;

 private:
  using Pair = std::tuple<trace::WindowId, std::uint32_t, std::uint32_t>;  ///< window, target, origin (ranks)

  CheckedCall call_of(const RuleHalves& halves, std::uint32_t call) const {
    if (call == no_id) return {};
    const LocalCall& c = halves.calls[call];
    return CheckedCall{halves.location, context_.path(halves.location, c.node), c.enter, c.leave};
  }
  std::uint32_t rank_of(cube::LocationId location) const { return context_.definitions.locations[location].rank; }
  bool in_trace(std::uint32_t rank) const {
    return rank < context_.partition_of_rank.size() && context_.partition_of_rank[rank] != no_id;
  }
  void drop_threads();
  void report(RmaRule rule, trace::WindowId window, const CheckedCall& call, std::uint32_t partner_rank,
              const CheckedCall& partner) const;
  void judge_pairs(std::map<Pair, std::vector<AccessHalf>>& accesses, const std::set<std::uint32_t>& lost) const;
  void judge_pair(const Pair& pair, const std::vector<AccessHalf>& accesses, const RuleHalves* target,
                  const std::set<std::uint32_t>& lost) const;
  void judge_ranges(std::vector<MetAccess>& ranges, const std::set<std::uint32_t>& lost) const;
  const RuleHalves* of_rank(std::uint32_t rank) const;

  const DomainContext& context_;
  std::vector<TransferCall> transfer_calls_;
  std::vector<std::unique_ptr<RuleHalves>> halves_;
  std::map<std::uint32_t, const RuleHalves*> by_rank_;
};

void RmaRules::report(RmaRule rule, trace::WindowId window, const CheckedCall& call, std::uint32_t partner_rank,
                      const CheckedCall& partner) const {
  CheckFinding finding;
  finding.rule = rule;
  finding.window = window;
  finding.partner_rank = partner_rank;
  finding.call = call;
  finding.partner = partner;
  context_.waits.broken_rule(finding);
}

/// The one location of a rank that used windows, or its first; nullptr: the rank is not here.
const RuleHalves* RmaRules::of_rank(std::uint32_t rank) const {
  const auto found = by_rank_.find(rank);
  return found == by_rank_.end() ? nullptr : found->second;
}

/// Epochs belong to the process. Where several of its threads use windows, their order is not known: nothing is judged.
void RmaRules::drop_threads() {
  std::map<std::uint32_t, unsigned> users;
  for (const auto& halves : halves_) {
    users[halves->rank] += halves->has_windows ? 1 : 0;
    const RuleHalves*& best = by_rank_[halves->rank];
    if (best == nullptr || (halves->has_windows && !best->has_windows)) best = halves.get();
  }
  for (const auto& halves : halves_) {
    if (users[halves->rank] > 1) {
      const auto transfers = std::move(halves->transfers);
      const cube::LocationId location = halves->location;
      const std::uint32_t rank = halves->rank;
      *halves = RuleHalves();
      halves->location = location;
      halves->rank = rank;
      halves->is_lost = halves->has_windows = true;
      halves->transfers = transfers;
    }
    if (halves->is_lost && halves->has_windows) {
      context_.quality.add("rma-rules-unchecked", mora::Severity::info,
                           context_.definitions.locations[halves->location].name, 1,
                           "several threads use windows, or recording was off for a while: from there on it is not "
                           "checked whether one-sided communication keeps MPI's rules",
                           "record the whole run; call one-sided functions from one thread");
    }
  }
}

void RmaRules::send(unsigned, std::vector<Buffer>& outgoing) {
  drop_threads();
  const auto box = [&](std::uint32_t rank) -> Buffer& {
    return outgoing[in_trace(rank) ? context_.partition_of_rank[rank] : rank % outgoing.size()];
  };
  for (const auto& kept : halves_) {
    const RuleHalves& halves = *kept;
    for (const auto& [cell, amounts] : halves.transfers) {
      context_.waits.transfer(TransferCell{halves.rank, cell.first, cell.second, amounts.first, amounts.second});
    }
    if (halves.is_lost && (halves.has_windows || !of_rank(halves.rank)->has_windows)) {
      for (Buffer& buffer : outgoing) {
        BufferWriter out(buffer);
        out.put(Message::lost_rank);
        out.put(halves.rank);
      }
    }
    for (const LocalViolation& violation : halves.violations) {
      report(violation.rule, violation.window, call_of(halves, violation.call), violation.partner, {});
    }
    for (const AccessEpoch& epoch : halves.accesses) {
      BufferWriter out(box(epoch.target));
      out.put(Message::access);
      out.put(
          AccessHalf{epoch, call_of(halves, epoch.start), call_of(halves, epoch.complete), call_of(halves, epoch.put)});
    }
    for (FencePut put : halves.fence_puts) {
      put.all_fences = all_fences(halves, put.window);
      BufferWriter out(box(put.target));
      out.put(Message::fence_put);
      out.put(FencePutHalf{put, call_of(halves, put.call)});
    }
    for (RangeAccess range : halves.ranges) {
      range.all_fences = all_fences(halves, range.window);
      BufferWriter out(box(range.target));
      out.put(Message::range);
      out.put(MetAccess{range, call_of(halves, range.call)});
    }
  }
}

void RmaRules::receive(unsigned, const std::vector<Buffer>& incoming) {
  std::set<std::uint32_t> lost;
  std::map<Pair, std::vector<AccessHalf>> accesses;
  std::vector<FencePutHalf> puts;
  std::vector<MetAccess> ranges;
  for (const Buffer& buffer : incoming) {
    for (BufferReader in(buffer); !in.empty();) {
      switch (in.take<Message>()) {
        case Message::lost_rank:
          lost.insert(in.take<std::uint32_t>());
          break;
        case Message::access: {
          const auto half = in.take<AccessHalf>();
          accesses[{half.epoch.window, half.epoch.target, rank_of(half.start.location)}].push_back(half);
          break;
        }
        case Message::fence_put:
          puts.push_back(in.take<FencePutHalf>());
          break;
        case Message::range:
          ranges.push_back(in.take<MetAccess>());
          break;
      }
    }
  }
  for (const FencePutHalf& half : puts) {
    const RuleHalves* target = of_rank(half.put.target);
    if (target == nullptr) continue;
    const auto said = target->noput_fences.find({half.put.window, half.put.fences});
    if (said == target->noput_fences.end() || is_fence_lost(half.put.all_fences, all_fences(*target, half.put.window)))
      continue;
    report(RmaRule::noput_but_put, half.put.window, half.call, half.put.target, call_of(*target, said->second));
  }
  judge_pairs(accesses, lost);
  judge_ranges(ranges, lost);
}

// ---- pairs of epochs -------------------------------------------------------------------------------------

void RmaRules::judge_pairs(std::map<Pair, std::vector<AccessHalf>>& accesses,
                           const std::set<std::uint32_t>& lost) const {
  for (const auto& halves : halves_) {  // exposures without any access have no entry yet
    for (const auto& [key, exposures] : halves->exposures) accesses.try_emplace({key.first, halves->rank, key.second});
  }
  for (const auto& [pair, epochs] : accesses) judge_pair(pair, epochs, of_rank(std::get<1>(pair)), lost);
}

void RmaRules::judge_pair(const Pair& pair, const std::vector<AccessHalf>& accesses, const RuleHalves* target,
                          const std::set<std::uint32_t>& lost) const {
  const auto [window, target_rank, origin_rank] = pair;
  static const std::vector<ExposureEpoch> none;
  const std::vector<ExposureEpoch>* exposures = &none;
  if (target != nullptr) {
    const auto found = target->exposures.find({window, origin_rank});
    if (found != target->exposures.end()) exposures = &found->second;
  }
  const std::size_t both = std::min(accesses.size(), exposures->size());
  for (std::size_t k = 0; k < both; ++k) {
    const ExposureEpoch& exposure = (*exposures)[k];
    const CheckedCall post = call_of(*target, exposure.post);
    if (exposure.noput && accesses[k].put.location != no_id) {
      report(RmaRule::noput_but_put, window, accesses[k].put, target_rank, post);
    }
    if (!exposure.is_unseen && k + 1 < accesses.size() && accesses[k + 1].complete.location != no_id &&
        accesses[k + 1].complete.end < post.begin) {
      report(RmaRule::access_epochs_ahead, window, accesses[k + 1].complete, target_rank, post);
    }
  }
  if (target != nullptr && in_trace(target_rank) && !lost.contains(target_rank)) {
    for (std::size_t k = both; k < accesses.size(); ++k) {
      const AccessEpoch& epoch = accesses[k].epoch;
      if (epoch.start == epoch.complete) continue;  // that was told
      report(RmaRule::access_without_exposure, window, accesses[k].start, target_rank, {});
    }
  }
  if (in_trace(origin_rank) && !lost.contains(origin_rank)) {
    for (std::size_t k = both; k < exposures->size(); ++k) {
      if ((*exposures)[k].is_unseen) continue;
      report(RmaRule::exposure_without_access, window, call_of(*target, (*exposures)[k].post), origin_rank, {});
    }
  }
}

// ---- ranges ----------------------------------------------------------------------------------------------

/// Origins count their access epochs each for itself; the target's exposure epochs are the common number. Each origin's
/// own records order its accesses; those of several go to access_order.h if they can conflict at all.
void RmaRules::judge_ranges(std::vector<MetAccess>& ranges, const std::set<std::uint32_t>& lost) const {
  using Memory = std::pair<trace::WindowId, std::uint32_t>;
  using Epoch = std::tuple<trace::WindowId, std::uint32_t, EpochSlot, std::uint32_t, cube::LocationId>;
  struct Kinds {
    const RangeAccess* first = nullptr;
    bool are_mixed = false;  ///< there is more than one kind of active target epoch of one window
  };
  std::map<Memory, Kinds> kinds;
  for (const MetAccess& access : ranges) {
    Kinds& of_memory = kinds[{access.range.memory, access.range.target}];
    if (of_memory.first == nullptr) of_memory.first = &access.range;
    of_memory.are_mixed = of_memory.are_mixed || !meet_in_epochs(*of_memory.first, access.range);
  }
  std::map<Epoch, std::vector<MetAccess>> epochs;
  std::map<Memory, std::vector<MetAccess>> mixed;
  for (MetAccess& access : ranges) {
    RangeAccess& range = access.range;
    const bool is_of_lock = range.slot == EpochSlot::lock;
    std::uint32_t number = range.number;
    if (range.slot == EpochSlot::access) {
      const RuleHalves* target = of_rank(range.target);
      if (target == nullptr) continue;
      const auto exposures = target->exposures.find({range.window, rank_of(access.call.location)});
      if (exposures == target->exposures.end() || range.number > exposures->second.size()) continue;
      const ExposureEpoch& exposure = exposures->second[range.number - 1];
      number = exposure.ordinal;
      range.ends_at_target = range.ends_at_target && !exposure.is_unseen && !lost.contains(range.target) &&
                             target->closed_exposures.contains({range.window, number});
    }
    if (!is_of_lock) epochs[{range.window, range.target, range.slot, number, cube::no_id}].push_back(access);
    if (!kinds[{range.memory, range.target}].are_mixed) continue;
    mixed[{range.memory, range.target}].push_back(access);
    if (range.memory == no_id) number = 0;  // windows have stretches of their own
    if (is_of_lock || range.memory == no_id) {
      epochs[{range.memory, range.target, EpochSlot::lock, number, access.call.location}].push_back(access);
    }
  }
  for (auto& [epoch, accesses] : epochs) {
    if (std::get<EpochSlot>(epoch) == EpochSlot::fence && is_any_fence_lost(accesses)) continue;
    const bool are_of_one_origin = std::get<EpochSlot>(epoch) == EpochSlot::lock;
    find_conflicts(accesses, are_of_one_origin, [&](const MetAccess& earlier, const MetAccess& later) {
      report(RmaRule::conflicting_access, later.range.window, later.call, rank_of(earlier.call.location), earlier.call);
    });
  }
  for (auto& [memory, accesses] : mixed) {
    for (const MetAccess& access : in_need_of_order(accesses)) context_.waits.access(access);
  }
}

}  // namespace

}  // namespace checks

Domain rma_rules_domain() {
  using trace::EventKind;
  Domain domain;
  domain.name = "one-sided rules";
  for (unsigned kind = 0; kind <= static_cast<unsigned>(EventKind::other); ++kind) {
    if (checks::is_rule_record(static_cast<EventKind>(kind))) domain.kinds |= kind_bit(static_cast<EventKind>(kind));
  }
  domain.rounds = 1;
  domain.concerns = [](const trace::Definitions& definitions) { return !definitions.windows.empty(); };
  domain.make = [](const DomainContext& context) -> std::unique_ptr<DomainPartition> {
    return std::make_unique<checks::RmaRules>(context);
  };
  return domain;
}

}  // namespace mora::analysis
