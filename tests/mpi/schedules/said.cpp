/// The messages that --collectives MODEL says for the cases of a file (sent.c), in the same form.
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "mpi/schedules/algorithm.h"

using namespace mora::mpi;            // NOLINT: a program of one page
using namespace mora::mpi::schedule;  // NOLINT

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  static const std::map<std::string, Collective> names = {{"barrier", Collective::barrier},
                                                          {"bcast", Collective::bcast},
                                                          {"reduce", Collective::reduce},
                                                          {"allreduce", Collective::allreduce},
                                                          {"gather", Collective::gather},
                                                          {"scatter", Collective::scatter},
                                                          {"allgather", Collective::allgather},
                                                          {"alltoall", Collective::alltoall},
                                                          {"allgatherv", Collective::allgatherv},
                                                          {"gatherv", Collective::gatherv},
                                                          {"scatterv", Collective::scatterv},
                                                          {"reduce_scatter", Collective::reduce_scatter},
                                                          {"reduce_scatter_block", Collective::reduce_scatter_block},
                                                          {"scan", Collective::scan},
                                                          {"exscan", Collective::exscan}};
  const auto model = std::string(argv[1]) == "mpich" ? CollectiveModel::mpich : CollectiveModel::openmpi;
  std::ifstream cases(argv[2]);
  std::string name;
  CollectiveCase c;
  for (int n = 0; cases >> name >> c.ranks >> c.root >> c.count; ++n) {
    c.collective = names.at(name);
    c.element = 4;
    c.blocks.clear();
    const bool by_rank = name.ends_with("v") || name == "reduce_scatter";
    for (std::uint32_t r = 0; by_rank && r < c.ranks; ++r) c.blocks.push_back(4 * (c.count + r % 3));
    if (name == "reduce_scatter") c.count = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::uint64_t>> cells;
    const Algorithm algorithm = choose_algorithm(model, c);
    if (algorithm.run)
      algorithm.run([&](const Message& m) {
        auto& cell = cells[{m.from, m.to}];
        ++cell.first;
        cell.second += m.bytes;
      });
    std::printf("case %d %s\n", n, algorithm.name.c_str());
    for (const auto& [pair, sum] : cells)
      std::printf("%u %u %llu %llu\n", pair.first, pair.second, static_cast<unsigned long long>(sum.first),
                  static_cast<unsigned long long>(sum.second));
  }
}
