#include "cli/predict/predicting.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/file.h"
#include "base/numbers/read_number.h"
#include "cli/map/modes.h"
#include "cli/options/count_option.h"
#include "cli/terminal/output.h"
#include "export/otf2/merge.h"
#include "predict/learning/correcting.h"
#include "predict/learning/machine_match.h"
#include "predict/message_program/message_program.h"
#include "predict/pattern/events/from_trace.h"
#include "predict/pattern/matrix/matrix.h"
#include "predict/pattern/open/open.h"
#include "predict/prediction/predicted_trace.h"
#include "predict/scaling/scaled_source.h"
#include "predict/scaling/scaling.h"
#include "trace/readers/open_trace.h"
#include "trace/view/view.h"

namespace mora::cli {
namespace {

using predict::CollectiveModel;

/// The words of --map, as a shell would split them without quotes.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(' ', at)) != std::string::npos) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

Result<predict::RankPlaces> places_of(const Arguments& arguments, const trace::Definitions& definitions) {
  predict::RankPlaces places;
  if (!arguments.has("map")) {
    places.node.resize(definitions.world_size, 0);
    for (const trace::Location& location : definitions.locations) {
      if (location.rank < places.node.size()) places.node[location.rank] = location.node;
    }
    return places;
  }
  MORA_TRY(MapWords words, read_map_words(words_in(arguments.get("map"))));
  for (const char* option : {"improve", "machine", "json", "outfile", "rankfile-out"}) {
    if (words.has(option))
      return fail(ErrorKind::usage, fmt::format("--{} cannot stand in --map", option), "mora predict --map");
  }
  const std::string ranks = std::to_string(definitions.world_size);
  const bool has_ranks = words.has("np") || words.has("ntasks") ||
                         launcher_without(words.launcher, "np n c").size() != words.launcher.size();
  if (!has_ranks) {
    if (words.mode == MapMode::openmpi)
      words.launcher.insert(words.launcher.end(), {"-np", ranks});
    else
      words.options[words.mode == MapMode::slurm ? "ntasks" : "np"] = {ranks};
  }
  MORA_TRY(const Mapped mapped, map_as(words));
  if (mapped.placement.size() != definitions.world_size)
    return fail(ErrorKind::usage, "the placement has another number of ranks", "--map",
                fmt::format("the trace has {}, {} are placed", definitions.world_size, mapped.placement.size()),
                "leave out the number of ranks: then it is that of the trace");
  places.node = mapped.placement.node_of;
  places.core = mapped.placement.core;
  for (std::string& core : places.core) {
    if (core == "-") core.clear();
  }
  return places;
}

Result<std::uint64_t> compute_factor(const Arguments& arguments) {
  if (!arguments.has("compute-factor")) return 1'000'000;
  const std::string text = arguments.get("compute-factor");
  double value = 0;
  if (!read_number(text, value) || !(value >= 0) || value > 1e6)
    return fail(ErrorKind::usage, "\"" + text + "\" is no factor", "--compute-factor", "a number from 0 to 1000000",
                "0.5: the other machine computes twice as fast");
  return static_cast<std::uint64_t>(std::llround(value * 1e6));
}

Result<CollectiveModel> collectives_of(const Arguments& arguments, const predict::MachineModel& machine,
                                       const std::string& path) {
  if (arguments.has("collectives")) {
    const std::string name = arguments.get("collectives");
    for (const auto model :
         {CollectiveModel::openmpi, CollectiveModel::mpich, CollectiveModel::algorithms, CollectiveModel::linear}) {
      if (name == predict::to_string(model)) return model;
    }
    return fail(ErrorKind::usage, "there are no collectives \"" + name + "\"", "--collectives", "",
                "openmpi, mpich, algorithms or linear");
  }
  predict::Definitions library;
  library.mpi = machine.mpi.empty() ? predict::recorded_library(path) : machine.mpi;
  const CollectiveModel model = recorded_model(library);
  // Without a library that is known, textbook algorithms are nearer to any than straight messages.
  return model == CollectiveModel::linear ? CollectiveModel::algorithms : model;
}

/// The largest job that is believed: its definitions and what its ranks do are held in memory.
constexpr std::uint32_t k_most_scaled_ranks = 1U << 20;

Result<double> fit_limit(const Arguments& arguments) {
  if (!arguments.has("fit-limit")) return predict::FitTarget{}.limit;
  const std::string text = arguments.get("fit-limit");
  double percent = 0;
  if (!read_number(text, percent) || !(percent >= 0) || percent > 1e6)
    return fail(ErrorKind::usage, "\"" + text + "\" is no percentage", "--fit-limit", "a number from 0 to 1000000");
  return percent / 100;
}

/// The program of several runs on the number of ranks of --scale.
Result<std::shared_ptr<const predict::ScaledProgram>> scaled_of(const Arguments& arguments,
                                                                const ProgressCallback& progress) {
  predict::FitTarget target;
  MORA_TRY(target.ranks, count_option(arguments, "scale", 0));
  if (target.ranks == 0)
    return fail(ErrorKind::usage, "a job has at least one rank", "--scale " + arguments.get("scale"));
  if (target.ranks > k_most_scaled_ranks)
    return fail(ErrorKind::usage, "so many ranks are not predicted", "--scale " + arguments.get("scale"),
                fmt::format("the largest number is {}", k_most_scaled_ranks));
  MORA_TRY(target.limit, fit_limit(arguments));
  MORA_TRY(const std::uint64_t factor, compute_factor(arguments));
  target.computes = factor > 0;
  std::vector<std::unique_ptr<trace::Source>> sources;
  std::vector<predict::GivenRun> runs;
  for (const std::string& path : arguments.positionals) {
    MORA_TRY(auto source, trace::open_trace(path, arguments.get("format")));
    if (source->definitions().nodes.size() > 1 && !arguments.has("map"))
      return fail(ErrorKind::usage, "where the ranks of the larger job sit is not known", path,
                  "the run was on several nodes", "give their placement: --map '--host a:32,b:32'");
    runs.push_back({path, source.get()});
    sources.push_back(std::move(source));
  }
  return predict::scale_runs(runs, target, progress);
}

Result<std::unique_ptr<AskedPrediction>> ask(const Arguments& arguments, const ProgressCallback& progress) {
  return ask_prediction(arguments, arguments.positionals[0], progress);
}

/// Refuses to leave anything out unless --partial allows it.
Result<predict::MessageProgram> whole_messages(const Arguments& arguments, AskedPrediction& asked) {
  MORA_TRY(predict::MessageProgram messages, predict::messages_of(*asked.source, asked.request));
  std::string left_out;
  for (const auto& [name, times] : messages.left_out())
    left_out += fmt::format("{}{} ({} times)", left_out.empty() ? "" : ", ", name, times);
  if (left_out.empty()) return messages;
  if (!arguments.has("partial"))
    return fail(ErrorKind::unreadable, "the run has more than messages between ranks", arguments.positionals[0],
                left_out, "--partial leaves them out");
  print_warning("left out: " + left_out);
  return messages;
}

/// Whether two paths name the same file or directory; one that is not there any more is compared as text.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return a == b || std::filesystem::equivalent(a, b, none);
}

/// That of --correct.
Result<predict::ReadCorrection> correction_of(const Arguments& arguments, const AskedPrediction& asked) {
  const std::string file = arguments.get("correct");
  MORA_TRY(const std::string text, read_file(file));
  MORA_TRY(predict::ReadCorrection read, predict::parse_correction(text, file));
  if (!read.beats_model)
    return fail(ErrorKind::usage, "the correction is no better than the model without it", file,
                "it did not beat the analytical model on applications held out",
                "leave out --correct, or learn from more applications");
  if (read.machine_digest != predict::machine_digest(asked.machine_text))
    return fail(ErrorKind::usage, "the correction was learned with another machine model", file,
                fmt::format("it corrects predictions of \"{}\", as that model was then", read.machine),
                "learn it again with this model: mora predict --learn FILE --on " + asked.request.machine_file);
  return read;
}

}  // namespace

