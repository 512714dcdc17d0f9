#include "experiment/ending/ending.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <optional>
#include <tuple>

#include "base/text/rank_words.h"
#include "base/text/source_place.h"
#include "base/time.h"
#include "experiment/ending/circle.h"
#include "experiment/ending/open_calls.h"
#include "mpi/function.h"

namespace mora::experiment {
namespace {

using archive::no_id;
using journal::pair_high;
using journal::pair_low;

constexpr std::size_t calls_told = 16;  ///< sentences about single processes
/// Deaths this close together are in no certain order: a launcher sees that the first one's connection is closed, and
/// may have killed others before the first one counts as gone.
constexpr std::uint64_t uncertain_order_ns = 50'000'000;

std::string duration(std::uint64_t ns) {
  return ns < 1'000'000'000 ? time_for_people(static_cast<Nanoseconds>(ns))
                            : fmt::format("{:.1f} s", static_cast<double>(ns) / 1e9);
}

std::string signal_words(int number) {
  const char* text = sigdescr_np(number);
  return fmt::format("signal {}{}", number, text == nullptr ? "" : fmt::format(" ({})", text));
}

class Story {
 public:
  explicit Story(const EndedJob& job) : job_(job), n_(static_cast<std::uint32_t>(job.processes.size())) {
    for (std::uint32_t rank = 0; rank < n_; ++rank) traffic_.push_back(traffic_of(job, rank));
  }

  Ending tell() {
    first_ = first_to_die();
    Ending ending;
    if (job_.stopped_by != 0)
      ending.sentences.push_back(fmt::format("the job was stopped by {}", signal_words(job_.stopped_by)));
    else if (first_)
      ending.sentences.push_back(death_sentence(*first_));
    if (auto circle = deadlock(); !circle.empty()) ending.sentences.push_back(std::move(circle));
    std::size_t told = 0, untold = 0;
    for (std::uint32_t rank = 0; rank < n_; ++rank) {
      const EndedProcess& process = job_.processes[rank];
      if (process.journal == nullptr || process.ended || process.finalized) {
        if (process.journal != nullptr && !process.finalized) add_exit(rank, ending);
        continue;
      }
      add_rows(rank, ending);
      if (rank == first_ && job_.stopped_by == 0) continue;
      if (told++ < calls_told)
        ending.sentences.push_back(state_sentence(rank));
      else
        ++untold;
    }
    if (untold != 0)
      ending.sentences.push_back(fmt::format("{} more ranks: see the rows open-call of the data quality", untold));
    return ending;
  }

 private:
  int end_signal(std::uint32_t rank) const {
    const auto end = job_.processes[rank].journal->state().end;
    return pair_low(end) == MORA_END_SIGNAL ? pair_high(end) : 0;
  }
  std::optional<int> exit_status(std::uint32_t rank) const {
    const auto end = job_.processes[rank].journal->state().end;
    return pair_low(end) == MORA_END_EXIT ? std::optional(pair_high(end)) : std::nullopt;
  }
  bool is_alive_at_end(std::uint32_t rank) const {
    const EndedProcess& p = job_.processes[rank];
    return p.journal != nullptr && !p.ended && !p.finalized;
  }
  bool is_in(std::uint32_t rank, mpi::FunctionId id) const {
    const OpenCall& open = traffic_[rank].open;
    return open.is_open && mpi::function(open.function).id == id;
  }
  static bool asks_to_end(int signal) { return signal == SIGTERM || signal == SIGINT || signal == SIGHUP; }

