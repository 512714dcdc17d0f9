#include "cli/clock_option.h"

#include "trace/text/event_text.h"
#include "trace/view_cache.h"

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
    return fail(ErrorKind::usage, "clocks cannot be corrected '" + when + "'", "--correct-clocks", "",
                "use --correct-clocks auto, always or never");
  if (!arguments.has("min-latency")) return options;
  std::string rest = arguments.get("min-latency");
  Nanoseconds* const wanted[] = {&options.between_nodes, &options.inside_node, &options.between_threads};
  for (std::size_t i = 0;; ++i) {
    const std::size_t comma = rest.find(',');
    MORA_TRY(const Nanoseconds value, trace::parse_duration(rest.substr(0, comma)));
    if (i == 3 || value < 0)
      return fail(ErrorKind::usage, "these are no minimum latencies: " + arguments.get("min-latency"), "--min-latency",
                  "",
                  "give up to three times: between nodes, inside a node, between threads; for example 3us,1us,100ns");
    *wanted[i] = value;
    if (comma == std::string::npos) return options;
    rest.erase(0, comma + 1);
  }
}

Result<trace::ClockCorrection> open_at_corrected_times(const Arguments& arguments, const std::string& default_when,
                                                       const ProgressCallback& progress) {
  MORA_TRY(const trace::ClockOptions options, clock_options(arguments, default_when));
  MORA_TRY(auto source, trace::open_trace(arguments.positionals.at(0), arguments.get("format")));
  return trace::correct_clocks(std::move(source), options, progress);
}

trace::ViewOptions view_of(const Arguments& arguments, trace::RmaModel model,
                           const trace::ClockCorrection& correction) {
  if (!correction.report->corrected) return trace::cached_view(arguments.positionals.at(0), model);
  trace::ViewOptions options;
  options.model = model;
  return options;
}

Option correct_clocks_option(const char* default_when) {
  return {"--correct-clocks", "WHEN",
          "'auto': if something arrives before it is sent, by clocks of different nodes; 'always': on one node, too; "
          "'never'",
          default_when};
}

Option min_latency_option() {
  return {"--min-latency", "LIST", "least time of a message between nodes, inside a node, between threads",
          "3us,1us,100ns"};
}

}  // namespace mora::cli
