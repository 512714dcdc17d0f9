/// Broken rules of MPI in one-sided communication, and the matrix of one-sided transfers, for all outputs. The checks
/// and the matrix are made by the analysis (src/analysis/checks/).
#include "report/findings/one_sided.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/checks/rma_rule_texts.h"
#include "analysis/result.h"
#include "base/json/json_document.h"
#include "report/data/figures.h"
#include "report/findings/findings.h"

namespace mora::report {
namespace {

CheckedCall call_of(const cube::Cube& cube, const analysis::CheckedCall& call) {
  CheckedCall out;
  out.rank = cube.locations[call.location].rank;
  out.begin = call.begin;
  out.end = call.end;
  if (call.call_path < cube.call_paths.size()) {
    out.call_path = labels_of(cube, call.call_path);
    out.site = {cube.call_paths[call.call_path].file, cube.call_paths[call.call_path].line};
  }
  return out;
}

Table transfer_table(const std::vector<Transfer>& transfers) {
  return {{number("origin", 8), number("target", 8), words("kind", 7), number("operations", 12), number("bytes", 16)},
          transfers,
          [](const Transfer& t) {
            return Cells{t.origin, t.target, t.kind, t.operations, t.bytes};
          }};
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

std::string transfers_csv(const ReportData& data) { return csv_of(transfer_table(data.transfers)); }

std::string transfers_json(const ReportData& data) {
  JsonDocument json("mora-transfers");
  json.fields("ranks", data.run.ranks, "transfers", transfer_table(data.transfers));
  return json.finish(data.quality);
}

std::string transfers_text(const ReportData& data, const TextOptions& options) {
  if (data.transfers.empty()) return "There are no one-sided transfers.\n";
  std::vector<Transfer> rows = data.transfers;
  std::stable_sort(rows.begin(), rows.end(), [](const Transfer& a, const Transfer& b) { return a.bytes > b.bytes; });
  TextPage page(options);
  const std::size_t all = rows.size();
  rows.resize(page.shown(all));
  page.table(transfer_table(rows));
  page.truncation(all, "rows");
  return page.take();
}

void checks_section(const ReportData& data, TextPage& page) {
  if (data.checks.empty()) return;
  page.banner("RMA RULES BROKEN (rules of MPI; in order of first occurrence)");
  constexpr std::size_t indent = 6;
  const std::string blanks(indent, ' ');
  const auto call = [&](const char* head, const CheckedCall& c) {
    page.line(blanks + fmt::format("{}rank {} at t = {}, ", head, c.rank, time_for_people(c.begin)) +
              cut_middle(joined_below_program(c.call_path), page.width() - indent));
  };
  page.each(data.checks, [&](const Check& check) {
    page.line(
        fmt::format("{} ({}) on {}", page.styled("1", check.name), counted(check.instances, "time"), check.window));
    page.detail(indent, "", check.what + ".");
    call("", check.call);
    if (check.partner) {
      call("and ", *check.partner);
    } else if (check.partner_rank) {
      page.line(blanks + fmt::format("partner: rank {}", *check.partner_rank));
    }
    page.detail(indent, "try: ", check.advice);
  });
  page.truncation(data.checks.size(), "broken rules");
}

}  // namespace mora::report