  /// Who says so itself, by what it did; else who was seen to be gone first; nobody if that is not known.
  std::optional<std::uint32_t> first_to_die() {
    if (job_.stopped_by != 0) return std::nullopt;
    const auto earliest = [&](auto is_it, auto when) {
      std::optional<std::uint32_t> first;
      for (std::uint32_t r = 0; r < n_; ++r)
        if (job_.processes[r].journal != nullptr && is_it(r) && (!first || when(r) < when(*first))) first = r;
      return first;
    };
    const auto noted = [&](std::uint32_t r) {
      return job_.processes[r].stamp(job_.processes[r].journal->state().end_ticks);
    };
    const auto exited = [&](std::uint32_t r) { return job_.processes[r].ended && !job_.processes[r].finalized; };
    const auto by_itself = [&](std::uint32_t r) {
      return exited(r) || (is_alive_at_end(r) && ((end_signal(r) != 0 && !asks_to_end(end_signal(r))) ||
                                                  exit_status(r) || is_in(r, mpi::FunctionId::abort)));
    };
    if (const auto first = earliest(by_itself, [&](std::uint32_t r) {
          return exited(r)                                     ? job_.processes[r].end
                 : job_.processes[r].journal->state().end != 0 ? noted(r)
                                                               : traffic_[r].open.since;
        }))
      return first;
    if (const auto refused = refused_by_mpich()) return refused;
    const auto seen = [&](std::uint32_t r) {  // the launcher asks those to end that are left over
      return !job_.processes[r].finalized && job_.processes[r].death != 0 && !asks_to_end(end_signal(r));
    };
    if (const auto first = earliest(seen, [&](std::uint32_t r) { return job_.processes[r].death; })) {
      std::optional<std::uint32_t> outside;
      std::uint32_t in_own_code = 0;
      for (std::uint32_t r = 0; r < n_; ++r) {
        if (!seen(r) || job_.processes[r].death - job_.processes[*first].death > uncertain_order_ns) continue;
        perhaps_first_.push_back(r);
        if (traffic_[r].open.is_open) continue;
        outside = r;
        ++in_own_code;
      }
      // One that waits in MPI does nothing by which it could end.
      const std::uint32_t probable = in_own_code == 1 ? *outside : *first;
      std::erase(perhaps_first_, probable);
      return probable;
    }
    const auto unasked = [&](std::uint32_t r) { return is_alive_at_end(r) && end_signal(r) == 0; };
    std::uint32_t unasked_ranks = 0;
    for (std::uint32_t r = 0; r < n_; ++r) unasked_ranks += job_.processes[r].journal != nullptr && unasked(r) ? 1 : 0;
    if (unasked_ranks == 1) return earliest(unasked, [](std::uint32_t) { return 0; });  // the launcher asked the others
    return std::nullopt;
  }

  /// MPICH tells its launcher the error code (class: low 7 bits) and waits to be killed: the launcher's exit code is
  /// the code's low byte. The call is the one with an argument that can be seen to be wrong, else one that waits for
  /// nobody, else the one that was entered last: a refusal takes no time.
  std::optional<std::uint32_t> refused_by_mpich() const {
    if (job_.is_openmpi || job_.launcher_exit <= 0 || job_.launcher_exit >= 128) return std::nullopt;
    std::optional<std::uint32_t> last;
    bool is_one_outside = false;  // of MPI: the code may be its own, unless a call can be seen to be refused
    for (std::uint32_t r = 0; r < n_; ++r) {
      const EndedProcess& p = job_.processes[r];
      if (p.journal != nullptr && p.ended && !p.finalized) return std::nullopt;  // an exit code of the program's own
      if (!is_alive_at_end(r)) continue;
      if (!traffic_[r].open.is_open) {
        is_one_outside = true;
        continue;
      }
      const auto key = [&](std::uint32_t of) {
        const OpenCall& open = traffic_[of].open;
        return std::tuple(open.has_bad_argument, mpi::function(open.function).is_local, open.since);
      };
      if (!last || key(r) > key(*last)) last = r;
    }
    if (!last || job_.launcher_exit == SIGKILL || job_.launcher_exit == SIGTERM || job_.launcher_exit == SIGSEGV)
      return std::nullopt;
    const OpenCall& open = traffic_[*last].open;
    if (is_one_outside && !open.has_bad_argument && !mpi::function(open.function).is_local) return std::nullopt;
    return last;
  }

  /// The class of the error for which this process was ended; 0: it was not.
  int refusal(std::uint32_t rank) const {
    const OpenCall& open = traffic_[rank].open;
    if (!open.is_open || is_in(rank, mpi::FunctionId::abort)) return 0;
    if (const auto status = exit_status(rank)) return *status & 0x7f;
    return end_signal(rank) == 0 && refused_by_mpich() == rank ? job_.launcher_exit & 0x7f : 0;
  }

  std::string with_whom(const WantedMessage& m) const {
    std::string text = m.is_send ? " to " : " from ";
    text += m.peer == MORA_PEER_ANY ? "any rank" : m.peer < 0 ? "no rank" : fmt::format("rank {}", m.peer);
    text += m.tag == MORA_TAG_ANY ? ", any tag" : fmt::format(", tag {}", m.tag);
    const auto& comms = job_.definitions->communicators;
    if (m.comm < comms.size() && comms[m.comm].name != "MPI_COMM_WORLD")
      text += comms[m.comm].name.empty() ? fmt::format(", communicator {}", m.comm) : ", on " + comms[m.comm].name;
    return text;
  }

