#include "trace/index/index_build.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "base/worker_pool.h"
#include "trace/index/index_linker.h"
#include "trace/index/item_collector.h"
#include "trace/index/item_merge.h"

namespace mora::trace {
namespace {

constexpr std::size_t memory_for_items = std::size_t{512} << 20;
constexpr std::uint64_t events_in_memory = 2'000'000;  // about 100 MB of index
constexpr std::uint64_t most_events = 0xFFFFFFFE;

std::string quality_text(const DataQuality& quality) {
  nlohmann::json rows = nlohmann::json::array();
  for (const QualityRow& r : quality.rows())
    rows.push_back({r.kind, static_cast<int>(r.severity), r.where, r.count, r.what, r.remedy});
  return rows.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool read_quality(const std::string& text, DataQuality& quality) {
  const auto rows = nlohmann::json::parse(text, nullptr, false);
  if (!rows.is_array()) return false;
  for (const auto& r : rows) {
    if (!r.is_array() || r.size() != 6 || !r[0].is_string() || !r[1].is_number_unsigned() || !r[2].is_string() ||
        !r[3].is_number_unsigned() || !r[4].is_string() || !r[5].is_string() || r[1].get<std::uint64_t>() > 2)
      return false;
    quality.add(r[0].get<std::string>(), static_cast<Severity>(r[1].get<int>()), r[2].get<std::string>(),
                r[3].get<std::uint64_t>(), r[4].get<std::string>(), r[5].get<std::string>());
  }
  return true;
}

/// Where an index is written: a named file beside its final name, or one without a name.
struct Target {
  int file = -1;
  std::string temporary;  ///< to be renamed
  ~Target() {
    if (file >= 0) ::close(file);
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }
};

/// Opens the file that the index is written to: beside options.index_file if `named`, else in memory for small traces,
/// else without a name in $TMPDIR. A place that cannot be written falls through to the next one.
Result<void> open_target(const ViewOptions& options, std::uint64_t events, bool named, Target& target) {
  if (named) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(options.index_file).parent_path(), ignored);
    std::string name = options.index_file + ".XXXXXX";
    target.file = ::mkostemp(name.data(), O_CLOEXEC);
    if (target.file >= 0) {
      target.temporary = name;
      return {};
    }
  }
  if (events <= events_in_memory) {
    target.file = ::memfd_create("mora-index", MFD_CLOEXEC);
    if (target.file >= 0) return {};
  }
  const char* given = std::getenv("TMPDIR");
  std::string name = std::string(given != nullptr && *given != '\0' ? given : "/tmp") + "/mora-index-XXXXXX";
  target.file = ::mkostemp(name.data(), O_CLOEXEC);
  if (target.file < 0)
    return fail(ErrorKind::system, "cannot make an index of the trace", name, system_reason(errno),
                "set TMPDIR to a directory with free space");
  ::unlink(name.c_str());
  return {};
}

/// Reads all locations into `items`, several at a time. A location that cannot be read is counted; all of them: an
/// error.
Result<void> collect(Source& source, const ViewOptions& options, Items& items, DataQuality& quality) {
  const Definitions& definitions = source.definitions();
  const std::size_t n = definitions.locations.size();
  std::uint64_t all = 0;
  for (LocationId l = 0; l < n; ++l) all += source.event_count_hint(l);
  std::atomic<std::uint64_t> done{0};
  std::mutex mutex;
  std::size_t failed = 0;
  std::vector<std::optional<Error>> errors(n);
  std::optional<Error> full;
  run_tasks(n, options.workers, [&](std::size_t task) {
    const auto location = static_cast<LocationId>(task);
    ItemCollector collector(definitions, location, has_other_threads(definitions, location), items, quality);
    auto read = source.read_location(location, collector);
    auto kept = collector.finish();
    const std::uint64_t now = done.fetch_add(source.event_count_hint(location)) + source.event_count_hint(location);
    const std::lock_guard lock(mutex);
    if (options.progress) options.progress(now / 2, all);
    if (!kept && !full) full = kept.error();
    if (read) return;
    ++failed;
    errors[task] = read.error();
  });
  if (full) return tl::unexpected(*full);
  for (std::size_t l = 0; l < n; ++l) {
    if (errors[l])
      quality.add("unreadable-location", Severity::loss, definitions.locations[l].name, 1,
                  "the events of a location cannot be read: " + errors[l]->why,
                  "the archive is damaged; use a copy or record again");
  }
  if (failed > 0 && failed == n) return tl::unexpected(*errors.back());
  return {};
}

/// Merges on a thread of its own, a few batches ahead of `use`.
template <class Use>
void merge_and_link(ItemMerge& merge, Use&& use) {
  constexpr std::size_t batch_items = 4096, batches = 4;
  std::vector<std::vector<MergedItem>> ring(batches);
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t filled = 0, used = 0;
  bool ended = false;
  std::thread merging([&] {
    for (std::size_t n = 0;; ++n) {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return n - used < batches; });
      }
      auto& batch = ring[n % batches];
      batch.resize(batch_items);
      std::size_t count = 0;
      while (count < batch_items && merge.next(batch[count])) ++count;
      batch.resize(count);
      const std::lock_guard lock(mutex);
      filled = n + 1;
      ended = count < batch_items;
      changed.notify_all();
      if (ended) return;
    }
  });
  for (std::size_t n = 0;; ++n) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return filled > n || ended; });
      if (filled == n) break;
    }
    for (const MergedItem& merged : ring[n % batches]) use(merged);
    const std::lock_guard lock(mutex);
    used = n + 1;
    changed.notify_all();
  }
  merging.join();
}

}  // namespace

