/// Two traces of one program, call by call. Indices of definitions are each trace's own: communicators, windows and datatypes are paired when they
/// are first met together, must be alike, and stay paired.
///
/// Left out, because a dry run cannot know it: tests and probes that may fail, MPI_Waitsome (how many are there is a matter of time); which of
/// several requests MPI_Waitany took; source, tag and size of what arrives; and what may follow from such
/// choices: request_choices.h.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "predict/pattern/check_parts.h"
#include "predict/pattern/request_choices.h"

namespace mora::predict {
namespace {

class RankComparison {
 public:
  RankComparison(const PatternTrace& real, const RankTrace& real_rank, const PatternTrace& dry, const RankTrace& dry_rank)
      : real_(real), dry_(dry), real_rank_(real_rank), dry_rank_(dry_rank), requests_(real_rank, dry_rank) {
    for (const auto* rank : {&real_rank, &dry_rank})
      for (const auto& call : rank->calls) {
        choices_ = choices_ || is_choice(call);
        any_probe_ = any_probe_ || ((call.operation == Operation::mprobe || call.operation == Operation::improbe) &&
                                    (call.posted_any_source || call.posted_any_tag));
      }
  }

  void run(std::vector<Disagreement>& found) {
    auto a = real_rank_.order.cursor(), b = dry_rank_.order.cursor();
    std::uint64_t number_a = 0, number_b = 0;
    std::uint32_t i = 0, j = 0;
    for (;;) {
      const bool more_a = next(a, RequestChoices::real, number_a, i), more_b = next(b, RequestChoices::dry, number_b, j);
      if (!more_a && !more_b) break;
      if (more_a && more_b && same(i, j) && same_requests(i, j)) continue;
      const auto real_text = more_a ? fmt::format("{} (call {})", describe(real_rank_.calls[i], real_, real_rank_), number_a)
                                    : std::string("nothing more");
      const auto dry_text = more_b ? fmt::format("{} (call {})", describe(dry_rank_.calls[j], dry_, dry_rank_), number_b)
                                   : std::string(dry_rank_.complete ? "nothing more" : "nothing more: it was ended there");
      found.push_back({"pattern-difference", real_rank_.rank, no_id, more_a ? number_a : number_b,
                       fmt::format("really: {}; in the dry run: {}{}", real_text, dry_text,
                                   why_.empty() ? std::string() : fmt::format(" ({})", why_))});
      return;
    }
    if (real_rank_.complete != dry_rank_.complete)
      found.push_back({"pattern-difference", real_rank_.rank, no_id, number_a,
                       fmt::format("MPI_Finalize is reached only {}", real_rank_.complete ? "really" : "in the dry run")});
  }

 private:
  bool next(Sequence::Cursor& cursor, RequestChoices::Run run, std::uint64_t& number, std::uint32_t& call) {
    const auto& rank = run == RequestChoices::real ? real_rank_ : dry_rank_;
    while (cursor.next(call)) {
      ++number;
      if (choices_) requests_.meet(run, rank.calls[call]);
      if (!is_matter_of_time(rank.calls[call].operation)) return true;
    }
    return false;
  }

  /// Pairs stay pairs, so what was equal once stays equal.
  bool same(std::uint32_t i, std::uint32_t j) {
    const auto key = std::uint64_t{i} << 32 | j;
    if (same_.contains(key)) return true;
    why_.clear();
    if (!equal(real_rank_.calls[i], dry_rank_.calls[j])) return false;
    same_.insert(key);
    return true;
  }

  bool same_requests(std::uint32_t i, std::uint32_t j) {
    return !choices_ || because(requests_.same(real_rank_.calls[i], dry_rank_.calls[j]), "other requests are completed");
  }

  bool because(bool good, const char* what) {
    if (!good && why_.empty()) why_ = what;
    return good;
  }

  bool equal(const Call& a, const Call& b) {
    if (a.operation != b.operation) return false;
    const auto kind = info(a.operation).kind;
    const bool matched = a.operation == Operation::mrecv || a.operation == Operation::imrecv;
    const bool loose = matched && any_probe_;
    const bool any_source = (a.posted_any_source && b.posted_any_source) || loose;
    const bool any_tag = (a.posted_any_tag && b.posted_any_tag) || loose;
    // A sendrecv's source is peer2, a receive's peer.
    const bool replies = kind == OperationClass::sendrecv;
    bool good = because(a.in_place == b.in_place, "MPI_IN_PLACE differs") & because(a.thread == b.thread, "the thread differs");
    good &= because(a.posted_any_source == b.posted_any_source && a.posted_any_tag == b.posted_any_tag, "a wildcard differs");
    good &= because(communicators_equal(a.communicator, b.communicator), "the communicators have different members");
    good &= because((any_source && !replies) || a.peer == b.peer, kind == OperationClass::rooted ? "the root differs" : "the peer differs");
    good &= because((any_tag && !replies) || a.tag == b.tag, "the tag differs");
    good &= because((any_source && replies) || a.peer2 == b.peer2, "the source differs");
    good &= because((any_tag && replies) || a.tag2 == b.tag2,
                    kind == OperationClass::communicator ? "the key differs" : "the tag of the receive differs");
    good &= payloads_equal(a.sent, b.sent) && payloads_equal(a.received, b.received);
    good &= because(vectors_equal(a.sent_vector, b.sent_vector) && vectors_equal(a.received_vector, b.received_vector),
                    "the counts per rank differ");
    good &= arguments_equal(a, b) && completions_equal(a, b);
    return good;
  }