  /// "MPI_Recv (main.c:12) from rank 1, tag 99"
  std::string call_words(std::uint32_t rank) const {
    const OpenCall& open = traffic_[rank].open;
    std::string text = open.words;
    if (open.requests > 1) text += fmt::format(" for {} requests, of them", open.requests);
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(most, open.messages.size()); ++i) {
      const auto& m = open.messages[i];
      if (i != 0) text += " and";
      if (m.function != 0) text += (open.requests > 1 ? " " : " for ") + job_.processes[rank].call(m.function, m.site);
      text += with_whom(m);
    }
    if (open.messages.size() > most) text += fmt::format(" and {} more", open.messages.size() - most);
    if (open.requests > 1 && open.messages.empty()) text += " none is a message";
    if (open.is_collective && open.comm < job_.definitions->communicators.size()) {
      const auto& name = job_.definitions->communicators[open.comm].name;
      text += " on " + (name.empty() ? fmt::format("communicator {}", open.comm) : name);
    } else if (open.root >= 0) {
      text += fmt::format(" at rank {}", open.root);
    }
    return text;
  }

  static bool fits(const WantedMessage& wanted, std::int32_t tag) {
    return wanted.tag == MORA_TAG_ANY || wanted.tag == tag;
  }

  /// Messages that were sent to `rank`, fit and were not received. `other_tags`: those that fit but for the tag.
  std::int64_t unreceived(std::uint32_t rank, const WantedMessage& wanted,
                          std::vector<std::int32_t>* other_tags) const {
    std::int64_t fitting = 0;
    for (const auto source : members_of(*job_.definitions, wanted.comm, rank)) {
      if (wanted.peer >= 0 && static_cast<std::uint32_t>(wanted.peer) != source) continue;
      if (source >= n_) continue;
      std::map<std::int32_t, std::int64_t> by_tag;
      for (const auto& [channel, n] : traffic_[source].sent)
        if (std::get<0>(channel) == wanted.comm && std::get<1>(channel) == static_cast<std::int32_t>(rank))
          by_tag[std::get<2>(channel)] += n;
      for (const auto& m : traffic_[source].open.messages)
        if (m.is_send && m.function == 0 && m.comm == wanted.comm && m.peer == static_cast<std::int32_t>(rank))
          ++by_tag[m.tag];
      for (const auto& [channel, n] : traffic_[rank].received)
        if (std::get<0>(channel) == wanted.comm && std::get<1>(channel) == static_cast<std::int32_t>(source))
          by_tag[std::get<2>(channel)] -= n;
      for (const auto& [tag, n] : by_tag) {
        if (n <= 0) continue;
        if (fits(wanted, tag)) fitting += n;
        if (!fits(wanted, tag) && other_tags != nullptr) other_tags->push_back(tag);
      }
    }
    return fitting;
  }

  /// Whether a receive is posted that could take what `rank` sends.
  bool is_posted(std::uint32_t rank, const WantedMessage& wanted) const {
    if (wanted.peer < 0 || static_cast<std::uint32_t>(wanted.peer) >= n_) return true;
    const Traffic& there = traffic_[static_cast<std::size_t>(wanted.peer)];
    const auto takes = [&](const WantedMessage& m) {
      return !m.is_send && m.comm == wanted.comm &&
             (m.peer == MORA_PEER_ANY || m.peer == static_cast<std::int32_t>(rank)) && fits(m, wanted.tag);
    };
    return std::any_of(there.open.messages.begin(), there.open.messages.end(), takes) ||
           std::any_of(there.pending.begin(), there.pending.end(), [&](const auto& p) { return takes(p.second); });
  }

  bool is_unmet(std::uint32_t rank, const WantedMessage& m) const {
    if (m.peer == MORA_PEER_NONE || m.comm == no_id) return false;
    return m.is_send ? !is_posted(rank, m) : unreceived(rank, m, nullptr) == 0;
  }

  Collectives collectives(std::uint32_t rank, std::uint32_t comm) const {
    const auto it = traffic_[rank].collectives.find(comm);
    return it == traffic_[rank].collectives.end() ? Collectives{} : it->second;
  }

