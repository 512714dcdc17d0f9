/// For tests: programs as functions of a rank, recorded with few ranks and scaled to many.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "predict/pattern/compare/compare.h"
#include "predict/pattern/events/from_trace.h"
#include "predict/scaling/scaled_source.h"
#include "predict/scaling/scaling.h"
#include "trace/readers/text/text_source.h"

namespace mora::predict {

/// Writes what one rank does.
class Rank {
 public:
  Rank(int rank, int ranks) : r(rank), P(ranks) {}
  const int r, P;
  std::string text;
  void compute(long long ns) { now_ += ns; }
  void call(const std::string& words, long long ns = 10) {
    const auto at = words.find(' ');
    text += fmt::format("P{} {}-{} {}{}\n", r, now_, now_ + ns, words.substr(0, at),
                        at == std::string::npos ? "" : words.substr(at));
    now_ += ns;
  }

 private:
  long long now_ = 0;
};
using Body = std::function<void(Rank&)>;

inline std::unique_ptr<trace::Source> run_of(const Body& body, int ranks, const std::string& definitions = "") {
  std::string text = "mora-trace 1\n" + definitions;
  for (int r = 0; r < ranks; ++r) {
    Rank rank(r, ranks);
    rank.call("MPI_Init");
    body(rank);
    rank.call("MPI_Finalize");
    text += rank.text;
  }
  auto source = trace::read_trace_text(text, "test.trace");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  return std::move(*source);
}

using Definer = std::function<std::string(int ranks)>;

inline Result<std::shared_ptr<const ScaledProgram>> scaled(
    const Body& body, const std::vector<int>& from, std::uint32_t to, const Definer& definer = [](int) { return ""; }) {
  std::vector<std::unique_ptr<trace::Source>> sources;
  std::vector<GivenRun> runs;
  for (const int ranks : from) {
    sources.push_back(run_of(body, ranks, definer(ranks)));
    runs.push_back({fmt::format("run {}", ranks), sources.back().get()});
  }
  return scale_runs(runs, {to, 0.25, {}});
}

/// Every call of every rank is that of the program itself with so many ranks.
inline void expect_scaled(
    const Body& body, const std::vector<int>& from, int to, const Definer& definer = [](int) { return ""; }) {
  const auto program = scaled(body, from, static_cast<std::uint32_t>(to), definer);
  ASSERT_TRUE(program) << program.error().text();
  const auto source = scaled_source(*program, FitEnd::value);
  const auto real = pattern_of_trace(*run_of(body, to, definer(to))), made = pattern_of_trace(*source);
  ASSERT_TRUE(real && made);
  ASSERT_EQ(made->ranks.size(), static_cast<std::size_t>(to));
  for (const Disagreement& one : compare_patterns(*real, *made)) ADD_FAILURE() << one.text;
}

inline std::string why_not(
    const Body& body, const std::vector<int>& from, std::uint32_t to, const Definer& definer = [](int) { return ""; }) {
  const auto program = scaled(body, from, to, definer);
  EXPECT_FALSE(program);
  return program ? "" : program.error().where + ": " + program.error().why;
}

/// As MPI_Dims_create.
inline std::pair<int, int> grid_of(int ranks) {
  int columns = static_cast<int>(std::sqrt(ranks));
  while (ranks % columns != 0) --columns;
  return {ranks / columns, columns};
}

inline void ring_program(Rank& rank) {
  for (int step = 0; step < 3; ++step) {
    rank.compute(960'000 / rank.P);
    rank.call(fmt::format("MPI_Isend@ring.c:10 to {} bytes {} tag 5 req s", (rank.r + 1) % rank.P, 64'000 / rank.P));
    rank.call(fmt::format("MPI_Irecv@ring.c:11 from {} bytes {} tag 5 req r", (rank.r + rank.P - 1) % rank.P,
                          64'000 / rank.P));
    rank.call("MPI_Waitall@ring.c:12 req s,r");
    rank.call("MPI_Allreduce@ring.c:20 bytes 8");
  }
  rank.call(fmt::format("MPI_Bcast@ring.c:30 root 0 bytes {}", 100 * rank.P));
}

/// Weak scaling on a torus: each rank has four neighbours, whatever their number.
inline void torus_program(Rank& rank) {
  const auto grid = grid_of(rank.P);
  const int rows = grid.first, columns = grid.second;
  const int y = rank.r / columns, x = rank.r % columns;
  const auto at = [&](int row, int column) { return (row + rows) % rows * columns + (column + columns) % columns; };
  for (int step = 0; step < 2; ++step) {
    rank.compute(50'000);
    rank.call(fmt::format("MPI_Irecv@torus.c:5 from {} bytes 256 tag 1 req a", at(y - 1, x)));
    rank.call(fmt::format("MPI_Irecv@torus.c:6 from {} bytes 256 tag 2 req b", at(y, x - 1)));
    rank.call(fmt::format("MPI_Isend@torus.c:7 to {} bytes 256 tag 1 req c", at(y + 1, x)));
    rank.call(fmt::format("MPI_Isend@torus.c:8 to {} bytes 256 tag 2 req d", at(y, x + 1)));
    for (const char* const request : {"a", "b", "c", "d"})
      rank.call(fmt::format("MPI_Wait@torus.c:10 req {}", request));
  }
}

/// Communicators of the rows and of the columns of a grid.
inline std::string rows_and_columns(int ranks) {
  const auto [rows, columns] = grid_of(ranks);
  std::string text;
  for (int y = 0; y < rows; ++y) {
    text += fmt::format("comm row{} =", y);
    for (int x = 0; x < columns; ++x) text += fmt::format("{}{}", x == 0 ? " " : ",", y * columns + x);
    text += "\n";
  }
  for (int x = 0; x < columns; ++x) {
    text += fmt::format("comm column{} =", x);
    for (int y = 0; y < rows; ++y) text += fmt::format("{}{}", y == 0 ? " " : ",", y * columns + x);
    text += "\n";
  }
  return text;
}

/// Computation in ns of all calls of a rank.
inline double computation(trace::Source& source, trace::LocationId location = 0) {
  class Sum : public trace::EventSink {
   public:
    double sum = 0;
    void on_event(const trace::Event& e) override {
      if (e.kind == trace::EventKind::enter) sum += static_cast<double>(e.time - last);
      last = e.time;
    }
    Nanoseconds last = 0;
  } sum;
  EXPECT_TRUE(source.read_location(location, sum));
  return sum.sum;
}

}  // namespace mora::predict
