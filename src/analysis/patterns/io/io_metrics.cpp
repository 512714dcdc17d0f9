/// Texts of the wait states of MPI-IO; the rule is in domain.cpp.
#include "analysis/patterns/io/io_metrics.h"

namespace mora::analysis {

const MetricInfo io_collective_wait_info{
    "io-collective-wait",
    "Wait at Collective I/O",
    "mora_io_collective_wait",
    "mpi-io-collective",
    cube::Unit::seconds,
    true,
    "A rank waits in a collective read or write for the last one to enter.",
    "w_p = max_q E_q - E_p over the communicator that opened the file if min_q L_q > max_q E_q, else 0; the n-th "
    "collective call of each member on the file: MPI_File_*_all, *_all_begin, *_all_end, *_ordered*, sync. 0 if the "
    "trace does not tell the communicator. Non-blocking I/O: what its MPI_Wait waits for is not known.",
    "Mora's rule collective-files-and-shmem",
    "The ranks do not reach the file operation together. The cause is the rank that enters last.",
    "Balance the work before it; use individual or non-blocking I/O where ranks need not wait.",
    DelayClass::io};

const MetricInfo file_collective_wait_info{
    "file-collective-wait",
    "Wait at Collective File Management",
    "mora_file_collective_wait",
    "mpi-file",
    cube::Unit::seconds,
    true,
    "A rank waits in opening, closing or setting up a file for the last one to enter.",
    "as io-collective-wait, for MPI_File_open, close, set_view, set_size, preallocate, set_atomicity",
    "Mora's rule collective-files-and-shmem",
    "The ranks do not open or close the file together. The cause is the rank that enters last.",
    "Open files early and once; close them where the ranks synchronise anyway.",
    DelayClass::io};

}  // namespace mora::analysis
