/// From journals to trace.mpt, text and manifest. The trace is written, read back and compared before the journals are
/// deleted.
#include "predict/pattern/recording/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "experiment/convert/convert.h"
#include "experiment/journal_files.h"
#include "journal/journal_reader.h"
#include "predict/pattern/archive/archive.h"
#include "predict/pattern/check/check.h"
#include "predict/pattern/journals/from_journal.h"
#include "predict/pattern/recording/report.h"
#include "predict/pattern/text/text_trace.h"

namespace mora::predict {
namespace {

namespace fs = std::filesystem;

std::uint64_t start_of(const experiment::RunFiles& files) {
  std::uint64_t start = UINT64_MAX;
  for (const auto& [rank, path] : files.journals)
    if (const auto mapped = MappedFile::open(path); mapped && mapped->bytes().size() >= sizeof(mora_file_header))
      start = std::min(start, reinterpret_cast<const mora_file_header*>(mapped->bytes().data())->start.realtime_ns);
  return start;
}

/// Every job but the first gets a directory of its own. Returns all directories, by start of the job.
Result<std::vector<std::string>> separate_jobs(const std::string& directory) {
  const auto runs = experiment::find_runs(experiment::journal_directory(directory));
  std::vector<std::pair<std::uint64_t, const experiment::RunFiles*>> order;
  for (const auto& [tag, run] : runs)
    if (!run.journals.empty()) order.emplace_back(start_of(run), &run);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> directories;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0) {
      directories.push_back(directory);
      continue;
    }
    std::string target;
    for (std::size_t n = i + 1; target.empty() || file_exists(target); ++n) target = fmt::format("{}-{}", directory, n);
    MORA_CHECK_OK(make_directories(experiment::journal_directory(target)));
    const auto move = [&](const std::string& path) {
      std::error_code failed;
      fs::rename(path, fs::path(experiment::journal_directory(target)) / fs::path(path).filename(), failed);
    };
    for (const auto& group : {order[i].second->journals, order[i].second->maps})
      for (const auto& [rank, path] : group) move(path);
    for (const auto& path : order[i].second->others) move(path);
    if (const auto request = read_file(experiment::request_path(directory)))
      MORA_CHECK_OK(write_file_atomically(experiment::request_path(target), *request));
    directories.push_back(target);
  }
  return directories;
}

Result<void> write(Recording& recording, const RecordingOptions& options) {
  const auto& trace = recording.trace;
  if (options.format != PatternFormat::text) {
    const auto path = recording.directory + "/trace.mpt";
    MORA_TRY(recording.archive_bytes, write_archive(trace, path));
    MORA_TRY(const auto again, read_archive(path));
    for (std::size_t i = 0; i < trace.ranks.size(); ++i)
      if (again.ranks.size() != trace.ranks.size() || again.ranks[i].calls != trace.ranks[i].calls ||
          again.ranks[i].order != trace.ranks[i].order)
        return fail(ErrorKind::internal, "the pattern trace that was written cannot be read back", path,
                    fmt::format("rank {}", trace.ranks[i].rank));
  }
  if (options.format != PatternFormat::compact) {
    MORA_TRY(recording.text_bytes, write_text_traces(trace, recording.directory + "/ti_traces", options.progress));
  }
  return write_file_atomically(recording.directory + "/manifest.json", pattern_manifest(recording, options));
}

void remove_written(const std::string& directory) {
  std::error_code ignored;
  for (const char* name : {"trace.mpt", "manifest.json", "ti_traces"}) fs::remove_all(directory + "/" + name, ignored);
}

void add_disagreements(PatternTrace& trace) {
  for (const auto& d : check_pattern(trace))
    trace.quality.add(d.kind, Severity::warning, fmt::format("rank {}", d.rank), 1,
                      d.call == 0 ? d.text : fmt::format("call {}: {}", d.call, d.text), "");
}

Result<Recording> finish_job(const std::string& directory, const RecordingOptions& options) {
  Recording recording;
  recording.directory = directory;
  MORA_TRY(recording.trace, read_pattern_journals(directory, options.origin, options.progress));
  recording.trace.definitions.command = fmt::format("{}", fmt::join(options.request.command, " "));
  for (const auto& row : options.quality) recording.trace.quality.add(row);
  recording.totals = totals_of(recording.trace);
  if (options.check && options.origin == Origin::record) add_disagreements(recording.trace);
  if (auto written = write(recording, options); !written) {
    remove_written(directory);
    return tl::unexpected(written.error());
  }
  if (!options.keep_journals) {
    for (const auto& [tag, run] : experiment::find_runs(experiment::journal_directory(directory)))
      experiment::delete_run(run);
    experiment::remove_journal_directory(directory);
  }
  return recording;
}

}  // namespace

Result<PatternFormat> parse_pattern_format(const std::string& name) {
  if (name.empty() || name == "compact") return PatternFormat::compact;
  if (name == "text") return PatternFormat::text;
  if (name == "both") return PatternFormat::both;
  return fail(ErrorKind::usage, "there is no format \"" + name + "\"", "--format " + name, "",
              "use --format compact, text or both");
}

const char* to_string(PatternFormat format) {
  return format == PatternFormat::compact ? "compact" : format == PatternFormat::text ? "text" : "both";
}

bool is_pattern_recording(const experiment::RunRequest& request) {
  return std::any_of(request.configuration.begin(), request.configuration.end(),
                     [](const auto& setting) { return setting.first == "MORA_PATTERN" && setting.second != "0"; });
}

Result<std::vector<Recording>> finish_recording(const std::string& directory, const RecordingOptions& options) {
  const auto failed = [](Error error, const std::string& where) {
    error.help += fmt::format("{}the journals are kept: when the reason is removed, run: mora recover {}",
                              error.help.empty() ? "" : "; ", where);
    return tl::unexpected(error);
  };
  auto directories = separate_jobs(directory);
  if (!directories) return failed(directories.error(), directory);
  std::vector<Recording> done;
  for (const auto& place : *directories) {
    auto recording = finish_job(place, options);
    if (!recording) return failed(recording.error(), place);
    done.push_back(std::move(*recording));
  }
  return done;
}

}  // namespace mora::predict
