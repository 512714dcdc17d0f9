/// Broken rules of MPI in one-sided communication, and the matrix of one-sided transfers, for all outputs. The checks
/// and the matrix are made by the analysis (src/analysis/checks/).
#include "report/one_sided.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/checks/rma_rule_texts.h"
#include "analysis/result.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/text_page.h"

namespace mora::report {
namespace {

CheckedCall call_of(const cube::Cube& cube, const analysis::CheckedCall& call) {
  CheckedCall out;
  out.rank = cube.locations[call.location].rank;
  out.begin = call.begin;
  out.end = call.end;
  if (call.call_path < cube.call_paths.size()) {
    out.call_path = labels_of(cube, call.call_path);
    out.file = cube.call_paths[call.call_path].file;
    out.line = cube.call_paths[call.call_path].line;
  }
  return out;
}

void write_call(JsonWriter& json, const std::string& prefix, const CheckedCall& call) {
  json.key(prefix + "call_path").begin_array();
  for (const std::string& label : call.call_path) json.string(label);
  json.end_array().key(prefix + "call_site");
  if (call.file.empty()) {
    json.null();
  } else {
    json.begin_line_object().key("file").string(call.file).key("line");
    if (call.line == 0) {
      json.null();
    } else {
      json.unsigned_integer(call.line);
    }
    json.end_object();
  }
  json.key(prefix + "begin_s").seconds(call.begin).key(prefix + "end_s").seconds(call.end);
}

}  // namespace

std::vector<Check> checks_of(const analysis::AnalysisResult& result) {
  std::vector<Check> checks;
  for (const analysis::CheckFinding& found : result.checks) {
    const analysis::RmaRuleInfo& rule = analysis::info(found.rule);
    Check check;
    check.rule = rule.id;
    check.name = rule.name;
    check.what = rule.what;
    check.advice = rule.advice;
    check.source = rule.source;
    check.window = found.window < result.windows.size() && !result.windows[found.window].empty()
                       ? result.windows[found.window]
                       : fmt::format("window {}", found.window);
    check.instances = found.instances;
    check.call = call_of(result.cube, found.call);
    if (found.partner_rank != cube::no_id) check.partner_rank = found.partner_rank;
    if (found.partner.location != cube::no_id) check.partner = call_of(result.cube, found.partner);
    checks.push_back(std::move(check));
  }
  return checks;
}

std::vector<Transfer> transfers_of(const analysis::AnalysisResult& result) {
  std::vector<Transfer> transfers;
  for (const analysis::TransferCell& cell : result.transfers) {
    transfers.push_back({cell.origin, cell.target,
                         std::string(analysis::transfer_names[static_cast<std::size_t>(cell.kind)]), cell.operations,
                         cell.bytes});
  }
  return transfers;
}

void write_checks(JsonWriter& json, const std::vector<Check>& checks) {
  json.begin_array();
  for (const Check& check : checks) {
    json.begin_object().key("rule").string(check.rule).key("name").string(check.name);
    json.key("window").string(check.window).key("instances").unsigned_integer(check.instances);
    json.key("rank").unsigned_integer(check.call.rank);
    write_call(json, "", check.call);
    json.key("partner_rank");
    if (check.partner_rank) {
      json.unsigned_integer(*check.partner_rank);
    } else {
      json.null();
    }
    if (check.partner) write_call(json, "partner_", *check.partner);
    json.key("what").string(check.what).key("advice").string(check.advice).key("source").string(check.source);
    json.end_object();
  }
  json.end_array();
}

void write_transfers(JsonWriter& json, const std::vector<Transfer>& transfers) {
  json.begin_array();
  for (const Transfer& t : transfers) {
    json.begin_line_object().key("origin").unsigned_integer(t.origin).key("target").unsigned_integer(t.target);
    json.key("kind").string(t.kind).key("operations").unsigned_integer(t.operations);
    json.key("bytes").unsigned_integer(t.bytes).end_object();
  }
  json.end_array();
}

std::string transfers_csv(const ReportData& data) {
  std::string text = "origin,target,kind,operations,bytes\n";
  for (const Transfer& t : data.transfers)
    text += fmt::format("{},{},{},{},{}\n", t.origin, t.target, t.kind, t.operations, t.bytes);
  return text;
}

std::string transfers_json(const ReportData& data) {
  JsonWriter json;
  json.begin_object().key("ranks").unsigned_integer(data.run.ranks).key("transfers");
  write_transfers(json, data.transfers);
  json.end_object();
  return json.str() + "\n";
}

std::string transfers_text(const ReportData& data, unsigned top) {
  if (data.transfers.empty()) return "There are no one-sided transfers.\n";
  std::vector<Transfer> rows = data.transfers;
  std::stable_sort(rows.begin(), rows.end(), [](const Transfer& a, const Transfer& b) { return a.bytes > b.bytes; });
  const std::size_t shown = top == 0 ? rows.size() : std::min<std::size_t>(top, rows.size());
  std::string text =
      fmt::format("{:>8} {:>8}  {:<7} {:>12} {:>16}\n", "origin", "target", "kind", "operations", "bytes");
  for (std::size_t i = 0; i < shown; ++i) {
    const Transfer& t = rows[i];
    text += fmt::format("{:>8} {:>8}  {:<7} {:>12} {:>16}\n", t.origin, t.target, t.kind, t.operations, t.bytes);
  }
  if (shown < rows.size()) text += fmt::format("… {} of {} rows shown; --top 0 shows all\n", shown, rows.size());
  return text;
}

void checks_section(const ReportData& data, TextPage& page) {
  if (data.checks.empty()) return;
  page.banner("RMA RULES BROKEN (rules of MPI; in order of first occurrence)");
  const std::size_t indent = 6, width = page.width() - indent;
  for (std::size_t i = 0; i < page.shown(data.checks.size()); ++i) {
    const Check& check = data.checks[i];
    page.line(fmt::format("{} ({} {}) on {}", page.styled("1", check.name), check.instances,
                          check.instances == 1 ? "time" : "times", check.window));
    page.line(std::string(indent, ' ') + wrapped(check.what + ".", width, indent));
    page.line(std::string(indent, ' ') +
              fmt::format("rank {} at t = {}, ", check.call.rank, time_for_people(check.call.begin)) +
              cut_middle(joined(check.call.call_path), width));
    if (check.partner) {
      page.line(std::string(indent, ' ') +
                fmt::format("and rank {} at t = {}, ", check.partner->rank, time_for_people(check.partner->begin)) +
                cut_middle(joined(check.partner->call_path), width));
    } else if (check.partner_rank) {
      page.line(std::string(indent, ' ') + fmt::format("partner: rank {}", *check.partner_rank));
    }
    page.line(std::string(indent, ' ') + "try: " + wrapped(check.advice, width - 5, indent + 5));
  }
  page.truncation(data.checks.size(), "broken rules");
}

}  // namespace mora::report
