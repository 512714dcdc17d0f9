#include "trace/kept/kept_events.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include "base/numbers/short_number.h"

namespace mora::trace {
namespace {

constexpr std::size_t smallest_piece = 1 << 10, largest_piece = 1 << 16;
constexpr std::size_t width = sizeof(std::uint32_t);

/// An event as pieces of 32 bits. The first two are its time, the last one is padding.
using Lanes = std::array<std::uint32_t, sizeof(Event) / width>;
constexpr std::size_t first_lane = 2, padding_lane = 27;
static_assert(std::is_trivially_copyable_v<Event> && sizeof(Lanes) == sizeof(Event));
static_assert(offsetof(Event, time) == 0 && sizeof(Event::time) == first_lane * width);
static_assert(offsetof(Event, collective_io) < padding_lane * width && padding_lane + 1 == std::tuple_size_v<Lanes>);

/// Bit of each lane in the set of those that differ.
constexpr Lanes lane_bits = [] {
  Lanes bits{};
  for (std::size_t lane = first_lane; lane < padding_lane; ++lane) bits[lane] = 1U << (lane - first_lane);
  return bits;
}();

/// Those that differ; four at a time, which the processor compares at once.
std::uint32_t differing_lanes(const Event& a, const Event& b) {
  using Four [[gnu::vector_size(4 * width)]] = std::uint32_t;
  static_assert(sizeof(Event) % sizeof(Four) == 0);
  Four differing{};
  for (std::size_t at = 0; at < sizeof(Event); at += sizeof(Four)) {
    Four of_a, of_b, bits;
    std::memcpy(&of_a, reinterpret_cast<const std::byte*>(&a) + at, sizeof(Four));
    std::memcpy(&of_b, reinterpret_cast<const std::byte*>(&b) + at, sizeof(Four));
    std::memcpy(&bits, reinterpret_cast<const std::byte*>(&lane_bits) + at, sizeof(Four));
    differing |= reinterpret_cast<Four>(of_a != of_b) & bits;
  }
  return differing[0] | differing[1] | differing[2] | differing[3];
}

std::uint32_t lane_of(const Event& event, std::size_t lane) {
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&event) + lane * width, width);
  return value;
}

}  // namespace

LastEvents::LastEvents() {
  static_assert((padding_lane - first_lane + 2) * longest_number <= most_bytes);
  for (unsigned slot = 0; slot < events_.size(); ++slot)
    events_[slot].kind = slot < kinds ? static_cast<EventKind>(slot) : EventKind::metric;
}

std::byte* LastEvents::pack(const Event& event, std::byte* at) {
  const unsigned slot = slot_of(event);
  Event& last = events_[slot];
  std::uint32_t differing = differing_lanes(event, last);
  at = store_number(at, static_cast<std::uint64_t>(differing) << slot_bits | slot);
  at =
      store_number(at, folded(static_cast<std::int64_t>(static_cast<std::uint64_t>(event.time) -
                                                        static_cast<std::uint64_t>(std::exchange(time_, event.time)))));
  for (; differing != 0; differing &= differing - 1) {
    const std::size_t lane = first_lane + static_cast<std::size_t>(std::countr_zero(differing));
    at = store_number(at, folded(static_cast<std::int32_t>(lane_of(event, lane) - lane_of(last, lane))));
  }
  last = event;
  return at;
}

const Event& LastEvents::unpack(const std::byte*& at) {
  std::uint64_t head = 0, number = 0;
  const std::byte* next = load_number(load_number(at, head), number);
  Event& event = events_[head & ((1U << slot_bits) - 1)];
  time_ = static_cast<Nanoseconds>(static_cast<std::uint64_t>(time_) + static_cast<std::uint64_t>(unfolded(number)));
  event.time = time_;
  for (std::uint64_t differing = head >> slot_bits; differing != 0; differing &= differing - 1) {
    const std::size_t lane = first_lane + static_cast<std::size_t>(std::countr_zero(differing));
    next = load_number(next, number);
    const std::uint32_t value = lane_of(event, lane) + static_cast<std::uint32_t>(unfolded(number));
    std::memcpy(reinterpret_cast<std::byte*>(&event) + lane * width, &value, width);
  }
  at = next;
  return event;
}

