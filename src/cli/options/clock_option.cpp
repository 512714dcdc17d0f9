/// The options of clock correction, and opening a trace with corrected times.
#include "cli/options/clock_option.h"

#include "base/numbers/read_number.h"
#include "cli/options/bytes_option.h"
#include "trace/event_spool.h"
#include "trace/readers/open_trace.h"
#include "trace/text/event_text.h"
#include "trace/view/view_cache.h"

namespace mora::cli {

Result<trace::ClockOptions> clock_options(const Arguments& arguments, const std::string& default_when) {
  trace::ClockOptions options;
  const std::string when = arguments.get("correct-clocks", default_when);
  if (when == "auto")
    options.mode = trace::ClockMode::automatic;
  else if (when == "always")
    options.mode = trace::ClockMode::always;
  else if (when == "never")
    options.mode = trace::ClockMode::never;
  else
    return fail(ErrorKind::usage, "'" + when + "' is no choice of clock correction", "--correct-clocks", "",
                "use --correct-clocks auto, always or never");
  if (arguments.has("min-latency"))
    MORA_CHECK_OK(trace::parse_min_latencies(arguments.get("min-latency"), "--min-latency", options));
  return options;
}

Result<trace::ClockCorrection> open_at_corrected_times(const Arguments& arguments, const std::string& default_when,
                                                       const ProgressCallback& progress) {
  MORA_TRY(const trace::ClockOptions options, clock_options(arguments, default_when));
  MORA_TRY(const std::uint64_t application, application_of(arguments));
  MORA_TRY(const std::uint64_t memory, bytes_option(arguments, "memory"));
  const trace::SpoolMemory spools(memory);
  MORA_TRY(auto source, trace::open_trace(arguments.positionals.at(0), arguments.get("format"), application));
  return trace::correct_clocks(std::move(source), options, progress);
}

trace::ViewOptions view_of(const Arguments& arguments, trace::RmaModel model,
                           const trace::ClockCorrection& correction) {
  if (!correction.report->corrected) {
    return trace::cached_view(arguments.positionals.at(0), model, arguments.get("format"),
                              application_of(arguments).value_or(0));
  }
  trace::ViewOptions options;
  options.model = model;
  return options;
}

Result<std::uint64_t> application_of(const Arguments& arguments) {
  if (!arguments.has("application")) return 0;
  const std::string text = arguments.get("application");
  std::uint64_t number = 0;
  if (read_number(text, number) && number > 0) return number;
  return fail(ErrorKind::usage, "'" + text + "' is no number of an application", "--application", "they count from 1",
              "mora info TRACE lists the applications of a trace");
}

Option application_option() {
  return {"--application", "N",
          "which application of a Paraver trace to read, if it has several (each is a job of its own)", "1"};
}

Option correct_clocks_option(const char* default_when) {
  return {"--correct-clocks", "WHEN",
          "correct the clocks of the trace. 'auto': if a message between different nodes arrives before it is sent; "
          "'always': also if this happens on one node; 'never' (docs/user/clocks.md)",
          default_when};
}

Option min_latency_option() {
  return {
      "--min-latency", "LIST",
      "for --correct-clocks: the shortest time that a message can take between nodes, inside a node, between threads",
      "3us,1us,100ns"};
}

}  // namespace mora::cli
