/// Conversion of one run: (1) all journals are read for definitions, call sites and clock readings; (2) clocks are
/// fitted, call sites resolved, definitions numbered for the job; (3) one location per worker is written; (4) the
/// archive is read back, and the manifest is written last: an archive without one is incomplete.
#include "experiment/convert/convert.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "archive/archive_check.h"
#include "archive/archive_writer.h"
#include "base/core_counters.h"
#include "base/file.h"
#include "base/numbers/read_number.h"
#include "base/worker_pool.h"
#include "experiment/code/function_filter.h"
#include "experiment/code/regions.h"
#include "experiment/convert/clocks.h"
#include "experiment/convert/definitions.h"
#include "experiment/convert/location_events.h"
#include "experiment/convert/recorded_rank.h"
#include "experiment/ending/ending.h"
#include "experiment/journal_files.h"
#include "experiment/journals/common_end.h"
#include "experiment/processors/processors.h"
#include "mpi/function.h"

namespace mora::experiment {
namespace {

namespace fs = std::filesystem;

/// The error of the lowest rank that has one, so that the result does not depend on the order of the workers.
Result<void> first_error(const std::vector<RecordedRank>& ranks) {
  for (const auto& r : ranks)
    if (r.error) return tl::unexpected(*r.error);
  return {};
}

/// The latest that is known of a process that did not close its journal: what it noted itself, when it was seen to be
/// gone, when the launcher was back; a stamp of its own clock, 0 if it is not known.
std::uint64_t known_end(const RecordedRank& rank, const ClockFit& clock, const ConvertOptions& options) {
  const auto& journal = *rank.journal;
  if (journal.ended()) return 0;
  if (journal.state().end != 0) return clock.stamp(journal.state().end_ticks);
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  if (journal.host() != host) return 0;
  if (const auto death = options.deaths.find(journal.header().pid); death != options.deaths.end())
    return clock.stamp_of_monotonic(death->second);
  return options.request.launcher_wall_ns ? options.request.start_realtime_ns + *options.request.launcher_wall_ns : 0;
}

class Conversion {
 public:
  /// From `source` into `directory`, two experiments' directories or one.
  Conversion(const RunFiles& files, const std::string& source, std::string directory, const ConvertOptions& options,
             const std::vector<std::string>& problems)
      : files_(files), source_(source), directory_(std::move(directory)), options_(options) {
    for (const auto& p : problems)
      quality_.add("recorder-problem", Severity::loss, "", 1, p, "remove the reason and record again");
    for (const auto& [name, groups] : options.request.configuration)
      if (name == left_out_setting)
        quality_.add("functions-left-out", Severity::warning, groups,
                     static_cast<std::uint64_t>(std::count(groups.begin(), groups.end(), ',') + 1),
                     "groups of MPI functions were left out of the recording", "record without --mpi-functions");
  }

  Result<Manifest> run() {
    MORA_CHECK_OK(read_journals());
    auto written = write();
    if (!written) {
      remove_archive(directory_);
      return tl::unexpected(std::move(written.error()));
    }
    if (!options_.keep_journals) {
      ranks_.clear();  // unmaps
      delete_run(files_);
    }
    return std::move(manifest_);
  }
  static std::uint64_t start_of(const RunFiles& files) {
    std::uint64_t start = UINT64_MAX;
    for (const auto& [rank, path] : files.journals) {
      DataQuality ignored;
      if (const auto mapped = MappedFile::open(path); mapped && mapped->bytes().size() >= sizeof(mora_file_header))
        start = std::min(start, reinterpret_cast<const mora_file_header*>(mapped->bytes().data())->start.realtime_ns);
    }
    return start;
  }

