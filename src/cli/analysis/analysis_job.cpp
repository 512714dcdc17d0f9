#include "cli/analysis/analysis_job.h"

#include <cstdio>
#include <exception>
#include <new>

namespace mora::cli {

namespace {

/// Turns an exception into the error that main() would make of it, because the other processes must be told, too.
Result<int> guarded(const std::function<Result<int>()>& share) {
  try {
    return share();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::system, "out of memory", {}, {}, "close other programs, or give --memory a smaller size");
  } catch (const std::exception& e) {
    return fail(ErrorKind::internal, "a defect of Mora", {}, e.what(), "please report it, with the command line");
  }
}

}  // namespace

Result<std::unique_ptr<AnalysisJob>> AnalysisJob::join(const std::string& carrier, unsigned partitions) {
  if (carrier != "auto" && carrier != "thread" && carrier != "mpi") {
    return fail(ErrorKind::usage, "there is no carrier of this name", "--carrier " + carrier, "",
                "use --carrier auto, thread or mpi");
  }
  const analysis::Launched launched = analysis::launched_by();
  if (carrier == "thread" || (carrier == "auto" && launched.size <= 1)) return nullptr;
  auto job = std::make_unique<AnalysisJob>();
  MORA_TRY(job->processes_, analysis::join_job(launched));
  MORA_TRY(job->carrier_, analysis::MpiCarrier::create(*job->processes_, partitions));
  return job;
}

Result<int> AnalysisJob::run(const std::function<Result<int>()>& share) {
  Result<int> code = guarded(share);
  const auto agreed = carrier_->agree(code ? Result<void>{} : Result<void>{tl::unexpected(code.error())});
  const auto left = carrier_->is_lost() ? Result<void>{} : processes_->finish();
  if (carrier_->is_lost()) {
    // MPI itself failed: without abandon() the other processes would wait for ever.
    std::fprintf(stderr, "mora: error: %s\n", agreed.error().text().c_str());
    processes_->abandon(exit_code(agreed.error().kind));
  }
  const Result<void>& outcome = agreed ? left : agreed;
  if (outcome) return code;
  if (is_first()) return tl::unexpected(outcome.error());
  return 0;  // mpirun ends the job at the first bad exit code; that must be the one of the process which prints why
}

}  // namespace mora::cli
