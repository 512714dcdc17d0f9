// Each journal is read once, several at a time, in its own numbers (rank.h); then the definitions of all
// journals are unified (communicator_names.h), and the numbers in the distinct calls of each rank are replaced. Cost:
// linear in the journals; memory follows the number of distinct calls.
#include "predict/pattern/journals/from_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/file.h"
#include "base/worker_pool.h"
#include "experiment/convert/convert.h"
#include "experiment/journal_files.h"
#include "predict/pattern/journals/communicator_names.h"

namespace mora::predict {
namespace {

struct RankJournal {
  std::uint32_t rank = 0;
  std::string path, failure, host;
  std::string program, library;
  std::optional<RankPart> part;
};

/// Values of all ranks, once each, in the order of ranks.
class Datatypes {
 public:
  explicit Datatypes(std::vector<Datatype>& out) : out_(out) {}
  std::uint32_t number(const Datatype& t) {
    const auto [at, added] =
        numbers_.try_emplace(std::make_tuple(t.name, t.size, t.extent, t.code, t.contiguous, t.predefined),
                             static_cast<std::uint32_t>(out_.size()));
    if (added) out_.push_back(t);
    return at->second;
  }

 private:
  std::vector<Datatype>& out_;
  std::map<std::tuple<std::string, std::uint64_t, std::int64_t, std::uint8_t, bool, bool>, std::uint32_t> numbers_;
};

const experiment::RunFiles& largest(const std::map<std::uint64_t, experiment::RunFiles>& runs, DataQuality& quality) {
  const auto best = std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
    return a.second.journals.size() < b.second.journals.size();
  });
  for (const auto& [tag, run] : runs)
    if (tag != best->first && !run.journals.empty())
      quality.add("other-job", Severity::loss, fmt::format("job {:x}", tag), run.journals.size(),
                  "processes of another MPI job in the same directory are not in the trace",
                  "record each job into a directory of its own");
  return best->second;
}

/// Ranks without a journal: a row for each, or, of many, one for all.
void tell_missing(const std::vector<RankJournal>& journals, std::uint32_t world_size, DataQuality& quality) {
  constexpr std::size_t most_rows = 64;
  const char *what = "no journal of this rank was found",
             *remedy = "check that all hosts see the directory and that it has space";
  const std::size_t missing = world_size - journals.size();
  if (missing > most_rows) {
    quality.add("rank-missing", Severity::loss, fmt::format("{} of {} ranks", missing, world_size), missing, what,
                remedy);
    return;
  }
  for (std::uint32_t rank = 0, at = 0; missing > 0 && rank < world_size; ++rank) {
    if (at < journals.size() && journals[at].rank == rank)
      ++at;
    else
      quality.add("rank-missing", Severity::loss, fmt::format("rank {}", rank), 1, what, remedy);
  }
}

void read_journal(RankJournal& rank, DataQuality& quality) {
  auto journal = journal::Journal::open(rank.path, quality);
  if (!journal) {
    rank.failure = journal.error().why.empty() ? journal.error().what : journal.error().why;
    return;
  }
  rank.host = journal->host();
  rank.program = journal->program();
  rank.library = journal->mpi_library();
  rank.part = read_rank(*journal, rank.rank, quality);
}

/// The process's numbers in the distinct calls become indices in the definitions of the job.
void renumber(RankTrace& trace, const PatternIds& ids, const std::vector<std::uint32_t>& types,
              const std::vector<std::uint32_t>& phases, const Definitions& definitions, DataQuality& quality) {
  std::uint64_t unknown = 0;
  for (auto& call : trace.calls) {
    for (auto* payload : {&call.sent, &call.received})
      if (payload->type != no_id) payload->type = types[payload->type];
    const auto kind = info(call.operation).kind;
    const bool named = call.communicator != no_id;
    if (kind == OperationClass::phase) {
      call.argument = phases[call.argument];
    } else if (kind == OperationClass::window || kind == OperationClass::one_sided) {
      call.argument = ids.window(call.argument);
      if (call.argument < definitions.windows.size())
        call.communicator = definitions.windows[call.argument].communicator;
      if (call.communicator == no_id) ++unknown;
    } else {
      if (kind == OperationClass::communicator && call.argument != no_id)
        call.argument = ids.communicator(call.argument);
      if (named) call.communicator = ids.communicator(call.communicator);
      if (named && call.communicator == no_id) ++unknown;
    }
  }
  if (unknown != 0)
    quality.add("unknown-communicator", Severity::loss, fmt::format("rank {}", trace.rank), unknown,
                "different calls on communicators or windows that were not recorded",
                "keep recording on from MPI_Init on");
}

}  // namespace

