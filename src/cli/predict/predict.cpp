/// `mora predict`: a recorded program on another machine (predict/prediction/).
#include <fmt/format.h>

#include "base/file.h"
#include "cli/command/verbs.h"
#include "cli/predict/learn.h"
#include "cli/predict/predicting.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress_line.h"

namespace mora::cli {
namespace {

Result<int> run_predict(const Arguments& arguments) {
  ProgressLine line(!arguments.has("quiet") && !arguments.has("json"));
  if (arguments.has("learn")) {
    line.erase();
    return learn(arguments, line.callback());
  }
  if (arguments.positionals.size() > 1 && !arguments.has("scale"))
    return fail(ErrorKind::usage, "several traces are given", "mora predict", "one run is predicted at a time",
                "--scale N predicts N ranks from runs of fewer; --learn FILE learns from several");
  if (arguments.has("trace") && file_exists(arguments.get("trace")))
    return fail(ErrorKind::usage, "the output exists", "--trace " + arguments.get("trace"), "",
                "name a directory that is not there yet");
  MORA_TRY(const Predicted made, make_prediction(arguments, line.callback()));
  line.erase();
  if (arguments.has("goal") || arguments.has("simgrid")) {
    MORA_TRY(const std::uint64_t messages, write_messages(arguments, line.callback()));
    line.erase();
    if (!arguments.has("quiet")) fmt::print(stderr, "mora: {} messages written\n", messages);
  }
  if (arguments.has("trace")) {
    MORA_CHECK_OK(write_predicted_trace(arguments, line.callback()));
    line.erase();
    if (!arguments.has("quiet")) fmt::print(stderr, "mora: wrote {}\n", arguments.get("trace"));
  }
  const std::string output = arguments.get("output");
  if (arguments.has("json")) return put_out(output, made.json());
  MORA_TRY(const TextOptions options, text_options(arguments));
  return put_out(output, arguments.has("check")
                             ? predict::check_text(made.prediction, *made.check, made.names, options,
                                                   made.corrected && made.corrected->saw_run)
                             : predict::prediction_text(made.prediction, made.names, arguments.has("explain"), options,
                                                        made.changes, made.parts, made.corrected));
}

}  // namespace

const Verb verb_predict{
    .name = "predict",
    .summary = "predict what communication would cost on another machine",
    .description =
        "Replays a recorded run on the machine that a file describes (docs/formats/machine.md): each message with the "
        "time that its size and the distance of its ranks cost there, each collective operation as the messages that "
        "the library's algorithm sends. Computation takes as long as it took, times --compute-factor. Prints the run "
        "time, and of each rank and call path the time in MPI: waiting for others, transfer, overhead of the "
        "processor, and what is local. Beside it stand an error bar (all costs lowered and raised by the errors that "
        "the model states), two baselines (a network that costs nothing, and Hockney's straight line), and what was "
        "not modelled.\n"
        "\n"
        "With --scale N and three runs or more it predicts the program with N ranks. "
        "With --check it predicts the recorded run itself and prints how far that is from what was measured. A program "
        "that would hang on the machine is an error that names the ranks and calls.\n"
        "\n"
        "With --learn it compares the recorded time in MPI of each rank of several runs with its prediction, and "
        "learns "
        "a correction from what the ranks communicate: kinds, sizes and numbers of messages, placement, contention. "
        "Each application is held out once; the correction is used (--correct) only if it beats the model on "
        "applications that it has not seen. Guide: docs/user/predict.md.",
    .positionals =
        {{"TRACE",
          "an experiment directory or a trace file of any format that `mora info --formats` lists; with "
          "--scale three or more, with --learn several, or APPLICATION=TRACE where a trace does not say its program",
          1, -1}},
    .options = {{"--on", "FILE", "the machine model: made by `mora calibrate`, or written by hand", ""},
                {"--map", "WORDS",
                 "place the ranks as `mora map WORDS` does, for example '--host a:2,b:2 --map-by node'", "as recorded"},
                {"--compute-factor", "F", "computation takes F times as long as it was recorded", "1"},
                {"--collectives", "MODEL",
                 "algorithms of collective operations: openmpi, mpich, algorithms (textbook) or linear",
                 "those of the machine's library, else of the recorded one, else algorithms"},
                {"--scale", "N",
                 "predict N ranks from several runs with fewer: fits what each call site computes, sends and to whom "
                 "over their numbers of ranks, and refuses what no law explains",
                 ""},
                {"--fit-limit", "PERCENT",
                 "with --scale: largest error of a law at a run that is left out of its fit; of sizes at most 5 %",
                 "25"},
                {"--check", "", "compare the prediction of the recorded run with what was measured", ""},
                {"--what-if", "",
                 "also predict the run with equal computation of all ranks, and on a network that costs nothing", ""},
                {"--sensitivity", "",
                 "also say how much of the run time latency, bandwidth and overhead are, and how much slower each may "
                 "get before the run is 1 % longer (about ten times the time)",
                 ""},
                {"--explain", "",
                 "list the calls that are only approximated, how, and their share; with --scale also the law of each "
                 "call site",
                 ""},
                {"--learn", "FILE",
                 "learn a correction from the runs, which ran on the machine of --on, and write it to FILE; at least "
                 "four applications",
                 ""},
                {"--correct", "FILE",
                 "also correct the time in MPI of each rank by what --learn wrote, where it applies", ""},
                {"--trace", "DIR",
                 "also write the predicted run as a trace (an OTF2 archive), which `mora analyze`, `mora view` and all "
                 "others read",
                 ""},
                {"--goal", "FILE",
                 "also write the run's computation and messages as a GOAL schedule, for LogGOPSim and its like", ""},
                {"--simgrid", "DIR",
                 "also write them as time-independent traces of SimGrid's SMPI (DIR/ranks.txt is for -replay; a flop "
                 "is a nanosecond)",
                 ""},
                {"--partial", "", "with --goal or --simgrid: leave out what is no message between two ranks", ""},
                {"--format", "NAME", "format of TRACE, if Mora does not recognise it", ""},
                {"--top", "N", "rows of each list; 0 = all", "10"},
                {"--json", "", "print one JSON object instead of text", ""},
                {"-o,--output", "FILE", "write to this file instead of standard output", ""},
                {"--quiet", "", "no progress", ""}},
    .examples =
        {{"mora predict mora-app-4 --on cluster.json", "the recorded run on another machine"},
         {"mora predict mora-app-4 --on cluster.json --map '--host a:2,b:2 --map-by node'",
          "with its ranks on two nodes"},
         {"mora predict mora-app-4 --on cluster.json --simgrid replay && smpirun -np 4 -platform cluster.xml -hostfile "
          "hosts -replay replay/ranks.txt",
          "the same messages in another simulator"},
         {"mora predict mora-app-4 --on cluster.json --trace there && mora analyze there",
          "the wait states of the predicted run"},
         {"mora predict mora-app-2 mora-app-4 mora-app-8 --scale 64 --on cluster.json --map '--host a:32,b:32'",
          "64 ranks from runs with 2, 4 and 8"},
         {"mora predict mora-app-4 --on here.json --check", "how good the model of this machine is"},
         {"mora predict --on here.json --learn learned.json mora-*", "learn from all runs recorded here"},
         {"mora predict mora-app-4 --on here.json --correct learned.json", "with what they taught"}},
    .run = run_predict,
    .check_failed = "the correction of --learn does not beat the model",
};

}  // namespace mora::cli
