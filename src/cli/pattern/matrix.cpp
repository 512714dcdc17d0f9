/// `mora pattern matrix`: how much each rank (or node) sends to each other one.
#include <cstdio>

#include "base/file.h"
#include "cli/command/verbs.h"
#include "cli/options/count_option.h"
#include "cli/pattern/input.h"
#include "cli/terminal/output.h"
#include "predict/pattern/heat_map/heat_map.h"
#include "predict/pattern/matrix/matrix.h"
#include "predict/pattern/matrix/report.h"

namespace mora::cli {
namespace {

/// --svg and --png: bytes of the chosen phase, from rank to rank, or with --nodes from node to node.
Result<void> draw(const Arguments& arguments, const predict::PhaseTraffic& phase, const predict::MatrixReport& report) {
  if (!arguments.has("svg") && !arguments.has("png")) return {};
  predict::HeatMapOptions options;
  options.title = phase.name + ", collectives: " + predict::to_string(report.model);
  options.unit = report.nodes ? "node" : "rank";
  const auto map =
      predict::heat_map(report.nodes ? by_node(phase.ranks, *report.placement).nodes : phase.ranks, options);
  if (arguments.has("svg")) {
    MORA_CHECK_OK(write_file_atomically(arguments.get("svg"), predict::heat_map_svg(map)));
  }
  if (arguments.has("png")) {
    MORA_TRY(const std::string png, predict::heat_map_png(map));
    MORA_CHECK_OK(write_file_atomically(arguments.get("png"), png));
  }
  return {};
}

Result<int> run_pattern_matrix(const Arguments& arguments) {
  MORA_TRY(const std::string format, output_format(arguments, "json csv"));
  if (arguments.has("nodes") && !arguments.has("placement"))
    return fail(ErrorKind::usage, "--nodes needs --placement", "", "", "`mora map` prints a placement");
  predict::MatrixReport report;
  report.source = arguments.positionals.at(0);
  report.histogram = arguments.has("histogram");
  report.nodes = arguments.has("nodes");
  MORA_TRY(report.top, count_option(arguments, "top", 20));
  predict::Placement placement;
  if (arguments.has("placement")) {
    MORA_TRY(placement, read_placement(arguments.get("placement")));
    report.placement = &placement;
  }
  MORA_TRY(const auto trace, read_pattern(arguments.positionals.at(0)));
  MORA_CHECK_OK(check_placement(placement, report.placement != nullptr, trace));
  MORA_TRY(report.model, collective_model_option(arguments, trace));
  MORA_TRY(const auto matrix, predict::make_matrix(trace, {.collectives = report.model}));
  if (arguments.has("phase")) {
    MORA_TRY(report.phase, predict::find_phase(matrix, arguments.get("phase")));
  }
  const std::string text = format == "json"  ? predict::matrix_json(matrix, report)
                           : format == "csv" ? predict::matrix_csv(matrix, report)
                                             : predict::matrix_text(matrix, report);
  tell_quality(matrix.quality);
  MORA_CHECK_OK(draw(arguments, report.phase != nullptr ? *report.phase : matrix.total, report));
  return put_out(arguments.get("output"), text);
}

}  // namespace

const Verb verb_pattern_matrix{
    .name = "pattern matrix",
    .summary = "show how much each rank sends to each other rank",
    .description =
        "Prints bytes and messages from rank to rank, per phase and in total. The input is a recorded or dry-run "
        "pattern, text traces, or a trace with times (an experiment, OTF2). Point-to-point and one-sided messages "
        "count as they were sent; messages that were not received are reported. --collectives chooses how collective "
        "calls are broken down into messages: `linear` sends every block directly to the ranks that need it; "
        "`algorithms` uses a textbook algorithm for each operation; `openmpi` and `mpich` use the algorithm that this "
        "library would choose for the number of ranks and bytes; `none` leaves collectives out; `payload` only adds up "
        "payload times ranks (Kotomatas 2018, 4), without assigning it to pairs of ranks.\n\n"
        "With a placement (the output of `mora map`, or a rankfile) it also prints what stays inside each node, leaves "
        "it and enters it.",
    .positionals = {{"PATTERN",
                     "a directory of `mora pattern record` or `dryrun`, a directory of text traces, a trace.mpt, or a "
                     "trace with times",
                     1, 1}},
    .options = {{"--collectives", "MODEL", "linear, algorithms, openmpi, mpich, none or payload (see above)",
                 "that of the recorded library; linear if it is not known"},
                {"--phase", "NAME",
                 "show only this phase (\"outer/inner\" for a nested one; \"global\" is what is outside all phases)",
                 "all, and their total"},
                {"--placement", "FILE", "placement of the ranks: also show nodes", ""},
                {"--nodes", "", "with --csv, --svg and --png: traffic between nodes instead of ranks", ""},
                {"--histogram", "", "also show message sizes", ""},
                {"--top", "N", "number of pairs of ranks to show; 0 = all (up to 16 ranks the whole matrix is shown)",
                 "20"},
                {"--svg", "FILE", "also draw a heat map, as SVG", ""},
                {"--png", "FILE", "also draw a heat map, as PNG", ""},
                {"--json", "", "print JSON", ""},
                {"--csv", "", "print CSV, one row for every phase and pair of ranks", ""},
                {"-o,--output", "FILE", "write to this file", "standard output"}},
    .examples = {{"mora pattern matrix mora-pattern-app-64", "text"},
                 {"mora pattern matrix --collectives openmpi --csv mora-pattern-app-64",
                  "with Open MPI's algorithms, for a spreadsheet"},
                 {"mora map --hostfile hosts -np 64 --map-by node > placed; mora pattern matrix --placement placed "
                  "mora-pattern-app-64",
                  "what each node would send and receive"}},
    .run = run_pattern_matrix,
};

}  // namespace mora::cli
