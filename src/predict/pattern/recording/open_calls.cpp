// The recorder keeps, in each process's live chunk, the call that it is in and its return address (mora_state); the
// stand-in's server keeps which modules stood where.
#include "predict/pattern/recording/open_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/file.h"
#include "base/numbers/read_number.h"
#include "experiment/code/call_sites.h"
#include "experiment/ending/ending.h"
#include "experiment/journal_files.h"
#include "journal/journal_reader.h"
#include "mpi/function.h"

namespace mora::predict {
namespace {

constexpr std::size_t most_told = 16;
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
  std::map<int, const DryRank*> waiting;
  for (const auto& rank : report.ranks)
    if (rank.state == "deadlock") waiting.emplace(static_cast<int>(rank.rank), &rank);
  std::set<int> seen;
  const DryRank* waits_for_nobody_alive = nullptr;
  for (const auto& [start, first] : waiting) {
    std::vector<int> way;
    int at = start;
    for (; waiting.count(at) != 0 && seen.insert(at).second; at = waiting[at]->waits_for) way.push_back(at);
    if (at >= 0 && waiting.count(at) == 0 && waits_for_nobody_alive == nullptr)
      waits_for_nobody_alive = waiting[way.back()];
    auto circle = std::find(way.begin(), way.end(), at);
    if (circle == way.end()) continue;
    std::rotate(circle, std::min_element(circle, way.end()), way.end());
    std::string sentence = "deadlock:";
    const auto length = static_cast<std::size_t>(way.end() - circle);
    for (std::size_t i = 0; i < std::min(length, most_told); ++i) {
      const auto& rank = *waiting[circle[static_cast<std::ptrdiff_t>(i)]];
      sentence += fmt::format("{} rank {} in {} waits for rank {}", i == 0 ? "" : ",", rank.rank, open_call(rank),
                              rank.waits_for);
    }
    return length > most_told ? sentence + fmt::format(", and {} more", length - most_told) : sentence;
  }
  if (waits_for_nobody_alive == nullptr) return "";
  return fmt::format("deadlock: rank {} in {} waits for rank {}, which has ended", waits_for_nobody_alive->rank,
                     open_call(*waits_for_nobody_alive), waits_for_nobody_alive->waits_for);
}

}  // namespace mora::predict
