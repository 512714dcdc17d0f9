#include "trace/event_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace mora::trace {
namespace {

static_assert(std::is_trivially_copyable_v<Event>);

/// What an enter or leave is packed into. `kind` is the first byte of every packed event.
struct Short {
  EventKind kind = EventKind::enter;
  bool mended = false;
  RegionId region = no_id;
  Nanoseconds time = 0;
};
struct Long {
  EventKind kind = EventKind::other;
  Event event;
};
static_assert(sizeof(Short) == 16 && std::is_trivially_copyable_v<Long>);

constexpr std::uint32_t smallest_block = 256;
constexpr std::uint32_t largest_block = 64 << 10;
static_assert(sizeof(Long) <= smallest_block);

bool is_short(EventKind kind) { return kind == EventKind::enter || kind == EventKind::leave; }

void unpack(const std::byte* at, const std::byte* end, EventSink& sink) {
  while (at < end) {
    EventKind kind;
    std::memcpy(&kind, at, sizeof(kind));
    if (is_short(kind)) {
      Short packed;
      std::memcpy(&packed, at, sizeof(packed));
      at += sizeof(packed);
      Event event;
      event.kind = kind;
      event.time = packed.time;
      event.region = packed.region;
      event.mended = packed.mended;
      sink.on_event(event);
    } else {
      Long packed;
      std::memcpy(&packed, at, sizeof(packed));
      at += sizeof(packed);
      sink.on_event(packed.event);
    }
  }
}

constexpr std::size_t usual_budget = std::size_t{256} << 20;
thread_local std::size_t spool_budget = usual_budget;

constexpr const char* what_failed = "cannot keep the events of the trace in a temporary file";
constexpr const char* remedy = "free disk space there, or set TMPDIR to a directory with free space";

}  // namespace

SpoolMemory::SpoolMemory(std::uint64_t memory) : before_(spool_budget) {
  if (memory != 0) spool_budget = std::clamp<std::uint64_t>(memory / 16, std::size_t{1} << 20, usual_budget);
}
SpoolMemory::~SpoolMemory() { spool_budget = before_; }
std::size_t SpoolMemory::budget() { return spool_budget; }

EventSpool::EventSpool(EventSpoolOptions options) : options_(std::move(options)) {
  if (!options_.directory.empty()) return;
  const char* named = std::getenv("TMPDIR");
  options_.directory = named != nullptr && *named != '\0' ? named : "/tmp";
}

EventSpool::EventSpool(EventSpool&& other) noexcept
    : options_(std::move(other.options_)),
      streams_(std::move(other.streams_)),
      in_memory_(std::exchange(other.in_memory_, 0)),
      on_disk_(std::exchange(other.on_disk_, 0)),
      failure_(std::exchange(other.failure_, std::nullopt)),
      file_(std::exchange(other.file_, -1)) {}

EventSpool& EventSpool::operator=(EventSpool&& other) noexcept {
  std::swap(options_, other.options_);
  std::swap(streams_, other.streams_);
  std::swap(in_memory_, other.in_memory_);
  std::swap(on_disk_, other.on_disk_);
  std::swap(failure_, other.failure_);
  std::swap(file_, other.file_);
  return *this;
}

EventSpool::~EventSpool() {
  if (file_ >= 0) close(file_);
}

std::uint32_t EventSpool::add_stream() {
  streams_.emplace_back();
  return static_cast<std::uint32_t>(streams_.size() - 1);
}

void EventSpool::append(std::uint32_t stream, const Event& event) {
  if (failure_) return;
  if (is_short(event.kind)) {
    std::byte* at = reserve(stream, sizeof(Short));
    if (at == nullptr) return;
    const Short packed{event.kind, event.mended, event.region, event.time};
    std::memcpy(at, &packed, sizeof(packed));
  } else {
    std::byte* at = reserve(stream, sizeof(Long));
    if (at == nullptr) return;
    const Long packed{event.kind, event};
    std::memcpy(at, &packed, sizeof(packed));
  }
  ++streams_[stream].events;
}

/// Reserves `size` bytes at the end of the stream; null after a failure. A packed event never spans two blocks. Blocks
/// double in size up to 64 KiB, so that a short stream costs 256 bytes and a long one few allocations.
std::byte* EventSpool::reserve(std::uint32_t stream, std::uint32_t size) {
  Stream& s = streams_[stream];
  if (s.blocks.empty() || s.blocks.back().capacity - s.blocks.back().used < size) {
    std::uint32_t capacity = s.blocks.empty() ? smallest_block : std::min(2 * s.blocks.back().capacity, largest_block);
    if (in_memory_ + capacity > options_.budget) {
      store_all();
      if (failure_) return nullptr;
      capacity = smallest_block;
    }
    s.blocks.push_back({std::make_unique_for_overwrite<std::byte[]>(capacity), 0, capacity});
    in_memory_ += capacity;
  }
  Block& block = s.blocks.back();
  std::byte* at = block.data.get() + block.used;
  block.used += size;
  return at;
}

Result<void> EventSpool::open_file() {
  if (file_ >= 0) return {};
  std::string name = options_.directory + "/mora-events-XXXXXX";
  file_ = mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) return fail(ErrorKind::system, what_failed, options_.directory, system_reason(errno), remedy);
  unlink(name.c_str());
  return {};
}

Result<void> EventSpool::store(const Block& block, Stream& stream) {
  std::uint32_t done = 0;
  while (done < block.used) {
    const ssize_t n = pwrite(file_, block.data.get() + done, block.used - done, static_cast<off_t>(on_disk_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return fail(ErrorKind::system, what_failed, options_.directory, system_reason(n < 0 ? errno : ENOSPC), remedy);
    done += static_cast<std::uint32_t>(n);
  }
  stream.stored.push_back({on_disk_, block.used});
  on_disk_ += block.used;
  return {};
}

/// Writes the blocks of all streams and frees them. All at once, because writing only the largest streams would leave
/// the many small ones in memory for ever.
void EventSpool::store_all() {
  Result<void> done = open_file();
  for (Stream& stream : streams_) {
    for (const Block& block : stream.blocks) {
      if (done) done = store(block, stream);
    }
    stream.blocks.clear();
  }
  in_memory_ = 0;
  if (!done) failure_ = done.error();
}

Result<void> EventSpool::read(std::uint32_t stream, EventSink& sink) const {
  if (failure_) return tl::unexpected(*failure_);
  const Stream& s = streams_[stream];
  std::vector<std::byte> buffer;
  for (const Stored& stored : s.stored) {
    buffer.resize(std::max<std::size_t>(buffer.size(), stored.size));
    std::uint32_t done = 0;
    while (done < stored.size) {
      const ssize_t n =
          pread(file_, buffer.data() + done, stored.size - done, static_cast<off_t>(stored.offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0)
        return fail(ErrorKind::system, "cannot read back the events of the trace", options_.directory,
                    n < 0 ? system_reason(errno) : "the temporary file was cut");
      done += static_cast<std::uint32_t>(n);
    }
    unpack(buffer.data(), buffer.data() + stored.size, sink);
  }
  for (const Block& block : s.blocks) unpack(block.data.get(), block.data.get() + block.used, sink);
  return {};
}

}  // namespace mora::trace
