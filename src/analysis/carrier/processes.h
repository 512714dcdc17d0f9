/// Processes: an MPI job that shares one analysis. mora links no MPI: the operations come from
/// libmora_processes-<mpi>.so, loaded when the process finds itself started by that MPI's mpirun.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace mora::analysis {

/// Collective operations of all processes, called in the same order everywhere, by one thread of each.
class Processes {
 public:
  /// Bytes to or from another process; `data` is not owned.
  struct Piece {
    int peer = 0;
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
  };
  virtual ~Processes() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// `bytes` of each process, the same number on all, one after the other by rank. Errors here and below: MPI's,
  /// system.
  virtual Result<std::vector<std::byte>> all_gather(const std::byte* own, std::size_t bytes) = 0;
  /// Pieces between two processes match in their order; any size.
  virtual Result<void> transfer(std::vector<Piece> sends, std::vector<Piece> receives) = 0;
  /// Ends the job's communication; nothing else may follow.
  virtual Result<void> finish() = 0;
  /// Ends all processes of the job at once. For what agree() cannot tell the others.
  virtual void abandon(int code) = 0;
};

/// Which mpirun started this process, from its environment: "openmpi", "mpich", or empty. `size`: processes of the job.
struct Launched {
  std::string mpi;
  int size = 1;
};
/// Reads the environment only; size 1 and no MPI if no launcher set it.
Launched launched_by();

/// The job that this process is part of. Errors: the library is not there or does not fit, MPI does not start.
Result<std::unique_ptr<Processes>> join_job(const Launched& launched);

/// Cuts what is larger than `most` bytes, the same way on both sides; leaves out what is empty.
std::vector<Processes::Piece> cut_pieces(const std::vector<Processes::Piece>& whole, std::uint64_t most);

}  // namespace mora::analysis
