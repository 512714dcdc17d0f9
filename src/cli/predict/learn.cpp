#include "cli/predict/learn.h"

#include <fmt/format.h>

#include "base/file.h"
#include "cli/predict/predicting.h"
#include "cli/terminal/output.h"
#include "predict/learning/correcting.h"
#include "predict/learning/machine_match.h"
#include "predict/learning/report.h"

namespace mora::cli {
namespace {

struct Run {
  std::string application, path;  ///< application: empty, if the word does not say it
};

/// "lammps=mora-lmp-4"; a file of that whole name goes first.
Run run_of(const std::string& word) {
  const auto sign = word.find('=');
  if (sign == std::string::npos || sign == 0 || file_exists(word)) return {"", word};
  return {word.substr(0, sign), word.substr(sign + 1)};
}

tl::unexpected<Error> in_run(Error error, const std::string& path) {
  if (error.where != path) error.where += (error.where.empty() ? "" : ", of ") + path;
  return tl::unexpected(std::move(error));
}

/// Adds what one run teaches.
Result<void> add_run(const Arguments& arguments, const Run& run, const ProgressCallback& progress,
                     predict::LearnedFrom& from, std::vector<predict::Observation>& observations,
                     DataQuality& quality) {
  auto asked = ask_prediction(arguments, run.path, progress);
  if (!asked) return in_run(asked.error(), run.path);
  AskedPrediction& of = **asked;
  const std::string host = predict::measured_host(of.machine_text);
  const trace::Definitions& definitions = of.source->definitions();
  if (!predict::may_be_of(host, definitions.nodes))
    return fail(ErrorKind::usage, "the run is of another machine than the model", run.path,
                fmt::format("it ran on {}, the model was measured on {}", definitions.nodes.front().name, host),
                "give runs of the machine that the model is of; if both are one machine, take calibration.host out of "
                "the model");
  std::string application = run.application;
  if (application.empty() && definitions.program != "program") application = definitions.program;
  if (application.empty())
    return fail(ErrorKind::usage, "the trace does not say which application it is of", run.path, "",
                "name it: APPLICATION=" + run.path);
  const auto prediction = predict::predict(*of.source, of.request);
  if (!prediction) return in_run(prediction.error(), run.path);
  quality.merge(of.source->quality());
  const auto features = features_of(of, quality);
  if (!features) return in_run(features.error(), run.path);
  const auto number = static_cast<std::uint32_t>(from.runs.size());
  const std::size_t before = observations.size();
  from.left_out += predict::add_observations(*prediction, *features, application, number, observations);
  if (observations.size() == before)
    return fail(ErrorKind::usage, "there is nothing to learn from", run.path,
                "no rank has both recorded and predicted time in MPI: the trace holds no times, or its calls cost "
                "nothing on the machine",
                "leave the run out");
  from.runs.push_back({application, run.path, observations.size() - before});
  from.machine = of.machine.name.empty() ? of.request.machine_file : of.machine.name;
  from.machine_digest = predict::machine_digest(of.machine_text);
  return {};
}

}  // namespace

Result<int> learn(const Arguments& arguments, const ProgressCallback& progress) {
  for (const char* option : {"map", "compute-factor", "check", "what-if", "sensitivity", "explain", "trace", "goal",
                             "simgrid", "correct", "scale", "fit-limit"}) {
    if (arguments.has(option))
      return fail(ErrorKind::usage, fmt::format("--learn and --{} do not go together", option), "mora predict",
                  "--learn predicts each run as it was recorded, and compares it with what was measured",
                  "leave out one of them");
  }
  const std::string file = arguments.get("learn");
  if (file_exists(file)) {
    const auto text = read_file(file);
    if (!text || !predict::parse_correction(*text, file))
      return fail(ErrorKind::usage, "the file of --learn exists, and is no correction", "--learn " + file,
                  "it would be overwritten: --learn FILE writes the file, runs are given without an option",
                  "name another file, or remove it");
  }
  predict::LearnedFrom from;
  std::vector<predict::Observation> observations;
  DataQuality quality;
  for (const std::string& word : arguments.positionals)
    MORA_CHECK_OK(add_run(arguments, run_of(word), progress, from, observations, quality));
  MORA_TRY(const predict::Learned learned, predict::learn_correction(observations));
  const std::string json = predict::correction_json(learned, from, quality.rows());
  MORA_CHECK_OK(write_file_atomically(file, json));
  if (arguments.has("json")) {
    MORA_CHECK_OK(put_out(arguments.get("output"), json));
  } else {
    MORA_TRY(const TextOptions options, text_options(arguments));
    MORA_CHECK_OK(put_out(arguments.get("output"), predict::learned_text(learned, from, options)));
  }
  return learned.beats_model ? 0 : 1;
}

}  // namespace mora::cli
