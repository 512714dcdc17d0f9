#include "report/report.h"
#include "report/findings/findings.h"
#include "report/losses/losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/data/figures.h"
#include "report/data/tree_order.h"
#include "support/report/report_sample.h"

namespace mora::report {
namespace {

ReportData sample_data() {
  return build_report(sample::result(), sample::infos(),
                      {{"command", "mpirun -n 4 ./ring"}, {"mpi", "Open MPI 4.1.4"}});
}

TEST(Build, FindingsAreRankedAndNumbered) {
  const ReportData data = sample_data();
  ASSERT_EQ(data.findings.size(), 2u);
  EXPECT_EQ(data.findings[0].id, "f1");
  EXPECT_EQ(data.findings[0].metric, "late-sender");
  EXPECT_EQ(data.findings[0].call_path, (std::vector<std::string>{"ring", "main", "MPI_Recv@ring.c:42"}));
  EXPECT_EQ(data.findings[0].by_rank, (std::vector<Nanoseconds>{0, 2'300'000'001, 7, 0}));
  EXPECT_EQ(data.findings[1].metric, "wait-at-barrier");
  EXPECT_EQ(data.findings[1].causes.size(), 1u);
  EXPECT_EQ(data.run.nodes, 2u);
}

TEST(Build, MetricsAreInclusiveAndTheirExclusivePartsSumUp) {
  const ReportData data = sample_data();
  const MetricRow* mpi = data.find_metric("mpi");
  ASSERT_NE(mpi, nullptr);
  EXPECT_EQ(mpi->exclusive, 0);
  EXPECT_EQ(mpi->inclusive,
            data.find_metric("mpi-point-to-point")->inclusive + data.find_metric("mpi-collective")->inclusive);
  EXPECT_EQ(mpi->by_rank.size(), 4u);
  EXPECT_EQ(data.waiting(), 2'300'000'008 + 720'000'000);
}

TEST(Build, SentencesNameWhoWaitedWhereForWhomAndWhen) {
  const ReportData data = sample_data();
  EXPECT_EQ(data.findings[0].summary,
            "2 ranks waited 2.300 s in MPI_Recv at ring.c:42 (most: rank 1, 2.300 s), >99 % of it for rank 0, which "
            "entered MPI_Send (ring.c:37) late; worst: rank 1, 520 ms at t = 3.107 s");
  // One waiter, one cause.
  analysis::AnalysisResult one = sample::result();
  one.waits.resize(1);
  one.waits[0].call_path = 5;
  one.waits[0].caused_by = {{0, one.waits[0].total}};
  one.cube.add(one.waits[0].metric, 5, 3, one.waits[0].total);
  EXPECT_EQ(build_report(one, {}).findings[0].summary,
            "Rank 3 waited 2.300 s in compute MPI_Recv@ring.c:42 -> MPI_Barrier@ring.c:50 for rank 0, which entered "
            "MPI_Send (ring.c:37) late; worst: 520 ms at t = 3.107 s");
}

TEST(Build, FunctionsAroundAreThoseOfTheRegionThatALoopOrTaskIsIn) {
  EXPECT_EQ(functions_around({"program", "main", "calc", "!$omp parallel @a.c:5", "!$omp for @a.c:6"}), "calc");
  EXPECT_EQ(functions_around(
                {"program", "main", "!$omp parallel @a.c:5", "make", "!$omp task @a.c:6", "f", "MPI_Send@a.c:9"}),
            "f, called from make");
  EXPECT_EQ(functions_around({"program", "main", "calc", "MPI_Waitall@a.c:5", "combine", "MPI_Send@a.c:6"}), "combine");
}

TEST(Build, UnknownCausesStayUnsaid) {
  analysis::AnalysisResult result = sample::result();
  result.waits.resize(1);
  result.waits[0].caused_by.clear();
  result.waits[0].worst.cause = cube::no_id;
  result.waits[0].worst.cause_call_path = cube::no_id;
  EXPECT_EQ(
      build_report(result, {}).findings[0].summary,
      "2 ranks waited 2.300 s in MPI_Recv at ring.c:42 (most: rank 1, 2.300 s); worst: rank 1, 520 ms at t = 3.107 s");
}

TEST(Json, ComesBackExactly) {
  const ReportData data = sample_data();
  const std::string json = findings_json(data);
  const auto read = read_findings(json, "findings.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(findings_json(*read), json);
}

TEST(Json, BigSumsKeepTheirNanoseconds) {
  ReportData data = sample_data();
  data.metrics[0].inclusive = 123'456'789'012'345'678;  // 10,000 ranks for 3 1/2 hours
  const auto read = read_findings(findings_json(data), "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->metrics[0].inclusive, 123'456'789'012'345'678);
}

TEST(Json, DamageIsAnErrorThatNamesTheFile) {
  const std::string json = findings_json(sample_data());
  for (std::size_t size = 0; size + 2 < json.size(); size += 7) {
    const auto read = read_findings(json.substr(0, size), "exp/findings.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().where, "exp/findings.json");
  }
  for (std::size_t i = 0; i < json.size(); i += 3) {
    std::string changed = json;
    changed[i] = static_cast<char>(changed[i] ^ 0x11);
    if (const auto read = read_findings(changed, "x")) {
      EXPECT_FALSE(text_report(*read, nullptr, {}).empty());  // whatever was read can be shown
    }
  }
  EXPECT_FALSE(read_findings("{\"schema\": \"mora-report\", \"schema_version\": 2}", "x"));
  EXPECT_FALSE(read_findings("[]", "x"));
}

/// The text with `member` put before all others of the outermost object.
std::string begun_with(const std::string& member, const std::string& json) {
  return "{" + member + ", " + json.substr(1);
}
/// … and behind them.
std::string ended_with(const std::string& json, const std::string& member) {
  return json.substr(0, json.rfind('}')) + ", " + member + "}";
}

TEST(Json, OfAMemberThatIsThereTwiceTheLastCounts) {
  const ReportData data = sample_data();
  const std::string json = findings_json(data);
  for (const char* before : {"\"findings\": [{}, 7]", "\"metrics\": {\"a\": []}", "\"checks\": 4"}) {
    const auto read = read_findings(begun_with(before, json), "x");
    ASSERT_TRUE(read) << before << ": " << read.error().text();
    EXPECT_EQ(findings_json(*read), json) << before;
  }
  for (const char* behind : {"\"findings\": []", "\"findings\": null", "\"findings\": {}"}) {
    const auto read = read_findings(ended_with(json, behind), "x");
    ASSERT_TRUE(read) << behind << ": " << read.error().text();
    EXPECT_TRUE(read->findings.empty()) << behind;
    EXPECT_EQ(read->metrics.size(), data.metrics.size());
  }
  const auto as_object = read_findings(
      ended_with(json, R"("transfers": {"b": {"origin": 1, "target": 2, "kind": "put", "operations": 3, "bytes": 4}})"),
      "x");
  ASSERT_TRUE(as_object);
  ASSERT_EQ(as_object->transfers.size(), 1u);
  EXPECT_EQ(as_object->transfers[0].bytes, 4u);
}

// Lists are read while the text is; what is said of a damaged one must not depend on that.
TEST(Json, OfSeveralErrorsTheSameOneIsTold) {
  const std::string json = findings_json(sample_data());
  const auto why = [](const std::string& text) {
    const auto read = read_findings(text, "x");
    return read ? "" : read.error().why;
  };
  const std::string type = "a field has a value of another type than findings.json has there";
  EXPECT_EQ(why(ended_with(json, "\"findings\": [7]")), type);
  EXPECT_EQ(why(ended_with(json, "\"findings\": [[]]")), type);
  EXPECT_EQ(why(ended_with(json, "\"findings\": \"none\"")), type);
  EXPECT_EQ(why(ended_with(json, "\"findings\": [{}], \"metrics\": [{\"id\": \"m\"}]")),
            "the field \"name\" is missing");
  EXPECT_EQ(why(ended_with(json, "\"findings\": [{}, 7]")), "the field \"id\" is missing");
  EXPECT_EQ(why(ended_with(json, "\"findings\": [{}], \"run\": []")), type);
  EXPECT_EQ(why(ended_with(json, "\"findings\": [{}], \"schema_version\": 2")), "only schema version 1 is known");
  EXPECT_EQ(why(ended_with(json, "\"findings\": [{}]") + "x").substr(0, 24), "it is not JSON from byte");
  EXPECT_EQ(why(ended_with(json, "\"findings\": [{}]") + "\n"), "the field \"id\" is missing");
  EXPECT_EQ(why(ended_with(json, "\"findings\": [{")), "the file ends too early");
  EXPECT_EQ(why(ended_with(json, "\"schema_version\": [1]")), "[1] is not a whole number or too large");
  EXPECT_EQ(why("[" + json + "]"), type);
}

TEST(Json, GivesBackWhatItHasReadOfALongList) {
  ReportData data = sample_data();
  for (MetricRow& row : data.metrics) row.by_rank.assign(50'000, 1);
  const std::string json = findings_json(data);
  int passed = 0;
  const auto read = read_findings(json, "x", [&] { ++passed; });
  ASSERT_TRUE(read);
  EXPECT_EQ(findings_json(*read), json);
  EXPECT_GE(passed, static_cast<int>(50'000 * data.metrics.size() / 100'000));
}

TEST(Manifest, FactsOfSeveralShapes) {
  const auto facts =
      manifest_facts(R"({"command": ["mpirun", "-n", "4"], "mpi": {"name": "Open MPI", "version": "4.1.4"}})");
  EXPECT_EQ(facts.at("command"), "mpirun -n 4");
  EXPECT_EQ(facts.at("mpi"), "Open MPI 4.1.4");
  EXPECT_TRUE(manifest_facts("{").empty());
  const auto rows =
      manifest_quality(R"({"data_quality": [{"kind": "process-killed", "severity": "loss", "where": "rank 1",
      "count": 1, "what": "the process was killed", "remedy": "none"}, {"kind": 3}, "x"]})");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, "process-killed");
  EXPECT_EQ(rows[0].severity, Severity::loss);
  EXPECT_TRUE(manifest_quality("[]").empty());
  const auto recorded = manifest_facts(
      R"({"started_realtime_ns": 1795239409358312482, "mpi": {"flavour": "openmpi", "library": "Open MPI v4.1.4, ident: 4.1.4"}})");
  EXPECT_EQ(recorded.at("date"), "2026-11-21 05:36:49 UTC");
  EXPECT_EQ(recorded.at("mpi"), "Open MPI v4.1.4");
  EXPECT_EQ(
      manifest_facts(R"({"processors": ["3 processes share processor 0 of n1", "one more", 4]})").at("processors"),
      "3 processes share processor 0 of n1. One more");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Text, HasEverySectionWithinItsWidth) {
  const analysis::AnalysisResult result = sample::result();
  for (const unsigned width : {80u, 100u, 120u}) {
    const std::string text = text_report(sample_data(), &result.cube, {width, 10, false});
    for (const char* section : {"@--- RUN ", "@--- VERDICT ", "@--- METRICS ", "@--- FINDINGS ", "@--- CALL PATHS ",
                                "@--- RANKS ", "@--- DATA QUALITY "}) {
      EXPECT_NE(text.find(section), std::string::npos) << section;
    }
    for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), width) << line;
    EXPECT_EQ(text.find("\033["), std::string::npos);
  }
  EXPECT_NE(text_report(sample_data(), nullptr, {100, 10, true}).find("\033[1m"), std::string::npos);
}

TEST(Text, MetricTreeIsIndentedAndNamesShares) {
  const std::string text = text_report(sample_data(), nullptr, {});
  EXPECT_NE(text.find("       20.080000 s  100.00 %  Time\n"), std::string::npos) << text;
  EXPECT_NE(text.find("        2.300000 s   11.45 %        Late Sender\n"), std::string::npos) << text;
  EXPECT_NE(text.find("          16.0 KiB            Bytes sent\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Late Receiver"), std::string::npos);
  EXPECT_NE(text.find("(metrics with value 0: 1, not listed"), std::string::npos);
}

TEST(TreeOrder, PutsEachRowBehindItsParentWhateverTheOrderOfRows) {
  struct Row {
    std::string id, parent;
  };
  const std::vector<Row> rows = {{"a", ""},   {"b", ""},         {"a1", "a"}, {"a11", "a1"},
                                 {"b1", "b"}, {"lost", "later"}, {"a2", "a"}};
  std::string order;
  for (const auto& [row, depth] : tree_order(rows)) order += std::string(depth, '>') + row->id + " ";
  EXPECT_EQ(order, "a >a1 >>a11 >a2 b >b1 lost ");
}

TEST(Text, CutListsSaySo) {
  const std::string text = text_report(sample_data(), nullptr, {100, 1, false});
  EXPECT_NE(text.find("… 1 of 2 findings shown; --top 0 shows all"), std::string::npos);
  EXPECT_NE(text.find("… 1 of 4 ranks shown"), std::string::npos);
}

TEST(Text, VerdictOfARunWithoutWaiting) {
  analysis::AnalysisResult result = sample::result();
  result.waits.clear();
  EXPECT_EQ(verdict(build_report(result, {})).find("no wait state was found"), std::string::npos);  // a .cubex alone
  for (const char* id : {"late-sender", "wait-at-barrier"}) {
    const auto m = result.cube.find_metric(id);
    for (cube::CallPathId path = 0; path < result.cube.call_paths.size(); ++path)
      for (cube::LocationId l = 0; l < 4; ++l) result.cube.add(m, path, l, -result.cube.get(m, path, l));
  }
  EXPECT_NE(verdict(build_report(result, {})).find("no wait state was found"), std::string::npos);
  EXPECT_NE(text_report(build_report(result, {}), nullptr, {}).find("No wait state was found."), std::string::npos);
}

TEST(Figures, SmallIsNeverZero) {
  EXPECT_EQ(seconds_column(0), "0.000000");
  EXPECT_EQ(seconds_column(1), "<0.000001");
  EXPECT_EQ(seconds_column(-5), ">-0.000001");
  EXPECT_EQ(seconds_column(1'999'999'600), "2.000000");
  EXPECT_EQ(cut_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(cut_middle("abcdefghijk", 10), "abc…fghijk");
  EXPECT_EQ(wrapped("a bb ccc dddd", 6, 2), "a bb\n  ccc\n  dddd");
  EXPECT_EQ(wrapped("waits 2.300 s, for rank 0, 17 % of it", 13, 0), "waits\n2.300 s, for\nrank 0, 17 %\nof it");
}

TEST(Csv, OneRowPerNonZeroCell) {
  const analysis::AnalysisResult result = sample::result();
  const auto lines = lines_of(csv_report(sample_data(), result.cube));
  EXPECT_EQ(lines[0], "metric,call_path,rank,value");
  std::size_t late = 0;
  for (const std::string& line : lines) late += line.starts_with("late-sender,");
  EXPECT_EQ(late, 2u);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "late-sender,ring > main > MPI_Recv@ring.c:42,1,2.300000001"),
            lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "bytes-sent,ring > main > MPI_Send@ring.c:37,3,4096"), lines.end());
}

TEST(Markdown, TablesWithEscapedCells) {
  ReportData data = sample_data();
  data.run.program = "a|b";
  const std::string text = markdown_report(data);
  EXPECT_NE(text.find("## Mora: a\\|b on 4 ranks"), std::string::npos);
  EXPECT_NE(text.find("| f1 | 2.300000 | 11.45 % | Late Sender |"), std::string::npos) << text;
  EXPECT_NE(text.find("**loss**: 1 × lost-records in rank 2"), std::string::npos);
}

TEST(Summary, HasTheVerdictAndTheTextsOfMetrics) {
  const analysis::AnalysisResult result = sample::result();
  const std::string text = summary_json(build_report(result, sample::infos()), &result.cube, sample::infos());
  EXPECT_NE(text.find("\"waiting_ns\": "), std::string::npos) << text;
  EXPECT_NE(text.find("Balance the computation before the send"), std::string::npos);
}

}  // namespace
}  // namespace mora::report
