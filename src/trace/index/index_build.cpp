#include "trace/index/index_build.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <thread>

#include "base/storage/room.h"
#include "base/worker_pool.h"
#include "trace/index/index_linker.h"
#include "trace/index/item_collector.h"
#include "trace/index/item_merge.h"

namespace mora::trace {
namespace {

constexpr std::size_t memory_for_items = std::size_t{512} << 20;
constexpr std::uint64_t events_in_memory = 2'000'000;  // about 50 MB of index
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

/// Bytes of the columns: nearly all of an index (docs/formats/index.md), and no more than this.
std::uint64_t index_bytes(std::uint64_t events, std::uint64_t details) { return 30 * events + 48 * details + 4096; }

/// Where an index is written: a named file beside its final name, or one without a name.
struct Target {
  int file = -1;
  std::string temporary;  ///< to be renamed
  ~Target() { drop(); }
  void drop() {
    if (file >= 0) ::close(file);
    if (!temporary.empty()) ::unlink(temporary.c_str());
    file = -1;
    temporary.clear();
  }
};

/// Files that killed builds have left in the folder, gigabytes perhaps: a build holds a lock on its own.
void remove_leftovers(const std::filesystem::path& folder) {
  constexpr std::string_view ending = ".mora-index.", marks = "XXXXXX";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.size() < ending.size() + marks.size() ||
        name.compare(name.size() - marks.size() - ending.size(), ending.size(), ending) != 0)
      continue;
    const int file = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) continue;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
    ::close(file);
  }
}

/// Bytes of memory that nobody needs; 0 if the system does not say.
std::uint64_t free_memory() {
  std::ifstream lines("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  for (std::string unit; lines >> name >> kilobytes; std::getline(lines, unit)) {
    if (name == "MemAvailable:") return kilobytes * 1024;
  }
  return 0;
}

/// Opens the file that the index is written to, some `bytes` long: beside options.index_file if `named`, else in memory
/// for small traces, else without a name in $TMPDIR, else in memory if half of what is free holds it. A place that
/// cannot be written, or has no room, falls through to the next one.
Result<void> open_target(const ViewOptions& options, std::uint64_t events, std::uint64_t bytes, bool named,
                         Target& target) {
  if (named) {
    const std::filesystem::path folder = std::filesystem::path(options.index_file).parent_path();
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    remove_leftovers(folder);
    std::string name = options.index_file + ".XXXXXX";
    target.file = ::mkostemp(name.data(), O_CLOEXEC);
    if (target.file >= 0) {
      target.temporary = name;
      if (::flock(target.file, LOCK_EX | LOCK_NB) == 0 && has_room(target.file, bytes)) return {};
      target.drop();
    }
  }
  const auto in_memory = [&] { return target.file = ::memfd_create("mora-index", MFD_CLOEXEC); };
  if (events <= events_in_memory && in_memory() >= 0) return {};
  target.file = open_temporary();
  const int reason = target.file < 0 ? errno : ENOSPC;
  if (target.file >= 0) {
    if (has_room(target.file, bytes)) return {};
    target.drop();
  }
  if (bytes < free_memory() / 2 && in_memory() >= 0) return {};
  return fail(ErrorKind::system, "cannot make an index of the trace", temporary_directory(), system_reason(reason),
              "set TMPDIR to a directory with free space: " + std::to_string(bytes / 1'000'000 + 1) + " MB");
}

bool is_stopped(const ViewOptions& options) { return options.watch != nullptr && options.watch->stop.load(); }

tl::unexpected<Error> stopped() {
  return fail(ErrorKind::system, "the index of the trace was not made", "", "it was stopped", "");
}

/// Reads all locations into `items`, several at a time. A location that cannot be read is counted; all of them: an
/// error.
Result<void> collect(Source& source, const ViewOptions& options, Items& items, DataQuality& quality) {
  const Definitions& definitions = source.definitions();
  const std::size_t n = definitions.locations.size();
  if (BuildWatch* watch = options.watch) {
    for (LocationId l = 0; l < n; ++l) watch->all += 2 * source.event_count_hint(l);
  }
  std::mutex mutex;
  std::size_t failed = 0;
  std::vector<std::optional<Error>> errors(n);
  std::optional<Error> full;
  run_tasks(n, options.workers, [&](std::size_t task) {
    const auto location = static_cast<LocationId>(task);
    ItemCollector collector(definitions, location, has_other_threads(definitions, location), items, quality, options);
    auto read = source.read_location(location, collector);
    auto kept = collector.finish();
    const std::lock_guard lock(mutex);
    items.measured.add(collector.measured());
    if (!kept && !full) full = kept.error();
    if (read) return;
    ++failed;
    errors[task] = read.error();
  });
  if (is_stopped(options)) return stopped();
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

/// Merges on a thread of its own, a few batches ahead of `use`. Once `is_over()`, neither does any more.
template <class Use, class IsOver>
void merge_and_link(ItemMerge& merge, Use&& use, const IsOver& is_over) {
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
      if (!is_over()) {
        while (count < batch_items && merge.next(batch[count])) ++count;
      }
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
    if (!is_over()) {
      for (const MergedItem& merged : ring[n % batches]) use(merged);
    }
    const std::lock_guard lock(mutex);
    used = n + 1;
    changed.notify_all();
  }
  merging.join();
}

}  // namespace

Result<std::unique_ptr<IndexFile>> build_index(Source& source, const ViewOptions& options, DataQuality& quality) {
  const Definitions& definitions = source.definitions();
  Items items(definitions.locations.size(),
              options.memory == 0 ? memory_for_items : std::min<std::uint64_t>(options.memory / 5, memory_for_items));
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

  const bool is_cut = options.beginning != nullptr && options.beginning->all > events;
  const bool named = !is_cut && !options.index_file.empty() && events >= options.keep_from;
  Target target;
  MORA_CHECK_OK(open_target(options, events, index_bytes(events, details), named, target));
  IndexWriter writer(target.file, details, counts);
  DataQuality of_cut;  // what has its partner behind the beginning is no damage
  {
    ItemMerge merge(items, definitions, options.model, is_cut ? of_cut : quality);
    IndexLinker linker(items, definitions, writer, is_cut ? of_cut : quality);
    if (options.watch != nullptr) options.watch->all = options.watch->done + events;
    merge_and_link(
        merge,
        [&](const MergedItem& merged) {
          linker.add(merged);
          if (writer.size() % 65536 == 0 && options.watch != nullptr) options.watch->advance(65536);
        },
        [&] { return is_stopped(options); });
    if (is_stopped(options)) return stopped();
    if (merge.failed()) return lost_intermediate_data();
    linker.finish();
  }
  quality.merge(source.quality());
  MORA_CHECK_OK(writer.finish(static_cast<std::uint32_t>(options.model), options.fingerprint, items.measured,
                              quality_text(quality)));
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