  /// "; rank 0 came to MPI_Bcast (main.c:12) instead": the first member whose last collective there is another one.
  std::string other_collective(std::uint32_t rank) const {
    const OpenCall& open = traffic_[rank].open;
    for (const auto member : members_of(*job_.definitions, open.comm, rank)) {
      if (member >= n_ || job_.processes[member].journal == nullptr) continue;
      const Collectives there = collectives(member, open.comm);
      if (there.calls == collectives(rank, open.comm).calls + 1 && there.last_function != open.function)
        return fmt::format("; rank {} came to {} instead", member,
                           job_.processes[member].call(there.last_function, there.last_site));
    }
    return "";
  }

  /// Members of the collective that have not come to it.
  std::vector<std::uint32_t> missing_members(std::uint32_t rank) const {
    std::vector<std::uint32_t> missing;
    const OpenCall& open = traffic_[rank].open;
    for (const auto member : members_of(*job_.definitions, open.comm, rank)) {
      if (member == rank || member >= n_ || job_.processes[member].journal == nullptr ||
          collectives(member, open.comm).calls > collectives(rank, open.comm).calls)
        continue;
      if (is_in(rank, mpi::FunctionId::finalize) && job_.processes[member].finalized) continue;
      const OpenCall& other = traffic_[member].open;
      if (!other.is_open || !other.is_collective || other.comm != open.comm || other.function != open.function)
        missing.push_back(member);
    }
    return missing;
  }

  WindowWait on_window(std::uint32_t rank) const {
    const OpenCall& open = traffic_[rank].open;
    if (!open.is_open || !open.window) return {};
    return window_wait(traffic_, members_of(*job_.definitions, open.comm, rank), rank);
  }

  std::string reason(std::uint32_t rank) const {
    const OpenCall& open = traffic_[rank].open;
    if (open.is_collective && open.comm != no_id) {
      const auto missing = missing_members(rank);
      if (missing.empty()) return other_collective(rank);
      return fmt::format("; {} {} not come to it", ranks_in_words(missing), missing.size() == 1 ? "has" : "have");
    }
    if (const WindowWait wait = on_window(rank); !wait.ranks.empty())
      return fmt::format("; {} {}", ranks_in_words(wait.ranks), wait.ranks.size() == 1 ? wait.one : wait.several);
    for (const auto& m : open.messages) {
      if (!is_unmet(rank, m)) continue;
      if (open.messages.size() > 1)
        return fmt::format("; no {}{} was {}", m.is_send ? "receive for the message" : "message", with_whom(m),
                           m.is_send ? "posted" : "sent");
      if (m.is_send) return "; no receive for it was posted";
      std::vector<std::int32_t> tags;
      unreceived(rank, m, &tags);
      std::string text = "; no such message was sent";
      if (!tags.empty())
        text += fmt::format(", but {} with tag {}", tags.size() == 1 ? "one" : "some", fmt::join(tags, ", "));
      return text;
    }
    return "";
  }

  std::uint64_t age(std::uint32_t rank) const {
    const auto since = traffic_[rank].open.since, end = job_.processes[rank].end;
    return end > since ? end - since : 0;
  }

  std::string state_words(std::uint32_t rank) const {
    const OpenCall& open = traffic_[rank].open;
    if (open.polled_since)
      return fmt::format("has been polling with {}, for {}{}", call_words(rank),
                         duration(job_.processes[rank].end - *open.polled_since), reason(rank));
    if (open.is_open)
      return fmt::format("has been in {}, for {}{}", call_words(rank), duration(age(rank)), reason(rank));
    if (open.words.empty()) return "has not entered MPI again after MPI_Init";
    return fmt::format("has been outside MPI for {}, since {} returned", duration(age(rank)), open.words);
  }
  std::string state_sentence(std::uint32_t rank) const { return fmt::format("rank {} {}", rank, state_words(rank)); }

