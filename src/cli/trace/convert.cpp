/// `mora convert`: writes a trace in another format (src/export/).
#include <fmt/format.h>

#include <cstdio>

#include "base/numbers/rank_list.h"
#include "cli/command/verbs.h"
#include "cli/options/bytes_option.h"
#include "cli/options/clock_option.h"
#include "cli/options/memory_option.h"
#include "cli/terminal/progress_line.h"
#include "export/chrome/chrome_json.h"
#include "export/csv/csv.h"
#include "export/otf2/merge.h"
#include "export/paje/paje.h"
#include "trace/source.h"
#include "trace/text/event_text.h"

namespace mora::cli {
namespace {

using exports::ShowTransfers;

struct Request {
  std::string trace, format, output;
  trace::RmaModel model = trace::RmaModel::extended;
  bool force = false, quiet = false, dependencies = false, messages = false;
  std::optional<exports::ArrowOptions> arrows;
  exports::EventWindow window;
  std::uint64_t max_bytes = 1'000'000'000;
  std::vector<std::string> columns;
};

tl::unexpected<Error> wrong(std::string what, std::string help) {
  return fail(ErrorKind::usage, std::move(what), "", "", std::move(help));
}

Result<void> understand_arrows(const Arguments& arguments, Request& r) {
  const std::string show = arguments.get("show-transfers");
  if (!show.empty()) {
    r.arrows.emplace();
    if (show == "dependencies") {
      if (r.format != "csv" && r.format != "chrome")
        return wrong("dependencies can be written in csv and chrome only", "use --to csv or --to chrome");
      r.dependencies = true;
    } else if (show == "closed") {
      r.arrows->show = ShowTransfers::closed;
    } else if (show == "logical") {
      r.arrows->show = ShowTransfers::logical;
    } else if (show != "model") {
      return wrong("'" + show + "' is not a way to show transfers",
                   "use --show-transfers model, closed, logical or dependencies");
    }
  }
  if (r.arrows && r.arrows->show == ShowTransfers::logical && r.model == trace::RmaModel::basic)
    return wrong("logical transfers need the extended RMA model: they end where a synchronisation completes them",
                 "leave out --rma-model basic");
  if (!arguments.has("epsilon")) return {};
  MORA_TRY(const Nanoseconds epsilon, trace::parse_duration(arguments.get("epsilon")));
  if (epsilon <= 0) return wrong("epsilon must be greater than 0", "give a short time, for example 1us");
  if (!r.arrows || r.arrows->show != ShowTransfers::logical)
    return wrong("--epsilon belongs to --show-transfers logical", "");
  r.arrows->epsilon = epsilon;
  return {};
}

Result<void> understand_window(const Arguments& arguments, Request& r) {
  if (arguments.has("ranks")) {
    MORA_TRY(r.window.ranks, RankList::parse(arguments.get("ranks"), "--ranks"));
  }
  if (arguments.has("from")) {
    MORA_TRY(r.window.from, trace::parse_duration(arguments.get("from")));
  }
  if (arguments.has("until")) {
    MORA_TRY(r.window.until, trace::parse_duration(arguments.get("until")));
  }
  if (r.window.from && r.window.until && *r.window.from > *r.window.until)
    return wrong("--from lies after --until", "");
  if (r.format == "otf2" && !r.window.whole())
    return wrong("an OTF2 archive always contains the whole trace", "leave out --from, --until and --ranks");
  return {};
}

Result<Request> understand(const Arguments& arguments) {
  Request r;
  r.trace = arguments.positionals.at(0);
  r.format = arguments.get("to");
  if (r.format != "otf2" && r.format != "chrome" && r.format != "paje" && r.format != "csv")
    return wrong(r.format.empty() ? "no format is given" : "Mora cannot write the format '" + r.format + "'",
                 "use --to otf2, --to chrome, --to paje or --to csv");
  r.output = arguments.get("output");
  if (r.output.empty()) return wrong("no output is given", "give it with -o");
  if (r.output == "-" && r.format == "otf2")
    return wrong("an OTF2 archive is a directory, not a stream", "give a directory with -o");
  const std::string model = arguments.get("rma-model", "extended");
  if (model != "basic" && model != "extended")
    return wrong("there is no RMA model '" + model + "'", "use --rma-model basic or --rma-model extended");
  if (model == "basic") r.model = trace::RmaModel::basic;
  r.force = arguments.has("force");
  r.quiet = arguments.has("quiet");
  MORA_CHECK_OK(understand_arrows(arguments, r));
  MORA_CHECK_OK(understand_window(arguments, r));
  if (arguments.has("max-size")) {
    MORA_TRY(r.max_bytes, bytes_option(arguments, "max-size", 1));
  }
  r.messages = arguments.has("messages");
  if (r.messages && r.format != "csv") return wrong("--messages belongs to --to csv", "");
  if (r.messages && r.dependencies) return wrong("--messages lists arrows, not dependencies", "leave out one of them");
  if (arguments.has("plain") && r.format != "otf2") return wrong("--plain belongs to --to otf2", "");
  if (arguments.has("max-size") && r.format != "chrome") return wrong("--max-size belongs to --to chrome", "");
  if (r.format == "csv" && r.arrows && !r.dependencies && !r.messages)
    return wrong("CSV of events has no transfers", "list them with --messages");
  if (arguments.has("columns")) {
    if (r.format != "csv" || r.messages || r.dependencies)
      return wrong("--columns chooses columns of events in CSV", "use it with --to csv alone");
    const std::string list = arguments.get("columns");
    for (std::size_t at = 0; at <= list.size();) {
      const auto comma = std::min(list.find(',', at), list.size());
      r.columns.push_back(list.substr(at, comma - at));
      at = comma + 1;
    }
  }
  return r;
}

Result<void> convert_to_chrome(const trace::View& view, const Request& r, const ProgressCallback& progress,
                               ProgressLine& line, DataQuality& quality) {
  exports::ChromeOptions options;
  options.window = r.window;
  if (r.arrows) options.arrows = *r.arrows;
  options.dependencies = r.dependencies;
  options.force = r.force;
  options.progress = progress;
  const exports::ChromeSize size = exports::chrome_size(view, options);
  line.erase();
  if (!r.quiet)
    std::fprintf(stderr, "%s %llu events, %s\n", size.exact ? "will write" : "will write about",
                 static_cast<unsigned long long>(size.events), bytes_for_people(size.bytes).c_str());
  if (size.bytes > r.max_bytes)
    return fail(ErrorKind::usage, "the output would be too large", r.output,
                fmt::format("{} where {} are allowed, because viewers load the whole file",
                            bytes_for_people(size.bytes), bytes_for_people(r.max_bytes)),
                "write less with --from, --until and --ranks, or allow more with --max-size");
  return exports::write_chrome(view, r.output, options, quality);
}

Result<void> convert_to_csv(const trace::View& view, const Request& r, const ProgressCallback& progress,
                            DataQuality& quality) {
  exports::CsvOptions options;
  options.window = r.window;
  if (r.arrows) options.arrows = *r.arrows;
  options.columns = r.columns;
  options.force = r.force;
  options.progress = progress;
  if (r.dependencies) return exports::write_csv_dependencies(view, r.output, options);
  if (r.messages) return exports::write_csv_messages(view, r.output, options, quality);
  return exports::write_csv_events(view, r.output, options);
}

Result<void> convert(const trace::View& view, const Arguments& arguments, const Request& r, ProgressLine& line,
                     DataQuality& quality) {
  if (r.format == "chrome") return convert_to_chrome(view, r, line.callback(), line, quality);
  if (r.format == "csv") return convert_to_csv(view, r, line.callback(), quality);
  if (r.format == "paje") {
    exports::PajeOptions options;
    options.window = r.window;
    if (r.arrows) options.arrows = *r.arrows;
    options.force = r.force;
    options.progress = line.callback();
    return exports::write_paje(view, r.output, options, quality);
  }
  exports::Otf2Options options;
  options.plain = arguments.has("plain");
  options.force = r.force;
  options.messages = r.arrows;
  // Other tools want messages inside MPI calls: a transfer's end at its target lies anywhere.
  if (!options.messages && r.model == trace::RmaModel::extended && !options.plain) options.messages.emplace();
  options.description = r.trace;
  options.saves_memory = arguments.has("memory");
  options.progress = line.callback();
  return exports::write_otf2(view, r.output, options, quality);
}

Result<int> run_convert(const Arguments& arguments) {
  MORA_TRY(const Request r, understand(arguments));
  ProgressLine line(!r.quiet);
  MORA_TRY(const auto correction, open_at_corrected_times(arguments, "never", line.callback()));
  DataQuality quality;
  trace::ViewOptions view_options;
  view_options.model = r.model;
  MORA_TRY(view_options.memory, bytes_option(arguments, "memory"));
  trace::BuildWatch watch;
  if (const auto callback = line.callback())
    watch.changed = [callback](std::uint64_t done, std::uint64_t all) { callback("merge", done, all); };
  view_options.watch = &watch;
  MORA_TRY(const auto view, trace::View::make(*correction.source, view_options));
  MORA_CHECK_OK(convert(*view, arguments, r, line, quality));
  line.erase();
  if (!r.quiet) note_memory(view_options.memory, *correction.source);
  quality.merge(view->quality());
  if (!r.quiet) std::fputs(trace::quality_lines(quality).c_str(), stderr);
  return 0;
}

}  // namespace

const Verb verb_convert{
    "convert",
    "write a trace in another format",
    "Merges all ranks into one stream of events, as `mora print` shows it, and writes it in another format "
    "(docs/formats/exports.md). What had to be repaired, or cannot be written in the format, is listed on standard "
    "error in lines that start with '!'.\n\notf2: a directory with an OTF2 archive, which all verbs of Mora and other "
    "tools read. In the extended RMA model each one-sided transfer is also written as a message on a communicator "
    "reserved for its window, so that viewers draw it (not with --plain).\n\nchrome: JSON for ui.perfetto.dev and "
    "chrome://tracing. The size is printed before it is written.\n\npaje: for ViTE and pajeng.\n\ncsv: one line per "
    "event, per message (--messages) or per dependency (--show-transfers dependencies).",
    {{"TRACE", "a trace in any format that `mora info` reads", 1, 1}},
    {{"--to", "FORMAT", "the format to write: otf2, chrome, paje or csv (required)", ""},
     {"-o,--output", "OUT", "where to write: a directory (otf2) or a file; - is standard output (required)", ""},
     {"--force", "", "replace the output if it exists", ""},
     {"--format", "NAME", "format of TRACE, if Mora does not recognise it (mora info --formats)", ""},
     {"--rma-model", "MODEL",
      "where one-sided transfers end: 'basic': when their call returns; 'extended': when the synchronisation that "
      "completes them returns",
      "extended"},
     {"--show-transfers", "HOW",
      "how one-sided transfers are drawn. 'model': as in the RMA model; 'closed': a Get as two messages, request and "
      "data; 'logical': a Get as late as MPI allows; 'dependencies': what depends on what (csv and chrome only)",
      "model"},
     {"--epsilon", "TIME", "with logical: length of a Get in the drawing, at most that of its synchronisation call",
      "1ns"},
     {"--from", "TIME", "write only events at or after this time (ns, or with a unit: 1.5us, 2s); not with otf2", ""},
     {"--until", "TIME", "write only events at or before this time; not with otf2", ""},
     {"--ranks", "LIST", "write only these ranks, for example 0-3,7; not with otf2", ""},
     correct_clocks_option("never"),
     min_latency_option(),
     application_option(),
     memory_option(),
     {"--max-size", "BYTES", "chrome: largest size that may be written, for example 2GB", "1GB"},
     {"--columns", "LIST", "csv: write these columns of events, in this order", "all"},
     {"--messages", "", "csv: one line per message and one-sided transfer, instead of per event", ""},
     {"--plain", "",
      "otf2: for tools like Scalasca. One region per function instead of one per call site; no devices, no transfers "
      "as messages unless --show-transfers asks for them, no messages and collective calls that lack a partner",
      ""},
     {"--quiet", "", "print no progress and no notes", ""}},
    {{"mora convert mora-app-4 --to chrome --from 1s --until 1.2s -o app.json", "0.2 seconds of the run, for Perfetto"},
     {"mora convert mora-app-4 --to otf2 --rma-model basic -o basic", "an archive in the basic model"},
     {"mora convert app.trace --to csv --columns number,time_ns,type -o -", "three columns on standard output"}},
    false,
    run_convert};

}  // namespace mora::cli
