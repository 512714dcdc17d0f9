#include "experiment/code/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "base/text/source_place.h"
#include "experiment/code/call_sites.h"
#include "mpi/function.h"

namespace mora::experiment {

void CodeOfRank::take(const journal::Record& r) {
  if (r.shape == MORA_SHAPE_DEFINE_STACK) {
    stacks_.take(r);
  } else if (r.shape == MORA_SHAPE_DEFINE_PLACE) {
    places_.take(r);
  } else if (r.shape == MORA_SHAPE_DEFINE_PATH) {
    const auto count = static_cast<std::size_t>(journal::pair_low(r.payload[0]));
    paths_[r.object].assign(r.payload.begin() + 1, r.payload.begin() + 1 + static_cast<std::ptrdiff_t>(count));
  } else if (r.shape == MORA_SHAPE_DEFINE_FUNCTION) {
    const auto* name = reinterpret_cast<const char*>(r.payload.data() + 1);
    const auto bytes = static_cast<std::uint32_t>(journal::pair_high(r.payload[0]));
    functions[r.object] = {journal::pair_low(r.payload[0]), std::string(name, strnlen(name, bytes))};
  } else if (r.shape == MORA_SHAPE_SAMPLE) {
    samples.try_emplace({r.site, r.object}, archive::no_id);
  } else if (r.shape == MORA_SHAPE_TEAM) {
    has_teams_ = true;
    team_makers_.insert(r.payload[1] >> 40);
    if (journal::pair_low(r.payload[0]) != MORA_TEAM_FORK) return;  // the others have no site
    take(region_key(construct_parallel, r.site));
    take(region_key(construct_end_of_parallel, r.site));
  } else if (r.shape == MORA_SHAPE_SYNC) {
    has_teams_ = has_teams_ || journal::pair_low(r.payload[0]) == MORA_SYNC_TASK;  // it may be of none
    if (r.site != 0) take(region_key(construct_of(r), r.site));
  } else if (r.function != 0 || r.shape == MORA_SHAPE_FUNCTION_BEGIN) {
    take(region_key(r.function, r.site));
  }
}

void CodeOfRank::take(std::uint64_t key) {
  if (key != last_key_) keys_.insert(key);
  last_key_ = key;
}

void CodeOfRank::take(const mora_state& state) {
  if (state.call != 0) keys_.insert(region_key(static_cast<unsigned>(state.call & 0xffff), state.site & site_bits));
}

namespace {

struct ConstructWords {
  unsigned construct;
  const char* name;
  OTF2_RegionRole role;
};
/// Named as others do that rewrite the source (OPARI2).
constexpr ConstructWords constructs[] = {
    {construct_parallel, "!$omp parallel", OTF2_REGION_ROLE_PARALLEL},
    {construct_end_of_parallel, "!$omp implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    {construct_sync + MORA_SYNC_BARRIER, "!$omp barrier", OTF2_REGION_ROLE_BARRIER},
    {construct_sync + MORA_SYNC_IMPLICIT_BARRIER, "!$omp implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    {construct_sync + MORA_SYNC_TASKWAIT, "!$omp taskwait", OTF2_REGION_ROLE_TASK_WAIT},
    {construct_sync + MORA_SYNC_CRITICAL, "!$omp critical", OTF2_REGION_ROLE_CRITICAL},
    {construct_sync + MORA_SYNC_ORDERED, "!$omp ordered", OTF2_REGION_ROLE_ORDERED},
    {construct_sync + MORA_SYNC_LOCK, "omp_set_lock", OTF2_REGION_ROLE_UNKNOWN},
    {construct_unlock, "omp_unset_lock", OTF2_REGION_ROLE_UNKNOWN},
    {construct_task, "!$omp task", OTF2_REGION_ROLE_TASK},
    {construct_sync + MORA_SYNC_TASKLOOP, "!$omp taskloop", OTF2_REGION_ROLE_TASK_WAIT},
    {construct_sync + MORA_SYNC_LOOP, "!$omp for", OTF2_REGION_ROLE_LOOP},
    {construct_sync + MORA_SYNC_SECTIONS, "!$omp sections", OTF2_REGION_ROLE_SECTIONS},
    {construct_sync + MORA_SYNC_SINGLE, "!$omp single", OTF2_REGION_ROLE_SINGLE},
    {construct_sync + MORA_SYNC_MASTER, "!$omp master", OTF2_REGION_ROLE_MASTER},
};

const ConstructWords* words_of(unsigned construct) {
  const auto* found = std::find_if(std::begin(constructs), std::end(constructs),
                                   [&](const ConstructWords& words) { return words.construct == construct; });
  return found == std::end(constructs) ? nullptr : found;
}

}  // namespace

unsigned construct_of(const journal::Record& sync) {
  const auto kind = journal::pair_low(sync.payload[0]);
  const bool is_unlock = kind == MORA_SYNC_LOCK && journal::pair_high(sync.payload[0]) == MORA_SYNC_RELEASED;
  return is_unlock ? construct_unlock : construct_sync + (static_cast<unsigned>(kind) & 0xF);
}

class RegionTable {
 public:
  explicit RegionTable(const FunctionFilter& filter) : filter_(filter) {}

  void add(CodeOfRank& rank, const ModuleMap& modules) {
    auto& mine = ranks_.emplace_back(&rank, Keys{}).second;
    const bool has_functions = !rank.keys_.empty() && *rank.keys_.begin() <= site_bits;  // they are the call path
    for (const auto key : rank.keys_) {
      const auto function = static_cast<unsigned>(key >> 48);
      if (const auto named = rank.functions.find(function); named != rank.functions.end())
        functions_.insert(*named);
      else if (function > mpi::function_count && words_of(function) == nullptr)
        continue;
      // The wait at a region's end stands inside of the region, which has the path.
      const bool with_caller = !has_functions && function != construct_end_of_parallel;
      auto found =
          function == 0 ? function_at(modules, key) : call_at(rank, modules, function, key & site_bits, with_caller);
      if (!found) continue;
      numbers_.emplace(*found, 0);
      mine.emplace_back(key, std::move(*found));
    }
    for (auto& [sample, caller] : rank.samples)
      caller = paths_.sampled(modules, rank.places_, sample.first, rank.paths_[sample.second], rank.has_teams_);
  }

  void finish(std::uint64_t start_ns, DataQuality& quality, archive::Definitions& out) {
    auto& regions = out.regions;
    for (auto& [key, number] : numbers_) {
      const auto& [function, file, line, symbol, caller] = key;
      number = static_cast<std::uint32_t>(regions.size());
      if (function == of_the_program) {
        regions.push_back({symbol, file, line, ""});
        regions.back().kind = archive::RegionKind::user;
      } else if (const ConstructWords* words = words_of(function)) {
        regions.push_back(placed(words->name, " @", archive::Model::openmp, file, line, symbol));
        regions.back().role = words->role;
      } else if (const auto named = functions_.find(function); named != functions_.end()) {
        regions.push_back(placed(named->second.name, "@", model_of(named->second), file, line, symbol));
      } else {
        regions.push_back({std::string(mpi::function(function).name), file, line, symbol});
      }
      regions.back().caller = caller;
    }
    paths_.finish(out);
    paths_.report(quality);
    for (auto& [rank, mine] : ranks_)
      for (const auto& [key, found] : mine) rank->regions.emplace(key, numbers_.at(found));
    report(start_ns, quality);
  }

 private:
  /// A region that has its place in its name, as OTF2 has call sites of MPI functions only.
  static archive::Region placed(const std::string& name, const char* at, archive::Model model, const std::string& file,
                                std::uint32_t line, const std::string& symbol) {
    archive::Region region;
    region.function = name;
    if (line != 0)
      region.function += fmt::format("{}{}:{}", at, base_name(file), line);
    else if (!symbol.empty())
      region.function += at + symbol;
    region.file = file;
    region.line = line;
    region.kind = archive::RegionKind::user;
    region.model = model;
    return region;
  }

  static archive::Model model_of(const LibraryFunction& function) {
    return function.library == MORA_LIBRARY_SHMEM     ? archive::Model::shmem
           : function.library == MORA_LIBRARY_PTHREAD ? archive::Model::pthread
           : function.library == MORA_LIBRARY_DEVICE  ? archive::Model::device
                                                      : archive::Model::program;
  }

  /// MPI function or construct, file, line, symbol, caller.
  using Key = std::tuple<unsigned, std::string, std::uint32_t, std::string, std::uint32_t>;
  using Keys = std::vector<std::pair<std::uint64_t, Key>>;
  static constexpr unsigned of_the_program = ~0u;  ///< behind all MPI functions

  std::optional<Key> call_at(const CodeOfRank& rank, const ModuleMap& modules, unsigned function, std::uint64_t address,
                             bool with_caller) {
    auto caller = archive::no_id;
    std::optional<CallSite> in_python;
    if (is_stack(address)) {
      const auto addresses = rank.stacks_.addresses(address);
      address = addresses.empty() ? 0 : addresses.front();
      if (with_caller) caller = paths_.caller(modules, rank.places_, addresses, rank.has_teams_);
      in_python = python_site(modules, rank.places_, addresses);
    } else if (function == construct_task && with_caller) {  // where it was made, whoever executes it
      caller = paths_.caller(modules, rank.places_, {address}, rank.has_teams_);
    }
    if (!in_python && is_of_recorder(modules, address)) {
      ++last_places_;
      return Key{function, "", 0, "", caller};
    }
    auto site = in_python ? std::move(*in_python) : resolver_.resolve(modules, address);
    // C++'s std::thread makes and joins threads in its own library, which has no lines for anybody.
    const auto named = functions_.find(function);
    const bool is_of_threads = named != functions_.end() && named->second.library == MORA_LIBRARY_PTHREAD;
    if (site.line == 0 && !is_of_threads) ++unresolved_;
    return Key{function, std::move(site.file), site.line, std::move(site.symbol), caller};
  }

  /// `address`: of its first instruction, which is looked up as if it were in front of a return address.
  std::optional<Key> function_at(const ModuleMap& modules, std::uint64_t address) {
    const auto functions = resolver_.functions(modules, address + 1);
    CodeFunction function = functions.empty() ? CodeFunction{fmt::format("{:#x}", address), "", 0} : functions.back();
    if (!filter_.includes(function.name)) return std::nullopt;
    return Key{of_the_program, std::move(function.file), function.line, std::move(function.name), archive::no_id};
  }

  void report(std::uint64_t start_ns, DataQuality& quality) const {
    if (unresolved_ != 0)
      quality.add("call-site-unknown", Severity::info, "", unresolved_,
                  "call sites without file and line are shown by function and offset in it",
                  "compile with -g, or install the debug symbols (in another directory: MORA_DEBUG_PATH)");
    if (last_places_ != 0)
      quality.add(
          "call-in-last-place", Severity::info, "", last_places_,
          "calls are the last thing that a function does which was called by the recorder (the body of a "
          "parallel region, a thread's first function): the compiler made them jumps, so their place is not known",
          "compile with -fno-optimize-sibling-calls to see it");
    for (const auto& path : resolver_.changed_modules(start_ns))
      quality.add("module-changed", Severity::warning, path, 1,
                  "the file changed after the run: its call sites may be wrong", "record again");
    for (const auto& path : resolver_.missing_modules())
      quality.add("module-missing", Severity::info, path, 1,
                  "the file cannot be read: its call sites stay module+offset",
                  "keep programs and libraries in their places until the experiment is made");
    for (const auto& [path, file] : resolver_.missing_shared_files())
      quality.add("shared-debug-missing", Severity::info, path, 1,
                  fmt::format("the file of debug information that several programs have in common (dwz) cannot be read "
                              "({}): inlined functions and the lines of functions are not all known",
                              file),
                  "install the debug symbols of that package whole (in another directory: MORA_DEBUG_PATH)");
    for (const auto& [path, files] : resolver_.missing_parts())
      quality.add("split-debug-missing", Severity::info, path, files.size(),
                  fmt::format("files with the functions of a program built with -gsplit-dwarf cannot be read ({}): "
                              "inlined functions and the lines of functions are not known",
                              *files.begin()),
                  "keep the .dwo files where the compiler wrote them (a package of them, .dwp, is read with elfutils "
                  "0.193 or later), or compile without -gsplit-dwarf");
  }

  const FunctionFilter& filter_;
  CallSiteResolver resolver_;
  CallPaths paths_{resolver_};
  std::map<Key, std::uint32_t> numbers_;
  std::map<unsigned, LibraryFunction> functions_;
  std::vector<std::pair<CodeOfRank*, Keys>> ranks_;
  std::uint64_t unresolved_ = 0, last_places_ = 0;
};

void make_regions(const std::vector<std::pair<std::uint32_t, CodeOfRank*>>& code,
                  const std::map<std::uint32_t, std::string>& maps, std::uint64_t start_ns,
                  const FunctionFilter& filter, DataQuality& quality, archive::Definitions& out) {
  RegionTable table(filter);
  std::uint32_t known = archive::no_id;
  ModuleMap modules;
  for (const auto& [rank, of] : code) {
    if (rank != known) {
      known = rank;
      modules = {};
      if (const auto it = maps.find(rank); it != maps.end())
        if (const auto text = read_file(it->second)) modules = ModuleMap::parse(*text);
    }
    table.add(*of, modules);
  }
  table.finish(start_ns, quality, out);
}

}  // namespace mora::experiment
