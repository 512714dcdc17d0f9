// Marks and functions of the program become Enter and Leave. Where the program lacks a begin or an end, or ends an
// outer interval before an inner one, the archive still has a Leave for each Enter, and the mistake is counted with its
// place in the source. With functions it is no mistake: those that were entered before MPI_Init only end, exceptions
// and longjmp leave without an end.
#include <algorithm>

#include "experiment/convert/translator.h"

namespace mora::experiment {

void Translator::begin_mark(const Record& r) {
  const auto* const mark = marks_.find(r.object);
  const auto argument = pair_low(r.payload[0]);
  const auto region = marks_.region(r.object, argument);
  if (mark == nullptr || region == no_id) {
    count("unknown-mark", Severity::loss, "marks whose definition is missing", "the journal is damaged");
    return;
  }
  if (argument < 0 && mark->kind == MarkKind::interval)
    count("interval-negative-id", Severity::warning, *mark, "intervals with a negative number: they count as number 0",
          "number intervals from 0");
  if (argument < 1 && mark->kind == MarkKind::replicated)
    count("interval-bad-replication", Severity::warning, *mark,
          "replicated sections with a number of processes below 1: they count as distributed",
          "give MORA_REPLICATED_BEGIN the number of processes that do the same");
  const auto enter = monotone(clock_.stamp(r.begin));
  if (mark->kind == MarkKind::interval)
    out_.enter(enter, region, std::max(argument, 0));
  else
    out_.enter(enter, region);
  open_marks_.push_back({mark, argument, region});
}

void Translator::end_mark(const Record& r) {
  const auto* const mark = marks_.find(r.object);
  if (mark == nullptr) {
    count("unknown-mark", Severity::loss, "marks whose definition is missing", "the journal is damaged");
    return;
  }
  const auto argument = pair_low(r.payload[0]);
  const auto begun = std::find_if(open_marks_.rbegin(), open_marks_.rend(), [&](const OpenMark& open) {
    return open.mark != nullptr && open.mark->kind == mark->kind && open.mark->name == mark->name &&
           (mark->kind != MarkKind::interval || open.argument == argument);
  });
  if (begun == open_marks_.rend()) {
    if (state_.process.begin != nullptr) return;  // it may have begun before what is told
    count("interval-end-without-begin", Severity::warning, *mark,
          "ends of intervals that were not begun: they are ignored",
          "each MORA_…_END needs the MORA_…_BEGIN of the same kind, number and name before it");
    return;
  }
  const auto leave = monotone(clock_.stamp(r.begin));
  close_marks_above(*begun, leave);
  close_mark(leave);
}

void Translator::begin_function(const Record& r) {
  const auto region = region_of(r);
  if (region == no_id) return;  // the filter excludes it
  out_.enter(monotone(clock_.stamp(r.begin)), region);
  open_marks_.push_back({nullptr, 0, region});
}

void Translator::end_function(const Record& r) {
  const auto region = region_of(r);
  const auto begun = std::find_if(open_marks_.rbegin(), open_marks_.rend(),
                                  [&](const OpenMark& open) { return open.mark == nullptr && open.region == region; });
  if (begun == open_marks_.rend()) return;
  const auto leave = monotone(clock_.stamp(r.begin));
  close_marks_above(*begun, leave);
  close_mark(leave);
}

void Translator::close_marks_above(const OpenMark& open, std::uint64_t leave) {
  while (&open_marks_.back() != &open) {
    if (const Mark* mark = open_marks_.back().mark; mark != nullptr)
      count("interval-crossing", Severity::warning, *mark,
            "intervals were open when the enclosing one ended: they end there", "end the inner interval first");
    close_mark(leave);
  }
}

void Translator::close_mark(std::uint64_t leave) {
  out_.leave(leave, open_marks_.back().region);
  open_marks_.pop_back();
}

void Translator::close_all_marks() {
  while (!open_marks_.empty()) {
    if (const Mark* mark = open_marks_.back().mark; mark != nullptr)
      count("interval-without-end", Severity::warning, *mark,
            "intervals were begun and not ended: they end at the last time seen",
            summary_.finalized ? "each MORA_…_BEGIN needs its MORA_…_END, before MPI_Finalize" : "");
    close_mark(last_);
  }
}

}  // namespace mora::experiment
