/// Reads a machine model with its checks (docs/formats/machine.md), and evaluates it. Rounding: to the nearest
/// nanosecond, once per message or sum.
#include "predict/machine/model.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mora::predict {

namespace {

using Json = nlohmann::json;

tl::unexpected<Error> wrong(const std::string& file, const std::string& what, const std::string& why = {}) {
  return fail(ErrorKind::unreadable, "the machine model cannot be used", file, what + (why.empty() ? "" : ": " + why),
              "docs/formats/machine.md describes the file");
}

Result<double> cost(const Json& segment, const char* key, const std::string& file, const std::string& place) {
  const auto found = segment.find(key);
  if (found == segment.end()) return wrong(file, fmt::format("{} has no {}", place, key));
  if (!found->is_number()) return wrong(file, fmt::format("{} of {} is not a number", key, place));
  const double value = found->get<double>();
  if (!std::isfinite(value) || value < 0) return wrong(file, fmt::format("{} of {} is negative", key, place));
  return value;
}

Result<std::vector<CostSegment>> segments_of(const Json& list, const std::string& file, const std::string& level) {
  if (!list.is_array() || list.empty()) return wrong(file, fmt::format("{} is not a list of segments", level));
  std::vector<CostSegment> segments;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("segment {} of {}", i + 1, level);
    const Json& from = list[i];
    if (!from.is_object()) return wrong(file, place + " is not an object");
    for (const auto& [key, value] : from.items()) {
      if (key != "up_to_bytes" && key != "latency_ns" && key != "ns_per_byte")
        return wrong(file, fmt::format("{} has an unknown key {}", place, key));
    }
    CostSegment segment;
    MORA_TRY(segment.latency_ns, cost(from, "latency_ns", file, place));
    MORA_TRY(segment.ns_per_byte, cost(from, "ns_per_byte", file, place));
    const auto end = from.find("up_to_bytes");
    const bool is_last = i + 1 == list.size();
    if ((end == from.end()) != is_last)
      return wrong(file, place, is_last ? "the last segment has no up_to_bytes" : "up_to_bytes is missing");
    if (!is_last) {
      if (!end->is_number_unsigned()) return wrong(file, fmt::format("up_to_bytes of {} is not a whole number", place));
      segment.up_to_bytes = end->get<std::uint64_t>();
      if (!segments.empty() && segments.back().up_to_bytes >= segment.up_to_bytes)
        return wrong(file, place + " ends before the one before it");
    }
    segments.push_back(segment);
  }
  return segments;
}

const CostSegment& segment_for(const MachineModel& model, Locality locality, std::uint64_t bytes) {
  const auto& segments = model.segments[static_cast<std::size_t>(locality)];
  std::size_t i = 0;
  while (i + 1 < segments.size() && segments[i].up_to_bytes < bytes) ++i;
  return segments[i];
}

Nanoseconds rounded(double nanoseconds) {
  constexpr double most = static_cast<double>(INT64_MAX / 4);
  return static_cast<Nanoseconds>(nanoseconds < most ? std::llround(nanoseconds) : INT64_MAX / 4);
}

}  // namespace

std::string_view name_of(Locality locality) { return locality == Locality::same_node ? "same_node" : "other_node"; }

Result<MachineModel> parse_machine_model(std::string_view text, const std::string& name) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
    return wrong(name, "it is not JSON", parse_error == nullptr ? "" : fmt::format("byte {}", parse_error->byte));
  }
  if (!json.is_object()) return wrong(name, "it is not a JSON object");
  const auto format = json.find("format");
  if (format == json.end() || *format != "mora-machine 1") return wrong(name, "\"format\" is not \"mora-machine 1\"");
  MachineModel model;
  for (const auto& [key, value] : json.items()) {
    if (key == "format") continue;
    if (key == "name") {
      if (!value.is_string()) return wrong(name, "\"name\" is not a text");
      model.name = value.get<std::string>();
    } else if (key == name_of(Locality::same_node)) {
      MORA_TRY(model.segments[0], segments_of(value, name, key));
    } else if (key == name_of(Locality::other_node)) {
      MORA_TRY(model.segments[1], segments_of(value, name, key));
    } else {
      return wrong(name, fmt::format("unknown key {}", key));
    }
  }
  for (std::size_t i = 0; i < locality_count; ++i) {
    if (model.segments[i].empty()) return wrong(name, fmt::format("it has no {}", name_of(static_cast<Locality>(i))));
  }
  return model;
}

Nanoseconds message_time(const MachineModel& model, Locality locality, std::uint64_t bytes) {
  const CostSegment& segment = segment_for(model, locality, bytes);
  return rounded(segment.latency_ns + static_cast<double>(bytes) * segment.ns_per_byte);
}

Nanoseconds messages_time(const MachineModel& model, Locality locality, std::uint64_t messages, std::uint64_t bytes) {
  if (messages == 0) return 0;
  const CostSegment& segment = segment_for(model, locality, bytes / messages);
  return rounded(static_cast<double>(messages) * segment.latency_ns + static_cast<double>(bytes) * segment.ns_per_byte);
}

}  // namespace mora::predict
