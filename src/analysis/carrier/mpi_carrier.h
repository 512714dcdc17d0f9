/// MpiCarrier: partitions spread over the processes of a job, the same number in each or not.
///
/// Every operation starts with a word of each process to all others: which operation, and whether that process has
/// failed. So a failure of one ends the operation of all at the same place with that error, whatever they were about to
/// exchange, and no process waits for one that has failed. Cost of an operation: one gathering of 8 bytes, one
/// exchange of sizes, one of bytes; nothing is copied on the way.
#pragma once

#include "analysis/carrier/carrier.h"
#include "analysis/carrier/processes.h"

namespace mora::analysis {

/// One thread; all functions are collective over the job. Errors: those of MPI (is_lost()), or another process's own
/// error.
class MpiCarrier : public Carrier {
 public:
  /// Collective. `partitions`: of this process, at least 1. `processes` outlives the carrier.
  static Result<std::unique_ptr<MpiCarrier>> create(Processes& processes, unsigned partitions);

  unsigned partitions() const override { return first_.back(); }
  const std::vector<unsigned>& local_partitions() const override { return local_; }
  bool is_first() const override { return processes_.rank() == 0; }
  Result<Boxes> exchange(Boxes outgoing) override;
  Result<std::vector<Buffer>> gather_to_all(std::vector<Buffer> own) override;
  Result<void> agree(Result<void> own) override;
  /// MPI itself failed: nothing can be agreed on any more, and the others may not know.
  bool is_lost() const { return is_lost_; }

 private:
  enum class Step : std::uint32_t { exchange, gather, agree };
  explicit MpiCarrier(Processes& processes) : processes_(processes) {}
  Result<void> begin(Step step, const Error* own);
  /// Sizes (by peer, in an order both sides know) of what will be received.
  Result<std::vector<std::vector<std::uint64_t>>> exchange_sizes(std::vector<std::vector<std::uint64_t>> own,
                                                                 const std::vector<std::size_t>& expected);
  unsigned parts_of(int process) const {
    return first_[static_cast<std::size_t>(process) + 1] - first_[static_cast<std::size_t>(process)];
  }

  Result<void> transfer(std::vector<Processes::Piece> sends, std::vector<Processes::Piece> receives);
  Result<std::vector<std::byte>> all_gather(const std::byte* own, std::size_t bytes);
  void lose(const Error& error);

  Processes& processes_;
  std::vector<unsigned> first_;  ///< first partition of each process; one more at the end
  std::vector<unsigned> local_;
  bool failed_ = false;
  bool is_lost_ = false;
  Error failure_;
};

}  // namespace mora::analysis