Result<std::vector<predict::FeatureRow>> features_of(AskedPrediction& asked, DataQuality& quality) {
  MORA_TRY(const predict::PatternTrace pattern, predict::pattern_of_trace(*asked.source, asked.request.progress));
  // What the source has was counted when the run was predicted.
  const std::vector<QualityRow> known = asked.source->quality().rows();
  for (const QualityRow& row : pattern.quality.rows()) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const QualityRow& one) {
      return one.kind == row.kind && one.where == row.where;
    });
    if (!is_known && row.severity != Severity::info) quality.add(row);
  }
  return predict::rank_features(pattern, asked.request.places, asked.machine, asked.request.collectives);
}

Result<std::unique_ptr<AskedPrediction>> ask_prediction(const Arguments& arguments, const std::string& path,
                                                        const ProgressCallback& progress) {
  if (!arguments.has("on"))
    return fail(ErrorKind::usage, "no machine is given", "mora predict", "",
                "give --on FILE: measure this machine with `mora calibrate -o FILE -- mpirun -n 2`, or write a model "
                "(docs/formats/machine.md)");
  auto asked = std::make_unique<AskedPrediction>();
  const std::string machine_file = arguments.get("on");
  MORA_TRY(asked->machine_text, read_file(machine_file));
  MORA_TRY(asked->machine, predict::parse_machine_model(asked->machine_text, machine_file));
  if (arguments.has("fit-limit") && !arguments.has("scale"))
    return fail(ErrorKind::usage, "--fit-limit is of the laws of --scale", "mora predict", "no law is fitted",
                "leave it out, or add --scale N");
  if (arguments.has("scale")) {
    MORA_TRY(asked->scaled, scaled_of(arguments, progress));
    asked->source = predict::scaled_source(asked->scaled, predict::FitEnd::value);
  } else {
    MORA_TRY(asked->source, trace::open_trace(path, arguments.get("format")));
  }
  predict::PredictionRequest& request = asked->request;
  request.machine = &asked->machine;
  request.machine_file = machine_file;
  MORA_TRY(request.places, places_of(arguments, asked->source->definitions()));
  MORA_TRY(request.collectives, collectives_of(arguments, asked->machine, path));
  MORA_TRY(request.compute_factor, compute_factor(arguments));
  request.progress = progress;
  return asked;
}

