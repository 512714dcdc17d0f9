#include "predict/learning/correction_file.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json/json_document.h"
#include "base/numbers/read_number.h"

namespace mora::predict {

namespace {

/// Nine digits: more say nothing, and depend on the order of additions.
double in_file(double value) {
  double rounded = value;
  return read_number(fmt::format("{:.9g}", value), rounded) ? rounded : value;
}

/// Errors are kept as mean |ln|, and told as what most people read: 0.25 is "a quarter off".
double told_error(double mean_logarithm) { return in_file(std::expm1(mean_logarithm)); }

tl::unexpected<Error> wrong_correction(const std::string& name, std::string why) {
  return fail(ErrorKind::unreadable, "cannot read the correction", name, std::move(why),
              "make it with `mora predict --learn` (docs/formats/correction.md)");
}

std::optional<std::size_t> feature_named(std::string_view name) {
  for (std::size_t f = 0; f < feature_count; ++f)
    if (rank_feature_table()[f].name == name) return f;
  return std::nullopt;
}

Result<Correction> read_terms(const nlohmann::json& json, const std::string& name) {
  Correction c;
  const auto number = [](const nlohmann::json& in, const char* key, double& value) {
    const auto at = in.find(key);
    if (at == in.end() || !at->is_number()) return false;
    value = at->get<double>();
    return std::isfinite(value);
  };
  if (!number(json, "constant", c.constant) || !number(json, "held_out_error", c.held_out_error) ||
      c.held_out_error < 0)
    return wrong_correction(name, "constant or held_out_error is missing");
  const auto features = json.find("features");
  if (features == json.end() || !features->is_array()) return wrong_correction(name, "features is missing");
  for (const nlohmann::json& one : *features) {
    const auto named = one.is_object() ? one.find("name") : one.end();
    if (!one.is_object() || named == one.end() || !named->is_string())
      return wrong_correction(name, "a feature has no name");
    const auto feature = feature_named(named->get<std::string>());
    if (!feature) return wrong_correction(name, fmt::format("there is no feature {}", named->get<std::string>()));
    CorrectionTerm term;
    term.feature = *feature;
    if (!number(one, "coefficient", term.coefficient) || !number(one, "from", term.from) ||
        !number(one, "to", term.to) || term.from > term.to)
      return wrong_correction(name,
                              fmt::format("the coefficient or the range of {} is missing", named->get<std::string>()));
    c.terms.push_back(term);
  }
  return c;
}

}  // namespace

std::string correction_json(const Learned& learned, const LearnedFrom& from, const std::vector<QualityRow>& quality) {
  JsonDocument json("mora-correction");
  json.key("machine").line("name", from.machine, "digest", from.machine_digest);
  json.fields("beats_model", learned.beats_model);
  json.key("correction").begin_object();
  json.fields("constant", in_file(learned.correction.constant), "held_out_error",
              in_file(learned.correction.held_out_error));
  json.fields("features", list(learned.correction.terms, [&](const CorrectionTerm& term) {
                const FeatureInfo& info = rank_feature_table()[term.feature];
                json.line("name", info.name, "category", std::string(1, info.category), "coefficient",
                          in_file(term.coefficient), "from", in_file(term.from), "to", in_file(term.to));
              }));
  json.end_object();
  json.key("held_out").begin_object();
  json.fields("model_error", told_error(learned.model_error), "corrected_error", told_error(learned.corrected_error));
  json.fields("applications", list(learned.applications, [&](const HeldOut& a) {
                json.line("application", a.application, "runs", a.runs, "ranks", a.ranks, "model_error",
                          told_error(a.model), "corrected_error", told_error(a.corrected), "corrected_ranks",
                          a.applied);
              }));
  json.end_object();
  json.fields("ablation", list(learned.ablations, [&](const Ablation& a) {
                json.line("features", a.features, "error", told_error(a.error));
              }));
  json.fields("runs", list(from.runs, [&](const LearnedRun& run) {
                json.line("application", run.application, "trace", run.trace, "ranks", run.ranks);
              }));
  json.fields("ranks_left_out", from.left_out);
  return json.finish(quality);
}

Result<ReadCorrection> parse_correction(std::string_view text, const std::string& name) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != "mora-correction")
    return wrong_correction(name, "it is no correction");
  if (json.value("schema_version", nlohmann::json()) != 1)
    return wrong_correction(name, "it is of another version of the format");
  const auto machine = json.find("machine"), correction = json.find("correction"), beats = json.find("beats_model");
  if (machine == json.end() || !machine->is_object() || correction == json.end() || !correction->is_object() ||
      beats == json.end() || !beats->is_boolean())
    return wrong_correction(name, "machine, correction or beats_model is missing");
  const auto digest = machine->find("digest"), called = machine->find("name");
  if (digest == machine->end() || !digest->is_string() || called == machine->end() || !called->is_string())
    return wrong_correction(name, "the machine has no name or no digest");
  ReadCorrection read;
  read.beats_model = beats->get<bool>();
  read.machine = called->get<std::string>();
  read.machine_digest = digest->get<std::string>();
  const auto runs = json.find("runs");
  if (runs == json.end() || !runs->is_array()) return wrong_correction(name, "runs is missing");
  for (const nlohmann::json& run : *runs) {
    const auto trace = run.is_object() ? run.find("trace") : run.end();
    if (!run.is_object() || trace == run.end() || !trace->is_string())
      return wrong_correction(name, "a run has no trace");
    read.runs.push_back(trace->get<std::string>());
  }
  MORA_TRY(read.correction, read_terms(*correction, name));
  return read;
}

}  // namespace mora::predict
