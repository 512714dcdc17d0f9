/// Levels of detail of a timeline: rows of bins, each with the time in MPI and the kind of call that had most of it.
///
/// Idea. One pass over the events of a view fills the finest level: while a row's events are in one bin, the time of
/// each category is added up; when they leave it, the bin keeps the share of MPI and the category of MPI with most
/// time. Each coarser level joins two bins. A question takes the level that has just enough bins for its columns, so it
/// looks at no more than twice the bins that are drawn. Cost: O(events + bins); memory: 4 bytes per row and bin of the
/// finest level. Limits: within a bin only one category is named (shares are rounded to 1/255); whoever needs more asks
/// for the calls themselves (timeline.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "serve/kept_bytes.h"
#include "serve/timeline/category.h"
#include "trace/view/view.h"

namespace mora::serve {

/// What is drawn in one place.
struct Bin {
  std::uint8_t category =
      static_cast<std::uint8_t>(Category::user);  ///< most of what is not user code; `nothing`: empty
  std::uint8_t share = 0;                         ///< of 255: time that is not user code
};

/// Adds up what follows in time on one row, bin by bin.
class BinFiller {
 public:
  /// `bins` has `count` entries of `width` ns each.
  BinFiller(Bin* bins, std::size_t count, Nanoseconds begin, Nanoseconds width);
  /// Stretches of one row must come in order of time.
  void add(Category category, Nanoseconds from, Nanoseconds until);
  void finish() { close(); }

 private:
  void close();
  Bin* bins_;
  std::size_t count_, now_ = 0;
  Nanoseconds begin_, width_;
  std::array<Nanoseconds, categories> time_{};
};

/// One of several bins side by side, or of several rows. Empty bins do not count.
class BinMean {
 public:
  void add(Bin bin) {
    if (bin.category == static_cast<std::uint8_t>(Category::nothing)) return;
    ++bins_;
    share_[bin.category] += bin.share;
  }
  Bin mean() const;

 private:
  std::uint32_t bins_ = 0;
  std::array<std::uint64_t, categories> share_{};
};

class BinLevels {
 public:
  /// Nothing yet. `rows` locations over [0, duration) with so many events, which decide how fine it is worth to be.
  BinLevels(std::size_t rows, Nanoseconds duration, std::uint64_t events);
  BinFiller filler(std::size_t row);
  /// All rows are filled: makes the coarser levels.
  void finish();
  /// The finest level; with it, finish() makes the rest again.
  void keep(KeptBytes& bytes);

  /// Length of the finest bins.
  Nanoseconds finest() const { return width_; }
  /// Columns of [from, until), for rows one by one. Precondition: finish() was called; columns > 0.
  std::vector<Bin> picture(const std::vector<std::vector<std::uint32_t>>& groups, Nanoseconds from, Nanoseconds until,
                           std::size_t columns) const;

 private:
  std::size_t rows_, bins_;
  Nanoseconds width_;
  std::vector<std::vector<Bin>> levels_;  ///< by row, then bin; level k has bins_ >> k
};

}  // namespace mora::serve
