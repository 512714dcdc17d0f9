/// Broken rules and transfers come back from findings.json as they were, and appear in the text.
#include <gtest/gtest.h>

#include "report/findings/findings.h"
#include "report/findings/one_sided.h"
#include "report/report.h"
#include "support/report/report_sample.h"

namespace mora::report {
namespace {

ReportData data() {
  analysis::AnalysisResult result = sample::result();
  result.windows = {"field", ""};
  analysis::CheckFinding alone;
  alone.rule = analysis::RmaRule::double_lock;
  alone.window = 0;
  alone.partner_rank = 2;
  alone.call = {1, 1, 1'500'000'001, 1'600'000'000};
  alone.instances = 7;
  analysis::CheckFinding pair = alone;
  pair.rule = analysis::RmaRule::conflicting_access;
  pair.window = 1;
  pair.partner = {2, 0, 1'000'000'000, 1'100'000'000};
  result.checks = {alone, pair};
  result.transfers = {{0, 1, analysis::TransferKind::put, 3, 240}, {2, 0, analysis::TransferKind::atomic, 1, 16}};
  return build_report(result, sample::infos());
}

TEST(OneSided, FindingsJsonHoldsRulesAndTransfers) {
  const ReportData written = data();
  const auto read = read_findings(findings_json(written), "findings.json");
  ASSERT_TRUE(read.has_value()) << read.error().text();
  ASSERT_EQ(read->checks.size(), 2U);
  const Check& check = read->checks[0];
  EXPECT_EQ(check.rule, "double-lock");
  EXPECT_EQ(check.window, "field");
  EXPECT_EQ(check.instances, 7U);
  EXPECT_EQ(check.call.rank, 1U);
  EXPECT_EQ(check.call.begin, 1'500'000'001);
  EXPECT_EQ(check.call.call_path, written.checks[0].call.call_path);
  EXPECT_EQ(check.partner_rank, 2U);
  EXPECT_FALSE(check.partner.has_value());
  ASSERT_TRUE(read->checks[1].partner.has_value());
  EXPECT_EQ(read->checks[1].window, "window 1");
  EXPECT_EQ(read->checks[1].partner->end, 1'100'000'000);
  EXPECT_EQ(findings_json(*read), findings_json(written));
  EXPECT_EQ(transfers_csv(*read), "origin,target,kind,operations,bytes\n0,1,put,3,240\n2,0,atomic,1,16\n");
}

TEST(OneSided, FindingsOfAnOlderMoraHaveNeither) {
  ReportData old = data();
  std::string json = findings_json(old);
  const std::size_t begin = json.find("  \"checks\""), end = json.find("  \"data_quality\"");
  ASSERT_NE(begin, std::string::npos);
  ASSERT_LT(begin, end);
  json.erase(begin, end - begin);
  const auto read = read_findings(json, "findings.json");
  ASSERT_TRUE(read.has_value()) << read.error().text();
  EXPECT_TRUE(read->checks.empty());
  EXPECT_TRUE(read->transfers.empty());
}

TEST(OneSided, TheTextTellsThemUnlessThereAreNone) {
  const std::string text = text_report(data(), nullptr, {});
  EXPECT_NE(text.find("@--- RMA RULES BROKEN"), std::string::npos);
  EXPECT_NE(text.find("Target locked twice (7 times) on field"), std::string::npos);
  EXPECT_NE(text.find("partner: rank 2"), std::string::npos);
  ReportData none = data();
  none.checks.clear();
  EXPECT_EQ(text_report(none, nullptr, {}).find("RMA RULES"), std::string::npos);
  none.transfers.clear();
  EXPECT_EQ(transfers_text(none, {}), "There are no one-sided transfers.\n");
}

}  // namespace
}  // namespace mora::report
