/// The MPI processes that share one `mora analyze`, if mpirun started several.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "analysis/carrier/mpi_carrier.h"
#include "analysis/carrier/processes.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// One MPI process of a shared analysis. Made by join(), used once by run(). Not thread-safe.
class AnalysisJob {
 public:
  /// `carrier`: auto, thread or mpi. `partitions`: of this process. Null: this process analyses alone. Errors: the
  /// job's MPI cannot be used; unknown name of a carrier.
  static Result<std::unique_ptr<AnalysisJob>> join(const std::string& carrier, unsigned partitions);

  analysis::Carrier& carrier() { return *carrier_; }
  bool is_first() const { return carrier_->is_first(); }
  /// Runs this process's share, agrees with the others on how it ended, and leaves the job. Only the first
  /// returns an error, to print it; then the others return 0.
  Result<int> run(const std::function<Result<int>()>& share);

 private:
  std::unique_ptr<analysis::Processes> processes_;
  std::unique_ptr<analysis::MpiCarrier> carrier_;
};

}  // namespace mora::cli
