/// Results made by hand for the tests.
#pragma once

#include "report/compare/comparison/comparison.h"

namespace mora::compare {

/// Two processes. program > main, computing `main0` on rank 0 and 60 on rank 1, of which the interval solve.c:`line`
/// computes `inside` / 2 on each; and visits: 1 of main, 2 of the interval.
inline Run sample_run(const std::string& name, std::int64_t main0, std::uint32_t line, std::int64_t inside) {
  cube::Cube cube;
  const auto metric = [&](const char* id, cube::MetricId parent, cube::Unit unit) {
    cube.metrics.push_back({id, id, id, parent, unit, ""});
  };
  metric("time", cube::no_id, cube::Unit::seconds);
  metric("execution", 0, cube::Unit::seconds);
  metric("computation", 1, cube::Unit::seconds);
  metric("visits", cube::no_id, cube::Unit::occurrences);
  cube.call_paths.resize(3);
  cube.call_paths[0] = {cube::no_id, "program", cube::CallPathKind::program, "", 0, 0, 1};
  cube.call_paths[1] = {0, "main", cube::CallPathKind::user, "", 0, 0, 1};
  cube.call_paths[2] = {1, "interval", cube::CallPathKind::interval, "solve.c", line, 0, 1};
  cube.locations = {{"rank 0", 0, 0, "node0"}, {"rank 1", 1, 0, "node0"}};
  for (cube::MetricId m = 0; m < 3; ++m) {
    cube.add(m, 1, 0, main0 - inside / 2);
    cube.add(m, 1, 1, 60 - inside / 2);
    cube.add(m, 2, 0, inside / 2);
    cube.add(m, 2, 1, inside / 2);
  }
  cube.add(3, 1, 0, 1);
  cube.add(3, 2, 0, 2);
  return make_run(name, "", std::move(cube));
}

/// A: 60 + 60, of which 40 in solve.c:20; B: 40 + 60, of which 20 in solve.c:25.
inline Comparison sample_comparison() {
  std::vector<Run> runs{sample_run("before", 60, 20, 40), sample_run("after", 40, 25, 20)};
  return Comparison(std::move(runs), {{"A", {0}}, {"B", {1}}});
}

}  // namespace mora::compare
