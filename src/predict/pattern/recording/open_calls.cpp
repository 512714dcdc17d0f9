// The recorder keeps, in each process's live chunk, the call that it is in and its return address (mora_state); the
// stand-in's server keeps which modules stood where.
#include "predict/pattern/recording/open_calls.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "base/file.h"
#include "base/numbers/read_number.h"
#include "experiment/code/call_sites.h"
#include "experiment/ending/circle.h"
#include "experiment/ending/ending.h"
#include "experiment/journal_files.h"
#include "journal/journal_reader.h"
#include "mpi/function.h"

namespace mora::predict {
namespace {

constexpr std::uint64_t function_bits = 0xffff, site_bits = 0xffff'ffff'ffff;

std::string place_of(const DryRank& rank, const experiment::RunFiles& files, experiment::CallSiteResolver& resolver) {
  const auto journal_path = files.journals.find(rank.rank), maps_path = files.maps.find(rank.rank);
  if (journal_path == files.journals.end() || maps_path == files.maps.end()) return "";
  DataQuality ignored;
  const auto journal = journal::Journal::open(journal_path->second, ignored);
  const auto maps = read_file(maps_path->second);
  if (!journal || !maps) return "";
  const auto& state = journal->state();
  archive::Region call;
  call.function = mpi::function(static_cast<unsigned>(state.call & function_bits)).name;
  if (call.function != rank.function) return "";  // several threads: not noted
  const auto site = resolver.resolve(experiment::ModuleMap::parse(*maps), state.site & site_bits);
  call.file = site.file;
  call.line = site.line;
  call.symbol = site.symbol;
  return experiment::call_words(call);
}

}  // namespace

void find_places(const std::string& directory, const std::string& tag, DryRunReport& report) {
  std::uint64_t number = 0;
  if (!read_number(std::string_view(tag), number, 16)) return;
  const auto runs = experiment::find_runs(experiment::journal_directory(directory));
  const auto run = runs.find(number);
  if (run == runs.end()) return;
  experiment::CallSiteResolver resolver;
  for (auto& rank : report.ranks)
    if (rank.inside && rank.exit_code != 0) rank.place = place_of(rank, run->second, resolver);
}

const std::string& open_call(const DryRank& rank) { return rank.place.empty() ? rank.function : rank.place; }

std::string deadlock_sentence(const DryRunReport& report) {
  std::map<std::uint32_t, const DryRank*> waiting;
  for (const auto& rank : report.ranks)
    if (rank.state == "deadlock") waiting.emplace(static_cast<std::uint32_t>(rank.rank), &rank);
  if (waiting.empty()) return "";
  std::vector<std::vector<std::uint32_t>> edges(waiting.rbegin()->first + 1);
  const DryRank* waits_for_nobody_alive = nullptr;
  for (const auto& [number, rank] : waiting) {
    if (rank->waits_for < 0) continue;
    const auto other = static_cast<std::uint32_t>(rank->waits_for);
    if (waiting.count(other) != 0) {
      edges[number].push_back(other);
    } else if (waits_for_nobody_alive == nullptr) {
      waits_for_nobody_alive = rank;
    }
  }
  auto circle = experiment::circle_sentence(edges, [&](std::uint32_t rank) { return open_call(*waiting.at(rank)); });
  if (!circle.empty() || waits_for_nobody_alive == nullptr) return circle;
  return fmt::format("deadlock: rank {} in {} waits for rank {}, which has ended", waits_for_nobody_alive->rank,
                     open_call(*waits_for_nobody_alive), waits_for_nobody_alive->waits_for);
}

}  // namespace mora::predict