KeptEvents::Keeper::Keeper(KeptEvents& kept, LocationId location, EventSink& next)
    : kept_(kept), location_(location), next_(next), wanted_(next.kinds()) {}

void KeptEvents::Keeper::on_event(const Event& event) {
  if (static_cast<std::size_t>(end_ - at_) < LastEvents::most_bytes + LastEvents::behind) store();
  if (has_room_) at_ = last_.pack(event, at_);
  if ((wanted_ & kind_bit(event.kind)) != 0) next_.on_event(event);
}

/// Keeps the piece, as large as what is in it, and begins another.
void KeptEvents::Keeper::store() {
  if (!has_room_) return;
  if (piece_ != nullptr) {
    const auto bytes = static_cast<std::size_t>(at_ - piece_.get());
    auto exact = std::make_unique_for_overwrite<std::byte[]>(bytes + LastEvents::behind);
    std::memcpy(exact.get(), piece_.get(), bytes);
    std::memset(exact.get() + bytes, 0, LastEvents::behind);
    {
      const std::shared_lock lock(kept_.leaving_);
      Location& all = kept_.locations_[location_];
      if (kept_.has_left_ && all.is_on_disk) return forget();
      auto chunk = kept_.file_.keep(std::move(exact), bytes + LastEvents::behind);
      if (chunk) {
        all.is_on_disk = all.is_on_disk || chunk->memory == nullptr;
        all.pieces.push_back({std::move(*chunk), bytes});
      } else {
        forget();
      }
    }
    if (!has_room_) return kept_.leave_disk();
  }
  const std::size_t size = std::clamp(2 * size_, smallest_piece, largest_piece);
  if (size != size_) piece_ = std::make_unique_for_overwrite<std::byte[]>(size_ = size);
  at_ = piece_.get();
  end_ = at_ + size_;
}

void KeptEvents::Keeper::forget() {
  has_room_ = false;
  kept_.locations_[location_] = {};
}

void KeptEvents::Keeper::finish() {
  store();
  const std::shared_lock lock(kept_.leaving_);
  Location& all = kept_.locations_[location_];
  if (kept_.has_left_ && all.is_on_disk) forget();
  if (!has_room_) return;
  all.readings = all.is_on_disk ? 1 : kept_.readings_;
  if (all.is_on_disk) ++kept_.on_disk_;
}

/// Those that are still being kept are forgotten by who keeps them.
void KeptEvents::leave_disk() {
  const std::unique_lock lock(leaving_);
  if (std::exchange(has_left_, true)) return;
  for (Location& location : locations_) {
    if (location.is_on_disk && location.readings != 0) location = {};
  }
  on_disk_ = 0;
  file_.drop_all();
}

Result<void> KeptEvents::give(LocationId location, EventSink& sink) {
  LastEvents last;
  std::unique_ptr<std::byte[]> read;
  Location& all = locations_[location];
  const bool is_last = --all.readings == 0;
  for (Piece& piece : all.pieces) {
    if (piece.chunk.memory == nullptr) {
      if (read == nullptr) read = std::make_unique_for_overwrite<std::byte[]>(largest_piece + LastEvents::behind);
      MORA_CHECK_OK(file_.read(piece.chunk, read.get(), piece.bytes + LastEvents::behind));
    }
    const std::byte* at = piece.chunk.memory != nullptr ? piece.chunk.memory.get() : read.get();
    for (const std::byte* const end = at + piece.bytes; at < end;) sink.on_event(last.unpack(at));
    if (is_last) file_.drop(piece.chunk, piece.bytes + LastEvents::behind);
    if (is_last) piece.chunk.memory.reset();
  }
  if (!is_last) return {};
  if (all.is_on_disk && --on_disk_ == 0) file_.drop_all();
  all = {};
  return {};
}

}  // namespace mora::trace
