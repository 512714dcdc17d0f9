/// Memory of the mapped file is given out in sizes of powers of two (and three quarters of them), so that what is given
/// back fits the next; requests above 16 MiB get a mapping of their own. Resident memory is read from /proc/self/statm
/// once per MiB taken and once a millisecond; pages are dropped with MADV_DONTNEED, which keeps them in the file. Idea
/// and limits: storage.h.
#include "analysis/storage/storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "base/storage/room.h"

namespace mora::analysis {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t piece = std::size_t{32} << 20;  ///< the file grows by so much
constexpr std::uint64_t look_every = std::uint64_t{1} << 20;
constexpr std::uint64_t worth_dropping = std::uint64_t{4} << 20;

thread_local Storage* current_storage = nullptr;

}  // namespace

Storage* Storage::current() { return current_storage; }

StorageScope::StorageScope(Storage* storage) : before_(std::exchange(current_storage, storage)) {}
StorageScope::~StorageScope() { current_storage = before_; }

Storage::Storage(std::uint64_t budget)
    : budget_(budget),
      limit_(std::max(budget / 4, budget - std::min(budget, std::max(budget / 4, std::uint64_t{96} << 20)))),
      directory_(temporary_directory()) {
  file_ = open_temporary();
  if (file_ < 0) fail_with(system_reason(errno));
  statm_ = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Storage::~Storage() {
  watcher_ = {};
  for (const Mapping& mapping : mappings_) ::munmap(mapping.address, mapping.bytes);
  if (statm_ >= 0) ::close(statm_);
  if (file_ >= 0) ::close(file_);
}

/// Powers of two of pages, so that what is given back fits the next; beyond a piece only whole pages.
std::size_t Storage::rounded(std::size_t bytes) {
  if (bytes > piece / 2) return (bytes + page - 1) / page * page;
  std::size_t size = page;
  while (size < bytes) size *= 2;
  return bytes <= size / 4 * 3 && size > 4 * page ? size / 4 * 3 : size;
}

void Storage::fail_with(const std::string& why) {
  if (!failed_.exchange(true)) why_ = why;
}

Result<void> Storage::check() const {
  if (!has_failed()) return {};
  const std::lock_guard lock(mutex_);
  return fail(ErrorKind::system, "cannot keep the halves of the analysis on disk", directory_, why_,
              "free some space there, name another directory with TMPDIR, or give a larger --memory");
}

/// With the mutex held.
std::byte* Storage::map_more(std::size_t bytes) {
  if (const int error = ::posix_fallocate(file_, static_cast<off_t>(end_), static_cast<off_t>(bytes)); error != 0) {
    fail_with(system_reason(error));
    return nullptr;
  }
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(end_));
  if (address == MAP_FAILED) {
    fail_with(system_reason(errno));
    return nullptr;
  }
  mappings_.push_back(Mapping{static_cast<std::byte*>(address), bytes, end_});
  end_ += bytes;
  return static_cast<std::byte*>(address);
}

void* Storage::take(std::size_t bytes) {
  if (has_failed()) return nullptr;
  const std::size_t size = rounded(bytes);
  std::byte* memory = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& free = free_[size];
    if (!free.empty()) {
      memory = free.back();
      free.pop_back();
    } else if (size > piece / 2) {
      memory = map_more(size);
    } else {
      if (static_cast<std::size_t>(stop_ - next_) < size) {
        next_ = map_more(piece);
        stop_ = next_ == nullptr ? nullptr : next_ + piece;
      }
      memory = next_;
      if (memory != nullptr) next_ += size;
    }
  }
  if (since_look_.fetch_add(size) + size >= look_every) {
    since_look_ = 0;
    trim();
  }
  return memory;
}

void Storage::give_back(void* memory, std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  const std::lock_guard lock(mutex_);
  if (size <= piece / 2) {
    free_[size].push_back(static_cast<std::byte*>(memory));
    return;
  }
  const auto place = std::find_if(mappings_.begin(), mappings_.end(),
                                  [&](const Mapping& mapping) { return mapping.address == memory; });
  ::munmap(place->address, place->bytes);
  // What cannot be given back to the disk now goes with the file.
  (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place->offset),
                    static_cast<off_t>(place->bytes));
  mappings_.erase(place);
}

void Storage::trim() {
  char text[128] = "";
  const ssize_t length = ::pread(statm_, text, sizeof text - 1, 0);
  if (length <= 0) return;
  char* second = nullptr;
  (void)std::strtoull(text, &second, 10);
  const std::uint64_t resident = std::strtoull(second, nullptr, 10) * page;
  if (resident <= std::max(limit_, kept_ + worth_dropping)) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;  // another thread does it
  for (const Mapping& mapping : mappings_) ::madvise(mapping.address, mapping.bytes, MADV_DONTNEED);
  const ssize_t again = ::pread(statm_, text, sizeof text - 1, 0);
  if (again <= 0) return;
  (void)std::strtoull(text, &second, 10);
  kept_ = std::strtoull(second, nullptr, 10) * page;
}

/// Scoring touches pages without taking memory.
void Storage::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    trim();
  }
}

}  // namespace mora::analysis
