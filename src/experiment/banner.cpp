/// What is printed after a recorded run: one line each for the job, its size, its slowest rank, the cost, the losses.
#include "experiment/banner.h"

#include <fmt/format.h>

#include <map>

#include "base/json/json_document.h"
#include "base/table/wrapped.h"
#include "base/time.h"

namespace mora::experiment {
namespace {

Nanoseconds signed_ns(std::uint64_t ns) { return static_cast<Nanoseconds>(ns); }

}  // namespace

// "Open MPI v4.1.4, package: …", "MPICH Version:\t4.0.2".
std::string library_for_people(const std::string& flavour, const std::string& library) {
  const auto at = library.find_first_of("0123456789");
  const auto number = at == std::string::npos ? "" : " " + library.substr(at, library.find_first_of(", \t\n", at) - at);
  return (flavour == "openmpi" ? "Open MPI" : "MPICH") + number;
}

std::string quality_lines(const std::vector<QualityRow>& rows) {
  std::string out;
  struct Group {
    std::uint64_t count = 0;
    std::vector<std::string> where;
    const QualityRow* row = nullptr;
  };
  std::map<std::string, Group> groups;
  for (const auto& row : rows) {
    if (row.severity == Severity::info) continue;
    auto& g = groups[row.kind];
    g.count += row.count;
    if (!row.where.empty()) g.where.push_back(row.where);
    g.row = &row;
  }
  for (const auto& [kind, g] : groups) {
    const auto where = g.where.empty()       ? std::string()
                       : g.where.size() == 1 ? " (" + g.where[0] + ")"
                                             : fmt::format(" ({} and {} more)", g.where[0], g.where.size() - 1);
    out += fmt::format("mora: {}: {} x {}{}{}\n", to_string(g.row->severity), g.count, g.row->what, where,
                       g.row->remedy.empty() ? "" : "; " + g.row->remedy);
  }
  return out;
}

std::string experiment_banner(const Manifest& m) {
  const auto mpi = signed_ns(m.mpi_ns()), life = signed_ns(m.lifetime_ns());
  const bool is_whole = missing_data(m.quality).empty();
  const char* const library = m.has_shmem ? "MPI and OpenSHMEM" : "MPI";
  std::string out = fmt::format("mora: {} with {}, {}: {} of wall time, {} of it in {}\n", m.programs(),
                                counted(m.ranks.size(), "rank"), library_for_people(m.mpi_flavour, m.mpi_library),
                                time_for_people(signed_ns(m.wall_ns())), percent_for_people(mpi, life),
                                is_whole ? library : fmt::format("those {} calls that were recorded", library));
  const auto events = m.events();
  const bool is_profile = asks_for_profile(m.request);
  if (is_profile)
    out += fmt::format("mora: {} {} calls added up, {} on disk; wait states need a trace\n", m.calls(), library,
                       bytes_for_people(m.archive_bytes()));
  else
    out += fmt::format("mora: {} events of {} {} calls, {} on disk ({:.1f} bytes per event)\n", events, m.calls(),
                       library, bytes_for_people(m.archive_bytes()),
                       events == 0 ? 0.0 : static_cast<double>(m.archive_bytes()) / static_cast<double>(events));
  if (m.ranks.size() > 1) {
    const auto& worst = m.ranks[m.worst_rank()];
    out += fmt::format("mora: longest in {}: rank {} with {} ({})\n", library, m.worst_rank(),
                       time_for_people(signed_ns(worst.mpi_ns)),
                       percent_for_people(signed_ns(worst.mpi_ns), signed_ns(worst.end - worst.begin)));
  }
  out += fmt::format("mora: recording took about {} of all processes' time ({})\n",
                     percent_for_people(signed_ns(m.overhead_ns()), life), time_for_people(signed_ns(m.overhead_ns())));
  auto rows = m.quality;
  if (!m.ending.empty())  // told one by one in ending_lines()
    std::erase_if(rows, [](const QualityRow& r) { return r.kind == "process-killed" || r.kind == "open-call"; });
  out += quality_lines(rows);
  if (is_whole && m.lost_calls() == 0) out += "mora: nothing recorded was lost\n";
  out += fmt::format("mora: experiment: {}\nmora: next: {}mora report {}\n", m.experiment,
                     is_profile ? "" : fmt::format("mora analyze {} && ", m.experiment), m.experiment);
  return out;
}

std::string ending_lines(const Manifest& m) {
  std::string out;
  for (const std::string& sentence : m.ending) out += wrapped("mora: " + sentence, 100, 6) + "\n";
  return out;
}

std::string experiments_json(const std::vector<Manifest>& manifests, int launcher_exit) {
  JsonDocument json("mora-record", JsonDocument::Form::one_line);
  std::vector<QualityRow> quality;
  json.fields("launcher_exit", launcher_exit, "experiments", list(manifests, [&](const Manifest& m) {
                quality.insert(quality.end(), m.quality.begin(), m.quality.end());
                json.line("experiment", m.experiment, "program", m.program, "ranks", m.ranks.size(), "wall_s",
                          Seconds{signed_ns(m.wall_ns())}, "mpi_s", Seconds{signed_ns(m.mpi_ns())}, "lifetime_s",
                          Seconds{signed_ns(m.lifetime_ns())}, "events", m.events(), "calls", m.calls(),
                          "archive_bytes", m.archive_bytes(), "worst_rank", m.worst_rank(), "overhead_s",
                          Seconds{signed_ns(m.overhead_ns())}, "lost_calls", m.lost_calls(), "recorded_ranks",
                          m.recorded_ranks());
              }));
  return json.finish(quality);
}

}  // namespace mora::experiment
