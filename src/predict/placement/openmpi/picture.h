/// Bindings as mpirun prints them.
#pragma once

#include <string>

#include "predict/placement/openmpi/topology/hwthread_set.h"
#include "predict/placement/openmpi/topology/topology.h"

namespace mora::predict::openmpi {

/// "socket 0[core 0[hwt 0-1]], socket 0[core 1[hwt 0-1]]"; empty if it is the whole node.
std::string bound_text(const Topology& topology, const HwthreadSet& threads);

/// "[BB/../..][../../..]"; empty if it is the whole node.
std::string bound_picture(const Topology& topology, const HwthreadSet& threads);

}  // namespace mora::predict::openmpi
