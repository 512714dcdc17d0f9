#include "cli/options/interval_options.h"

namespace mora::cli {

Result<void> read_interval_options(const Arguments& arguments, analysis::AnalyzeOptions& options) {
  const std::string phases = arguments.get("phases", "auto");
  if (phases == "auto") {
    options.intervals.phases = trace::Phases::unmarked;
  } else if (phases == "always") {
    options.intervals.phases = trace::Phases::always;
  } else if (phases == "never") {
    options.intervals.phases = trace::Phases::never;
  } else {
    return fail(ErrorKind::usage, "'" + phases + "' is no choice of --phases", "--phases", "",
                "use --phases auto, always or never");
  }
  if (const auto regions = arguments.options.find("interval-regions"); regions != arguments.options.end()) {
    options.intervals.regions = regions->second;
  }
  options.intervals.split_iterations = arguments.has("split-iterations");
  options.ideal_network = !arguments.has("no-ideal-network");
  return {};
}

std::vector<Option> interval_options() {
  return {
      {"--phases", "WHEN",
       "find the iterations of the outer loop and make them an interval. 'auto': if the program has no marks; "
       "'always': also if it has marks; 'never'",
       "auto"},
      {"--interval-regions", "PATTERN",
       "make regions with these names intervals, too, for example 'solve*'; may be repeated", ""},
      {"--split-iterations", "",
       "make each execution of an interval an interval of its own, numbered by Mora, unless the program gave ids", ""},
      {"--no-ideal-network", "",
       "do not replay the trace on an ideal network, which the POP metrics serialisation and transfer "
       "efficiency (mora report --pop) need",
       ""}};
}

}  // namespace mora::cli