 private:
  void open_others(std::uint32_t rank, RecordedRank& into);
  Result<void> read_journals();
  Result<void> write();
  /// With the journals: regions, marks, processes, nodes.
  Result<void> define(archive::Definitions& definitions);
  Result<void> write_archive(archive::Definitions& definitions, const WindowUnits& units,
                             const std::map<std::uint64_t, ClockFit>& fits);
  void set_span(archive::Definitions& definitions);
  void add_up(Profile& profile, const std::map<std::uint64_t, ClockFit>& fits);
  /// All of the manifest but what the files are.
  void fill_manifest(const archive::Definitions& definitions, const std::map<std::uint64_t, ClockFit>& fits);
  Result<void> write_rank(std::uint32_t number, const archive::Definitions& definitions, const WindowUnits& units,
                          const std::map<std::uint64_t, ClockFit>& fits, archive::ArchiveWriter& archive);
  Result<void> write_manifest(std::vector<std::string> files);
  /// Where what is told begins and ends for all, if a ring was full or the budget was reached.
  void find_cuts(const std::map<std::uint64_t, ClockFit>& fits);
  void tell_cuts();
  void tell_ending(const std::map<std::uint64_t, ClockFit>& fits, const archive::Definitions& definitions);

  const RunFiles& files_;
  const std::string& source_;
  std::string directory_;
  const ConvertOptions& options_;
  std::vector<RecordedRank> ranks_;
  std::size_t first_ = 0;  ///< lowest rank with a journal
  CommonEnd end_;
  CommonBegin begin_;
  DataQuality quality_;
  RecordedCounters counters_;
  Manifest manifest_;
};

void Conversion::open_others(std::uint32_t rank, RecordedRank& into) {
  const auto& all = files_.threads;
  for (auto at = all.lower_bound({rank, 0}); at != all.end() && at->first.first == rank; ++at) {
    const auto thread = at->first.second;
    auto journal = journal::Journal::open(at->second, quality_, thread);
    if (journal && journal->header().clock_id == into.journal->header().clock_id)
      into.others.push_back({thread, std::move(*journal)});
    else
      quality_.add("thread-missing", Severity::loss, fmt::format("rank {} thread {}", rank, thread), 1,
                   "the journal of a thread cannot be read" + (journal ? "" : ": " + journal.error().why),
                   "the file was cut or altered; record again");
  }
}

Result<void> Conversion::read_journals() {
  std::vector<std::pair<std::uint32_t, std::string>> paths(files_.journals.begin(), files_.journals.end());
  std::vector<RecordedRank> read(paths.size());
  Progress progress(options_.progress, "reading journals", paths.size());
  std::mutex mutex;
  run_tasks(paths.size(), options_.workers, [&](std::size_t i) {
    auto journal = journal::Journal::open(paths[i].second, quality_);
    if (journal) {
      read[i].journal.emplace(std::move(*journal));
      open_others(paths[i].first, read[i]);
      read[i].read_definitions();
    } else {
      read[i].failure = journal.error().why;
    }
    std::lock_guard lock(mutex);
    progress.advance(1);
  });
  const auto world_size = world_size_of(files_);
  ranks_.resize(world_size);
  for (std::size_t i = 0; i < paths.size(); ++i) ranks_[paths[i].first] = std::move(read[i]);
  first_ = world_size;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].journal) {
      first_ = std::min(first_, rank);
      continue;
    }
    quality_.add("rank-missing", Severity::loss, fmt::format("rank {}", rank), 1,
                 ranks_[rank].failure.empty() ? "no journal of this rank was found"
                                              : "the journal cannot be read: " + ranks_[rank].failure,
                 "check that all hosts see the experiment directory and that it has space");
  }
  if (first_ == world_size)
    return fail(ErrorKind::unreadable, "no journal of the run can be read", files_.journals.begin()->second,
                ranks_.empty() ? "" : ranks_[files_.journals.begin()->first].failure, "the files stay where they are");
  return {};
}

