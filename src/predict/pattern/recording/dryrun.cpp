/// Launch of a dry run and its report. The job is started as one process without a launcher, with the recorder and the
/// stand-in preloaded and MORA_DRYRUN_… set; the stand-in forks the ranks (src/measure/standin). The report is the text
/// file that the stand-in's server leaves; divergences are contradictions between the dry ranks (check.h).
#include "predict/pattern/recording/dryrun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/numbers/rank_list.h"
#include "base/numbers/read_number.h"
#include "predict/pattern/recording/open_calls.h"

namespace mora::predict {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const auto end = text.find(separator, at);
    parts.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

/// An MPI library that a script or an interpreter would load privately is preloaded behind the recorder and the
/// stand-in, so that both are in front of it.
std::string library_of_scripts(const launcher::Launch& launch, launcher::MpiFlavour flavour) {
  if (launch.program >= launch.command.size()) return "";
  const auto facts = launcher::inspect_program(launch.command[launch.program]);
  if (facts.kind == launcher::ProgramKind::dynamic_mpi) return "";
  return std::string(":") + launcher::names_of(flavour).library;
}

/// How many calls were recorded of a rank, and the last of them.
std::pair<std::uint64_t, std::string> last_call(const PatternTrace* trace, std::uint32_t number) {
  if (trace == nullptr) return {0, ""};
  for (const auto& rank : trace->ranks) {
    if (rank.rank != number || rank.order.empty()) continue;
    auto cursor = rank.order.cursor();
    std::uint32_t last = 0;
    while (cursor.next(last)) continue;
    return {rank.order.size(), describe(rank.calls[last], *trace, rank)};
  }
  return {0, ""};
}

bool read_line(const std::vector<std::string_view>& words, DryRunReport& report) {
  if (words[0] == "job") return words.size() == 3 && read_number(words[1], report.size);
  if (words[0] == "scouts") return words.size() == 2 && read_number(words[1], report.auxiliary_processes);
  if (words[0] == "note") {
    std::uint64_t count = 0;
    if (words.size() != 3 || !read_number(words[1], count)) return false;
    report.notes.emplace_back(count, words[2]);
    return true;
  }
  DryRank rank;
  int inside = 0;
  if (words[0] != "rank" || words.size() != 10 || !read_number(words[1], rank.rank) ||
      !read_number(words[3], rank.exit_code) || !read_number(words[5], rank.calls) || !read_number(words[7], inside) ||
      !read_number(words[9], rank.waits_for))
    return false;
  rank.state = words[2];
  rank.seconds = std::strtod(std::string(words[4]).c_str(), nullptr);
  rank.function = words[6];
  rank.inside = inside != 0;
  rank.text = words[8];
  report.ranks.push_back(std::move(rank));
  return true;
}

}  // namespace

std::string standin_library(launcher::MpiFlavour flavour) {
  const auto recorder = experiment::recorder_library(flavour);
  if (recorder.empty()) return "";
  const auto path =
      fs::path(recorder).parent_path() / fmt::format("libmora_standin-{}.so", launcher::to_string(flavour));
  std::error_code failed;
  return fs::exists(path, failed) ? path.string() : "";
}

Result<std::vector<std::uint32_t>> chosen_ranks(const std::string& text, std::uint32_t size) {
  MORA_TRY(const RankList list, RankList::parse(text.empty() ? "all" : text, "--ranks"));
  if (!list.is_all() && list.highest() >= size)
    return fail(ErrorKind::usage, "there is no such rank", "--ranks " + text,
                fmt::format("a job of {} processes has ranks 0 to {}", size, size - 1),
                "choose lower ranks or a larger job (-n)");
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < size; ++rank)
    if (list.holds(rank)) ranks.push_back(rank);
  return ranks;
}