Result<Predicted> make_prediction(const Arguments& arguments, const ProgressCallback& progress) {
  const std::string& path = arguments.positionals[0];
  MORA_TRY(const auto asked, ask(arguments, progress));
  const auto& [machine, machine_text, source, scaled, request] = *asked;
  const bool is_recorded_run = !scaled && !arguments.has("map") && request.compute_factor == 1'000'000;
  if (arguments.has("check") && !is_recorded_run)
    return fail(ErrorKind::usage, "--check predicts the recorded run itself", "mora predict",
                "--map, --compute-factor and --scale predict another one", "leave them out");
  for (const char* option : {"what-if", "sensitivity"}) {
    if (arguments.has("check") && arguments.has(option) && !arguments.has("json"))
      return fail(ErrorKind::usage, fmt::format("--check and --{} are printed together as JSON only", option),
                  "mora predict", "", "add --json, or leave out one of them");
  }
  predict::ReadCorrection correction;
  if (arguments.has("correct")) {
    MORA_TRY(correction, correction_of(arguments, *asked));
  }
  Predicted made;
  const predict::Predictor predictor = [&of = *source, &program = scaled](const predict::PredictionRequest& asked_for) {
    return program ? predict::predict_scaled(program, asked_for) : predict::predict(of, asked_for);
  };
  MORA_TRY(made.prediction, predictor(request));
  // Whoever reads the trace again would count its damage again.
  made.prediction.quality.merge(source->quality());
  predict::PredictionNames& names = made.names;
  names.trace = path;
  names.machine = machine.name.empty() ? request.machine_file : machine.name;
  names.collectives = predict::to_string(request.collectives);
  names.placement = arguments.has("map") ? arguments.get("map") : scaled ? "one node" : "as recorded";
  names.compute_factor = request.compute_factor;
  if (scaled) names.scaled = scaled->from;
  if (is_recorded_run) made.check = predict::check_of(made.prediction);
  if (arguments.has("correct")) {
    MORA_TRY(const std::vector<predict::FeatureRow> features, features_of(*asked, made.prediction.quality));
    made.corrected =
        predict::corrected_times(made.prediction, features, correction.correction, arguments.get("correct"));
    made.corrected->saw_run = std::any_of(correction.runs.begin(), correction.runs.end(),
                                          [&](const std::string& run) { return is_same_file(run, path); });
    if (made.check) made.check->corrected_ranks = predict::summary_of(*made.corrected, made.prediction);
  }
  if (arguments.has("what-if")) {
    MORA_TRY(made.changes, predict::what_if(predictor, request, made.prediction, made.check));
  }
  if (arguments.has("sensitivity")) {
    MORA_TRY(made.parts, predict::sensitivity(*source, request));
  }
  if (!arguments.has("check")) made.check.reset();
  return made;
}

Result<void> write_predicted_trace(const Arguments& arguments, const ProgressCallback& progress) {
  MORA_TRY(const auto asked, ask(arguments, progress));
  MORA_TRY(const auto predicted, predict::predicted_trace(*asked->source, asked->request));
  trace::ViewOptions view_options;
  view_options.model = trace::RmaModel::extended;
  MORA_TRY(const auto view, trace::View::make(*predicted, view_options));
  exports::Otf2Options options;
  options.description = fmt::format("{}, predicted on {}", arguments.positionals[0], arguments.get("on"));
  options.progress = progress;
  DataQuality quality;
  MORA_CHECK_OK(exports::write_otf2(*view, arguments.get("trace"), options, quality));
  for (const QualityRow& row : quality.rows()) print_warning(row.what);
  return {};
}

Result<std::uint64_t> write_messages(const Arguments& arguments, const ProgressCallback& progress) {
  MORA_TRY(const auto asked, ask(arguments, progress));
  MORA_TRY(const predict::MessageProgram messages, whole_messages(arguments, *asked));
  if (arguments.has("goal")) MORA_CHECK_OK(write_file_atomically(arguments.get("goal"), goal_text(messages)));
  if (arguments.has("simgrid")) {
    const std::string folder = arguments.get("simgrid");
    MORA_CHECK_OK(make_directories(folder));
    std::string list;
    for (std::uint32_t rank = 0; rank < messages.ranks().size(); ++rank) {
      const std::string name = fmt::format("rank-{}.txt", rank);
      MORA_CHECK_OK(write_file_atomically(folder + "/" + name, simgrid_text(messages, rank)));
      list += folder + "/" + name + "\n";
    }
    MORA_CHECK_OK(write_file_atomically(folder + "/ranks.txt", list));
  }
  return messages.messages();
}

}  // namespace mora::cli
