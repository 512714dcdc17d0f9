/// Writes the hand-made analysis of tests/support/report/report_sample.h as an experiment: sample_experiment DIR
/// [RANKS] With RANKS, a larger one made of the same pattern.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "cube/cubex.h"
#include "report/findings/findings.h"
#include "support/report/report_sample.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string directory = argv[1];
  mora::analysis::AnalysisResult result = mora::report::sample::result();
  const unsigned ranks = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 4;
  for (unsigned rank = 4; rank < ranks; ++rank) {
    result.cube.locations.push_back({"rank " + std::to_string(rank), rank, 0, "node" + std::to_string(rank / 16 + 1)});
  }
  for (mora::cube::MetricId m = 0; m < result.cube.metrics.size(); ++m) {
    for (mora::cube::CallPathId c = 0; c < result.cube.call_paths.size(); ++c) {
      for (unsigned rank = 4; rank < ranks; ++rank) {
        result.cube.add(m, c, rank, result.cube.get(m, c, rank % 4) / (1 + rank % 7));
      }
    }
  }
  for (auto& wait : result.waits) {
    wait.total = result.cube.call_path_total(wait.metric, wait.call_path);
    const mora::Nanoseconds mean = wait.total / static_cast<mora::Nanoseconds>(wait.instances);
    wait.statistics = {wait.instances, wait.total, 1, mean / 2, mean, 2 * mean, 3 * mean};
    wait.most_severe = {wait.worst};
    wait.caused_by_calls = {{wait.worst.cause, wait.worst.cause_call_path, wait.total}};
  }
  result.run.ranks = result.run.locations = ranks < 4 ? 4 : ranks;
  const auto data = mora::report::build_report(result, mora::report::sample::infos(),
                                               {{"command", "mpirun -n 4 ./ring"}, {"mpi", "Open MPI 4.1.4"}});
  const auto check = [](const mora::Result<void>& done) {
    if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str()), std::exit(1);
  };
  check(mora::make_directories(directory));
  check(mora::cube::write_cubex(result.cube, directory + "/analysis.cubex"));
  check(mora::write_file_atomically(directory + "/findings.json", mora::report::findings_json(data)));
}