/// One location after the other is opened and closed; those of a process are written together.
Result<void> Conversion::write_rank(std::uint32_t number, const archive::Definitions& definitions,
                                    const WindowUnits& units, const std::map<std::uint64_t, ClockFit>& fits,
                                    archive::ArchiveWriter& archive) {
  RecordedRank& rank = ranks_[number];
  std::vector<ThreadInput> threads{{rank.journal ? &*rank.journal : nullptr, &rank.code, 0, nullptr}};
  for (const OtherThread& thread : rank.others)
    threads.push_back({&thread.journal, &thread.code, thread.number, nullptr});
  std::vector<archive::LocationWriter> writers;
  writers.reserve(threads.size());
  for (ThreadInput& thread : threads) {
    const auto location = location_of(number, thread.number);
    MORA_TRY(auto writer, archive.open_location(location));
    thread.out = &writers.emplace_back(std::move(writer));
    rank.files.insert(rank.files.end(),
                      {fmt::format("traces/{}.evt", location), fmt::format("traces/{}.def", location)});
  }
  archive::VectorTable vectors;
  std::vector<archive::ClockOffset> offsets;
  if (rank.journal) {
    const ClockFit& clock = fits.at(rank.journal->header().clock_id);
    const auto summaries =
        write_process({number, threads, rank.handed, clock, rank.ids, rank.marks, known_end(rank, clock, options_),
                       end_.stamps.empty() ? UINT64_MAX : end_.stamps[number],
                       begin_.processes.empty() ? nullptr : &begin_.processes[number]},
                      {definitions, units, counters_}, vectors, quality_);
    rank.summary = summaries.front();
    for (std::size_t i = 1; i < summaries.size(); ++i) rank.summary.add_thread(summaries[i]);
    offsets = clock_offsets(rank, ranks_[first_], fits, quality_, number);
    rank.summary.begin = on_common_clock(rank.summary.begin, offsets);
    rank.summary.end = on_common_clock(rank.summary.end, offsets);
  }
  for (archive::LocationWriter& writer : writers) MORA_CHECK_OK(archive.close_location(writer, offsets));
  if (vectors.empty()) return {};
  rank.files.push_back(fmt::format("vectors.{}", number));
  return write_file_atomically(directory_ + "/" + rank.files.back(), vectors.file_content());
}

Result<void> Conversion::define(archive::Definitions& definitions) {
  std::vector<std::pair<std::uint32_t, CodeOfRank*>> code;
  for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
    code.emplace_back(number, &ranks_[number].code);
    for (OtherThread& thread : ranks_[number].others) {
      code.emplace_back(number, &thread.code);
      definitions.locations.push_back({location_of(number, thread.number), fmt::format("Thread {}", thread.number),
                                       archive::LocationKind::thread, number});
    }
  }
  MORA_TRY(const auto filter, FunctionFilter::read(filter_path(source_)));
  const auto start_ns = ranks_[first_].journal->header().start.realtime_ns;
  make_regions(code, files_.maps, start_ns, filter, quality_, definitions);
  std::vector<MarkTable*> marks;
  for (auto& rank : ranks_) marks.push_back(&rank.marks);
  number_marks(marks, definitions.regions);
  definitions.processes.resize(ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto host = ranks_[rank].journal ? ranks_[rank].journal->host() : ranks_[first_].journal->host();
    const auto it = std::find(definitions.nodes.begin(), definitions.nodes.end(), host);
    definitions.processes[rank].node = static_cast<std::uint32_t>(it - definitions.nodes.begin());
    if (it == definitions.nodes.end()) definitions.nodes.push_back(host);
  }
  std::vector<std::string> programs;
  for (const RecordedRank& rank : ranks_) programs.push_back(rank.journal ? rank.journal->program() : "");
  manifest_.name_programs(programs);
  return {};
}