Result<std::unique_ptr<IndexFile>> build_index(Source& source, const ViewOptions& options, DataQuality& quality) {
  const Definitions& definitions = source.definitions();
  Items items(definitions.locations.size(), memory_for_items);
  MORA_CHECK_OK(collect(source, options, items, quality));
  items.joined = JoinedSequences(definitions, std::move(items.sequences));
  items.tables.tear(items.joined);

  std::vector<std::uint64_t> counts(definitions.locations.size());
  std::uint64_t details = 0;
  for (std::size_t l = 0; l < counts.size(); ++l) {
    counts[l] = items.counts[l].load();
    details += items.details.count(l);
  }
  const std::uint64_t events = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (events > most_events)
    return fail(ErrorKind::unreadable, "the trace is too long for random access", "",
                "it has " + std::to_string(events) + " events; a view holds up to " + std::to_string(most_events),
                "mora analyze has no such limit; or cut the trace with mora convert --ranks, --from, --to");

  const bool named = !options.index_file.empty() && events >= options.keep_from;
  Target target;
  MORA_CHECK_OK(open_target(options, events, named, target));
  IndexWriter writer(target.file, details, counts);
  {
    ItemMerge merge(items, definitions, options.model, quality);
    IndexLinker linker(items, definitions, writer, quality);
    merge_and_link(merge, [&](const MergedItem& merged) {
      linker.add(merged);
      if (options.progress && writer.size() % 1'000'000 == 0) options.progress((events + writer.size()) / 2, events);
    });
    if (merge.failed())
      return fail(ErrorKind::system, "cannot make an index of the trace", "a temporary file in $TMPDIR",
                  "its intermediate data cannot be read back", "check that disk, or set TMPDIR to another one");
    linker.finish();
  }
  quality.merge(source.quality());
  MORA_CHECK_OK(writer.finish(static_cast<std::uint32_t>(options.model), options.fingerprint, quality_text(quality)));
  if (!target.temporary.empty() && std::rename(target.temporary.c_str(), options.index_file.c_str()) == 0)
    target.temporary.clear();
  return IndexFile::map(std::exchange(target.file, -1), true);
}

std::unique_ptr<IndexFile> reopen_index(const Source& source, const ViewOptions& options, DataQuality& quality) {
  if (options.index_file.empty()) return nullptr;
  const int file = ::open(options.index_file.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  auto index = IndexFile::map(file, false);
  if (!index) return nullptr;
  const IndexHeader& h = (*index)->header();
  if (h.model != static_cast<std::uint32_t>(options.model) || h.fingerprint != options.fingerprint ||
      h.locations != source.definitions().locations.size() || !(*index)->sound(IndexSection::quality) ||
      !(*index)->sound(IndexSection::location_begin) || !read_quality((*index)->quality(), quality))
    return nullptr;
  return std::move(*index);
}

}  // namespace mora::trace
