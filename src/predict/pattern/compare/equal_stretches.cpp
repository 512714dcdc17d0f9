/// Alignment of two traces by landmarks. (1) The calls of each rank are listed without those that depend on time. (2)
/// The landmarks of both lists are aligned by a longest common subsequence: the O((n + m) d) algorithm of Myers 1986,
/// which keeps the furthest point on each diagonal for every number of edits d; beyond most_edits the
/// alignment that reached furthest is used. (3) Between two aligned landmarks calls are compared one by one up to the
/// first difference. Memory: the calls of one rank of both traces, and d² points.
#include "predict/pattern/compare/equal_stretches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "predict/pattern/check/check.h"
#include "predict/pattern/compare/call_equality.h"
#include "predict/pattern/compare/request_choices.h"

namespace mora::predict {
namespace {

constexpr std::size_t most_calls = 32'000'000;  ///< of a rank
constexpr std::int64_t most_edits = 4000;       ///< landmarks that are in one of both only

bool is_landmark(Operation operation) {
  switch (info(operation).kind) {
    case OperationClass::rooted:
    case OperationClass::rootless:
    case OperationClass::neighborhood:
    case OperationClass::communicator:
    case OperationClass::phase:
      return true;
    default:
      break;
  }
  return operation == Operation::barrier || operation == Operation::win_create || operation == Operation::win_free ||
         operation == Operation::win_fence;
}

struct Step {
  std::uint32_t call;
  std::uint64_t number;
};

/// A rank's calls one by one, and where its landmarks are.
struct Steps {
  explicit Steps(const RankTrace& rank) {
    auto cursor = rank.order.cursor();
    std::uint64_t number = 0;
    for (std::uint32_t call = 0; cursor.next(call);) {
      ++number;
      if (depends_on_time(rank.calls[call].operation)) continue;
      if (all.size() == most_calls) {
        whole = false;
        return;
      }
      if (is_landmark(rank.calls[call].operation)) landmarks.push_back(all.size());
      all.push_back({call, number});
    }
  }
  std::vector<Step> all;
  std::vector<std::size_t> landmarks;
  bool whole = true;
};

using Pair = std::pair<std::size_t, std::size_t>;

/// Longest common subsequence of two sequences of lengths n and m (Myers 1986). Beyond most_edits: of
/// their beginnings.
template <class Same>
std::vector<Pair> align(std::size_t n, std::size_t m, Same same, bool& whole) {
  const auto end_x = static_cast<std::int64_t>(n), end_y = static_cast<std::int64_t>(m);
  std::vector<std::vector<std::int64_t>>
      reached;  // after d edits: how far in x, on each diagonal x - y = -d, -d + 2, …
  const auto before = [&](std::int64_t d,
                          std::int64_t k) -> std::pair<std::int64_t, bool> {  // (x after the edit, it skipped a y)
    if (d == 0) return {0, true};
    const auto& last = reached[static_cast<std::size_t>(d - 1)];
    const auto at = [&](std::int64_t diagonal) { return last[static_cast<std::size_t>((diagonal + d - 1) / 2)]; };
    if (k == -d || (k != d && at(k - 1) < at(k + 1))) return {at(k + 1), true};
    return {at(k - 1) + 1, false};
  };
  std::int64_t found_d = -1, found_k = 0, furthest = -1;
  for (std::int64_t d = 0; d <= std::min(end_x + end_y, most_edits) && found_d < 0; ++d) {
    std::vector<std::int64_t> row;
    furthest = -1;
    for (std::int64_t k = -d; k <= d; k += 2) {
      auto x = before(d, k).first;
      while (x < end_x && x - k < end_y && x - k >= 0 &&
             same(static_cast<std::size_t>(x), static_cast<std::size_t>(x - k)))
        ++x;
      row.push_back(x);
      if (x >= end_x && x - k >= end_y) {
        found_d = d;
        found_k = k;
        break;
      }
    }
    reached.push_back(std::move(row));
  }
  std::int64_t d = found_d, k = found_k;
  whole = found_d >= 0;
  if (!whole) {
    d = static_cast<std::int64_t>(reached.size()) - 1;
    for (std::int64_t i = 0; i <= d; ++i) {
      const auto x = reached.back()[static_cast<std::size_t>(i)], diagonal = 2 * i - d;
      if (x > end_x || x - diagonal > end_y || 2 * x - diagonal <= furthest) continue;
      furthest = 2 * x - diagonal;
      k = diagonal;
    }
  }
  std::vector<Pair> pairs;
  for (; d >= 0; --d) {
    auto x = reached[static_cast<std::size_t>(d)][static_cast<std::size_t>((k + d) / 2)];
    const auto [start, skipped_y] = before(d, k);
    for (; x > start; --x) pairs.emplace_back(x - 1, x - k - 1);
    k += skipped_y ? 1 : -1;
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

class Comparison {
 public:
  Comparison(const PatternTrace& real, const RankTrace& real_rank, const PatternTrace& dry, const RankTrace& dry_rank)
      : real_(real),
        real_rank_(real_rank),
        dry_rank_(dry_rank),
        a_(real_rank),
        b_(dry_rank),
        calls_(real, real_rank, dry, dry_rank) {
    calls_.pair_all();
  }

  RankLikeness run() {
    found_.rank = real_rank_.rank;
    found_.real_calls = a_.all.size();
    found_.dry_calls = b_.all.size();
    bool all_aligned = true;
    const auto pairs = align(
        a_.landmarks.size(), b_.landmarks.size(),
        [&](std::size_t i, std::size_t j) {
          return calls_.same(a_.all[a_.landmarks[i]].call, b_.all[b_.landmarks[j]].call);
        },
        all_aligned);
    found_.whole = all_aligned && a_.whole && b_.whole;
    std::size_t i = 0, j = 0;
    for (const auto& [x, y] : pairs) {
      between(i, a_.landmarks[x], j, b_.landmarks[y]);
      i = a_.landmarks[x] + 1;
      j = b_.landmarks[y] + 1;
      take(i - 1, j - 1);
    }
    between(i, a_.all.size(), j, b_.all.size());
    end();
    return std::move(found_);
  }

 private:
  /// Calls i to i_end - 1 and j to j_end - 1 lie between two landmarks: requests that are chosen among by time there
  /// are not distinguished.
  void between(std::size_t i, std::size_t i_end, std::size_t j, std::size_t j_end) {
    bool choices = false, any_probe = false;
    const auto look = [&](const Steps& steps, const RankTrace& rank, std::size_t first, std::size_t last) {
      for (auto at = first; at < last; ++at) {
        const auto& call = rank.calls[steps.all[at].call];
        choices = choices || call.operation == Operation::waitany ||
                  (at > first && steps.all[at].number != steps.all[at - 1].number + 1);
        any_probe =
            any_probe || (call.operation == Operation::mprobe && (call.posted_any_source || call.posted_any_tag));
      }
    };
    look(a_, real_rank_, i, i_end);
    look(b_, dry_rank_, j, j_end);
    calls_.set_choices(choices, any_probe);
    while (i < i_end && j < j_end && calls_.same(a_.all[i].call, b_.all[j].call)) take(i++, j++);
    calls_.set_choices(false, false);
    if (i < i_end || j < j_end) end();
  }

  void take(std::size_t i, std::size_t j) {
    if (now_.calls++ == 0) {
      now_.real_first = a_.all[i].number;
      now_.dry_first = b_.all[j].number;
      first_ = i;
    }
    now_.real_last = a_.all[i].number;
    now_.dry_last = b_.all[j].number;
    last_ = i;
    ++operations_[real_rank_.calls[a_.all[i].call].operation];
  }

  void end() {
    if (now_.calls == 0) return;
    now_.first = describe(real_rank_.calls[a_.all[first_].call], real_, real_rank_);
    now_.last = describe(real_rank_.calls[a_.all[last_].call], real_, real_rank_);
    now_.operations.assign(operations_.begin(), operations_.end());
    operations_.clear();
    found_.equal_calls += now_.calls;
    found_.stretches.push_back(std::move(now_));
    now_ = {};
  }

  const PatternTrace& real_;
  const RankTrace &real_rank_, &dry_rank_;
  Steps a_, b_;
  CallEquality calls_;
  RankLikeness found_;
  EqualStretch now_;
  std::map<Operation, std::uint64_t> operations_;
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace

std::vector<RankLikeness> equal_stretches(const PatternTrace& real, const PatternTrace& dry) {
  std::vector<RankLikeness> all;
  auto other = dry.ranks.begin();
  for (const auto& rank : real.ranks) {
    while (other != dry.ranks.end() && other->rank < rank.rank) ++other;
    if (other == dry.ranks.end()) break;
    if (other->rank == rank.rank) all.push_back(Comparison(real, rank, dry, *other).run());
  }
  return all;
}

std::vector<std::string> sentences_about(const RankLikeness& likeness, std::size_t most) {
  std::vector<std::string> lines{fmt::format(
      "rank {}: {} calls are equal, of {} in the real run and {} in the dry run, in {} stretch{}{}", likeness.rank,
      likeness.equal_calls, likeness.real_calls, likeness.dry_calls, likeness.stretches.size(),
      likeness.stretches.size() == 1 ? "" : "es", likeness.whole ? "" : "; the rest was not compared")};
  auto longest = likeness.stretches;
  std::stable_sort(longest.begin(), longest.end(), [](const auto& x, const auto& y) { return x.calls > y.calls; });
  if (longest.size() > most) longest.resize(most);
  std::sort(longest.begin(), longest.end(), [](const auto& x, const auto& y) { return x.real_first < y.real_first; });
  for (const auto& s : longest) {
    lines.push_back(fmt::format("  calls {}-{} (in the dry run {}-{}): {} to {}", s.real_first, s.real_last,
                                s.dry_first, s.dry_last, s.first, s.last));
    std::string what;
    for (const auto& [operation, times] : s.operations)
      what += fmt::format("{}{} {}", what.empty() ? "" : ", ", times, info(operation).mpi_name);
    lines.push_back("    " + what);
  }
  return lines;
}

}  // namespace mora::predict
