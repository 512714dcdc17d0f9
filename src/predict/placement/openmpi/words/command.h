/// The words of an mpirun command line, as far as they say where ranks go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::predict::openmpi {

/// --mca ras simulator: nodes that do not exist, in groups, an entry of each list for a group.
struct Simulated {
  bool asked = false;
  std::vector<std::int64_t> nodes, slots, max_slots;
};

struct Command {
  std::optional<std::int64_t> processes;  ///< -np, -n, -c; 0 counts as not given
  std::vector<std::string> hostfiles;     ///< --hostfile, --machinefile
  std::optional<std::string> default_hostfile;
  std::optional<std::string> hosts;  ///< all of --host, joined by ','
  std::optional<std::string> rankfile;
  bool rankfile_physical = false;  ///< --mca rmaps_rank_file_physical
  std::optional<std::string> map_by;
  std::optional<std::string>
      parameter_map_by;  ///< --mca rmaps_base_mapping_policy: beside --map-by it says only how ranks are given out
  std::optional<std::string>
      parameter_bind_to;  ///< --mca hwloc_base_binding_policy: unlike --bind-to it lets --oversubscribe overload cpus
  std::optional<std::string> rank_by, bind_to, ppr, cpu_list, dist_device;
  bool by_core = false, by_slot = false, by_node = false;
  bool no_local = false, oversubscribe = false, no_oversubscribe = false;
  bool bind_to_core = false, bind_to_socket = false, hwthread_cpus = false;
  bool per_node = false;
  std::int64_t n_per_node = 0, n_per_socket = 0;
  std::int64_t cpus_per_rank = 0;
  std::optional<std::string>
      default_slots;  ///< --mca orte_set_default_slots: cores, sockets, numas, hwthreads or a number
  std::optional<std::string> topology_file;  ///< --mca hwloc_base_topo_file
  Simulated simulated;
  std::vector<std::string> ignored;  ///< parameters about placement that are not understood: "--mca rmaps ppr"
  std::vector<std::string> program;  ///< what follows the options
};

/// Errors (usage): an unknown option, with the nearest known one; a missing or a wrong value.
Result<Command> read_command(const std::vector<std::string>& words);

/// Whether a parameter of --mca has to do with placement.
bool is_about_placement(std::string_view parameter);

}  // namespace mora::predict::openmpi
