#include "base/text/quality_by_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <tuple>

namespace mora {
namespace {

/// What damage means for the numbers: every kind of row of severity warning or more (tools/check compares with the
/// code). Without text: the row says it itself.
struct Meaning {
  std::string_view text;
  std::initializer_list<std::string_view> kinds;
};
/// After these, waiting of a place and of its partners is not known as a whole.
constexpr std::string_view bounds = "severities of {} are lower bounds";
const Meaning meanings[] = {
    {bounds,
     {"journal-damaged-chunk", "journal-damaged-record", "journal-gap", "journal-live-chunk-missing", "journal-lost",
      "rank-missing", "thread-missing", "truncated-location", "unreadable-location"}},
    {"times and waiting are lower bounds", {"truncated-trace"}},
    {"how much of their time was productive is not known", {"no-regions"}},
    {"figures of the processes concerned are lower bounds", {"recorder-problem"}},
    {"they are in no figure",
     {"forked", "impossible-process", "other-threads", "skipped-location", "spawned-process", "unknown-function"}},
    {"their time counts as computation, and waiting in them is not known", {"functions-left-out"}},
    {"time without a core is known of the time before only", {"core-not-read"}},
    {"what they mark is in no figure of intervals", {"marks-in-calls", "marks-of-threads", "unknown-mark"}},
    {"times of these intervals are not exact", {"interval-crossing"}},
    {"no waiting is computed there",
     {"collective-across-gap", "event-outside-call", "message-across-gap", "mismatched-collective",
      "uncompleted-collective", "unknown-communicator", "unknown-file", "unknown-partner", "unknown-request",
      "unknown-window", "unmatched-epoch", "unmatched-receive", "unmatched-send", "unopened-epoch",
      "unreleased-transfer"}},
    {"waiting for it is a lower bound", {"unreleased-lock"}},
    {"times of regions near them are not exact",
     {"clock-backwards", "clock-went-backwards", "missing-leave", "overlapping-region", "stray-leave"}},
    {"figures near them are not exact", {"damaged-record", "undefined-group-member", "undefined-reference"}},
    {"any figure may be wrong", {"checksum-mismatch"}},
    {"predicted times near them may be too late", {"operations-in-order"}},
    {"functions around calls may be others", {"call-paths-differ"}},
    {"they stand under their function alone", {"profile-full"}},
    {"they have no metrics", {"no-counter"}},
    {"all times may be too long or too short by one factor", {"no-clock-properties"}},
    {"figures cover the time until then", {"budget-reached", "failed-call", "no-finalize", "process-killed"}},
    {"figures cover the time from then on", {"ring-begin"}},
    {"who takes part in calls on them may not be known", {"unknown-parent-communicator"}},
    {"completions near them are not known", {"journal-cut-list"}},
    {"transfer and serialisation are not computed", {"replay-failed"}},
    {"waiting for it on the ideal network is a lower bound", {"replay-unread-location"}},
    {"the matrix counts what was sent", {"pattern-unmatched-messages", "sent-not-received"}},
    {"their bytes count as 0", {"unknown-datatype"}},
    {"the text form leaves them out", {"receive-without-source"}},
    {"their messages are in no matrix", {"pattern-unknown-neighbors"}},
    {"figures by phase are those of the ranks that entered it", {"pattern-phases-differ", "phase-visits-differ"}},
    {"what is written for it may be incomplete",
     {"pattern-communicator-size", "pattern-incomplete-collective", "pattern-members-missing"}},
    {"what it sends is in no figure", {"pattern-rank-missing"}},
    {"they are written as they stand", {"pattern-peer-outside"}},
    {"what the pattern says from there on may be wrong",
     {"pattern-collective-missing", "pattern-collective-operation", "pattern-collective-root",
      "pattern-collective-size", "pattern-message-size", "pattern-phase-count", "pattern-phase-crossing",
      "pattern-phase-without-begin", "pattern-phase-without-end", "pattern-rank-incomplete", "pattern-request-open",
      "pattern-request-twice", "pattern-request-unknown", "pattern-unmatched-receive", "pattern-unmatched-send"}},
    {"",  // the row itself says it
     {"access-outside-epoch",
      "ambiguous-team",
      "call-without-data",
      "cancelled-send",
      "circular-definition",
      "clock-corrected",
      "clock-violation",
      "collective-count-differs",
      "collective-not-decomposed",
      "communicator-unknown",
      "cubex-large-value",
      "cubex-not-a-number",
      "cubex-unsupported-type",
      "duplicate-definition",
      "epoch-across-gap",
      "epoch-without-group",
      "flush-inside-call",
      "impossible-size",
      "incomplete-collective",
      "incomplete-lock-epoch",
      "incomplete-rank",
      "incomplete-team",
      "interval-bad-replication",
      "interval-end-without-begin",
      "interval-half-mark",
      "interval-negative-id",
      "interval-without-end",
      "left-out-of-plain",
      "lock-outside-call",
      "lost-leave",
      "mismatched-team",
      "module-changed",
      "nested-in-call",
      "no-full-events",
      "not-exported",
      "open-call",
      "other-job",
      "outside-world",
      "pattern-bad-line",
      "pattern-cut",
      "pattern-cut-file",
      "pattern-damaged-block",
      "pattern-fitted-vectors",
      "pattern-foreign-record",
      "pattern-no-finalize",
      "pattern-shared-name",
      "pattern-uneven-collective",
      "pattern-unknown-communicator",
      "payload-unknown",
      "peer-unknown",
      "phase-crossing",
      "phase-end-without-begin",
      "phase-open",
      "ranks-missing",
      "ranks-without-operations",
      "recording-off",
      "replay-circle",
      "replay-several-threads",
      "replay-without-partner",
      "scaled-other-threads",
      "time-out-of-range",
      "transfer-to-unknown-rank",
      "transfer-without-end",
      "transfer-without-start",
      "unclosed-epoch",
      "undefined-process",
      "unknown-active-set",
      "unknown-collect-bytes",
      "unknown-file-communicator",
      "vectors-by-statistics"}},
    {"the time until then counts as theirs", {"unclosed-region"}},
    {"waiting between processes may be too long or too short",
     {"clock-offset-missing", "clock-uncorrectable", "receive-before-send", "release-before-transfer"}},
};

std::string_view meaning_of(const QualityRow& row) {
  if (row.severity == Severity::info) return {};  // the numbers are right
  for (const Meaning& meaning : meanings) {
    if (std::find(meaning.kinds.begin(), meaning.kinds.end(), row.kind) != meaning.kinds.end()) return meaning.text;
  }
  return {};
}

std::string places_of(const std::vector<std::string>& places) {
  constexpr std::size_t listed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), listed); ++i) text += (i == 0 ? "" : ", ") + places[i];
  return places.size() <= listed ? text : fmt::format("{} and {} more", text, places.size() - listed);
}

}  // namespace

std::vector<QualityRow> by_cause(const std::vector<QualityRow>& rows) {
  std::vector<QualityRow> out;
  std::vector<std::vector<std::string>> places;
  std::map<std::tuple<std::string, Severity, std::string, std::string>, std::size_t> known;
  for (const QualityRow& row : rows) {
    const auto [at, is_new] = known.try_emplace({row.kind, row.severity, row.what, row.remedy}, out.size());
    if (is_new) {
      out.push_back(row);
      places.emplace_back();
    } else {
      out[at->second].count += row.count;
    }
    if (!row.where.empty()) places[at->second].push_back(row.where);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].where = places_of(places[i]);
    std::string_view meaning = meaning_of(out[i]);
    std::string of_places;
    if (meaning == bounds) {
      if (places[i].empty()) continue;
      of_places = fmt::format(bounds, places[i].size() == 1
                                          ? "this place and its partners"
                                          : fmt::format("these {} places and their partners", places[i].size()));
      meaning = of_places;
    }
    if (!meaning.empty() && out[i].what.find("waiting") == std::string::npos)
      out[i].what += fmt::format("; {}", meaning);
  }
  return out;
}

}  // namespace mora
