/// The directory, the environment and the launch of a recorded job; conversion and messages afterwards.
#include "experiment/record/record.h"
#include "launcher/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "experiment/code/function_filter.h"
#include "experiment/convert/convert.h"
#include "experiment/journal_files.h"
#include "experiment/record/death_watch.h"
#include "experiment/record/ring_dump.h"
#include "experiment/size/record_sizes.h"

namespace mora::experiment {
namespace {

namespace fs = std::filesystem;

constexpr unsigned usual_samples = samples_per_second;  ///< cost 0.03 % (docs/performance.md)

std::uint64_t realtime_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

/// A name as part of a directory's name.
std::string safe_name(const std::string& program) {
  std::string out;
  for (const char c : program)
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' ? c : '_';
  return out.empty() ? "program" : out;
}

struct Place {
  std::string directory;
  std::string final_stem;  ///< to be renamed to <stem>-<ranks>; empty = keeps its name
};

tl::unexpected<Error> not_made(Error error) {
  error.what = "cannot make the experiment directory";
  error.help = "the program was not started; choose a directory that you may write to with -o";
  return tl::unexpected(std::move(error));
}

Result<Place> make_place(const RecordOptions& options, const launcher::Launch& launch) {
  Place place;
  if (!options.directory.empty()) {
    place.directory = options.directory;
    if (file_exists(place.directory))
      return fail(ErrorKind::usage, "the experiment directory exists already", place.directory,
                  "an experiment is never overwritten", "remove it, or choose another name with -o");
  } else {
    const auto stem = options.stem + safe_name(launch.program_name());
    const bool is_known = launch.ranks != 0 || launch.launchers.empty();
    auto made = make_numbered_directory(is_known ? fmt::format("{}-{}", stem, std::max(launch.ranks, 1U))
                                                 : fmt::format("{}-running-{}", stem, getpid()));
    if (!made) return not_made(made.error());
    place.directory = *made;
    if (launch.ranks == 0) place.final_stem = stem;
  }
  auto made = make_directories(journal_directory(place.directory));
  if (made && access(journal_directory(place.directory).c_str(), W_OK) != 0)
    made = fail(ErrorKind::system, "cannot write to the experiment directory", place.directory, system_reason(errno));
  if (!made) return not_made(made.error());
  return place;
}

void remove_place(const std::string& directory) {
  std::error_code ignored;
  fs::remove_all(journal_directory(directory), ignored);
  fs::remove(directory, ignored);
}

launcher::Environment environment_for(const RecordOptions& options, const std::string& library,
                                      const std::string& directory) {
  launcher::Environment variables;
  const char* preload = std::getenv("LD_PRELOAD");
  const auto ours = options.library_behind.empty() ? library : library + ":" + options.library_behind;
  variables.emplace_back("LD_PRELOAD", preload == nullptr || *preload == 0 ? ours : ours + ":" + preload);
  // The runtime of -fsanitize=address refuses to start where it is not the first library, unless it is told not to
  // look. Its place is as good as before: it stands before libc all the same.
  const char* sanitizer = std::getenv("ASAN_OPTIONS");
  const std::string unchecked = "verify_asan_link_order=0";
  variables.emplace_back("ASAN_OPTIONS",
                         sanitizer == nullptr || *sanitizer == 0 ? unchecked : unchecked + ":" + sanitizer);
  variables.emplace_back("MORA_DIR", fs::absolute(directory).lexically_normal().string());
  if (options.chunk_bytes != 0) variables.emplace_back("MORA_CHUNK_BYTES", std::to_string(options.chunk_bytes));
  if (!options.recording) variables.emplace_back("MORA_RECORD", "0");
  if (options.stats) variables.emplace_back("MORA_STATS", "1");
  if (!options.counters.empty()) variables.emplace_back("MORA_COUNTERS", options.counters);
  if (options.budget != 0) variables.emplace_back("MORA_BUDGET", std::to_string(options.budget));
  if (options.ring != 0) variables.emplace_back("MORA_RING", std::to_string(options.ring));
  if (options.ring_time != 0) variables.emplace_back(ring_time_setting, std::to_string(options.ring_time));
  if (options.stack != 0) variables.emplace_back("MORA_STACK", std::to_string(options.stack));
  if (const bool is_timed = options.recording && !options.pattern && !options.stats;
      options.sample || (is_timed && std::getenv("MORA_SAMPLE") == nullptr))
    variables.emplace_back("MORA_SAMPLE", std::to_string(is_timed ? options.sample.value_or(usual_samples) : 0));
  if (options.functions == "off" || options.stats) variables.emplace_back("MORA_FUNCTIONS", "0");
  if (!options.openmp || options.stats) variables.emplace_back("MORA_OPENMP", "0");
  if (!options.pthreads || options.stats) variables.emplace_back("MORA_PTHREADS", "0");
  if (options.queries) variables.emplace_back("MORA_RECORD_QUERIES", "1");
  if (!options.left_out.functions.empty())
    variables.emplace_back("MORA_LEFT_OUT", mpi::to_ranges(options.left_out.functions));
  if (options.left_out.polls) variables.emplace_back("MORA_POLLS", "0");
  if (options.pattern) variables.emplace_back("MORA_PATTERN", "1");
  variables.insert(variables.end(), options.variables.begin(), options.variables.end());
  if (!options.clock.empty()) variables.emplace_back("MORA_CLOCK", options.clock);
  for (const char* inherited : {"MORA_SHM", "MORA_CHUNK_BYTES", "MORA_RECORD_QUERIES", "MORA_CLOCK", "MORA_STACK",
                                "MORA_STACK_CHECK", "MORA_SAMPLE", "MORA_FUNCTIONS", "MORA_OPENMP", "MORA_PTHREADS"}) {
    const char* value = std::getenv(inherited);
    const bool set =
        std::any_of(variables.begin(), variables.end(), [&](const auto& v) { return v.first == inherited; });
    if (value != nullptr && !set) variables.emplace_back(inherited, value);
  }
  return variables;
}

}  // namespace

std::string recorder_library(launcher::MpiFlavour flavour) {
  return find_installed(fmt::format("libmora_mpi-{}.so", launcher::to_string(flavour)));
}

Result<RecordedRun> run_recorded(const RecordOptions& options, void (*on_warning)(const std::string&)) {
  if (options.command.empty())
    return fail(ErrorKind::usage, "no command to run", "", "",
                fmt::format("write: mora {}record mpirun -n 4 ./program arguments", options.pattern ? "pattern " : ""));
  RecordedRun run;
  run.launch = launcher::take_apart(options.command);
  if (options.command.front().starts_with("-"))
    return fail(ErrorKind::usage, "the launcher is missing", options.command.front(),
                "this is an option of mpirun, mpiexec or srun, which stands before the program",
                fmt::format("write: mora {}record mpirun {}", options.pattern ? "pattern " : "",
                            fmt::join(options.command, " ")));
  if (launcher::find_program(options.command.front()).empty())
    return fail(ErrorKind::usage, "cannot find the program", options.command.front(),
                "it is neither an executable file nor on PATH", launcher::spelling_help(options.command.front()));
  MORA_TRY(const auto choice, launcher::choose_flavour(run.launch, options.flavour));
  run.flavour = choice.flavour;
  const auto library = recorder_library(choice.flavour);
  if (library.empty())
    return fail(ErrorKind::system, "cannot find Mora's recorder",
                fmt::format("libmora_mpi-{}.so", launcher::to_string(choice.flavour)),
                "it should stand in lib/ or lib/mora/ beside the directory of the mora program",
                "build or install Mora completely");
  if (!choice.warning.empty()) on_warning(choice.warning);
  if (const char* around = std::getenv("MORA_DIR"); around != nullptr && *around != 0)
    on_warning(fmt::format("this runs inside another recording, which gets nothing of this job: {}", around));
  if (const auto words = launcher::unseen_device_words(run.launch); !options.pattern && !words.empty())
    on_warning(words);
  std::string filter;  // kept beside the journals, so that `mora recover` has it, too
  if (!options.functions.empty() && options.functions != "off") {
    MORA_TRY(filter, read_file(options.functions));
    MORA_CHECK_OK(FunctionFilter::parse(filter, options.functions));
  }
  MORA_TRY(const auto place, make_place(options, run.launch));
  run.directory = place.directory;
  run.final_stem = place.final_stem;
  const auto variables = environment_for(options, library, place.directory);

  auto& request = run.request;
  request.command = options.command;
  request.flavour_evidence = choice.how;
  request.start_realtime_ns = realtime_ns();
  request.configuration = {{"mpi", launcher::to_string(choice.flavour)}, {"library", library}};
  for (const auto& [name, value] : variables) request.configuration.emplace_back(name, value);
  if (!options.left_out.groups.empty())
    request.configuration.emplace_back(left_out_setting, fmt::format("{}", fmt::join(options.left_out.groups, ", ")));
  request.configuration.insert(request.configuration.end(), options.notes.begin(), options.notes.end());
  auto written = write_request(request_path(place.directory), request);
  if (written && !filter.empty()) written = write_file_atomically(filter_path(place.directory), filter);
  if (!written) {
    remove_place(place.directory);
    auto error = written.error();
    error.help = "the program was not started; free space or choose another directory with -o";
    return tl::unexpected(error);
  }

  const auto begin = std::chrono::steady_clock::now();
  DeathWatch watch(place.directory);
  std::optional<RingDumps> dumps;
  if ((options.ring != 0 || options.ring_time != 0) && options.on_dump) {
    ConvertOptions of_dumps;
    of_dumps.request = request;
    dumps.emplace(place.directory, of_dumps, options.on_dump);
  }
  // mpirun starts processes of its own, or others that start them; those of srun are another service's.
  const bool may_get_stuck =
      run.launch.kind == launcher::LauncherKind::openmpi || run.launch.kind == launcher::LauncherKind::mpich;
  constexpr int patience = 10;  // seconds
  auto outcome = launcher::run_in_foreground(launcher::with_forwarded_variables(run.launch, variables), variables,
                                             dumps ? dumps->file() : -1, may_get_stuck ? patience : 0);
  dumps.reset();
  run.deaths = watch.deaths();
  if (!outcome) {
    remove_place(place.directory);
    return tl::unexpected(outcome.error());
  }
  run.outcome = *outcome;
  request.launcher_exit = outcome->exit_code;
  request.launcher_wall_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
  return run;
}

Error nothing_recorded(const RecordedRun& run) {
  const auto& launch = run.launch;
  const auto program = launch.program < launch.command.size() ? launch.command[launch.program] : launch.command.front();
  Error error{ErrorKind::usage, "nothing was recorded", program, "", ""};
  const auto problems = recorder_problems(run.directory);
  if (!problems.empty()) {
    error.kind = ErrorKind::system;
    error.why =
        problems.front() + (problems.size() > 1 ? fmt::format(" (and {} more processes)", problems.size() - 1) : "");
    error.help = "remove the reason and record again; the program itself was not disturbed";
  } else if (run.outcome.signal != 0) {
    error.why =
        fmt::format("the launcher was killed by signal {} before any process called MPI_Init", run.outcome.signal);
  } else if (run.outcome.exit_code != 0) {
    error.why =
        fmt::format("the launcher ended with exit code {} before any process called MPI_Init", run.outcome.exit_code);
    error.help = "check that the job runs without mora: " + fmt::format("{}", fmt::join(launch.command, " "));
  } else {
    error.why = "the program never called MPI_Init, or uses another MPI library than the one preloaded";
    error.help =
        "check that it is the MPI program itself, and that no script before it sets LD_PRELOAD anew (write "
        "LD_PRELOAD=mine.so:$LD_PRELOAD); --mpi openmpi or --mpi mpich overrides the detection";
  }
  return error;
}

std::string launcher_mismatch(const RecordedRun& run, std::size_t alone) {
  if (alone < 2 || run.launch.ranks <= 1 || run.launch.launchers.empty()) return "";
  return fmt::format(
      "{} processes each ran as a job of one process: the launcher {} does not belong to the program's MPI ({}); use "
      "mpirun.{}",
      alone, run.launch.command[run.launch.launchers[0]], launcher::to_string(run.flavour),
      launcher::to_string(run.flavour));
}

std::string final_directory(const RecordedRun& run, const std::string& directory, std::size_t ranks) {
  if (run.final_stem.empty()) return directory;
  const auto wanted = fmt::format("{}-{}", run.final_stem, ranks);
  if (directory == wanted || directory.starts_with(wanted + "-")) return directory;
  const auto target = make_numbered_directory(wanted);
  std::error_code failed;
  if (target) fs::rename(directory, *target, failed);  // in the place of the empty one
  return !target || failed ? directory : *target;
}

void remove_recorded(const RecordedRun& run) { remove_place(run.directory); }

Result<RecordResult> record(const RecordOptions& options, void (*on_warning)(const std::string&)) {
  MORA_TRY(const auto run, run_recorded(options, on_warning));
  RecordResult result;
  result.outcome = run.outcome;
  if (!options.recording) {
    remove_recorded(run);
    return result;
  }
  ConvertOptions conversion;
  conversion.keep_journals = options.keep_journals;
  conversion.progress = options.progress;
  conversion.write_profile = options.write_profile;
  conversion.request = run.request;
  conversion.stopped_by = run.outcome.stopped_by;
  conversion.deaths = run.deaths;
  auto runs = convert_journals(run.directory, conversion);
  if (!runs) {
    result.error = runs.error();
    return result;
  }
  if (runs->empty()) {
    result.error = nothing_recorded(run);
    remove_recorded(run);
    return result;
  }
  result.runs = std::move(*runs);
  for (auto& manifest : result.runs)
    manifest.experiment = final_directory(run, manifest.experiment, manifest.ranks.size());
  const bool all_alone =
      std::all_of(result.runs.begin(), result.runs.end(), [](const auto& r) { return r.ranks.size() == 1; });
  if (const auto mismatch = all_alone ? launcher_mismatch(run, result.runs.size()) : ""; !mismatch.empty())
    result.warnings.push_back(mismatch);
  return result;
}

}  // namespace mora::experiment