  template <class Pairs, class Alike>
  static bool paired(Pairs& pairs, std::uint32_t i, std::uint32_t j, Alike alike) {
    if (i == no_id || j == no_id) return i == j;
    const auto [at, added] = pairs.forth.try_emplace(i, j);
    if (!added) return at->second == j;
    const auto [back, new_back] = pairs.back.try_emplace(j, i);
    return new_back && alike();
  }
  struct Pairs {
    std::unordered_map<std::uint32_t, std::uint32_t> forth, back;
  };

  bool communicators_equal(std::uint32_t i, std::uint32_t j) {
    return paired(communicators_, i, j, [&] {
      const auto &all = real_.definitions.communicators, &other = dry_.definitions.communicators;
      return i < all.size() && j < other.size() && all[i].members == other[j].members && all[i].remote == other[j].remote &&
             all[i].made_by == other[j].made_by;
    });
  }

  bool windows_equal(std::uint32_t i, std::uint32_t j) {
    return paired(windows_, i, j, [&] {
      const auto &all = real_.definitions.windows, &other = dry_.definitions.windows;
      return i < all.size() && j < other.size() && communicators_equal(all[i].communicator, other[j].communicator);
    });
  }

  bool payloads_equal(const Payload& a, const Payload& b) {
    if (!because(a.count == b.count, "the count differs")) return false;
    const auto &all = real_.definitions.datatypes, &other = dry_.definitions.datatypes;
    if (a.type >= all.size() || b.type >= other.size()) return because((a.type >= all.size()) == (b.type >= other.size()), "the datatype differs");
    return because(all[a.type] == other[b.type], "the datatype differs");
  }

  bool vectors_equal(std::uint32_t i, std::uint32_t j) const {
    const auto &all = real_rank_.vectors, &other = dry_rank_.vectors;
    if (i >= all.size() || j >= other.size()) return (i >= all.size()) == (j >= other.size());
    return all[i] == other[j];
  }

  bool arguments_equal(const Call& a, const Call& b) {
    switch (info(a.operation).kind) {
      case OperationClass::phase: {
        const auto &all = real_.definitions.phases, &other = dry_.definitions.phases;
        return because(a.argument < all.size() && b.argument < other.size() && all[a.argument] == other[b.argument], "the phase differs");
      }
      case OperationClass::communicator:
        return because(communicators_equal(a.argument, b.argument), "what is made has different members");
      case OperationClass::window:
      case OperationClass::one_sided: return because(windows_equal(a.argument, b.argument), "the window differs");
      default: break;
    }
    if (a.operation == Operation::other) return because(a.argument == b.argument, "the function differs");
    return choices_ || because(a.argument == b.argument, "the request differs");
  }

  bool completions_equal(const Call& a, const Call& b) {
    if (choices_) return true;
    const auto &all = real_rank_.completions, &other = dry_rank_.completions;
    const bool none_a = a.completions >= all.size(), none_b = b.completions >= other.size();
    if (none_a || none_b) return because(none_a == none_b, "what is completed differs");
    const auto &x = all[a.completions], &y = other[b.completions];
    if (!because(x.size() == y.size(), "the number of completed requests differs")) return false;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!because(x[i].age == y[i].age && x[i].cancelled == y[i].cancelled, "other requests are completed")) return false;
    return true;
  }

  const PatternTrace &real_, &dry_;
  const RankTrace &real_rank_, &dry_rank_;
  Pairs communicators_, windows_;
  std::unordered_set<std::uint64_t> same_;
  RequestChoices requests_;
  bool choices_ = false;    // there are calls that choose by time: then requests_ compares
  bool any_probe_ = false;  // matched probes with wildcards
  std::string why_;
};

}  // namespace

std::vector<Disagreement> compare_patterns(const PatternTrace& real, const PatternTrace& dry) {
  std::vector<Disagreement> found;
  if (real.definitions.world_size != dry.definitions.world_size)
    found.push_back({"pattern-difference", no_id, no_id, 0,
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