Result<experiment::RecordedRun> run_dry(const DryRunOptions& options, void (*on_warning)(const std::string&)) {
  MORA_CHECK_OK(chosen_ranks(options.ranks, options.size));
  auto record = options.record;
  if (record.command.empty())
    return fail(ErrorKind::usage, "no program to run", "", "",
                "write: mora pattern dryrun -n 4096 --ranks 0-3 ./program arguments");
  const auto launch = launcher::take_apart(record.command);
  if (!launch.launchers.empty())
    return fail(ErrorKind::usage, "a dry run needs no launcher", record.command[launch.launchers[0]],
                "Mora starts the ranks itself", "give the program alone, and the number of processes with -n");
  MORA_TRY(const auto choice, launcher::choose_flavour(launch, record.flavour));
  const auto library = standin_library(choice.flavour);
  if (library.empty())
    return fail(ErrorKind::system, "cannot find Mora's stand-in for the MPI library",
                fmt::format("libmora_standin-{}.so", launcher::to_string(choice.flavour)),
                "it should stand beside the recorder", "build or install Mora completely");
  record.flavour = launcher::to_string(choice.flavour);
  record.pattern = true;
  record.library_behind = library + library_of_scripts(launch, choice.flavour);
  record.variables = {{"MORA_DRYRUN", std::to_string(options.size)},
                      {"MORA_DRYRUN_RANKS", options.ranks.empty() ? "all" : options.ranks},
                      {"MORA_DRYRUN_TIMEOUT", fmt::format("{}", options.timeout_s)},
                      {"MORA_DRYRUN_NODE", std::to_string(options.ranks_per_node)},
                      {"MORA_DRYRUN_OUTPUT", options.output},
                      {"MORA_DRYRUN_PROGRESS", options.progress ? "1" : "0"},
                      {"MORA_RUN_TAG", "1"}};  // each program that calls MPI_Init makes a tag of its own
  if (options.together) record.variables.emplace_back("MORA_DRYRUN_TOGETHER", "1");
  if (options.jobs != 0) record.variables.emplace_back("MORA_DRYRUN_JOBS", std::to_string(options.jobs));
  return experiment::run_recorded(record, on_warning);
}

Result<std::vector<DryRunReport>> read_dry_reports(const std::string& directory) {
  std::map<std::string, DryRunReport> reports;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory + "/dryrun", failed)) {
    if (entry.path().extension() != ".txt") continue;
    MORA_TRY(const auto text, read_file(entry.path().string()));
    auto& report = reports[entry.path().filename().string()];
    std::size_t number = 0;
    for (const auto line : split(text, '\n')) {
      ++number;
      if (!line.empty() && !read_line(split(line, '\t'), report))
        return fail(ErrorKind::unreadable, "a damaged line in the report of a dry run",
                    fmt::format("{}:{}", entry.path().string(), number), std::string(line));
    }
    std::sort(report.ranks.begin(), report.ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    find_places(directory, entry.path().stem().string(), report);
    report.deadlock = deadlock_sentence(report);
  }
  std::vector<DryRunReport> all;
  for (auto& [name, report] : reports) all.push_back(std::move(report));
  return all;
}

std::string sentence_about(const DryRank& rank, double timeout_s, const PatternTrace* trace) {
  if (rank.state == "ended" || rank.state == "dropped") return "";
  std::string what;
  if (rank.state == "timeout")
    what = fmt::format("did not end within {:g} s", timeout_s);
  else if (rank.state == "killed")
    what = fmt::format("was killed by signal {}", rank.exit_code - 128);
  else if (rank.state == "unfinished")
    what = "ended without MPI_Finalize";
  else if (rank.state == "deadlock")
    what = rank.text;
  else if (rank.state == "aborted" || rank.state == "stopped")
    what = fmt::format("{}: {}", rank.state == "aborted" ? "aborted the job" : "cannot go on", rank.text);
  else
    what = fmt::format("ended with exit code {}", rank.exit_code);
  const auto [calls, last] = last_call(trace, rank.rank);
  const auto number = fmt::format("{} recorded call{}", calls, calls == 1 ? "" : "s");
  std::string where;
  if (rank.inside)
    where = fmt::format("in {}, after {}", open_call(rank), number);
  else if (calls > 0)
    where = fmt::format("outside MPI, after {}, the last one {}", number, last);
  else
    where = "it made no MPI call that is recorded";
  return fmt::format("rank {} {}; {}", rank.rank, what, where);
}

std::string sentence_about(const Disagreement& disagreement) {
  std::string where = disagreement.rank == no_id ? "" : fmt::format("rank {}", disagreement.rank);
  if (disagreement.call != 0) where += fmt::format(", call {}", disagreement.call);
  return where.empty() ? disagreement.text : where + ": " + disagreement.text;
}

std::vector<Disagreement> divergences(const PatternTrace& trace, const DryRunReport& report) {
  auto found = check_pattern(trace);
  std::erase_if(found, [&](const Disagreement& d) {
    return d.kind == "pattern-rank-incomplete" &&
           std::any_of(report.ranks.begin(), report.ranks.end(),
                       [&](const DryRank& rank) { return rank.rank == d.rank && rank.state != "ended"; });
  });
  return found;
}

}  // namespace mora::predict
