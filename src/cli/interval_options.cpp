#include "cli/interval_options.h"

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
    return fail(ErrorKind::usage, "phases cannot be looked for '" + phases + "'", "--phases", "",
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
       "'auto': make an interval of the repeating outer loop if nothing is marked; 'always': also beside marks; "
       "'never'",
       "auto"},
      {"--interval-regions", "PATTERN", "regions that are intervals too, for example 'solve*'; may be repeated", ""},
      {"--split-iterations", "",
       "number the executions of each interval that the program gave no number: each becomes an interval of its own",
       ""},
      {"--no-ideal-network", "", "do not replay the trace on an ideal network (saves a second reading)", ""}};
}

}  // namespace mora::cli
