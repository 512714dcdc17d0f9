/// Texts of overlap; the rule is match/request_overlap.h.
#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

const MetricInfo overlap_info{
    "overlap",
    "Overlap",
    "mora_overlap",
    "",
    cube::Unit::seconds,
    false,
    "Computation while a non-blocking operation of this location is under way.",
    "the part of computation outside MPI calls that lies in the union of [L(start call), E(completing call)] over the "
    "location's requests: messages, collectives, request-based one-sided transfers, file operations; at the "
    "computation's call path. Requests that were cancelled, freed or never completed are left out. Never more than "
    "computation, in any cell.",
    "DVM analyser, 4.1; Mora's rule overlap",
    "How much of the computation could hide exchanges. That the exchange progressed meanwhile is not known: see the "
    "time of the calls that complete it.",
    "Start operations earlier, complete them later; move computation that needs no new data between."};

const MetricInfo request_overlap_info{
    "request-overlap",
    "Overlap by Request",
    "mora_request_overlap",
    "",
    cube::Unit::seconds,
    false,
    "Computation while a non-blocking operation is under way, for each operation alone, at the call that completes it.",
    "per completed request: computation of the location outside MPI calls in [L(start call), E(completing call)], at "
    "the completing call; operations under way at once count each",
    "DVM analyser, 5.2; Mora's rule overlap",
    "Which kind of operation is hidden behind computation, and where it is completed: in the interval of the "
    "completing call, also if it was started in another.",
    "If 0, the operation is completed right after its start: a blocking one would do as well."};

}  // namespace mora::analysis