Result<PatternTrace> read_pattern_journals(const std::string& directory, Origin origin,
                                           const ProgressCallback& progress) {
  auto runs = experiment::find_runs(experiment::journal_directory(directory));
  std::erase_if(runs, [](const auto& run) { return run.second.journals.empty(); });
  if (runs.empty())
    return fail(ErrorKind::unreadable, "no journal is there", experiment::journal_directory(directory), "",
                "record with mora pattern record, and keep the journals with --keep-journal");
  PatternTrace trace;
  auto& quality = trace.quality;
  const auto& run = largest(runs, quality);
  std::vector<RankJournal> journals;
  for (const auto& [rank, path] : run.journals) {
    auto& journal = journals.emplace_back();
    journal.rank = rank;
    journal.path = path;
  }
  auto& d = trace.definitions;
  d.origin = origin;
  d.world_size = experiment::world_size_of(run);
  JobCommunicators communicators(d.world_size);
  std::vector<RankPart> parts;
  Progress steps(progress, "reading journals", journals.size());
  std::mutex mutex;
  constexpr std::size_t batch = 64;
  for (std::size_t first = 0; first < journals.size(); first += batch) {
    const std::size_t n = std::min(batch, journals.size() - first);
    run_tasks(n, 0, [&](std::size_t i) {
      read_journal(journals[first + i], quality);
      const std::lock_guard lock(mutex);
      steps.advance(1);
    });
    for (std::size_t i = first; i < first + n; ++i) {
      auto& journal = journals[i];
      if (!journal.part) continue;
      if (parts.empty()) {
        d.program = std::filesystem::path(journal.program).filename().string();
        d.mpi = journal.library;
      }
      communicators.add(*journal.part, quality);
      parts.push_back(std::move(*journal.part));
      journal.part.reset();
    }
  }
  if (parts.empty())
    return fail(ErrorKind::unreadable, "no journal can be read", journals.front().path, journals.front().failure,
                "the files stay where they are");
  d.hosts.resize(d.world_size);
  for (const auto& journal : journals) d.hosts[journal.rank] = journal.host;

  for (const auto& problem : experiment::recorder_problems(directory))
    quality.add("recorder-problem", Severity::loss, "", 1, problem, "remove the reason and record again");
  for (const auto& journal : journals)
    if (!journal.failure.empty())
      quality.add("rank-missing", Severity::loss, fmt::format("rank {}", journal.rank), 1,
                  "the journal cannot be read: " + journal.failure,
                  "check that all hosts see the directory and that it has space");
  if (origin != Origin::dryrun) tell_missing(journals, d.world_size, quality);

  communicators.finish(d);
  Datatypes datatypes(d.datatypes);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& part = parts[i];
    std::vector<std::uint32_t> types, phases;
    for (const auto& type : part.types) types.push_back(datatypes.number(type));
    for (const auto& name : part.phases) {
      const auto at = std::find(d.phases.begin(), d.phases.end(), name);
      phases.push_back(static_cast<std::uint32_t>(at - d.phases.begin()));
      if (at == d.phases.end()) d.phases.push_back(name);
    }
    renumber(part.trace, communicators.ids(i), types, phases, d, quality);
    const auto where = fmt::format("rank {}", part.trace.rank);
    if (!part.ended)
      quality.add("process-killed", Severity::warning, where, 1,
                  "the process was killed or aborted: its trace ends with its last recorded call", "");
    else if (!part.trace.complete)
      quality.add("no-finalize", Severity::warning, where, 1, "the process exited without MPI_Finalize",
                  "call MPI_Finalize on every path");
    trace.ranks.push_back(std::move(part.trace));
  }
  return trace;
}

}  // namespace mora::predict
