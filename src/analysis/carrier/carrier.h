/// Carrier: how halves get to the partition that needs them.
///
/// Partitions are numbered 0 … partitions()-1 over the whole analysis; a process holds some of them (the thread
/// carrier: all). All operations are collective over all processes and happen in the same order everywhere, so that the
/// MPI carrier (../carrier/) is one exchange each. Only bytes cross: no pointers, no shared state. One thread at a
/// time.
#pragma once

#include <vector>

#include "analysis/storage/buffer.h"
#include "base/error.h"

namespace mora::analysis {

/// boxes[i][d]: bytes between the i-th local partition and partition d.
using Boxes = std::vector<std::vector<Buffer>>;

/// See the file comment. An operation that fails, fails in every process.
class Carrier {
 public:
  virtual ~Carrier() = default;

  virtual unsigned partitions() const = 0;
  /// Numbers of the partitions that this process holds, increasing.
  virtual const std::vector<unsigned>& local_partitions() const = 0;
  /// outgoing[i][d] goes to partition d; the result's [i][s] came from partition s. Every buffer is moved or
  /// copied, never shared. Errors of both: a process failed (its error), or is not reached (system).
  virtual Result<Boxes> exchange(Boxes outgoing) = 0;
  /// One buffer of every partition, in partition order, for all processes. `own` has one per local partition.
  virtual Result<std::vector<Buffer>> gather_to_all(std::vector<Buffer> own) = 0;
  /// The process that holds partition 0: the one that prints and writes.
  virtual bool is_first() const { return true; }
  /// Fails everywhere if it failed anywhere, with the error of the lowest process. A process that fails between two
  /// operations calls it once, whatever the others call: their operation ends with this error.
  virtual Result<void> agree(Result<void> own) { return own; }
};

/// All partitions in this process; the exchange transposes the boxes.
class ThreadCarrier : public Carrier {
 public:
  explicit ThreadCarrier(unsigned partitions);
  unsigned partitions() const override { return static_cast<unsigned>(local_.size()); }
  const std::vector<unsigned>& local_partitions() const override { return local_; }
  Result<Boxes> exchange(Boxes outgoing) override;
  Result<std::vector<Buffer>> gather_to_all(std::vector<Buffer> own) override;

 private:
  std::vector<unsigned> local_;
};

}  // namespace mora::analysis
