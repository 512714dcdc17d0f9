/// The fields of findings.json (docs/formats/findings.md), named once: what writes them and what reads them are two
/// visitors of the same lists, so that neither can forget one.
///
/// A visitor has: field (must be there), maybe (older files lack it), or_null (null where there is nothing), time,
/// amount and amounts (exact seconds of nanoseconds, or whole numbers), ratio (six digits), derived (written only).
#pragma once

#include <algorithm>
#include <concepts>

#include "base/json/json_document.h"
#include "report/data/figures.h"
#include "report/data/report_data.h"
#include "report/findings/statistics.h"

namespace mora::report {

/// T or const T: one list of fields serves the reader and the writer.
template <class A, class T>
concept Is = std::same_as<std::remove_const_t<A>, T>;

void visit_fields(auto& io, Is<CallSite> auto& site) { io.field("file", site.file).or_null("line", site.line); }

void visit_fields(auto& io, Is<analysis::WaitStatistics> auto& waits) {
  io.field("count", waits.count).time("sum_s", waits.sum).time("min_s", waits.min).time("q1_s", waits.lower_quartile);
  io.time("median_s", waits.median).time("q3_s", waits.upper_quartile).time("max_s", waits.max);
  io.derived("mean_s", [&] { return Seconds{mean_of(waits)}; });
}

void visit_fields(auto& io, Is<Instance> auto& one) {
  io.time("begin_s", one.begin).time("end_s", one.end).field("rank", one.rank).maybe("thread", one.thread);
  io.if_any("call_path", one.call_path).field("cause_rank", one.cause_rank);
  io.or_null("cause_call_path", one.cause_call_path).or_null("cause_call_site", one.cause_call_site);
}

/// The statistics of single waits and the longest of them, of a finding or a metric: they come and go together.
void visit_waits(auto& io, auto& of) {
  if (io.has("statistics")) io.or_null("statistics", of.statistics).field("most_severe", of.most_severe);
}

void visit_fields(auto& io, Is<Cause> auto& cause) { io.field("rank", cause.rank).time("severity_s", cause.severity); }

void visit_fields(auto& io, Is<FunctionDifference> auto& f) {
  io.field("name", f.name).field("file", f.file).field("line", f.line).field("last_line", f.last_line);
  io.field("called_from", f.called_from)
      .maybe("called_at_file", f.called_at.file)
      .maybe("called_at_line", f.called_at.line);
  io.time("time_s", f.here).time("others_s", f.others).time("error_s", f.error);
}

void visit_fields(auto& io, Is<CauseCall> auto& cause) {
  io.field("rank", cause.rank).or_null("call_path", cause.call_path).or_null("call_site", cause.call_site);
  io.time("severity_s", cause.severity).if_any("functions", cause.functions);
}

void visit_fields(auto& io, Is<LossCause> auto& c) {
  io.field("kind", c.kind).time("amount_s", c.amount).field("ranks", c.ranks).time("first_rank_s", c.share_of_first);
  io.or_null("call_path", c.call_path)
      .or_null("call_site", c.call_site)
      .time("waiting_s", c.waiting)
      .time("longer_s", c.longer);
  io.or_null("waits_at", c.waits_at).field("symptom", c.symptom).field("calls", c.calls).field("bytes", c.bytes);
  io.maybe("with", c.with).if_any("call_ranks", c.call_ranks);
  if (io.has("overlappable_s")) io.time("overlappable_s", c.overlappable);
  if (io.begins("instances", c.instances)) io.field("instances", *c.instances);
  if (io.begins("thread", c.thread)) io.field("thread", *c.thread);
  if (io.begins("target", c.target)) io.field("target", *c.target);
  if (io.begins("trend", c.trend)) {
    io.field("trend", c.trend->kind).time("trend_from_s", c.trend->from).time("trend_to_s", c.trend->to);
    io.field("trend_number", c.trend->number).field("trend_executions", c.trend->executions);
  }
  io.if_any("functions", c.functions);
  if (io.begins("code_s", c.core)) {
    io.time("code_s", c.core->time).time("not_running_s", c.core->not_running);
    io.time("without_core_s", c.core->without_core);
    if (io.has("in_kernel_s")) {
      io.time("in_kernel_s", c.core->in_kernel).field("page_faults", c.core->page_faults);
      io.field("voluntary_switches", c.core->voluntary_switches);
      io.field("involuntary_switches", c.core->involuntary_switches);
    }
  }
}

void visit_fields(auto& io, Is<ProcessorFinding> auto& f) {
  io.field("kind", f.kind).field("name", f.name).field("summary", f.summary);
  if (!f.by_rank.empty()) io.time("without_core_s", f.without_core).amounts("by_rank", f.by_rank, cube::Unit::seconds);
  io.field("advice", f.advice);
}

void visit_fields(auto& io, Is<Losses> auto& l) {
  io.time("focus_s", l.focus).time("outside_s", l.outside).time("lost_s", l.lost).time("smaller_s", l.smaller);
  if (io.begins("without_core_s", l.without_core)) io.time("without_core_s", *l.without_core);
  io.field("causes", l.causes).field("start_and_end", l.start_and_end);
}

void visit_fields(auto& io, Is<FindingPart> auto& part) {
  io.field("call_path", part.call_path).time("severity_s", part.severity).field("instances", part.instances);
}

void visit_fields(auto& io, Is<Finding> auto& f) {
  io.field("id", f.id).field("metric", f.metric).field("name", f.name).time("severity_s", f.severity);
  io.ratio("percent_of_time", f.percent_of_time).field("instances", f.instances).field("call_path", f.call_path);
  io.if_any("parts", f.parts);
  io.or_null("call_site", f.call_site).amounts("by_rank", f.by_rank, cube::Unit::seconds);
  io.field("worst_rank", f.worst_rank).field("causes", f.causes).maybe("cause_calls", f.cause_calls);
  io.field("worst_instance", f.worst);
  visit_waits(io, f);
  io.maybe("summary", f.summary).maybe("diagnosis", f.diagnosis).maybe("advice", f.advice);
}

void visit_fields(auto& io, Is<MetricRow> auto& m) {
  io.field("id", m.id).field("name", m.name).or_null("parent", m.parent).field("unit", m.unit);
  const bool is_known = m.reason.empty();
  io.amount("inclusive", m.inclusive, m.unit, is_known).amount("exclusive", m.exclusive, m.unit, is_known);
  io.amounts("by_rank", m.by_rank, m.unit, &m.unknown_ranks).if_any("reason", m.reason);
  if (io.is_reader || m.statistics.count > 0) visit_waits(io, m);
}

/// `prefix`: "" or "partner_".
void visit_call(auto& io, const std::string& prefix, auto& call) {
  io.field(prefix + "call_path", call.call_path).or_null(prefix + "call_site", call.site);
  io.time(prefix + "begin_s", call.begin).time(prefix + "end_s", call.end);
}

void visit_fields(auto& io, Is<Check> auto& check) {
  io.field("rule", check.rule).maybe("name", check.name).maybe("window", check.window);
  io.field("instances", check.instances).field("rank", check.call.rank);
  visit_call(io, "", check.call);
  io.field("partner_rank", check.partner_rank);
  if (io.begins("partner_call_path", check.partner)) visit_call(io, "partner_", *check.partner);
  io.maybe("what", check.what).maybe("advice", check.advice).maybe("source", check.source);
}

void visit_fields(auto& io, Is<Transfer> auto& t) {
  io.field("origin", t.origin).field("target", t.target).field("kind", t.kind);
  io.field("operations", t.operations).field("bytes", t.bytes);
}

void visit_fields(auto& io, Is<QualityRow> auto& row) {
  io.field("kind", row.kind).field("severity", row.severity).maybe("where", row.where).field("count", row.count);
  io.maybe("what", row.what).maybe("remedy", row.remedy);
}

/// What is null in the file.
bool is_nothing(const auto& value) { return value == std::decay_t<decltype(value)>{}; }
inline bool is_nothing(const CallSite& site) { return site.file.empty(); }
inline bool is_nothing(const analysis::WaitStatistics& waits) { return waits.count == 0; }

/// Writes the fields of one object.
class FieldWriter {
 public:
  static constexpr bool is_reader = false;
  explicit FieldWriter(JsonWriter& json) : json_(json) {}

