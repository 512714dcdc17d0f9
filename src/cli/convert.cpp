/// `mora convert`: a trace in another format.
#include <cstdio>

#include "cli/progress_line.h"
#include "cli/verbs.h"
#include "export/otf2/merge.h"
#include "trace/source.h"
#include "trace/text/event_text.h"

namespace mora::cli {
namespace {

using exports::ShowTransfers;

struct Request {
  std::string trace, format, output;
  trace::RmaModel model = trace::RmaModel::extended;
  bool force = false, quiet = false;
  std::optional<exports::ArrowOptions> arrows;
};

Result<Request> understand(const Arguments& arguments) {
  Request r;
  r.trace = arguments.positionals.at(0);
  r.format = arguments.get("to");
  if (r.format != "otf2")
    return fail(ErrorKind::usage, r.format.empty() ? "which format?" : "there is no export to '" + r.format + "'", "",
                "", "use --to otf2");
  r.output = arguments.get("output");
  if (r.output.empty()) return fail(ErrorKind::usage, "where to?", "", "", "name the output with -o");
  const std::string model = arguments.get("rma-model", "extended");
  if (model != "basic" && model != "extended")
    return fail(ErrorKind::usage, "there is no RMA model '" + model + "'", "", "",
                "use --rma-model basic or --rma-model extended");
  if (model == "basic") r.model = trace::RmaModel::basic;
  r.force = arguments.has("force");
  r.quiet = arguments.has("quiet");
  const std::string show = arguments.get("show-transfers");
  if (!show.empty()) {
    r.arrows.emplace();
    if (show == "closed")
      r.arrows->show = ShowTransfers::closed;
    else if (show == "logical")
      r.arrows->show = ShowTransfers::logical;
    else if (show != "model")
      return fail(ErrorKind::usage, "there is no way '" + show + "' to show transfers", "", "",
                  "use --show-transfers model, closed or logical");
  }
  if (arguments.has("epsilon")) {
    MORA_TRY(const Nanoseconds epsilon, trace::parse_duration(arguments.get("epsilon")));
    if (epsilon <= 0)
      return fail(ErrorKind::usage, "epsilon must be greater than 0", arguments.get("epsilon"), "",
                  "give a short time, for example 1us");
    if (!r.arrows || r.arrows->show != ShowTransfers::logical)
      return fail(ErrorKind::usage, "epsilon belongs to --show-transfers logical", "", "", "");
    r.arrows->epsilon = epsilon;
  }
  return r;
}

Result<int> run(const Arguments& arguments) {
  MORA_TRY(const Request r, understand(arguments));
  MORA_TRY(const auto source, trace::open_trace(r.trace));
  ProgressLine line(!r.quiet);
  DataQuality quality;
  trace::ViewOptions view_options;
  view_options.model = r.model;
  if (auto callback = line.callback())
    view_options.progress = [callback](std::uint64_t done, std::uint64_t all) { callback("merge", done, all); };
  MORA_TRY(const auto view, trace::View::make(*source, view_options));
  exports::Otf2Options options;
  options.plain = arguments.has("plain");
  options.force = r.force;
  options.messages = r.arrows;
  if (!options.messages && r.model == trace::RmaModel::extended) options.messages.emplace();
  options.description = r.trace;
  options.progress = line.callback();
  MORA_CHECK_OK(exports::write_otf2(*view, r.output, options, quality));
  line.erase();
  quality.merge(view->quality());
  if (!r.quiet) std::fputs(trace::quality_lines(quality).c_str(), stderr);
  return 0;
}

}  // namespace

const Verb verb_convert{
    "convert",
    "write a trace in another format",
    "Merges all ranks into one stream, as `mora print` shows it, and writes it in another format (docs/formats/exports.md). "
    "What had to be mended or has no place in the format follows on standard error in lines that start with '!'.\n\n"
    "otf2: a directory with an archive that every verb and other tools read. In the extended RMA model each one-sided "
    "transfer is also a message on a communicator reserved for its window, so that viewers draw it.",
    {{"TRACE", "a trace in any format that `mora info` reads", 1, 1}},
    {{"--to", "FORMAT", "otf2", ""},
     {"-o,--output", "OUT", "a directory (otf2)", ""},
     {"--force", "", "replace the output if it exists", ""},
     {"--rma-model", "MODEL",
      "where one-sided transfers end: 'basic' at the return of their call, 'extended' at the call that completes them",
      "extended"},
     {"--show-transfers", "HOW",
      "'model': as the RMA model has them; 'closed': a Get as request and data; 'logical': Gets as late as MPI allows", "model"},
     {"--epsilon", "TIME", "logical: how long a Get is drawn", "1ns"},
     {"--plain", "", "otf2: one region per function, not one per call site", ""},
     {"--quiet", "", "no progress, no notes", ""}},
    {{"mora convert mora-app-4 --to otf2 --rma-model basic -o basic", "an archive in the basic model"}},
    false,
    run};

}  // namespace mora::cli
