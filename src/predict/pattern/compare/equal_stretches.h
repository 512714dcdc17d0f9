/// What is equal in two traces of one program although they differ: after a difference the comparison goes on at the
/// next call that is a landmark of both. Rule `equal-stretches` (docs/rules.md).
///
/// Landmarks are the calls that all members of a communicator make in the same order, whatever happens between them:
/// collectives, creations of communicators and windows, phases. Each rank's landmarks of the two traces are aligned
/// (longest common subsequence: Myers 1986), and what lies between two neighbouring landmarks must be
/// equal call by call, or ends the stretch at its first difference. Cost: O((n + m) d) for n and m landmarks with d
/// differences, then linear in the calls. Limits: 32 million calls of a rank, 4000 different landmarks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "predict/pattern/trace.h"

namespace mora::predict {

/// Equal calls in a row. Numbers of calls are those of each trace, from 1; tests and probes that may fail are numbered
/// and not compared.
struct EqualStretch {
  std::uint64_t real_first = 0, real_last = 0;
  std::uint64_t dry_first = 0, dry_last = 0;
  std::uint64_t calls = 0;  ///< compared
  std::string first, last;  ///< what they are
  std::vector<std::pair<Operation, std::uint64_t>>
      operations;  ///< how many of each, in the order of the list of operations
};

struct RankLikeness {
  std::uint32_t rank = 0;
  std::uint64_t real_calls = 0, dry_calls = 0;  ///< that are compared
  std::uint64_t equal_calls = 0;
  bool whole = true;  ///< false: there are so many calls or differences that the rest was not compared
  std::vector<EqualStretch> stretches;  ///< ascending
};

/// For every rank present in both.
std::vector<RankLikeness> equal_stretches(const PatternTrace& real, const PatternTrace& dry);

/// One line: how much of a rank is equal; then its longest stretches (at most `most`), in their order.
std::vector<std::string> sentences_about(const RankLikeness& likeness, std::size_t most);

}  // namespace mora::predict
