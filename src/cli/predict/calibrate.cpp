/// `mora calibrate`: measures what messages cost here (predict/calibration/).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/numbers/read_number.h"
#include "cli/command/verbs.h"
#include "cli/terminal/output.h"
#include "predict/calibration/calibration.h"
#include "predict/calibration/measure.h"
#include "predict/machine/model.h"

namespace mora::cli {
namespace {

Result<double> budget_of(const Arguments& arguments) {
  const std::string text = arguments.get("budget", "60");
  double value = 0;
  if (!read_number(text, value) || !(value > 0) || value > 86400)
    return fail(ErrorKind::usage, "\"" + text + "\" is no time", "--budget", "seconds, above 0 and up to 86400");
  return value;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string calibration_table(const predict::Calibration& calibration) {
  Table table({words("class", 13), number("sizes", 6), number("samples", 9), number("outliers", 9), number("ranges", 7),
               number("eager up to", 12), number("median error", 13), number("90th perc.", 11)});
  for (const predict::CalibratedClass& c : calibration.classes) {
    std::string eager = "all";
    for (std::size_t i = 0; i < c.ranges.size(); ++i) {
      if (!c.ranges[i].lines.rendezvous) continue;
      eager = i == 0 ? "none" : std::to_string(c.ranges[i - 1].up_to_bytes);
      break;
    }
    table.add({c.name, c.sizes, c.samples, c.outliers, c.ranges.size(), eager,
               Cell(c.median_error, fmt::format("{:.1f} %", 100 * c.median_error)),
               Cell(c.ninth_decile_error, fmt::format("{:.1f} %", 100 * c.ninth_decile_error))});
  }
  return text_of(table);
}

std::string quantity_table(const predict::Calibration& calibration) {
  Table table({words("beside messages", 24), words("class", 13), number("value", 12), number("from", 12),
               number("to", 12), number("90th perc.", 11)});
  for (const predict::Quantity& q : calibration.quantities) {
    const auto cell = [](double value) { return Cell(value, fmt::format("{:.4g}", value)); };
    table.add({q.name, q.class_name, cell(q.value), cell(q.low), cell(q.high),
               Cell(q.ninth_decile_error, fmt::format("{:.1f} %", 100 * q.ninth_decile_error))});
  }
  return text_of(table);
}

std::string collective_table(const predict::Calibration& calibration) {
  Table table({words("collective", 13), number("sizes", 6), number("median error", 13), number("90th perc.", 11),
               words("algorithms by the library's rules", 40)});
  for (const predict::CollectiveCheck& c : calibration.collectives)
    table.add({c.operation, c.sizes, Cell(c.median_signed, fmt::format("{:+.1f} %", 100 * c.median_signed)),
               Cell(c.ninth_decile_error, fmt::format("{:.1f} %", 100 * c.ninth_decile_error)),
               fmt::format("{}", fmt::join(c.algorithms, ", "))});
  return text_of(table);
}

Result<int> run_calibrate(const Arguments& arguments) {
  const std::string output = arguments.get("output", "machine.json"), raw = output + ".samples.csv";
  predict::CalibrationNames names;
  predict::MeasureRequest request;
  request.raw_file = arguments.get("samples", raw);
  if (!arguments.has("samples")) {
    if (arguments.positionals.empty())
      return fail(ErrorKind::usage, "no launcher is given", "mora calibrate", "", "mora calibrate -- mpirun -n 2");
    request.launcher = arguments.positionals;
    request.flavour = arguments.get("mpi");
    MORA_TRY(request.seconds, budget_of(arguments));
    if (arguments.has("seed") && !read_number(arguments.get("seed"), request.seed))
      return fail(ErrorKind::usage, "not a whole number", "--seed " + arguments.get("seed"));
    MORA_CHECK_OK(predict::measure(request));
    names.command = joined_words(request.launcher);
    names.budget_seconds = request.seconds;
  }
  MORA_TRY(const std::string text, read_file(request.raw_file));
  MORA_TRY(const predict::CalibrationSamples samples, predict::parse_samples(text, request.raw_file));
  MORA_TRY(const predict::Calibration calibration, predict::calibrate(samples, request.raw_file));
  names.name = arguments.get("name", samples.host);
  names.raw_file = request.raw_file;
  const std::string json = predict::machine_json(calibration, names);
  MORA_CHECK_OK(predict::parse_machine_model(json, output));  // what is written can be read
  MORA_CHECK_OK(write_file_atomically(output, json));
  for (const std::string& warning : calibration.warnings) print_warning(warning);
  if (!arguments.has("quiet")) {
    std::fputs(calibration_table(calibration).c_str(), stdout);
    if (!calibration.quantities.empty()) std::fputs(("\n" + quantity_table(calibration)).c_str(), stdout);
    if (!calibration.collectives.empty()) std::fputs(("\n" + collective_table(calibration)).c_str(), stdout);
    for (const std::string& sentence : calibration.not_measured) std::printf("not measured: %s\n", sentence.c_str());
    std::printf("wrote %s; the samples are in %s\n", output.c_str(), request.raw_file.c_str());
  }
  return 0;
}

}  // namespace

const Verb verb_calibrate{
    .name = "calibrate",
    .summary = "measure what messages cost on this machine",
    .description =
        "Starts a measuring program with the launcher that is given, and makes a machine model of what it measured "
        "(docs/formats/machine.md). One pair of ranks of each class of distance that the launcher's placement has "
        "(same "
        "core, same package, same node, other node) exchanges messages of many sizes in random order, pass after pass, "
        "until the time is over. The first pass warms up and finds how many sizes there is time for; of the others the "
        "median of each size is used, "
        "and outliers are left out and counted. Ranges of sizes with a line of their own are found, not assumed, and "
        "up to which size a send does not wait for its receive is found to the byte. The errors in the file are "
        "cross-validated: each size predicted from the others. Gaps between messages, one-sided calls and each of "
        "their "
        "synchronisations are measured likewise; several pairs of ranks at once show what they share. What could not "
        "be "
        "measured is said and left out.\n\n"
        "All samples stand beside the model. Give the launcher no more ranks than there are cores, and let nothing "
        "else run meanwhile: a warning says if other programs disturbed the measurement. Guide: docs/user/predict.md.",
    .positionals = {{"LAUNCHER", "the launcher with its options, without a program", 0, -1}},
    .options =
        {{"-o,--output", "FILE", "the model", "machine.json"},
         {"--budget", "SECONDS",
          "how long to measure, all classes together; a short one measures fewer sizes, but twelve three times in "
          "any case",
          "60"},
         {"--mpi", "FLAVOUR", "the launcher's MPI library, openmpi or mpich, if Mora does not recognise it", ""},
         {"--name", "TEXT", "name of the machine in the model", "the host of rank 0"},
         {"--seed", "N", "seed of the random sizes and orders", "1"},
         {"--samples", "FILE", "make the model from these samples, and measure nothing", ""},
         {"--quiet", "", "print only warnings and errors", ""}},
    .examples = {{"mora calibrate -- mpirun -n 2", "two ranks of this machine"},
                 {"mora calibrate --budget 300 -o cluster.json -- mpirun --host a,b -n 2 --map-by node",
                  "two nodes, five minutes"},
                 {"mora calibrate --samples machine.json.samples.csv", "the model again, from the samples"}},
    .passthrough = true,
    .run = run_calibrate,
};

}  // namespace mora::cli
