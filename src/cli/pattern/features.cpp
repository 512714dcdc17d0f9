/// `mora pattern features`: one table of the features of a communication pattern that prediction methods use.
#include "predict/pattern/features/features.h"

#include "cli/command/verbs.h"
#include "cli/pattern/input.h"
#include "cli/terminal/output.h"

namespace mora::cli {
namespace {

Result<int> run_pattern_features(const Arguments& arguments) {
  predict::FeatureOptions options;
  MORA_TRY(const std::string format, output_format(arguments, "json csv"));
  predict::Placement placement;
  if (arguments.has("placement")) {
    MORA_TRY(placement, read_placement(arguments.get("placement")));
    options.placement = &placement;
  }
  MORA_TRY(const auto trace, read_pattern(arguments.positionals.at(0)));
  MORA_CHECK_OK(check_placement(placement, options.placement != nullptr, trace));
  MORA_TRY(options.collectives, collective_model_option(arguments, trace));
  MORA_TRY(const auto table, predict::make_features(trace, options));
  tell_quality(table.quality);
  return put_out(arguments.get("output"), format == "json"  ? predict::features_json(table)
                                          : format == "csv" ? predict::features_csv(table)
                                                            : predict::features_text(table));
}

}  // namespace

const Verb verb_pattern_features{
    .name = "pattern features",
    .summary = "print a table of features of a pattern, for performance prediction",
    .description =
        "Prints one row for each phase and one for the total, always with the same columns. Category A describes the "
        "program: calls by kind, messages and their sizes, datatypes with gaps, collective calls with payload and "
        "communicator size, communication partners, balance between ranks. Category B needs a placement: nodes, what "
        "stays inside them, what leaves and enters them. docs/formats/pattern-features.md describes each column; the "
        "categories are those of Kotomatas 2018, 1.2 (docs/sources.md).",
    .positionals = {{"PATTERN",
                     "a directory of `mora pattern record` or `dryrun`, a directory of text traces, a trace.mpt, or a "
                     "trace with times",
                     1, 1}},
    .options = {{"--collectives", "MODEL",
                 "linear, algorithms, openmpi, mpich, none or payload (see mora pattern matrix --help)",
                 "that of the recorded library; linear if it is not known"},
                {"--placement", "FILE",
                 "placement of the ranks (output of `mora map`, or a rankfile): also print category B", ""},
                {"--json", "", "print JSON", ""},
                {"--csv", "", "print CSV", ""},
                {"-o,--output", "FILE", "write to this file", "standard output"}},
    .examples = {{"mora pattern features --csv mora-pattern-app-64 > features.csv", "a row per phase"},
                 {"mora pattern features --placement placed --json mora-pattern-app-64", "with nodes"}},
    .run = run_pattern_features,
};

}  // namespace mora::cli
