/// Which requests two runs of one program complete, where the choice depends on time: MPI_Waitany, MPI_Waitsome, tests.
///
/// Both runs start the same requests in the same order, so a request is named by the number of its start. As long as
/// the choices of both runs completed the same requests in the same order, all completions must be equal. After
/// different choices, requests that were open at a choice (started before the last one) may be completed in another
/// order; requests that are started later may not. Cost: linear in the completions; memory: the choices' completions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "predict/pattern/trace.h"

namespace mora::predict {

/// Tests, probes that may fail, MPI_Waitsome: their number depends on time, they are not compared.
bool depends_on_time(Operation operation);
/// Which requests the call completes depends on time.
bool is_choice(const Call& call);

class RequestChoices {
 public:
  enum Run { real, dry };

  RequestChoices(const RankTrace& real_rank, const RankTrace& dry_rank) : ranks_{&real_rank, &dry_rank} {}
  /// Each call of a run, before it is compared; of the calls in between two that are compared, all.
  void meet(Run run, const Call& call);
  /// For two calls that are equal but for their requests; call in the order of the program.
  bool same(const Call& real_call, const Call& dry_call);

 private:
  /// What the choices completed, in their order.
  struct Chosen {
    std::uint64_t count = 0, hash = 0;
    bool operator==(const Chosen&) const = default;
  };
  using Completed = std::vector<std::pair<std::uint64_t, bool>>;  // number of the start, cancelled

  /// From 1; 0: not known.
  std::uint64_t number_of(std::uint32_t age) const { return age < started_ ? started_ - age : 0; }
  bool may_differ(std::uint64_t number) const { return chosen_[real] != chosen_[dry] && number <= candidates_; }
  Completed completed(Run run, const Call& call) const;

  const RankTrace* ranks_[2];
  std::uint64_t started_ = 0,
                candidates_ = 0;  // requests so far; those of them that were started before the last choice
  Chosen chosen_[2];
};

}  // namespace mora::predict
