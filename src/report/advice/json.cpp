/// Advice and the list of rules as JSON (docs/formats/advice.md).
#include "base/json/json_document.h"
#include "report/advice/rule.h"
#include "report/data/figures.h"

namespace mora::report::advice {
namespace {

void write_interval(JsonWriter& json, const Advice& advice, std::size_t index) {
  const analysis::Interval& interval = advice.table->intervals[index];
  json.line("number", advice.table->number(index), "name", interval.name, "file", if_any(interval.file), "line",
            if_any(interval.line), "id", interval.id, "level", interval.level);
}

void write_place(JsonWriter& json, const Place& place) {
  const bool is_count = place.of == "visits" || place.of == "messages-sent" || place.of == "messages-received";
  json.line("label", place.label, "file", if_any(place.site.file), "line",
            place.site.line == 0 ? std::nullopt : std::optional(place.site.line), "rank", place.rank, "of", place.of,
            "amount", exact_amount(place.amount, is_count ? cube::Unit::occurrences : cube::Unit::seconds));
}

void write_conclusion(JsonWriter& json, const Advice& advice, const Conclusion& c) {
  json.object(
      "rule", c.rule, "number", if_any(c.number), "title", c.title, "loss", key_of(c.loss), "interval",
      [&] { write_interval(json, advice, c.interval); }, "what", c.what, "loss_s", Seconds{c.loss_amount},
      "explained_s", Seconds{c.explained}, "measure", six_digits(c.measure), "threshold", six_digits(c.threshold),
      "confidence", six_digits(c.confidence), "confidence_word", confidence_word(c.confidence), "gain_at_most_s",
      Seconds{c.gain}, "gain_at_most_share", six_digits(ratio(c.gain, advice.execution)), "gain_reason", c.gain_reason,
      "evidence",
      list(c.evidence,
           [&](const Fact& fact) {
             json.line("key", fact.key, "amount", exact_amount(fact.amount, fact.unit), "unit", unit_key(fact.unit),
                       "text", fact.text);
           }),
      "ranks", c.ranks, "places", list(c.places, [&](const Place& place) { write_place(json, place); }), "advice",
      c.advice, "source", c.source);
}

}  // namespace

std::string advice_json(const Advice& advice, const std::vector<QualityRow>& quality) {
  const auto enough = advice.enough_time ? std::optional(Seconds{*advice.enough_time}) : std::nullopt;
  JsonDocument json("mora-advice");
  json.fields("program", advice.program, "processes", advice.processes, "execution_time_s", Seconds{advice.execution},
              "total_time_s", Seconds{advice.total}, "productive_time_s", Seconds{advice.productive}, "lost_time_s",
              Seconds{advice.lost}, "efficiency", six_digits(advice.efficiency), "enough_time_s", enough,
              "is_time_enough", advice.is_time_enough, "nothing_to_gain", advice.nothing_to_gain, "verdict",
              advice.verdict, "caveats", list(advice.caveats), "rules_in_force", advice.rules);
  json.key("thresholds").begin_object();
  for (const ThresholdInfo& info : threshold_infos()) json.fields(info.name, advice.thresholds[info.id]);
  json.end_object();
  json.fields("losses", list(advice.split, [&](const auto& part) {
                json.line("loss", key_of(part.first), "amount_s", Seconds{part.second}, "share_of_total",
                          six_digits(ratio(part.second, advice.total)));
              }));
  json.fields("walks", list(advice.walks, [&](const Walk& walk) {
                json.object("loss", key_of(walk.loss), "steps",
                            list(walk.steps,
                                 [&](const Step& step) {
                                   json.object(
                                       "kind", step.kind, "interval",
                                       [&] { write_interval(json, advice, step.interval); }, "subject", step.subject,
                                       "amount_s", Seconds{step.amount}, "of_s", Seconds{step.of}, "text", step.text);
                                 }),
                            "conclusions", walk.conclusions);
              }));
  json.fields("conclusions", list(advice.conclusions,
                                  [&](const Conclusion& conclusion) { write_conclusion(json, advice, conclusion); }));
  return json.finish(quality);
}

std::string rules_json(const Thresholds& thresholds) {
  JsonDocument json("mora-advice-rules");
  json.fields("rules", list(all_rules(), [&](const Rule* rule) {
                std::vector<std::string_view> losses, names;
                for (const Loss loss : rule->losses) losses.push_back(key_of(loss));
                for (const Threshold threshold : rule->thresholds) names.push_back(name_of(threshold));
                json.object("id", rule->id, "number", if_any(rule->number), "title", rule->title, "losses", losses,
                            "condition", rule->condition, "advice", rule->advice, "source", rule->source, "thresholds",
                            names);
              }));
  json.fields("thresholds", list(threshold_infos(), [&](const ThresholdInfo& info) {
                json.line("name", info.name, "value", thresholds[info.id], "default", info.fallback, "meaning",
                          info.meaning);
              }));
  return json.finish();
}

}  // namespace mora::report::advice
