// Small languages in options: conditions, lists of ranks and intervals, thresholds, rules, assertions, command lines.
#include "analysis/efficiency/interval_table.h"
#include "base/numbers/rank_list.h"
#include "broken_promise.h"
#include "input_parts.h"
#include "launcher/launch.h"
#include "predict/pattern/recording/dryrun.h"
#include "readers.h"
#include "report/advice/thresholds.h"
#include "report/compare/condition/condition.h"
#include "report/intervals/exclusion.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/why/why.h"
#include "trace/assertion.h"
#include "trace/text/event_text.h"

namespace mora::fuzz {
namespace {

analysis::IntervalTable sample_intervals() {
  analysis::IntervalTable table;
  table.intervals.resize(3);
  table.intervals[1].processes = analysis::ProcessList({}, {0, 1}, {0, 1}, {});
  return table;
}

}  // namespace

bool read_option_texts(std::span<const std::byte> bytes) {
  const std::string text(text_of(bytes));
  bool any = false;
  const auto note = [&](bool accepted) { any = any || accepted; };
  note(compare::parse_condition(text).has_value());
  note(report::parse_exclusions(text).has_value());
  if (const auto list = RankList::parse(text, "--ranks")) {
    note(true);
    require(list->holds(list->highest()), "the highest rank is one of the list");
  }
  if (const auto ranks = predict::chosen_ranks(text, 1000)) {
    note(true);
    for (std::size_t i = 1; i < ranks->size(); ++i) require((*ranks)[i - 1] < (*ranks)[i], "ascending, each once");
    require(ranks->empty() || ranks->back() < 1000, "no rank beyond the job");
  }
  std::string why;
  note(analysis::parse_rules(text, &why).has_value());
  report::advice::Thresholds thresholds;
  note(thresholds.set(text).has_value());
  static const analysis::IntervalTable table = sample_intervals();
  note(report::parse_question(text, table).has_value());
  if (const auto bits = trace::parse_assertion(text)) {
    note(true);
    require(trace::parse_assertion(trace::assertion_text(*bits)) == bits, "assertions can be read back");
  }
  return any;
}

bool read_launch_words(std::span<const std::byte> bytes) {
  const std::vector<std::string> words = words_of_line(text_of(bytes));
  const launcher::Launch launch = launcher::take_apart(words);
  require(launch.command == words, "the words stay as they are");
  require(launch.program <= words.size(), "the program is one of the words");
  for (const std::size_t launcher : launch.launchers) require(launcher < words.size(), "launchers are words");
  for (const std::size_t start : launch.application_starts) require(start <= words.size(), "starts are in the line");
  (void)launch.program_name();
  const auto forwarded = launcher::with_forwarded_variables(launch, {{"LD_PRELOAD", "x"}, {"MORA_DIR", "y"}});
  require(forwarded.size() >= words.size(), "no word is lost");
  return launch.program < words.size();
}

}  // namespace mora::fuzz
