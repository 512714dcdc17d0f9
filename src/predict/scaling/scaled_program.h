/// A program fitted over several runs: what each rank of a job of another size does, call by call.
///
/// Idea: the loops that all runs share (program.h), and for each of their iterations, calls, partners, sizes and tags a
/// value for every rank (fitted_value.h). Computation is that of the rank at the same relative place of the largest
/// run, stretch by stretch, times its growth by a fitted law (computation_fit.h): so noise stays. Everything that the
/// runs do not decide is an error that names the call site, or a remark in what is printed. Rule: scaled-runs. Cost: of
/// fit_program() the calls of all runs times the rules; memory as recorded_run.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "predict/prediction/report.h"
#include "predict/scaling/laws/fitted_value.h"
#include "predict/scaling/program.h"

namespace mora::predict {

/// Communicators that are made alike: one for each part of the ranks.
struct CommunicatorFamily {
  std::string name;
  bool is_self = false;
  std::vector<RankRule> parts;                      ///< all rules that fit; the first is used
  std::vector<std::vector<std::uint32_t>> members;  ///< of each communicator of the job asked for
  std::vector<std::uint32_t> of_rank;               ///< index in members; no_node: the rank is in none
  std::vector<std::uint32_t> place;                 ///< of the rank in it
};

/// A message, or what a rank gives to a collective operation.
struct ScaledPart {
  trace::EventKind kind = trace::EventKind::other;
  trace::Collective collective = trace::Collective::none;
  std::size_t family = 0;
  FittedValue present;  ///< 1: there is one where the partner is none all the same (a collective without a root)
  FittedValue partner, tag, bytes, received;
  std::uint32_t vector = 0;  ///< vectors have so many numbers for each member, all of them `entry`; 0: none
  FittedValue entry;
  bool completes = true;  ///< of a start
};

/// Of the open requests that were started at one of `sites`.
struct CompletionRule {
  enum Which : std::uint8_t { none, all, oldest, oldest_of_each, newest } which = none;
  std::vector<std::uint32_t> sites;  ///< ascending
};
struct OpenRequest {
  std::uint64_t request = 0;
  std::uint32_t site = 0;
};
/// Indices in `open`, which is in the order of the starts.
std::vector<std::size_t> completed_by(const CompletionRule& rule, const std::vector<OpenRequest>& open);

/// Time of a site as a multiple of what was recorded in the largest run.
struct TimeLaw {
  double factor[3] = {1, 1, 1};  ///< by FitEnd
};
/// Of all ranks, or one of rank 0 and one of the others where these grow otherwise.
struct RankTimeLaws {
  TimeLaw all;
  std::optional<TimeLaw> first;
  const TimeLaw& of(std::uint32_t rank) const { return first && rank == 0 ? *first : all; }
};

/// What is computed between two call sites.
struct Stretch {
  RankTimeLaws law;
  /// Ranks of the largest run that have it, ascending, and their calls at its end.
  std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> recorded;
};

struct ScaledNode {
  FittedValue times;
  std::vector<ScaledPart> parts;
  CompletionRule completion;
  Stretch whole;                            ///< of local calls: how long they last
  std::map<std::uint32_t, Stretch> before;  ///< by the site of the call before; no_node: there is none
};

struct ScaledProgram {
  std::uint32_t ranks = 0;
  Sites sites;
  Program program;
  RecordedRun largest;
  std::size_t largest_run = 0;
  std::vector<ScaledNode> nodes;  ///< as program.nodes
  std::vector<CommunicatorFamily> families;
  RankTimeLaws after;
  ScaledFrom from;
  DataQuality quality;  ///< of the runs, and what of them is left out
};

/// Of fewest_runs runs or more, with different numbers of ranks. Errors: unreadable, with the call site and what does
/// not carry.
Result<std::shared_ptr<ScaledProgram>> fit_program(std::vector<RecordedRun> runs, Sites sites, FitTarget target,
                                                   const ProgressCallback& progress = {});

}  // namespace mora::predict
