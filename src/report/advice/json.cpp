/// Advice and the list of rules as JSON (docs/formats/advice.md).
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

/// Six significant digits, the same on every machine.
double six_digits(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

void write_amount(JsonWriter& json, std::int64_t amount, cube::Unit unit) {
  if (unit == cube::Unit::seconds) {
    json.seconds(amount);
  } else {
    json.integer(amount);
  }
}

const char* unit_name(cube::Unit unit) {
  switch (unit) {
    case cube::Unit::seconds:
      return "s";
    case cube::Unit::occurrences:
      return "occ";
    case cube::Unit::bytes:
      return "bytes";
  }
  return "";
}

void write_interval(JsonWriter& json, const Advice& advice, std::size_t index) {
  const analysis::Interval& interval = advice.table->intervals[index];
  json.begin_line_object().key("number").string(advice.table->number(index)).key("name").string(interval.name);
  json.key("file");
  interval.file.empty() ? json.null() : json.string(interval.file);
  json.key("line");
  interval.line == 0 ? json.null() : json.unsigned_integer(interval.line);
  json.key("id").unsigned_integer(interval.id).key("level").unsigned_integer(interval.level).end_object();
}

void write_place(JsonWriter& json, const Place& place) {
  json.begin_line_object().key("label").string(place.label).key("file");
  place.site.file.empty() ? json.null() : json.string(place.site.file);
  json.key("line");
  place.site.line == 0 ? json.null() : json.unsigned_integer(place.site.line);
  json.key("rank");
  place.rank ? json.unsigned_integer(*place.rank) : json.null();
  json.key("of").string(place.of).key("amount");
  const bool is_count = place.of == "visits" || place.of == "messages-sent" || place.of == "messages-received";
  write_amount(json, place.amount, is_count ? cube::Unit::occurrences : cube::Unit::seconds);
  json.end_object();
}

void write_conclusion(JsonWriter& json, const Advice& advice, const Conclusion& c) {
  json.begin_object();
  json.key("rule").string(c.rule).key("number");
  c.number == 0 ? json.null() : json.unsigned_integer(c.number);
  json.key("title").string(c.title).key("loss").string(key_of(c.loss)).key("interval");
  write_interval(json, advice, c.interval);
  json.key("what").string(c.what);
  json.key("loss_s").seconds(c.loss_amount).key("explained_s").seconds(c.explained);
  json.key("measure").number(six_digits(c.measure)).key("threshold").number(six_digits(c.threshold));
  json.key("confidence").number(six_digits(c.confidence)).key("confidence_word").string(confidence_word(c.confidence));
  json.key("gain_at_most_s").seconds(c.gain);
  json.key("gain_at_most_share")
      .number(six_digits(ratio(c.gain, advice.execution)))
      .key("gain_reason")
      .string(c.gain_reason);
  json.key("evidence").begin_array();
  for (const Fact& fact : c.evidence) {
    json.begin_line_object().key("key").string(fact.key).key("amount");
    write_amount(json, fact.amount, fact.unit);
    json.key("unit").string(unit_name(fact.unit)).key("text").string(fact.text).end_object();
  }
  json.end_array().key("ranks").begin_line_array();
  for (const std::uint32_t rank : c.ranks) json.unsigned_integer(rank);
  json.end_array().key("places").begin_array();
  for (const Place& place : c.places) write_place(json, place);
  json.end_array().key("advice").string(c.advice).key("source").string(c.source).end_object();
}

}  // namespace

std::string advice_json(const Advice& advice) {
  JsonWriter json;
  json.begin_object();
  json.key("schema").string("mora-advice").key("schema_version").integer(1);
  json.key("program").string(advice.program).key("processes").unsigned_integer(advice.processes);
  json.key("execution_time_s").seconds(advice.execution).key("total_time_s").seconds(advice.total);
  json.key("productive_time_s").seconds(advice.productive).key("lost_time_s").seconds(advice.lost);
  json.key("efficiency").number(six_digits(advice.efficiency));
  json.key("enough_time_s");
  advice.enough_time ? json.seconds(*advice.enough_time) : json.null();
  json.key("is_time_enough").boolean(advice.is_time_enough);
  json.key("nothing_to_gain").boolean(advice.nothing_to_gain).key("verdict").string(advice.verdict);
  json.key("caveats").begin_array();
  for (const std::string& caveat : advice.caveats) json.string(caveat);
  json.end_array().key("rules_in_force").begin_object();
  for (const auto& [name, text] : advice.rules) json.key(name).string(text);
  json.end_object().key("thresholds").begin_object();
  for (const ThresholdInfo& info : threshold_infos()) json.key(info.name).number(advice.thresholds[info.id]);
  json.end_object().key("losses").begin_array();
  for (const auto& [loss, amount] : advice.split) {
    json.begin_line_object().key("loss").string(key_of(loss)).key("amount_s").seconds(amount);
    json.key("share_of_total").number(six_digits(ratio(amount, advice.total))).end_object();
  }
  json.end_array().key("walks").begin_array();
  for (const Walk& walk : advice.walks) {
    json.begin_object().key("loss").string(key_of(walk.loss)).key("steps").begin_array();
    for (const Step& step : walk.steps) {
      json.begin_object().key("kind").string(step.kind).key("interval");
      write_interval(json, advice, step.interval);
      json.key("subject").string(step.subject).key("amount_s").seconds(step.amount).key("of_s").seconds(step.of);
      json.key("text").string(step.text).end_object();
    }
    json.end_array().key("conclusions").begin_line_array();
    for (const std::size_t index : walk.conclusions) json.unsigned_integer(index);
    json.end_array().end_object();
  }
  json.end_array().key("conclusions").begin_array();
  for (const Conclusion& conclusion : advice.conclusions) write_conclusion(json, advice, conclusion);
  json.end_array().end_object();
  return json.str() + "\n";
}

std::string rules_json(const Thresholds& thresholds) {
  JsonWriter json;
  json.begin_object()
      .key("schema")
      .string("mora-advice-rules")
      .key("schema_version")
      .integer(1)
      .key("rules")
      .begin_array();
  for (const Rule* rule : all_rules()) {
    json.begin_object().key("id").string(rule->id).key("number");
    rule->number == 0 ? json.null() : json.unsigned_integer(rule->number);
    json.key("title").string(rule->title).key("losses").begin_line_array();
    for (const Loss loss : rule->losses) json.string(key_of(loss));
    json.end_array()
        .key("condition")
        .string(rule->condition)
        .key("advice")
        .string(rule->advice)
        .key("source")
        .string(rule->source);
    json.key("thresholds").begin_line_array();
    for (const Threshold threshold : rule->thresholds) json.string(name_of(threshold));
    json.end_array().end_object();
  }
  json.end_array().key("thresholds").begin_array();
  for (const ThresholdInfo& info : threshold_infos()) {
    json.begin_line_object()
        .key("name")
        .string(info.name)
        .key("value")
        .number(thresholds[info.id])
        .key("default")
        .number(info.fallback);
    json.key("meaning").string(info.meaning).end_object();
  }
  json.end_array().end_object();
  return json.str() + "\n";
}

}  // namespace mora::report::advice
