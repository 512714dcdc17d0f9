/// Texts of hardware counters in computation; the rule is match/counter_readings.h.
#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

namespace {

constexpr std::string_view formula =
    "sum of the differences between consecutive readings on a location, of stretches that are computation outside MPI "
    "calls from one reading to the next; at the computation's call path. A counter that runs backwards adds nothing.";

}  // namespace

const MetricInfo instructions_info{"instructions",
                                   "Instructions",
                                   "mora_instructions",
                                   "",
                                   cube::Unit::occurrences,
                                   false,
                                   "Instructions completed in computation (PAPI_TOT_INS), where recorded.",
                                   formula,
                                   "POP metrics, Instruction Scaling; Mora's rule overlap",
                                   "More instructions in total on more ranks: work that is repeated.",
                                   "Look for the call path whose instructions grow with the number of ranks."};

const MetricInfo cycles_info{"cycles",
                             "Cycles",
                             "mora_cycles",
                             "",
                             cube::Unit::occurrences,
                             false,
                             "Processor cycles in computation (PAPI_TOT_CYC), where recorded.",
                             formula,
                             "POP metrics, IPC Scaling; POP metrics, Frequency Scaling; Mora's rule overlap",
                             "If instructions per cycle fall on more ranks, memory or caches are the limit; if cycles "
                             "per second fall, the clock frequency is.",
                             "Fewer ranks per node, better locality; see instructions."};

}  // namespace mora::analysis
