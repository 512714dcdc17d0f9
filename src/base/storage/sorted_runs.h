/// SortedRuns: more records than memory, in the order of a comparison.
///
/// Idea: what fits the budget is sorted and written as a run to an unlinked temporary file ($TMPDIR, else /tmp); a
/// cursor merges the runs. Records that all fit the budget are sorted in memory and never written.
/// Cost: O(n log n) comparisons; each record is written and read once. Memory: the budget, and 16 KiB for each run
/// under a cursor. Errors are kept (failure()); records are ignored after the first.
/// Thread safety: none while it is filled; after sort() any number of cursors at once.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/storage/spool.h"

namespace mora {

/// `Less`: a total order, so that the outcome does not depend on where runs begin.
template <class T, class Less>
class SortedRuns {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t in_chunk = std::max<std::size_t>(1, (std::size_t{16} << 10) / sizeof(T));

  struct Run {
    std::vector<SpoolFile::Chunk> chunks;
    std::size_t records = 0;
  };

 public:
  /// `budget`: bytes of records that are in memory at a time.
  explicit SortedRuns(std::size_t budget)
      : most_(std::max(in_chunk, budget / sizeof(T))), file_(std::make_unique<SpoolFile>(0)) {}

  void add(const T& record) {
    if (failure_) return;
    if (last_.size() == most_) store();
    if (last_.size() == last_.capacity()) last_.reserve(std::min(most_, 64 + 2 * last_.size()));
    last_.push_back(record);
  }
  /// Call once, after the last add() and before the first cursor.
  void sort() { std::sort(last_.begin(), last_.end(), less_); }
  /// Gives memory and disk back.
  void clear() { *this = SortedRuns(most_ * sizeof(T)); }
  const std::optional<Error>& failure() const { return failure_; }
  std::uint64_t bytes_on_disk() const { return file_->bytes_on_disk(); }

  /// All records in order. They must outlive it.
  class Cursor {
   public:
    explicit Cursor(const SortedRuns& all) : all_(&all), parts_(all.runs_.size() + 1) {
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (fill(p)) heap_.push_back(p);
      }
      std::make_heap(heap_.begin(), heap_.end(), later());
    }
    /// The next record, null at the end or when failed(). Valid until the next call.
    const T* next() {
      if (taken_) {
        taken_ = false;
        std::pop_heap(heap_.begin(), heap_.end(), later());
        ++parts_[heap_.back()].at;
        if (fill(heap_.back())) {
          std::push_heap(heap_.begin(), heap_.end(), later());
        } else {
          heap_.pop_back();
        }
      }
      if (heap_.empty() || failed_) return nullptr;
      taken_ = true;
      return &head(heap_.front());
    }
    bool failed() const { return failed_; }

   private:
    struct Part {
      std::unique_ptr<T[]> chunk;  ///< of a run
      std::size_t at = 0, here = 0, done = 0;
    };
    auto later() const {
      return [this](std::size_t a, std::size_t b) { return all_->less_(head(b), head(a)); };
    }
    const T& head(std::size_t part) const {
      return part == all_->runs_.size() ? all_->last_[parts_[part].at] : parts_[part].chunk[parts_[part].at];
    }
    bool fill(std::size_t number) {
      Part& part = parts_[number];
      if (number == all_->runs_.size()) return part.at < all_->last_.size();
      if (part.at < part.here) return true;
      const Run& run = all_->runs_[number];
      part.done += part.here;
      part.at = 0;
      part.here = std::min(in_chunk, run.records - part.done);
      if (part.here == 0) {
        part.chunk = nullptr;
        return false;
      }
      if (part.chunk == nullptr) part.chunk = std::make_unique_for_overwrite<T[]>(in_chunk);
      const auto& chunk = run.chunks[part.done / in_chunk];
      failed_ =
          !all_->file_->read(chunk, reinterpret_cast<std::byte*>(part.chunk.get()), part.here * sizeof(T)) || failed_;
      return !failed_;
    }

    const SortedRuns* all_;
    std::vector<Part> parts_;
    std::vector<std::size_t> heap_;  ///< parts that have a record, the one with the smallest in front
    bool taken_ = false;             ///< the front's record was handed out
    bool failed_ = false;
  };
  Cursor cursor() const { return Cursor(*this); }

 private:
  void store() {
    sort();
    Run& run = runs_.emplace_back();
    for (run.records = 0; run.records < last_.size();) {
      const std::size_t count = std::min(in_chunk, last_.size() - run.records);
      auto bytes = std::make_unique_for_overwrite<std::byte[]>(count * sizeof(T));
      std::memcpy(bytes.get(), &last_[run.records], count * sizeof(T));
      auto chunk = file_->keep(std::move(bytes), count * sizeof(T));
      if (!chunk) {
        failure_ = chunk.error();
        break;
      }
      run.chunks.push_back(std::move(*chunk));
      run.records += count;
    }
    last_.clear();
  }

  std::size_t most_;
  Less less_;
  std::unique_ptr<SpoolFile> file_;
  std::vector<Run> runs_;
  std::vector<T> last_;  ///< what is in no run yet
  std::optional<Error> failure_;
};

}  // namespace mora
