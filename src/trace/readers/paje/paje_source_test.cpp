#include "trace/readers/paje/paje_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>

#include "base/file.h"
#include "support/scratch_directory.h"
#include "trace/readers/building/decimal_time.h"
#include "trace/readers/paje/emitter.h"

namespace mora::trace {
namespace {

using paje::mpi_name;
using paje::place_in_name;

TEST(Paje, IsKnownByItsFirstLine) {
  EXPECT_TRUE(is_paje("# comment\n\n  %EventDef PajeSetState 1\n"));
  EXPECT_TRUE(is_paje("% EventDef\tPajeSetState 1"));
  EXPECT_FALSE(is_paje("mora-trace 1\n%EventDef PajeSetState 1\n"));
  EXPECT_FALSE(is_paje("%PDF-1.4"));
  EXPECT_FALSE(is_paje("# only a comment"));
  EXPECT_FALSE(is_paje(""));
}

TEST(Paje, WordsOfALine) {
  std::vector<std::string_view> words;
  const auto split = [&](std::string_view line) {
    paje::split_line(line, words);
    return words;
  };
  using List = std::vector<std::string_view>;
  EXPECT_EQ(split("12 0.5\t\"two words\" \"\" end\r"), (List{"12", "0.5", "two words", "", "end"}));
  EXPECT_EQ(split("1 \"a # b\" c#d e"), (List{"1", "a # b", "c"}));
  EXPECT_EQ(split("1 \"not closed"), (List{"1", "not closed"}));
  EXPECT_EQ(split("1 \""), (List{"1", ""}));
  EXPECT_TRUE(split("   ").empty());
}

TEST(Paje, NamesOfMpiFunctions) {
  EXPECT_EQ(mpi_name("PMPI_Send", "MPI_STATE"), "MPI_Send");
  EXPECT_EQ(mpi_name("MPI_SEND", "State"), "MPI_Send");
  EXPECT_EQ(mpi_name("PMPI_Unheard_of", "State"), "MPI_Unheard_of");
  EXPECT_EQ(mpi_name("action_allReduce", "S"), "MPI_Allreduce");
  EXPECT_EQ(mpi_name("reducescatter", "MPI_STATE"), "MPI_Reduce_scatter");
  EXPECT_EQ(mpi_name("computing", "MPI_STATE"), "");
  EXPECT_EQ(mpi_name("send", "Thread State"), "");
  EXPECT_EQ(mpi_name("", "MPI_STATE"), "");
}

TEST(Paje, RanksInNames) {
  const auto place = [](const char* name) {
    const auto found = place_in_name(name);
    return found ? std::to_string(found->rank) + "." + std::to_string(found->thread) : "none";
  };
  EXPECT_EQ(place("rank-3"), "3.0");
  EXPECT_EQ(place("rank 3 thread 2"), "3.2");
  EXPECT_EQ(place("MPI Rank 12"), "12.0");
  EXPECT_EQ(place("P#0"), "0.0");
  EXPECT_EQ(place("p7"), "7.0");
  EXPECT_EQ(place("process_1"), "1.0");
  for (const char* name : {"", "3", "rank", "rank-", "rank-x", "P#0_T#77", "host 3", "rank-99999999999", "rank-2000000",
                           "rank 1 thread", "pool 4"})
    EXPECT_EQ(place(name), "none") << name;
}

struct Lines : EventSink {
  explicit Lines(const Definitions& definitions) : d(definitions) {}
  const Definitions& d;
  std::vector<Event> events;
  void on_event(const Event& event) override { events.push_back(event); }
};

/// (container, value, begin, end) of all states and (from, to, begin, end) of all links.
using Row = std::tuple<std::string, std::string, Nanoseconds, Nanoseconds>;

std::vector<Row> rows_of_mora(Source& source) {
  std::vector<Row> rows;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::vector<Nanoseconds>> sends, receives;
  for (LocationId l = 0; l < source.definitions().locations.size(); ++l) {
    Lines lines(source.definitions());
    EXPECT_TRUE(source.read_location(l, lines));
    const Location& at = source.definitions().locations[l];
    std::vector<Nanoseconds> open;
    for (const Event& e : lines.events) {
      if (e.kind == EventKind::enter) open.push_back(e.time);
      if (e.kind == EventKind::leave) {
        rows.emplace_back("rank-" + std::to_string(at.rank), lines.d.regions[e.region].name, open.back(), e.time);
        open.pop_back();
      }
      if (e.kind == EventKind::send || e.kind == EventKind::send_request)
        sends[{at.rank, e.peer, e.tag}].push_back(e.time);
      if (e.kind == EventKind::receive || e.kind == EventKind::receive_complete)
        receives[{e.peer, at.rank, e.tag}].push_back(e.time);
    }
  }
  for (const auto& [channel, times] : sends) {
    const auto& ends = receives[channel];
    EXPECT_EQ(times.size(), ends.size());
    for (std::size_t i = 0; i < times.size() && i < ends.size(); ++i)
      rows.emplace_back("rank-" + std::to_string(std::get<0>(channel)),
                        "-> rank-" + std::to_string(std::get<1>(channel)), times[i], ends[i]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// pj_dump prints microseconds; Mora's times are cut to them for the comparison.
Nanoseconds as_pj_dump_prints(Nanoseconds t) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6f", static_cast<double>(t) * 1e-9);
  return decimal_time(text, 9).value().time;
}

std::vector<Row> rows_of_pj_dump(const std::string& path) {
  std::vector<Row> rows;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("pj_dump " + path + " 2>&1").c_str(), "r"), pclose);
  char buffer[4096];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr) {
    std::vector<std::string> words;
    std::istringstream line(buffer);
    for (std::string word; std::getline(line, word, ',');) {
      word.erase(0, word.find_first_not_of(' '));
      word.erase(word.find_last_not_of(" \n") + 1);
      words.push_back(word);
    }
    const auto time = [&](std::size_t i) { return decimal_time(words.at(i), 9).value().time; };
    if (words.at(0) == "State") {
      std::string name = words.at(7);
      if (name.rfind("PMPI_", 0) == 0) name.erase(0, 1);
      rows.emplace_back(words.at(1), name, time(3), time(4));
    }
    if (words.at(0) == "Link") rows.emplace_back(words.at(7), "-> " + words.at(8), time(3), time(4));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// An independent reader of the same file: pajeng's pj_dump.
TEST(Paje, PjDumpReadsTheSameStatesAndLinks) {
  const std::string sample = std::string(MORA_SAMPLES) + "/paje/valid-simgrid";
  auto source = open_paje(sample);
  ASSERT_TRUE(source);
  std::vector<Row> ours = rows_of_mora(**source);
  for (auto& [container, value, begin, end] : ours) {
    begin = as_pj_dump_prints(begin);
    end = as_pj_dump_prints(end);
  }
  std::sort(ours.begin(), ours.end());
  const std::vector<Row> theirs = rows_of_pj_dump(sample);
  EXPECT_EQ(theirs.size(), 31U) << "27 states and 4 links; is pajeng installed?";
  EXPECT_EQ(ours, theirs);
}

std::string quality(Source& source) {
  std::string text;
  for (const QualityRow& row : source.quality().rows()) text += row.kind + " " + std::to_string(row.count) + "; ";
  return text;
}

TEST(Paje, FilesAndTextsReadAlike) {
  const std::string sample = std::string(MORA_SAMPLES) + "/paje/valid-nested";
  auto file = open_paje(sample);
  auto text = read_paje(read_file(sample).value());
  ASSERT_TRUE(file && text);
  EXPECT_EQ(rows_of_mora(**file), rows_of_mora(**text));
  EXPECT_EQ(quality(**file), "");
}

TEST(Paje, LinesOfAnyLength) {
  const std::string head = read_file(std::string(MORA_SAMPLES) + "/paje/valid-nested").value();
  const std::string long_line = "12 0.000004 E_Marker p0t1 \"" + std::string(3U << 20, 'x') + "\"\n";
  const ScratchDirectory scratch;
  const std::string path = scratch.write("long.paje", head + long_line + "12 0.00001 E_Marker p1t0 end\n" + long_line);
  for (auto& source : {open_paje(path), read_paje(read_file(path).value())}) {
    ASSERT_TRUE(source);
    // The marker of the middle is on a container that was destroyed.
    EXPECT_EQ(quality(**source), "damaged-record 2; undefined-reference 1; ");
  }
}

TEST(Paje, ManyLinesCostTheirNumber) {
  std::string text = read_file(std::string(MORA_SAMPLES) + "/paje/valid-nested").value();
  text = text.substr(0, text.find("8 0.000008 p0t1"));
  for (int i = 0; i < 100000; ++i) text += "10 0.000009 ST_Thread p1t0 SV_Run\n";
  for (int i = 0; i < 100000; ++i) text += "14 0.000009 L_MPI C_Prog x p0t0 " + std::to_string(i) + "\n";
  for (int i = 100000; i-- > 0;) text += "15 0.000009 L_MPI C_Prog x p1t0 " + std::to_string(i) + "\n";
  text += "9 0.00001 ST_Thread p1t0 SV_Send\n";
  auto source = read_paje(text);
  ASSERT_TRUE(source);
  EXPECT_EQ(rows_of_mora(**source).size(), 100000U + 100000U + 1U + 6U);
}

}  // namespace
}  // namespace mora::trace