  template <class T>
  FieldWriter& field(std::string_view key, const T& value) {
    json_.key(key);
    put(value);
    return *this;
  }
  template <class T>
  FieldWriter& maybe(std::string_view key, const T& value) {
    return field(key, value);
  }
  template <class T>
  FieldWriter& if_any(std::string_view key, const T& value) {
    return value.empty() ? *this : field(key, value);
  }
  template <class T>
  FieldWriter& or_null(std::string_view key, const T& value) {
    if (!is_nothing(value)) return field(key, value);
    json_.key(key).null();
    return *this;
  }
  FieldWriter& time(std::string_view key, Nanoseconds value) { return field(key, Seconds{value}); }
  FieldWriter& ratio(std::string_view key, double value) { return field(key, six_digits(value)); }
  FieldWriter& amount(std::string_view key, std::int64_t value, cube::Unit unit, bool is_known) {
    if (is_known) return unit == cube::Unit::seconds ? time(key, value) : field(key, value);
    json_.key(key).null();
    return *this;
  }
  FieldWriter& amounts(std::string_view key, const std::vector<std::int64_t>& values, cube::Unit unit,
                       const std::vector<std::uint32_t>* unknown = nullptr) {
    json_.key(key).begin_line_array();
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (unknown != nullptr && std::binary_search(unknown->begin(), unknown->end(), i)) {
        json_.null();
      } else {
        unit == cube::Unit::seconds ? json_.seconds(values[i]) : json_.integer(values[i]);
      }
    }
    json_.end_array();
    return *this;
  }
  template <class Make>
  void derived(std::string_view key, const Make& make) {
    field(key, make());
  }
  bool has(const char*) const { return true; }
  template <class T>
  bool begins(const char*, const std::optional<T>& value) const {
    return value.has_value();
  }

  void put(cube::Unit unit) { json_.value(unit_key(unit)); }
  template <class T>
  void put(const T& value) {
    if constexpr (requires { visit_fields(*this, value); } && !std::same_as<T, QualityRow>) {
      constexpr bool is_short = std::same_as<T, CallSite> || std::same_as<T, Cause> || std::same_as<T, Transfer> ||
                                std::same_as<T, analysis::WaitStatistics>;
      is_short ? json_.begin_line_object() : json_.begin_object();
      visit_fields(*this, value);
      json_.end_object();
    } else if constexpr (requires { visit_fields(*this, *value.begin()); }) {
      json_.begin_array();
      for (const auto& element : value) put(element);
      json_.end_array();
    } else {
      json_.value(value);
    }
  }

 private:
  JsonWriter& json_;
};

}  // namespace mora::report