Result<void> Conversion::write_archive(archive::Definitions& definitions, const WindowUnits& units,
                                       const std::map<std::uint64_t, ClockFit>& fits) {
  MORA_TRY(const auto archive,
           archive::ArchiveWriter::create(
               directory_, {manifest_.program, definitions.nodes.size() == 1 ? definitions.nodes[0] : "cluster",
                            fmt::format("{}", fmt::join(options_.request.command, " "))}));
  Progress progress(options_.progress, "writing events", ranks_.size());
  std::mutex mutex;
  std::atomic<bool> failed{false};
  run_tasks(ranks_.size(), options_.workers, [&](std::size_t number) {
    auto& rank = ranks_[number];
    if (failed) return;
    if (auto written = write_rank(static_cast<std::uint32_t>(number), definitions, units, fits, *archive); !written)
      rank.error = written.error();
    if (rank.error) failed = true;
    std::lock_guard lock(mutex);
    progress.advance(1);
  });
  MORA_CHECK_OK(first_error(ranks_));
  set_span(definitions);
  MORA_CHECK_OK(archive->close(definitions));
  MORA_CHECK_OK(archive::check_archive(directory_, archive->event_counts()));
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    RankFacts& facts = manifest_.ranks[number];
    facts.events = archive->events(number);
    for (const OtherThread& thread : ranks_[number].others)
      facts.events += archive->events(location_of(number, thread.number));
  }
  return {};
}

void Conversion::add_up(Profile& profile, const std::map<std::uint64_t, ClockFit>& fits) {
  for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
    RecordedRank& rank = ranks_[number];
    if (!rank.journal) continue;
    const ClockFit& clock = fits.at(rank.journal->header().clock_id);
    const auto known = known_end(rank, clock, options_);
    profile.locations.push_back(
        read_profile({&*rank.journal, &rank.code, 0, nullptr}, number, clock, known, rank.summary, quality_));
    for (const OtherThread& thread : rank.others) {
      LocationSummary summary;
      profile.locations.push_back(read_profile({&thread.journal, &thread.code, thread.number, nullptr}, number, clock,
                                               rank.summary.end, summary, quality_));
      rank.summary.add_thread(summary);
    }
    const auto offsets = clock_offsets(rank, ranks_[first_], fits, quality_, number);
    rank.summary.begin = on_common_clock(rank.summary.begin, offsets);
    rank.summary.end = on_common_clock(rank.summary.end, offsets);
  }
  set_span(profile.definitions);
}

/// The summaries' stamps are on rank 0's clock already.
void Conversion::set_span(archive::Definitions& d) {
  d.first_stamp = UINT64_MAX;
  for (const auto& rank : ranks_) {
    if (!rank.journal) continue;
    d.first_stamp = std::min(d.first_stamp, rank.summary.begin);
    d.last_stamp = std::max(d.last_stamp, rank.summary.end);
  }
  d.realtime_ns = d.first_stamp;
}

Result<void> Conversion::write() {
  const auto fits = fit_clocks(ranks_);
  Profile profile;
  archive::Definitions& definitions = profile.definitions;
  if (asks_for_profile(options_.request)) {
    MORA_CHECK_OK(define(definitions));
    add_up(profile, fits);
    fill_manifest(definitions, fits);
    MORA_TRY(const auto files, options_.write_profile(profile, manifest_));
    return write_manifest(files);
  }
  GlobalDefinitions numbering(static_cast<std::uint32_t>(ranks_.size()));
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].journal) ranks_[rank].ids = numbering.add(rank, ranks_[rank].definitions, quality_);
  numbering.finish(definitions);
  find_collected(ranks_, quality_);
  if (std::any_of(ranks_.begin(), ranks_.end(),
                  [](const RecordedRank& r) { return r.definitions.has_core_readings; })) {
    for (const CoreCounter& counter : core_counters) definitions.metrics.push_back({counter.name, counter.unit});
    definitions.metrics_read_together.push_back(core_counters.size());
  }
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) counters_.add(rank, ranks_[rank].definitions.counters);
  counters_.finish(definitions, quality_);
  MORA_CHECK_OK(define(definitions));
  find_cuts(fits);
  MORA_CHECK_OK(write_archive(definitions, numbering.window_units(), fits));
  tell_cuts();
  fill_manifest(definitions, fits);
  std::vector<std::string> files{"traces.otf2", "traces.def"};
  for (const auto& r : ranks_) files.insert(files.end(), r.files.begin(), r.files.end());
  return write_manifest(std::move(files));
}

