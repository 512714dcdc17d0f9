/// When waiting happened: of each wait state the waiting of all locations, in equal parts of the run.
///
/// Idea. The end of the run is not known while waits are found, so parts begin with 1 ns and double, two becoming one,
/// whenever a wait lies behind the last: their length is the smallest power of two with which `most_parts` hold all
/// waits, whatever their order. A wait adds its two ends, and to a list of differences for the parts that it
/// fills: O(1). Sums are exact. Source: Mora's rule waiting-over-time. Memory: 64 KiB per wait state. One thread
/// fills it; const members from any thread, once finish() was called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cube/cube.h"

namespace mora::cube {

class WaitingOverTime {
 public:
  static constexpr std::size_t most_parts = 4096;
  struct Row {
    MetricId metric = 0;
    std::vector<Nanoseconds> parts;  ///< the first ones; the others are 0
  };

  /// One location waits in [from, from + amount). What lies before the start of the run counts to the first part.
  void add(MetricId metric, Nanoseconds from, Nanoseconds amount);
  /// Ends adding.
  void finish();
  /// Adds another one. Precondition, as for all below: finish() was called.
  void merge(const WaitingOverTime& other);

  /// Length of a part.
  Nanoseconds length() const { return length_; }
  /// By metric; those without waiting have none.
  const std::vector<Row>& rows() const { return rows_; }
  /// Only these metrics stay.
  void keep(const std::vector<MetricId>& metrics);

  /// A file's text, of what was found together with these findings (the text of findings.json).
  std::string file_text(std::string_view findings) const;
  /// Errors (unreadable): no such file's text, damaged, of another version; of other findings.
  static Result<WaitingOverTime> read(std::string_view text, const std::string& path, std::string_view findings);

  /// The rows as bytes; of an empty one, rows from bytes, false: they are damaged.
  std::string packed() const;
  bool unpack(Nanoseconds length, std::uint64_t rows, std::string_view bytes);

 private:
  struct Filling {
    std::vector<Nanoseconds> parts;
    std::vector<std::int64_t> filled;  ///< differences: how many waits fill a part, less those that fill the one before
  };
  static void settle(Filling& filling, Nanoseconds length);
  void grow(Nanoseconds until);

  Nanoseconds length_ = 1;
  std::vector<Filling> fillings_;  ///< by metric, until finish()
  std::vector<Row> rows_;
};

}  // namespace mora::cube
