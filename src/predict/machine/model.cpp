/// Reads a machine model with its checks (docs/formats/machine.md), and evaluates it. Rounding: to the nearest
/// nanosecond, once per message or sum.
#include "predict/machine/model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "predict/machine/topology_file.h"

namespace mora::predict {

namespace {

using Json = nlohmann::json;

tl::unexpected<Error> wrong(const std::string& file, const std::string& what, const std::string& why = {}) {
  return fail(ErrorKind::unreadable, "the machine model cannot be used", file, what + (why.empty() ? "" : ": " + why),
              "docs/formats/machine.md describes the file");
}

/// The numbers of an object, each asked for by its key; what was not asked for is an unknown key.
class Fields {
 public:
  Fields(const Json& object, const std::string& file, std::string place)
      : object_(object), file_(file), place_(std::move(place)) {}

  /// `fallback`: what a missing one is; without one it must be there.
  Result<double> cost(const char* key, std::optional<double> fallback = {}) {
    known_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end()) {
      if (fallback) return *fallback;
      return wrong(file_, fmt::format("{} has no {}", place_, key));
    }
    if (!found->is_number()) return wrong(file_, fmt::format("{} of {} is not a number", key, place_));
    const double value = found->get<double>();
    if (!std::isfinite(value) || value < 0) return wrong(file_, fmt::format("{} of {} is negative", key, place_));
    return value;
  }
  Result<std::uint64_t> bytes(const char* key) {
    known_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end()) return UINT64_MAX;
    if (!found->is_number_unsigned()) return wrong(file_, fmt::format("{} of {} is not a whole number", key, place_));
    return found->get<std::uint64_t>();
  }
  Result<std::string> text(const char* key) {
    known_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end()) return std::string();
    if (!found->is_string()) return wrong(file_, fmt::format("{} of {} is not a text", key, place_));
    return found->get<std::string>();
  }
  void allow(const char* key) { known_.emplace_back(key); }
  Result<void> finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        return wrong(file_, fmt::format("{} has an unknown key {}", place_, key));
    }
    return {};
  }

 private:
  const Json& object_;
  const std::string& file_;
  std::string place_;
  std::vector<std::string> known_;
};

/// Whose ranges: which costs they have.
enum class RangeOf : std::uint8_t {
  first,  ///< files of version 1: straight lines for the whole message, and nothing else
  message,
  window,  ///< one-sided calls: the caller's processor, and what comes behind
};

Result<CostRange> range_of(const Json& from, const std::string& file, const std::string& place, RangeOf of) {
  if (!from.is_object()) return wrong(file, place + " is not an object");
  Fields fields(from, file, place);
  CostRange range;
  MessageLines& l = range.lines;
  const std::optional<double> missing = of == RangeOf::window ? std::optional(0.0) : std::nullopt;
  MORA_TRY(l.latency_ns, fields.cost("latency_ns", missing));
  MORA_TRY(l.ns_per_byte, fields.cost("ns_per_byte", missing));
  MORA_TRY(range.up_to_bytes, fields.bytes("up_to_bytes"));
  if (of == RangeOf::window) {
    MORA_TRY(l.send_overhead_ns, fields.cost("overhead_ns", 0));
    MORA_TRY(l.send_overhead_ns_per_byte, fields.cost("overhead_ns_per_byte", 0));
    MORA_TRY(l.relative_error, fields.cost("relative_error", 0));
  } else if (of == RangeOf::message) {
    MORA_TRY(l.send_overhead_ns, fields.cost("send_overhead_ns", 0));
    MORA_TRY(l.send_overhead_ns_per_byte, fields.cost("send_overhead_ns_per_byte", 0));
    MORA_TRY(l.receive_overhead_ns, fields.cost("receive_overhead_ns", 0));
    MORA_TRY(l.receive_overhead_ns_per_byte, fields.cost("receive_overhead_ns_per_byte", 0));
    MORA_TRY(l.gap_ns, fields.cost("gap_ns", 0));
    MORA_TRY(l.gap_ns_per_byte, fields.cost("gap_ns_per_byte", 0));
    MORA_TRY(l.relative_error, fields.cost("relative_error", 0));
    MORA_TRY(const std::string protocol, fields.text("protocol"));
    if (!protocol.empty() && protocol != "eager" && protocol != "rendezvous")
      return wrong(file, fmt::format("protocol of {} is neither \"eager\" nor \"rendezvous\"", place));
    l.rendezvous = protocol == "rendezvous";
  }
  MORA_CHECK_OK(fields.finish());
  return range;
}