void Conversion::fill_manifest(const archive::Definitions& d, const std::map<std::uint64_t, ClockFit>& fits) {
  const auto& head = ranks_[first_].journal->header();
  manifest_.experiment = directory_;
  manifest_.mpi_flavour = head.mpi_flavour == 1 ? "openmpi" : "mpich";
  manifest_.mpi_library = ranks_[first_].journal->mpi_library();
  manifest_.clock = head.clock_kind == MORA_CLOCK_TSC ? "tsc" : "monotonic";
  manifest_.ns_per_tick = fits.at(head.clock_id).ns_per_tick();
  manifest_.run_tag = head.run_tag;
  manifest_.start_realtime_ns = head.start.realtime_ns;
  manifest_.first_stamp = d.first_stamp;
  manifest_.last_stamp = d.last_stamp;
  manifest_.hosts = d.nodes;
  manifest_.recovered = options_.recovered;
  manifest_.request = options_.request;
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const auto& r = ranks_[number];
    const auto& s = r.summary;
    RankFacts& facts = manifest_.ranks[number];
    facts.recorded = r.journal.has_value();
    facts.ended = s.ended;
    facts.finalized = s.finalized;
    facts.host = d.nodes[d.processes[number].node];
    facts.pid = r.journal ? r.journal->header().pid : 0;
    facts.calls = s.calls;
    facts.lost_calls = s.lost_calls;
    facts.open_calls = s.open_calls;
    facts.begin = s.begin;
    facts.end = s.end;
    facts.mpi_ns = s.mpi_ns;
    facts.recorder_ns = s.recorder_ns;
    r.processors.tell(facts);
    facts.team_threads = r.team_threads();
    for (const auto& [number_of, function] : r.code.functions)
      manifest_.has_shmem = manifest_.has_shmem || function.library == MORA_LIBRARY_SHMEM;
  }
  auto sentences = processor_sentences(manifest_.ranks);
  manifest_.processors = std::move(sentences.sharing);
  manifest_.binding = std::move(sentences.binding);
  if (!options_.is_running) tell_ending(fits, d);
}

void Conversion::find_cuts(const std::map<std::uint64_t, ClockFit>& fits) {
  std::vector<ProcessJournals> processes;
  for (const RecordedRank& rank : ranks_) {
    ProcessJournals& process = processes.emplace_back();
    if (!rank.journal) continue;
    process.clock = &fits.at(rank.journal->header().clock_id);
    process.journals.push_back(&*rank.journal);
    for (const OtherThread& thread : rank.others) process.journals.push_back(&thread.journal);
    DataQuality told_later;
    if (rank.journal->header().clock_id != ranks_[first_].journal->header().clock_id)
      process.offsets = clock_offsets(rank, ranks_[first_], fits, told_later, 0);
  }
  end_ = common_end(processes, options_.workers);
  std::vector<OwnNumbers> numbers;
  for (const RecordedRank& rank : ranks_)
    numbers.push_back({[&rank](std::uint32_t own) { return rank.ids.communicator(own); },
                       [&rank](std::uint32_t own) { return rank.ids.window(own).global; },
                       [&rank, self = static_cast<std::int32_t>(numbers.size())](std::uint32_t own, std::int32_t peer) {
                         return rank.definitions.world(own, peer, self);
                       }});
  Nanoseconds kept = 0;
  for (const auto& [name, value] : options_.request.configuration)
    if (name == ring_time_setting) read_number(value, kept);
  begin_ = common_begin(processes, numbers, kept, options_.workers);
}

