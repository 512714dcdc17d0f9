/// Lists of cpus, as rankfiles, sequential hostfiles and --cpu-list write them.
#pragma once

#include <string>

#include "base/error.h"
#include "predict/placement/openmpi/mapping/job.h"

namespace mora::predict::openmpi {

/// "1:0-2" (package 1, its cores 0 to 2), "0:0,1:*" , "s1" (package 1), "3,5-7" (cpus of the node), pieces separated by
/// ';'. `physical`: numbers are those of the operating system. `where` is for messages. Errors (usage): a package or
/// cpu that the node does not have.
Result<HwthreadSet> cpus_of_list(const Job& job, const std::string& list, bool physical, const std::string& where);

/// The cpus of --cpu-list that exist.
HwthreadSet available_cpus(const Job& job, const std::string& list);

}  // namespace mora::predict::openmpi
