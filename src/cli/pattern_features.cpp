/// `mora pattern features`: one table of what predictors ask of a communication pattern.
#include "predict/pattern/features.h"

#include "cli/output.h"
#include "cli/pattern_input.h"
#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run_pattern_features(const Arguments& arguments) {
  predict::FeatureOptions options;
  MORA_TRY(options.collectives, predict::parse_collective_model(arguments.get("collectives", "linear")));
  if (arguments.has("json") && arguments.has("csv"))
    return fail(ErrorKind::usage, "more than one output format", "", "", "give one of --json, --csv");
  predict::Placement placement;
  if (arguments.has("placement")) {
    MORA_TRY(placement, read_placement(arguments.get("placement")));
    options.placement = &placement;
  }
  MORA_TRY(const auto trace, read_pattern(arguments.positionals.at(0)));
  MORA_CHECK_OK(check_placement(placement, options.placement != nullptr, trace));
  MORA_TRY(const auto table, predict::make_features(trace, options));
  tell_quality(table.quality);
  return put_out(arguments.get("output"), arguments.has("json")  ? predict::features_json(table)
                                          : arguments.has("csv") ? predict::features_csv(table)
                                                                 : predict::features_text(table));
}

}  // namespace

const Verb verb_pattern_features{
    .name = "pattern features",
    .summary = "one table of features for predictors",
    .description =
        "A row for each phase and one for the total; always the same columns. Category A, of the program: calls by "
        "kind, messages and their sizes, "
        "datatypes with holes, collective calls with payload and communicator size, partners, balance between ranks. "
        "Category B, with a placement: "
        "nodes, what stays inside them, what leaves and arrives. docs/formats/pattern-features.md says what each "
        "column is.",
    .positionals =
        {{"PATTERN",
          "a directory of `mora pattern record` or `dryrun`, text traces, a trace.mpt, or a trace that Mora reads", 1,
          1}},
    .options = {{"--collectives", "MODEL", "linear, algorithms, openmpi, mpich, none, seed (see `mora pattern matrix`)",
                 "linear"},
                {"--placement", "FILE", "where the ranks sit: category B as well", ""},
                {"--json", "", "as JSON", ""},
                {"--csv", "", "as CSV", ""},
                {"-o,--output", "FILE", "write to a file", "standard output"}},
    .examples = {{"mora pattern features --csv mora-pattern-app-64 > features.csv", "a row per phase"},
                 {"mora pattern features --placement placed --json mora-pattern-app-64", "with nodes"}},
    .run = run_pattern_features,
};

}  // namespace mora::cli