void Conversion::tell_cuts() {
  std::uint64_t lost = 0, begin = UINT64_MAX;
  for (const RecordedRank& rank : ranks_) {
    lost += rank.summary.lost_calls;
    if (rank.journal) begin = std::min(begin, rank.summary.begin);
  }
  if (!end_.stamps.empty()) quality_.add(row_of(end_, begin, lost));
  if (begin_.processes.empty()) return;
  for (const RecordedRank& rank : ranks_) begin_.messages += rank.summary.cut_messages;
  quality_.add(row_of(begin_, ranks_[first_].journal->header().start.realtime_ns));
}

void Conversion::tell_ending(const std::map<std::uint64_t, ClockFit>& fits, const archive::Definitions& definitions) {
  EndedJob job;
  job.definitions = &definitions;
  job.is_openmpi = manifest_.mpi_flavour == "openmpi";
  job.stopped_by = options_.stopped_by;
  job.launcher_exit = options_.request.launcher_exit.value_or(0);
  for (const RecordedRank& rank : ranks_) {
    EndedProcess process;
    if (rank.journal) {
      process.journal = &*rank.journal;
      process.ended = rank.summary.ended;
      process.finalized = rank.summary.finalized;
      const ClockFit& clock = fits.at(rank.journal->header().clock_id);
      process.end = std::max(rank.summary.end, known_end(rank, clock, options_));
      if (const auto death = options_.deaths.find(rank.journal->header().pid); death != options_.deaths.end())
        process.death = death->second;
      process.communicator = [&rank](std::uint32_t id) { return rank.ids.communicator(id); };
      process.stamp = [&clock](std::uint64_t ticks) { return clock.stamp(ticks); };
      process.call = [&rank, &definitions](unsigned function, std::uint64_t site) {
        const auto it = rank.code.regions.find(region_key(function, site));
        if (it == rank.code.regions.end()) return std::string(mpi::function(function).name);
        return call_words(definitions.regions[it->second]);
      };
    }
    job.processes.push_back(std::move(process));
  }
  Ending ending = describe_ending(job);
  for (QualityRow& row : ending.rows) quality_.add(std::move(row));
  manifest_.ending = std::move(ending.sentences);
}

Result<void> Conversion::write_manifest(std::vector<std::string> files) {
  std::sort(files.begin(), files.end());
  for (const auto& f : files) {
    if (!file_exists(directory_ + "/" + f)) continue;  // libotf2 writes no file for an empty location
    MORA_TRY(auto described, describe_file(directory_, f));
    manifest_.files.push_back(std::move(described));
  }
  manifest_.quality = quality_.rows();
  return write_file_atomically(directory_ + "/manifest.json", manifest_json(manifest_));
}

}  // namespace

Result<std::vector<Manifest>> convert_journals(const std::string& directory, const ConvertOptions& options) {
  const auto runs = find_runs(journal_directory(directory));
  std::vector<std::pair<std::uint64_t, const RunFiles*>> order;
  for (const auto& [tag, run] : runs)
    if (!run.journals.empty()) order.emplace_back(Conversion::start_of(run), &run);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  // The manifest is written last: an archive without one is the rest of a conversion that was killed.
  if (!order.empty() && !file_exists(directory + "/manifest.json")) remove_archive(directory);
  const auto problems = recorder_problems(directory);
  std::vector<Manifest> done;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto target = file_exists(directory + "/manifest.json")
                            ? next_directory(directory, std::max<std::size_t>(i, 1))
                            : next_directory(directory, i);
    MORA_CHECK_OK(make_directories(target));
    auto manifest =
        Conversion(*order[i].second, directory, target, options, i == 0 ? problems : std::vector<std::string>{}).run();
    if (!manifest) {
      auto error = manifest.error();
      error.help += fmt::format("{}the journals are kept: when the reason is removed, run: mora recover {}",
                                error.help.empty() ? "" : "; ", directory);
      return tl::unexpected(error);
    }
    done.push_back(std::move(*manifest));
  }
  if (!options.keep_journals && !done.empty()) remove_journal_directory(directory);
  return done;
}

}  // namespace mora::experiment
