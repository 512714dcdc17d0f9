// Event types that are no calls: markers of the recorder, counters, values with and without labels.

#include "trace/metrics/metric_value.h"
#include "trace/readers/paraver/extrae.h"
#include "trace/readers/paraver/translator.h"

namespace mora::trace::paraver {
namespace {

/// Types that are counted by name; what comes after shares one row.
constexpr std::size_t most_uninterpreted = 50;

/// "PAPI_TOT_INS [Instr completed]"
std::string counter_label(const std::string& label) { return label.substr(0, label.find(" [")); }

}  // namespace

void Translator::simple(Place& place, Nanoseconds time, EventKind kind) {
  Event e;
  e.kind = kind;
  e.time = time;
  builder_.append(place.location, e);
}

/// Beginnings and ends that have an event kind of their own. A second beginning or end changes nothing.
bool Translator::marker(Place& place, Nanoseconds time, const Record::Pair& pair) {
  const bool begins = pair.value.bits != 0;
  switch (pair.type) {
    case extrae::application:
      simple(place, time, begins ? EventKind::program_begin : EventKind::program_end);
      return true;
    case extrae::flush:
      if (begins != place.in_overhead)
        simple(place, time, begins ? EventKind::overhead_begin : EventKind::overhead_end);
      place.in_overhead = begins;
      return true;
    case extrae::recording:
      if (begins == place.is_off) simple(place, time, begins ? EventKind::recording_on : EventKind::recording_off);
      place.is_off = !begins;
      return true;
    default:
      return false;
  }
}

/// Counters are metrics; so is every number without a label of its own. A labelled value is a user event.
void Translator::value(Place& place, Nanoseconds time, const Record::Pair& pair, std::uint64_t line) {
  const bool counter = extrae::is_counter(pair.type);
  const std::string* type = labels_.type(pair.type);
  if (type == nullptr && !counter) return uninterpreted(pair.type, line);
  Event e;
  e.time = time;
  const std::string* meaning = counter ? nullptr : labels_.value(pair.type, pair.value.bits);
  if (meaning != nullptr) {
    e.kind = EventKind::user;
    e.vector = builder_.user_type(*type);
    e.request = builder_.string(*meaning);
  } else {
    auto& metrics = builder_.definitions().metrics;
    const auto [at, is_new] = metrics_.try_emplace(pair.type, static_cast<std::uint32_t>(metrics.size()));
    if (is_new) {
      const char* usual = extrae::counter_name(pair.type);
      if (type != nullptr)
        metrics.push_back({counter ? counter_label(*type) : *type, counter ? "#" : "", counter});
      else
        metrics.push_back({usual != nullptr ? usual : "counter " + std::to_string(pair.type), "#", true});
    }
    e.kind = EventKind::metric;
    e.vector = at->second;
    set_metric_value(e, pair.value.negative ? metric_value(pair.value.as_signed()) : metric_value(pair.value.bits));
  }
  builder_.append(place.location, e);
}

void Translator::uninterpreted(std::uint64_t type, std::uint64_t line) {
  const auto at = uninterpreted_.find(type);
  Uninterpreted& row = at != uninterpreted_.end()                   ? at->second
                       : uninterpreted_.size() < most_uninterpreted ? uninterpreted_[type]
                                                                    : uninterpreted_rest_;
  if (row.count++ == 0) row.line = line;
}

void Translator::report_uninterpreted() {
  const auto add = [&](const std::string& where, const Uninterpreted& row) {
    if (row.count == 0) return;
    builder_.quality().add(
        "uninterpreted-event", Severity::info, where, row.count,
        "events of a type that neither Mora nor a .pcf file explains (first: line " + std::to_string(row.line) + ")",
        "keep the .pcf file of the trace beside it");
  };
  for (const auto& [type, row] : uninterpreted_) add("event type " + std::to_string(type), row);
  add("other event types", uninterpreted_rest_);
  if (!states_are_regions_ && states_ > idle_states_ && any_region_)
    builder_.quality().add("uninterpreted-event", Severity::info, "states", states_ - idle_states_,
                           "states are not shown: the calls and functions of the trace say more", "");
}

}  // namespace mora::trace::paraver