Result<std::vector<CostRange>> ranges_of(const Json& list, const std::string& file, const std::string& level,
                                         RangeOf of) {
  if (!list.is_array() || list.empty()) return wrong(file, fmt::format("{} is not a list of segments", level));
  std::vector<CostRange> ranges;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("segment {} of {}", i + 1, level);
    MORA_TRY(const CostRange range, range_of(list[i], file, place, of));
    const bool is_last = i + 1 == list.size(), has_end = list[i].contains("up_to_bytes");
    if (has_end == is_last)
      return wrong(file, place, is_last ? "the last segment has no up_to_bytes" : "up_to_bytes is missing");
    if (!ranges.empty() && !is_last && ranges.back().up_to_bytes >= range.up_to_bytes)
      return wrong(file, place + " ends before the one before it");
    if (!ranges.empty() && ranges.back().lines.rendezvous && !range.lines.rendezvous)
      return wrong(file, place + " is eager, and the one before it is not");
    ranges.push_back(range);
  }
  return ranges;
}

Result<std::shared_ptr<const MessageModel>> class_of(const Json& from, const std::string& file,
                                                     const std::string& level) {
  if (!from.is_object()) return wrong(file, level + " is not an object");
  Fields fields(from, file, level);
  std::shared_ptr<const MessageModel> model;
  fields.allow("one_sided");
  MORA_TRY(const std::string kind, fields.text("model"));
  if (kind == "piecewise") {
    fields.allow("segments");
    MORA_TRY(const std::uint64_t measured, fields.bytes("measured_up_to_bytes"));
    if (!from.contains("segments")) return wrong(file, level + " has no segments");
    MORA_TRY(auto ranges, ranges_of(from["segments"], file, level, RangeOf::message));
    model = std::make_shared<PiecewiseModel>(std::move(ranges), measured);
  } else if (kind == "loggp") {
    LogGpParameters p;
    MORA_TRY(p.latency_ns, fields.cost("latency_ns"));
    MORA_TRY(p.overhead_ns, fields.cost("overhead_ns"));
    MORA_TRY(p.gap_ns, fields.cost("gap_ns"));
    MORA_TRY(p.gap_ns_per_byte, fields.cost("gap_ns_per_byte"));
    MORA_TRY(p.eager_up_to_bytes, fields.bytes("eager_up_to_bytes"));
    MORA_TRY(p.relative_error, fields.cost("relative_error", 0));
    model = std::make_shared<LogGpModel>(p);
  } else if (kind == "hockney") {
    MORA_TRY(const double latency, fields.cost("latency_ns"));
    MORA_TRY(const double per_byte, fields.cost("ns_per_byte"));
    MORA_TRY(const double error, fields.cost("relative_error", 0));
    model = std::make_shared<HockneyModel>(latency, per_byte, error);
  } else {
    return wrong(file, fmt::format("model of {} is none of \"hockney\", \"loggp\", \"piecewise\"", level));
  }
  MORA_CHECK_OK(fields.finish());
  return model;
}

/// `one_sided` of a class, which may be missing.
Result<WindowModels> windows_of(const Json& from, const std::string& file, const std::string& level) {
  WindowModels models;
  const auto found = from.find("one_sided");
  if (found == from.end()) return models;
  const std::string place = "one_sided of " + level;
  if (!found->is_object()) return wrong(file, place + " is not an object");
  Fields fields(*found, file, place);
  MORA_TRY(const std::uint64_t measured, fields.bytes("measured_up_to_bytes"));
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::string key(replay::name_of(static_cast<replay::WindowCall>(i)));
    fields.allow(key.c_str());
    if (!found->contains(key)) continue;
    MORA_TRY(auto ranges, ranges_of((*found)[key], file, key + " of " + place, RangeOf::window));
    models[i] = std::make_shared<PiecewiseModel>(std::move(ranges), measured);
  }
  MORA_CHECK_OK(fields.finish());
  return models;
}

