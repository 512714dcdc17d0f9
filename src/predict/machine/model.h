/// A machine model: the time of a message, by its size and by how far its ends are apart: Hockney's model (latency and
/// time per byte; Hockney 1994), one straight line for each size segment, read from a
/// file (docs/formats/machine.md). Pure functions, safe from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace mora::predict {

/// How far two ranks are apart. More levels (cache, package, switch) go between and behind these.
enum class Locality : std::uint8_t { same_node, other_node };
constexpr std::size_t locality_count = 2;
std::string_view name_of(Locality locality);  ///< its key in the file: "same_node"

/// Messages of at most `up_to_bytes` (and more than the segment before) cost latency_ns + bytes × ns_per_byte.
struct CostSegment {
  std::uint64_t up_to_bytes = UINT64_MAX;
  double latency_ns = 0;
  double ns_per_byte = 0;
};

struct MachineModel {
  std::string name;
  std::array<std::vector<CostSegment>, locality_count> segments;  ///< ascending; the last has no upper end
};

/// `name` is for messages. Errors (unreadable): not JSON, a key that is missing or unknown, segments out of order, a
/// cost that is negative.
Result<MachineModel> parse_machine_model(std::string_view text, const std::string& name);

/// One message. Rounded to the nearest nanosecond; at most INT64_MAX / 4.
Nanoseconds message_time(const MachineModel& model, Locality locality, std::uint64_t bytes);

/// `messages` messages of together `bytes`, one after the other; their mean size decides the segment. 0 for no message.
Nanoseconds messages_time(const MachineModel& model, Locality locality, std::uint64_t messages, std::uint64_t bytes);

}  // namespace mora::predict