  std::string death_words(std::uint32_t rank) const {
    const OpenCall& open = traffic_[rank].open;
    const EndedProcess& process = job_.processes[rank];
    if (is_in(rank, mpi::FunctionId::abort)) return "called " + open.words;
    if (const int refused = refusal(rank))
      return fmt::format("was ended by MPI, which refused {}: {}", call_words(rank),
                         error_class_name(job_.is_openmpi, refused));
    if (process.ended)
      return "exited without MPI_Finalize" + (open.is_open         ? ", in " + call_words(rank)
                                              : open.words.empty() ? ""
                                                                   : ", after " + open.words);
    std::string how;
    if (const auto status = exit_status(rank)) {
      how = fmt::format("ended by _exit({})", *status);
    } else {
      int signal = end_signal(rank);
      if (signal == 0 && job_.launcher_exit > 128) signal = job_.launcher_exit - 128;
      if (signal == 0 && !job_.is_openmpi && job_.launcher_exit == SIGKILL) signal = SIGKILL;
      how =
          "was killed" + (signal == 0 ? " by a signal that leaves no trace (SIGKILL)" : " by " + signal_words(signal));
    }
    if (open.is_open) return how + ", in " + call_words(rank);
    return how + (open.words.empty()
                      ? ""
                      : fmt::format(", outside MPI, {} after {} returned", duration(age(rank)), open.words));
  }
  std::string death_sentence(std::uint32_t rank) const {
    if (perhaps_first_.empty()) return fmt::format("rank {} was the first to end: it {}", rank, death_words(rank));
    return fmt::format("rank {} was probably the first to end ({} ended less than {} ms from it): it {}", rank,
                       ranks_in_words(perhaps_first_), uncertain_order_ns / 1'000'000, death_words(rank));
  }

  /// The ranks that this one waits for, without which it can do nothing while it is in its call.
  std::vector<std::uint32_t> waits_for(std::uint32_t rank) const {
    const OpenCall& open = traffic_[rank].open;
    if (!is_alive_at_end(rank) || !(open.is_open || open.polled_since) || rank == first_) return {};
    std::vector<std::uint32_t> others;
    if (open.is_collective && open.comm != no_id) return missing_members(rank);
    if (open.window) return on_window(rank).ranks;
    for (const auto& m : open.messages)
      if (m.peer >= 0 && static_cast<std::uint32_t>(m.peer) < n_ && is_unmet(rank, m))
        others.push_back(static_cast<std::uint32_t>(m.peer));
    return others;
  }

  std::string deadlock() const {
    std::vector<std::vector<std::uint32_t>> edges;
    for (std::uint32_t r = 0; r < n_; ++r) edges.push_back(waits_for(r));
    return circle_sentence(edges, [&](std::uint32_t rank) { return traffic_[rank].open.words; });
  }

  static void add(Ending& ending, QualityRow row) { ending.rows.push_back(std::move(row)); }

  void add_open_call(std::uint32_t rank, Ending& ending) const {
    if (!traffic_[rank].open.is_open) return;
    add(ending, {"open-call", Severity::warning, fmt::format("rank {}", rank), 1,
                 "the process " + state_words(rank) + "; the call is ended with the process", ""});
  }
  void add_rows(std::uint32_t rank, Ending& ending) const {
    const auto where = fmt::format("rank {}", rank);
    const char* killed = "the process was killed or aborted: its time line ends with its last sign of life";
    add(ending, {"process-killed", Severity::warning, where, 1,
                 rank == first_ ? fmt::format("the process {}; it was {}the first to end", death_words(rank),
                                              perhaps_first_.empty() ? "" : "probably ")
                                : killed,
                 ""});
    add_open_call(rank, ending);
    if (const int refused = refusal(rank))
      add(ending, {"failed-call", Severity::warning, fmt::format("{}, {}", where, traffic_[rank].open.words), 1,
                   fmt::format("the call was refused with {}, and the error handler ended the process",
                               error_class_name(job_.is_openmpi, refused)),
                   "check the call's arguments"});
  }
  void add_exit(std::uint32_t rank, Ending& ending) const {
    add(ending, {"no-finalize", Severity::warning, fmt::format("rank {}", rank), 1,
                 "the process exited without MPI_Finalize", "call MPI_Finalize on every path"});
    add_open_call(rank, ending);
  }

  const EndedJob& job_;
  std::uint32_t n_;
  std::vector<Traffic> traffic_;
  std::optional<std::uint32_t> first_;
  std::vector<std::uint32_t> perhaps_first_;  ///< others that ended at about the same time
};

}  // namespace

std::string call_words(const archive::Region& region) {
  const std::string name = region.function.substr(0, region.function.find('@'));  // it may have its place in its name
  if (region.line != 0) return at_source_place(name, region.file, region.line);
  return region.symbol.empty() ? region.function : fmt::format("{} ({})", name, region.symbol);
}

Ending describe_ending(const EndedJob& job) {
  const bool is_regular = std::all_of(job.processes.begin(), job.processes.end(),
                                      [](const EndedProcess& p) { return p.journal == nullptr || p.finalized; });
  return is_regular ? Ending{} : Story(job).tell();
}

}  // namespace mora::experiment
