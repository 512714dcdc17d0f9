/// The data-quality table: damage and loss are normal input, counted here by every stage, stored with
/// the results and shown beside them. Nothing is dropped without a row.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace mora {

/// How much a row means for the results.
enum class Severity {
  info,     ///< worth knowing, numbers are right
  warning,  ///< some numbers may be off
  loss,     ///< data are missing
};

/// One row: all occurrences of one kind in one place.
struct QualityRow {
  std::string kind;  ///< kebab-case id, e.g. "unmatched-receive" (docs/user/data-quality.md lists them)
  Severity severity = Severity::warning;
  std::string where;  ///< e.g. "rank 3", "communicator 2"; may be empty
  std::uint64_t count = 0;
  std::string what;    ///< sentence for people
  std::string remedy;  ///< what the user can do
};

/// Rows are kept sorted by (kind, where); equal keys add their counts. Thread-safe.
class DataQuality {
 public:
  /// Adds a row, or its count to the row of the same kind and place. A row with count 0 is ignored. Of equal keys with
  /// different texts the alphabetically first is kept, so that the order of threads does not matter. O(rows).
  void add(QualityRow row);
  void add(std::string kind, Severity severity, std::string where, std::uint64_t count, std::string what,
           std::string remedy);
  /// Adds rows of one place: at("rank 3")(kind, severity, count, what, remedy). It refers to this table.
  auto at(std::string where) {
    return [this, where = std::move(where)](const char* kind, Severity severity, std::uint64_t count, std::string what,
                                            const char* remedy) {
      if (count != 0) add(kind, severity, where, count, std::move(what), remedy);
    };
  }
  /// Adds all rows of another table.
  void merge(const DataQuality& other);
  /// What was added since the table was as `earlier`: rows with the counts that are new.
  DataQuality since(const DataQuality& earlier) const;
  /// A copy of the table.
  std::vector<QualityRow> rows() const;
  bool empty() const;

  DataQuality() = default;
  DataQuality(const DataQuality& other);
  DataQuality& operator=(const DataQuality& other);

 private:
  mutable std::mutex mutex_;
  std::vector<QualityRow> rows_;
};

/// What a headline has to say where rows of severity loss touch its figures: "8000 x MPI calls of other threads … are
/// not recorded (rank 0 and 1 more)", of several kinds the first in words; empty if no data are missing.
std::string missing_data(const std::vector<QualityRow>& rows);

/// "info", "warning", "loss".
const char* to_string(Severity severity);

}  // namespace mora
