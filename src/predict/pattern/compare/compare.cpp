/// Two traces of one program, call by call (call_equality.h).
///
/// Not compared, because a dry run cannot know it: tests and probes that may fail, MPI_Waitsome (how many calls there
/// are depends on time); which of several requests MPI_Waitany took; source, tag and size of what arrives; and what may
/// follow from such choices: request_choices.h. Cost: linear in the calls; nothing is kept but open requests.
#include "predict/pattern/compare/compare.h"

#include <fmt/format.h>

#include "predict/pattern/compare/call_equality.h"
#include "predict/pattern/compare/request_choices.h"

namespace mora::predict {
namespace {

class RankComparison {
 public:
  RankComparison(const PatternTrace& real, const RankTrace& real_rank, const PatternTrace& dry,
                 const RankTrace& dry_rank)
      : real_(real),
        dry_(dry),
        real_rank_(real_rank),
        dry_rank_(dry_rank),
        calls_(real, real_rank, dry, dry_rank),
        requests_(real_rank, dry_rank) {
    bool any_probe = false;  // matched probes with wildcards
    for (const auto* rank : {&real_rank, &dry_rank})
      for (const auto& call : rank->calls) {
        choices_ = choices_ || is_choice(call);
        any_probe = any_probe || ((call.operation == Operation::mprobe || call.operation == Operation::improbe) &&
                                  (call.posted_any_source || call.posted_any_tag));
      }
    calls_.set_choices(choices_, any_probe);
  }

  void run(std::vector<Disagreement>& found) {
    auto a = real_rank_.order.cursor(), b = dry_rank_.order.cursor();
    std::uint64_t number_a = 0, number_b = 0;
    std::uint32_t i = 0, j = 0;
    for (;;) {
      const bool more_a = next(a, RequestChoices::real, number_a, i),
                 more_b = next(b, RequestChoices::dry, number_b, j);
      if (!more_a && !more_b) break;
      std::string why;
      if (more_a && more_b) {
        if (!calls_.same(i, j))
          why = calls_.why();
        else if (same_requests(i, j))
          continue;
        else
          why = "other requests are completed";
      }
      const auto real_text =
          more_a ? fmt::format("{} (call {})", describe(real_rank_.calls[i], real_, real_rank_), number_a)
                 : std::string("nothing more");
      const auto dry_text = more_b
                                ? fmt::format("{} (call {})", describe(dry_rank_.calls[j], dry_, dry_rank_), number_b)
                                : std::string(dry_rank_.complete ? "nothing more" : "nothing more: it was ended there");
      found.push_back({"pattern-difference", real_rank_.rank, no_id, more_a ? number_a : number_b,
                       fmt::format("really: {}; in the dry run: {}{}", real_text, dry_text,
                                   why.empty() ? std::string() : fmt::format(" ({})", why))});
      return;
    }
    if (real_rank_.complete != dry_rank_.complete)
      found.push_back(
          {"pattern-difference", real_rank_.rank, no_id, number_a,
           fmt::format("MPI_Finalize is reached only {}", real_rank_.complete ? "really" : "in the dry run")});
  }

 private:
  bool next(Sequence::Cursor& cursor, RequestChoices::Run run, std::uint64_t& number, std::uint32_t& call) {
    const auto& rank = run == RequestChoices::real ? real_rank_ : dry_rank_;
    while (cursor.next(call)) {
      ++number;
      if (choices_) requests_.meet(run, rank.calls[call]);
      if (!depends_on_time(rank.calls[call].operation)) return true;
    }
    return false;
  }

  bool same_requests(std::uint32_t i, std::uint32_t j) {
    return !choices_ || requests_.same(real_rank_.calls[i], dry_rank_.calls[j]);
  }

  const PatternTrace &real_, &dry_;
  const RankTrace &real_rank_, &dry_rank_;
  CallEquality calls_;
  RequestChoices requests_;
  bool choices_ = false;  // there are calls that choose by time: then requests_ compares
};

}  // namespace

std::vector<Disagreement> compare_patterns(const PatternTrace& real, const PatternTrace& dry) {
  std::vector<Disagreement> found;
  if (real.definitions.world_size != dry.definitions.world_size)
    found.push_back(
        {"pattern-difference", no_id, no_id, 0,
         fmt::format("{} ranks really, {} in the dry run", real.definitions.world_size, dry.definitions.world_size)});
  auto other = dry.ranks.begin();
  for (const auto& rank : real.ranks) {
    while (other != dry.ranks.end() && other->rank < rank.rank) ++other;
    if (other == dry.ranks.end()) break;
    if (other->rank == rank.rank) RankComparison(real, rank, dry, *other).run(found);
  }
  return found;
}

}  // namespace mora::predict
