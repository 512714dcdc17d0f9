#include "report/estimate/print.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/json/json_document.h"
#include "report/data/figures.h"

namespace mora::report {
namespace {

Cell bytes_cell(std::int64_t bytes) { return {bytes, bytes_for_people(static_cast<std::uint64_t>(bytes))}; }

std::string for_people(std::int64_t bytes) { return bytes_for_people(static_cast<std::uint64_t>(bytes)); }

/// A row of a part: the same figures in all tables.
Cells cells_of(const EstimatedPart& p, const Estimate& e) {
  return {p.visits,
          Cell(Seconds{p.time}, share(p.time, e.lifetime)),
          p.size.events,
          bytes_cell(p.size.journal_bytes),
          bytes_cell(p.size.archive_bytes),
          Cell(six_digits(e.total.archive_bytes == 0
                              ? 0
                              : static_cast<double>(p.size.archive_bytes) / static_cast<double>(e.total.archive_bytes)),
               percent_for_people(p.size.archive_bytes, e.total.archive_bytes)),
          p.name};
}

std::vector<Column> columns(const char* last) {
  std::vector<Column> all{number("visits"),        number("time_s"), number("events"),   number("journal_bytes"),
                          number("archive_bytes"), number("share"),  cut_words(last, 30)};
  const char* headings[] = {"visits", "time", "events", "journals", "archive", "share"};
  for (std::size_t i = 0; i < std::size(headings); ++i) all[i].heading = headings[i];
  return all;
}

Table table_of(const std::vector<EstimatedPart>& parts, const char* last, const Estimate& e) {
  return Table(columns(last), parts, [&](const EstimatedPart& p) { return cells_of(p, e); });
}

void rows(TextPage& page, const std::vector<EstimatedPart>& parts, const char* last, const char* what,
          const Estimate& e) {
  page.table(columns(last), parts, what, [&](const EstimatedPart& p) { return cells_of(p, e); });
}

double per_event(const experiment::RecordedSize& size) {
  return size.events == 0 ? 0 : static_cast<double>(size.archive_bytes) / static_cast<double>(size.events);
}

std::string times(std::int64_t estimated, std::int64_t recorded) {
  return fmt::format("{:.2f}", static_cast<double>(estimated) / static_cast<double>(recorded));
}

void proposal_section(TextPage& page, const Proposal& p, const std::string& filter_file) {
  page.banner("TO KEEP THE ARCHIVE TO " + for_people(p.budget));
  const std::string options = options_of(p, filter_file);
  if (options.empty()) return page.paragraph("The whole trace is smaller: nothing has to be left out.");
  page.item("  record with ", options);
  page.item("  archive     ", fmt::format("{}, {} events", for_people(p.size.archive_bytes), p.size.events));
  page.item("  journals    ", fmt::format("{}; largest of one rank: {}", for_people(p.size.journal_bytes),
                                          for_people(p.journal_bytes_of_fullest_rank)));
  for (const std::string& sentence : p.lost) page.item("  lost        ", sentence);
  if (!p.fits)
    page.item(
        "  too small   ",
        "this is the least that a trace takes. Keep sums only (mora record --stats), the newest part (--ring), or "
        "what comes before a bound (--budget)");
}

void write_json(JsonWriter& json, const Proposal& p, const std::string& filter_file) {
  json.begin_object().fields("budget_bytes", p.budget, "fits", p.fits, "options", options_of(p, filter_file), "groups",
                             list(p.groups), "without_samples", p.without_samples, "functions", list(p.functions),
                             "events", p.size.events, "journal_bytes", p.size.journal_bytes, "archive_bytes",
                             p.size.archive_bytes, "journal_bytes_of_fullest_rank", p.journal_bytes_of_fullest_rank,
                             "lost_time_s", Seconds{p.lost_time}, "lost", list(p.lost));
  json.end_object();
}

}  // namespace

std::string estimate_text(const PrintedEstimate& printed, const TextOptions& options) {
  const auto& [e, facts, name, proposal, filter_file] = printed;
  TextPage page(options);
  page.banner("A FULL TRACE OF THIS RUN");
  page.item("  run       ", fmt::format("{}: {}", name, counted(e.ranks, "rank")) +
                                (e.locations > e.ranks ? fmt::format(", {}", counted(e.locations, "thread")) : ""));
  page.item("  events    ", fmt::format("{}, {:.1f} bytes of archive each; most of one rank: {} (rank {})",
                                        e.total.events, per_event(e.total), e.of_fullest_rank.events, e.fullest_rank));
  page.item("  archive   ", fmt::format("{}, which stays", for_people(e.total.archive_bytes)));
  page.item(
      "  journals  ",
      fmt::format("{} on disk until the archive is made of them; largest of one rank: {} (rank {}), so that `mora "
                  "record --budget` ends before the run does below {}",
                  for_people(e.total.journal_bytes), for_people(e.of_fullest_rank.journal_bytes), e.fullest_rank,
                  for_people(e.of_fullest_rank.journal_bytes * std::int64_t{e.ranks})));
  page.item("  recording ", fmt::format("takes about {} of all processes' time ({})", share(e.recorder, e.lifetime),
                                        time_for_people(e.recorder)));
  page.item("  memory    ", fmt::format("{} of recording buffer a process", for_people(e.memory_bytes_of_rank)));
  if (facts.archive_bytes != 0)
    page.item("  recorded  ", fmt::format("{} events, {}: the estimate is {} and {} times these", facts.events,
                                          for_people(facts.archive_bytes),
                                          times(e.total.events, std::max<std::int64_t>(1, facts.events)),
                                          times(e.total.archive_bytes, facts.archive_bytes)));
  page.banner("BY GROUP (mora record --mpi-functions)");
  page.table(table_of(e.groups, "group", e));
  page.banner("BY CALL PATH");
  rows(page, e.call_paths, "call path", "call paths", e);
  if (!e.functions.empty()) {
    page.banner("BY FUNCTION OF THE PROGRAM (mora record --functions)");
    rows(page, e.functions, "function", "functions", e);
  }
  if (proposal != nullptr) proposal_section(page, *proposal, filter_file);
  page.banner("WHAT IS NOT KNOWN");
  for (const std::string& sentence : e.not_known) page.item("  * ", sentence);
  return page.take();
}

std::string estimate_json(const PrintedEstimate& printed) {
  const auto& [e, facts, name, proposal, filter_file] = printed;
  JsonDocument json("mora-estimate");
  json.fields("experiment", name, "ranks", e.ranks, "locations", e.locations, "events", e.total.events, "journal_bytes",
              e.total.journal_bytes, "archive_bytes", e.total.archive_bytes, "definition_bytes", e.definition_bytes,
              "lifetime_s", Seconds{e.lifetime}, "recorder_s", Seconds{e.recorder}, "memory_bytes_of_rank",
              e.memory_bytes_of_rank);
  json.key("fullest_rank")
      .line("rank", e.fullest_rank, "events", e.of_fullest_rank.events, "journal_bytes",
            e.of_fullest_rank.journal_bytes);
  json.key("recorded");
  if (facts.archive_bytes != 0)
    json.line("events", facts.events, "archive_bytes", facts.archive_bytes);
  else
    json.null();
  json.fields("groups", table_of(e.groups, "name", e), "call_paths", table_of(e.call_paths, "name", e), "functions",
              table_of(e.functions, "name", e), "not_known", list(e.not_known));
  json.key("proposal");
  if (proposal != nullptr)
    write_json(json, *proposal, filter_file);
  else
    json.null();
  return json.finish();
}

}  // namespace mora::report
