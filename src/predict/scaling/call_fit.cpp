/// A call's events are divided into parts, the n-th of each kind (a Sendrecv has a send and a receive). Each part is
/// fitted by itself over all executions on all ranks of all runs: the communicator first, since ranks in rules are its
/// ranks, then the partner, where none is -1 (MPI_PROC_NULL), then sizes and tags. Sizes depend on the rank in the
/// world or, if that fails, on the rank in the communicator. Equal observations are tried once.
#include "predict/scaling/call_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "trace/links/completions.h"

namespace mora::predict {
namespace {

using trace::EventKind;

struct Execution {
  RankCase at;  ///< ranks of MPI_COMM_WORLD
  std::size_t run = 0;
  std::uint32_t rank = 0;
  const RecordedCall* call = nullptr;
};

/// Which part each rank is in, numbered in the order of their first ranks; no_node: in none.
std::vector<std::uint32_t> parts_of(const RankRule& rule, std::uint32_t ranks) {
  std::vector<std::uint32_t> parts(ranks, no_node);
  std::map<std::int64_t, std::uint32_t> numbers;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t part = rule.of({rank, ranks});
    if (part >= 0) parts[rank] = numbers.try_emplace(part, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  return parts;
}

/// The ranks that are in a part by both are put together alike: others may never come to the call.
bool are_alike(const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other) {
  std::map<std::uint32_t, std::uint32_t> there, back;
  for (std::size_t rank = 0; rank < one.size(); ++rank) {
    if (one[rank] == no_node || other[rank] == no_node) continue;
    if (there.try_emplace(one[rank], other[rank]).first->second != other[rank] ||
        back.try_emplace(other[rank], one[rank]).first->second != one[rank])
      return false;
  }
  return true;
}

bool is_collective(EventKind kind) {
  return kind == EventKind::collective_end || kind == EventKind::collective_request;
}

/// A receive from MPI_PROC_NULL is posted and never complete; it moves nothing.
bool moves(const Moved& moved) {
  return moved.kind != EventKind::send_complete && (moved.kind != EventKind::receive_request || moved.is_complete);
}

class CallFit {
 public:
  CallFit(std::uint32_t node, const std::vector<RecordedRun>& runs, const Program& program, const Sites& sites,
          ScaledProgram& made, const FitTarget& target)
      : node_(node), runs_(runs), made_(made), target_(target), path_(first_path(program, sites, node)) {
    const std::uint32_t loop = program.nodes[node].parent;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      for (std::uint32_t rank = 0; rank < runs[run].ranks; ++rank) {
        const NodeRun& own = program.runs[run][rank][node];
        std::size_t next = 0;
        for (std::uint32_t j = 0; j < own.executed.size(); ++j) {
          if (!own.executed[j]) continue;
          executions_.push_back({case_at(program, run, rank, runs[run].ranks, loop, j), run, rank,
                                 &runs[run].by_rank[rank].calls[own.calls[next++]]});
        }
      }
    }
  }

  /// Dimensions of grids in which partners are neighbours.
  std::set<std::size_t> grids() {
    std::set<std::size_t> found;
    for (const auto& [kind, moved] : parts()) {
      ScaledPart part;
      if (is_collective(kind.first) || !family(moved) || !fit_partner_of(kind.first, moved, part)) continue;
      std::vector<FittedValue> all = part.partner.each;
      all.push_back(part.partner);
      for (const FittedValue& one : all) {
        std::set<std::size_t> own;
        for (const RankRule& rule : one.rules) own.insert(rule.dimensions);
        if (own.size() == 1 && *own.begin() != 0) found.insert(*own.begin());
      }
    }
    return found;
  }

  Result<void> fit() {
    for (const auto& [kind, moved] : parts()) MORA_CHECK_OK(fit_part(kind.first, moved));
    return {};
  }

 private:
  /// The events of each kind, by execution; nullptr: absent.
  std::map<std::pair<EventKind, std::size_t>, std::vector<const Moved*>> parts() const {
    std::map<std::pair<EventKind, std::size_t>, std::vector<const Moved*>> parts;
    for (std::size_t e = 0; e < executions_.size(); ++e) {
      std::map<EventKind, std::size_t> nth;
      for (const Moved* moved = begin(e); moved != end(e); ++moved) {
        if (!moves(*moved)) continue;
        auto& part = parts[{moved->kind, nth[moved->kind]++}];
        part.resize(executions_.size(), nullptr);
        part[e] = moved;
      }
    }
    return parts;
  }
  const Moved* begin(std::size_t e) const {
    return runs_[executions_[e].run].by_rank[executions_[e].rank].moved.data() + executions_[e].call->first;
  }
  const Moved* end(std::size_t e) const { return begin(e) + executions_[e].call->count; }

  tl::unexpected<Error> refuse(const std::string& what, const std::string& why) const {
    return refused(path_, what, why);
  }
  void note(const std::string& what, const FittedValue& value) {
    made_.from.add_exact(path_, what, value.words, value.leave_one_out);
    made_.from.worst_error = std::max(made_.from.worst_error, value.leave_one_out.value_or(0));
  }

  const std::vector<std::uint32_t>& members(const Execution& e, const Moved& moved) const {
    static const std::vector<std::uint32_t> none;
    return moved.comm < runs_[e.run].members.size() ? runs_[e.run].members[moved.comm] : none;
  }
  bool is_self(const Execution& e, const Moved& moved) const {
    return moved.comm < runs_[e.run].members.size() && runs_[e.run].members[moved.comm].empty();
  }

  /// The family of the communicators that the part uses; it is made if it is a new one.
  Result<std::size_t> family(const std::vector<const Moved*>& moved) {
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> comm_of;
    std::string name;
    bool self = false;
    for (std::size_t e = 0; e < executions_.size(); ++e) {
      if (moved[e] == nullptr) continue;
      const Execution& at = executions_[e];
      const auto [known, is_new] = comm_of.try_emplace({at.run, at.rank}, moved[e]->comm);
      if (!is_new && known->second != moved[e]->comm)
        return refuse("the communicator", fmt::format("rank {} of {} uses several there", at.rank, at.at.ranks));
      if (moved[e]->comm < runs_[at.run].communicators.size()) name = runs_[at.run].communicators[moved[e]->comm];
      self = is_self(at, *moved[e]);
    }
    // Each communicator of a run is compared once; ranks of one part are in one.
    std::map<std::size_t, std::map<std::uint32_t, std::uint32_t>> used;
    for (const auto& [where, comm] : comm_of) used[where.first][where.second] = comm;
    const auto fits = [&](const RankRule& rule) {
      for (const auto& [run, comms] : used) {
        const std::vector<std::uint32_t> part_of = parts_of(rule, runs_[run].ranks);
        std::map<std::uint32_t, std::vector<std::uint32_t>> members_of;
        for (std::uint32_t rank = 0; rank < part_of.size(); ++rank) members_of[part_of[rank]].push_back(rank);
        std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // communicator, part
        for (const auto& [rank, comm] : comms) {
          if (comm >= runs_[run].members.size()) return rule.words == "all ranks";
          if (part_of[rank] == no_node) return false;
          if (known.emplace(comm, part_of[rank]).second && members_of[part_of[rank]] != runs_[run].members[comm])
            return false;
        }
      }
      return true;
    };
    CommunicatorFamily made;
    made.is_self = self;
    for (unsigned tier = 0; tier < 2 && !self; ++tier) {
      const bool is_explained = !made.parts.empty();
      // All ranks are all ranks, whatever extents grids have.
      if (is_explained && made.parts.front().words == "all ranks") break;
      for (const RankRule& rule : part_rules(target_.vocabulary)) {
        if (is_explained && (rule.dimensions == 0 || !target_.vocabulary.may_be(rule.dimensions))) continue;
        if (rule.tier == tier && fits(rule)) made.parts.push_back(rule);
      }
    }
    if (!self && made.parts.empty())
      return refuse("the communicator " + name, "no rule says which ranks are its members");
    // Communicators with other names are others, also with the same members.
    made.name = name.empty() ? "MPI_COMM_WORLD" : name;
    if (!self && !made.parts.front().words.starts_with("all ranks")) made.name = made.parts.front().words;
    for (std::size_t f = 0; f < made_.families.size(); ++f)
      if (made_.families[f].name == made.name) return f;
    made.of_rank.assign(target_.ranks, no_node);
    made.place.assign(target_.ranks, 0);
    if (!self) {
      if (made.parts.front().words != "all ranks")
        made_.from.add_exact(path_, "members of the communicator", made.parts.front().words, 0);
      made.of_rank = parts_of(made.parts.front(), target_.ranks);
      for (std::uint32_t rank = 0; rank < target_.ranks; ++rank) {
        const std::uint32_t part = made.of_rank[rank];
        if (part == no_node) continue;
        if (part == made.members.size()) made.members.emplace_back();
        made.place[rank] = static_cast<std::uint32_t>(made.members[part].size());
        made.members[part].push_back(rank);
      }
      for (const RankRule& other : made.parts) {
        if (!are_alike(parts_of(other, target_.ranks), made.of_rank))
          return refuse("the communicator " + name,
                        fmt::format("the runs do not tell '{}' from '{}'", made.parts.front().words, other.words));
      }
    }
    made_.families.push_back(std::move(made));
    return made_.families.size() - 1;
  }

  /// Rank and size of the communicator instead of those of the world.
  RankCase in_communicator(const Execution& e, const Moved& moved) const {
    RankCase at = e.at;
    const auto& own = members(e, moved);
    const auto place = std::lower_bound(own.begin(), own.end(), e.rank);
    if (is_self(e, moved)) {
      at.rank = 0;
      at.ranks = 1;
    } else if (place != own.end() && *place == e.rank) {
      at.rank = static_cast<std::uint32_t>(place - own.begin());
      at.ranks = static_cast<std::uint32_t>(own.size());
    }
    return at;
  }

  std::int64_t partner_of(const Execution& e, const Moved& moved) const {
    if (moved.peer == trace::no_id) return -1;
    if (is_self(e, moved)) return 0;
    const auto& own = members(e, moved);
    if (moved.comm >= runs_[e.run].members.size()) return moved.peer;
    const auto place = std::lower_bound(own.begin(), own.end(), moved.peer);
    return place != own.end() && *place == moved.peer ? place - own.begin() : -1;
  }

  using Of = std::function<std::int64_t(const Moved&)>;

  std::vector<ObservedValue> observe(const std::vector<const Moved*>& moved, bool by_member, const Of& of) const {
    std::vector<ObservedValue> observed;
    for (std::size_t e = 0; e < executions_.size(); ++e) {
      if (moved[e] == nullptr) continue;
      observed.push_back({by_member ? in_communicator(executions_[e], *moved[e]) : executions_[e].at, of(*moved[e])});
    }
    return different(std::move(observed));
  }

  /// Ranks in rules are those of the world, else those of the communicator.
  Result<FittedValue> fit_size(const std::vector<const Moved*>& moved, const char* what, const Of& of, bool is_tag) {
    auto fitted = fit_number(observe(moved, false, of), target_, false);
    if (!fitted) {
      auto by_member = fit_number(observe(moved, true, of), target_, false);
      if (by_member) {
        by_member->by_member = true;
        fitted = std::move(by_member);
      } else if (!is_tag) {
        fitted = fit_number(observe(moved, false, of), target_, true);
      }
    }
    if (!fitted) return refuse(what, fitted.error());
    if (!is_tag) note(what, *fitted);
    return std::move(*fitted);
  }

  Result<void> fit_vector(const std::vector<const Moved*>& moved, ScaledPart& part) {
    std::vector<ObservedValue> observed;
    for (std::size_t e = 0; e < executions_.size(); ++e) {
      if (moved[e] == nullptr || moved[e]->vector == trace::no_id) continue;
      const auto& numbers = runs_[executions_[e].run].by_rank[executions_[e].rank].vectors[moved[e]->vector];
      const std::size_t size = in_communicator(executions_[e], *moved[e]).ranks;
      const bool is_uniform =
          !numbers.empty() && numbers.size() % size == 0 &&
          std::all_of(numbers.begin(), numbers.end(), [&](std::uint64_t n) { return n == numbers.front(); });
      if (mpi::is_neighborhood(part.collective) || !is_uniform)
        return refuse("bytes for each partner", "they differ, and no rule is known for such");
      part.vector = static_cast<std::uint32_t>(numbers.size() / size);
      observed.push_back({executions_[e].at, static_cast<std::int64_t>(numbers.front())});
    }
    if (observed.empty()) return {};
    auto fitted = fit_number(observed, target_, true);
    if (!fitted) return refuse("bytes for each partner", fitted.error());
    part.entry = std::move(*fitted);
    note("bytes for each partner", part.entry);
    return {};
  }

  Result<void> fit_part(EventKind kind, const std::vector<const Moved*>& moved) {
    ScaledPart part;
    part.kind = kind;
    for (const Moved* one : moved) {
      if (one == nullptr) continue;
      part.collective = one->collective;
      part.completes = one->is_complete;
    }
    for (const Moved* one : moved) {
      if (one == nullptr) continue;
      if (one->collective != part.collective) return refuse("the operation", "several different ones are called there");
      if (trace::is_request_start(kind) && one->is_complete != part.completes)
        return refuse("requests", "some are completed and some are not");
    }
    MORA_TRY(part.family, family(moved));
    MORA_CHECK_OK(fit_partner_of(kind, moved, part));
    const bool collective = is_collective(kind);
    MORA_TRY(part.bytes, fit_size(
                             moved, collective ? "bytes given" : "bytes",
                             [](const Moved& m) { return static_cast<std::int64_t>(m.bytes); }, false));
    if (collective) {
      MORA_TRY(part.received,
               fit_size(
                   moved, "bytes taken", [](const Moved& m) { return static_cast<std::int64_t>(m.received); }, false));
      MORA_CHECK_OK(fit_vector(moved, part));
    } else {
      MORA_TRY(part.tag, fit_size(
                             moved, "tags", [](const Moved& m) { return std::int64_t{m.tag}; }, true));
    }
    made_.nodes[node_].parts.push_back(std::move(part));
    return {};
  }

  /// In each execution of the loop each other rank of the communicator once, in any order: a wildcard.
  bool takes_each_other(const std::vector<const Moved*>& moved) const {
    std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, std::multiset<std::int64_t>> taken;
    for (std::size_t e = 0; e < executions_.size(); ++e) {
      if (moved[e] == nullptr) continue;
      const Execution& at = executions_[e];
      taken[{at.run, at.rank, at.at.outer}].insert(partner_of(at, *moved[e]));
    }
    for (std::size_t e = 0; e < executions_.size(); ++e) {
      if (moved[e] == nullptr) continue;
      const Execution& at = executions_[e];
      const RankCase member = in_communicator(at, *moved[e]);
      const auto& own = taken[{at.run, at.rank, at.at.outer}];
      for (std::int64_t rank = 0; rank < member.ranks; ++rank)
        if (own.count(rank) != (rank == member.rank ? 0U : 1U)) return false;
    }
    return true;
  }
  static FittedValue each_other_rank() {
    FittedValue value;
    value.rules.push_back({"each other rank once: recorded as they came, here in their order",
                           [](const RankCase& c) { return std::int64_t{c.number} + (c.number >= c.rank ? 1 : 0); }});
    value.words = value.rules.front().words;
    return value;
  }

  Result<void> fit_partner_of(EventKind kind, const std::vector<const Moved*>& moved, ScaledPart& part) {
    const char* const what = is_collective(kind) ? "the root" : "partners";
    std::vector<ObservedValue> all, present, whether;
    for (std::size_t e = 0; e < executions_.size(); ++e) {
      const Execution& execution = executions_[e];
      whether.push_back({execution.at, moved[e] != nullptr ? 1 : 0});
      if (moved[e] == nullptr) {
        all.push_back({execution.at, -1});
        continue;
      }
      const ObservedValue one{in_communicator(execution, *moved[e]), partner_of(execution, *moved[e])};
      all.push_back(one);
      present.push_back(one);
    }
    const bool always = present.size() == all.size();
    all = different(std::move(all));
    present = different(std::move(present));
    whether = different(std::move(whether));
    part.present = constant(1);
    if (std::all_of(present.begin(), present.end(), [](const ObservedValue& o) { return o.value < 0; })) {
      part.partner = constant(-1);
    } else if (auto fitted = fit_partner(always ? present : all, target_)) {
      part.partner = std::move(*fitted);
      note(what, part.partner);
      return {};
    } else if (kind == EventKind::receive && takes_each_other(moved)) {
      part.partner = each_other_rank();
      note(what, part.partner);
    } else if (always) {
      return refuse(what, fitted.error());
    } else if (auto some = fit_partner(present, target_)) {
      part.partner = std::move(*some);
      note(what, part.partner);
    } else {
      return refuse(what, some.error());
    }
    if (always) return {};
    auto condition = fit_condition(whether, target_);
    if (!condition) return refuse("on which ranks there is a partner", condition.error());
    part.present = std::move(*condition);
    note("where there is one", part.present);
    return {};
  }

  const std::uint32_t node_;
  const std::vector<RecordedRun>& runs_;
  ScaledProgram& made_;
  const FitTarget& target_;
  const std::string path_;
  std::vector<Execution> executions_;
};

}  // namespace

RankCase case_at(const Program& program, std::size_t run, std::uint32_t rank, std::uint32_t ranks, std::uint32_t loop,
                 std::uint32_t j) {
  RankCase at;
  at.rank = rank;
  at.ranks = ranks;
  const NodeRun& own = program.runs[run][rank][loop];
  at.number = own.number[j];
  at.count = own.times[own.outer[j]];
  const std::uint32_t around = program.nodes[loop].parent;
  if (around != no_node) at.outer = program.runs[run][rank][around].number[own.outer[j]];
  return at;
}

const std::string& first_path(const Program& program, const Sites& sites, std::uint32_t node) {
  while (!program.nodes[node].is_call()) node = program.nodes[node].children.front();
  return sites.sites[program.nodes[node].site].path;
}

tl::unexpected<Error> refused(const std::string& path, const std::string& what, const std::string& why) {
  return fail(ErrorKind::unreadable, "the runs do not say what another number of ranks does", path,
              fmt::format("{}: {}", what, why),
              "record the program with more numbers of ranks, or with numbers that its decomposition takes");
}

Vocabulary grids_of(const std::vector<RecordedRun>& runs, const ScaledProgram& program) {
  std::set<std::size_t> found;
  for (std::uint32_t node = 1; node < program.program.nodes.size(); ++node) {
    if (!program.program.nodes[node].is_call()) continue;
    ScaledProgram scratch;
    found.merge(CallFit(node, runs, program.program, program.sites, scratch, FitTarget{}).grids());
  }
  return found.empty() ? Vocabulary{} : Vocabulary{found.contains(2), found.contains(3), true};
}

Result<void> fit_call(std::uint32_t node, const std::vector<RecordedRun>& runs, ScaledProgram& made,
                      const FitTarget& target) {
  return CallFit(node, runs, made.program, made.sites, made, target).fit();
}

}  // namespace mora::predict