Result<SharedCosts> shared_of(const Json& from, const std::string& file) {
  if (!from.is_object()) return wrong(file, "shared is not an object");
  Fields fields(from, file, "shared");
  SharedCosts costs;
  MORA_TRY(costs.connection_ns_per_byte, fields.cost("connection_ns_per_byte", 0));
  MORA_TRY(costs.memory_ns_per_byte, fields.cost("memory_ns_per_byte", 0));
  MORA_CHECK_OK(fields.finish());
  return costs;
}

std::optional<Locality> locality_named(std::string_view name) {
  for (std::size_t i = 0; i < locality_count; ++i) {
    if (name == name_of(static_cast<Locality>(i))) return static_cast<Locality>(i);
  }
  return {};
}

const MessageModel& model_for(const MachineModel& model, Locality locality) { return *model.find(locality); }

}  // namespace

std::string_view name_of(Locality locality) {
  constexpr std::string_view names[] = {"same_core", "same_package", "same_node", "other_node"};
  return names[static_cast<std::size_t>(locality)];
}

const MessageModel* MachineModel::find(Locality locality) const {
  const auto index = index_of(locality);
  return index ? classes[*index].get() : nullptr;
}

std::optional<std::size_t> MachineModel::index_of(Locality locality) const {
  const auto asked = static_cast<std::size_t>(locality), node = static_cast<std::size_t>(Locality::same_node);
  for (std::size_t i = asked; i <= std::max(asked, node); ++i) {
    if (classes[i] != nullptr) return i;
  }
  if (locality == Locality::other_node) return {};
  for (std::size_t i = asked; i-- > 0;) {
    if (classes[i] != nullptr) return i;
  }
  return {};
}

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
  const bool is_first = format != json.end() && *format == "mora-machine 1";
  if (!is_first && (format == json.end() || *format != "mora-machine 2"))
    return wrong(name, "\"format\" is neither \"mora-machine 1\" nor \"mora-machine 2\"");
  MachineModel model;
  for (const auto& [key, value] : json.items()) {
    if (key == "format") continue;
    const auto locality = locality_named(key);
    if (key == "name" || (key == "mpi" && !is_first)) {
      if (!value.is_string()) return wrong(name, fmt::format("\"{}\" is not a text", key));
      (key == "name" ? model.name : model.mpi) = value.get<std::string>();
    } else if (locality && (!is_first || *locality >= Locality::same_node)) {
      auto& place = model.classes[static_cast<std::size_t>(*locality)];
      if (is_first) {
        MORA_TRY(auto ranges, ranges_of(value, name, key, RangeOf::first));
        place = std::make_shared<PiecewiseModel>(std::move(ranges));
      } else {
        MORA_TRY(place, class_of(value, name, key));
        MORA_TRY(model.windows[static_cast<std::size_t>(*locality)], windows_of(value, name, key));
      }
    } else if (key == "topology" && !is_first) {
      auto costs = topology_of(value);
      if (!costs) return wrong(name, costs.error());
      model.topology = std::move(costs->topology);
      model.hop_latency_ns = costs->hop_latency_ns;
      model.shared.link_ns_per_byte = costs->link_ns_per_byte;
    } else if (key == "shared" && !is_first) {
      MORA_TRY(const SharedCosts shared, shared_of(value, name));
      model.shared.connection_ns_per_byte = shared.connection_ns_per_byte;
      model.shared.memory_ns_per_byte = shared.memory_ns_per_byte;
    } else if (key != "calibration" || is_first) {
      return wrong(name, fmt::format("unknown key {}", key));
    }
  }
  if (is_first) {
    for (const Locality locality : {Locality::same_node, Locality::other_node}) {
      if (model.find(locality) == nullptr) return wrong(name, fmt::format("it has no {}", name_of(locality)));
    }
  }
  if (model.find(Locality::same_node) == nullptr && model.find(Locality::other_node) == nullptr)
    return wrong(name, "it has none of same_core, same_package, same_node, other_node");
  return model;
}

Nanoseconds messages_time(const MachineModel& model, Locality locality, std::uint64_t messages, std::uint64_t bytes) {
  if (messages == 0) return 0;
  const MessageLines lines = model_for(model, locality).at(bytes / messages);
  return rounded_ns(static_cast<double>(messages) * lines.fixed_ns() +
                    static_cast<double>(bytes) * lines.per_byte_ns());
}

}  // namespace mora::predict
