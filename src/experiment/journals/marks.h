/// Marks of the program (include/mora/mora.h) in the journals, and the regions they become.
///
/// A marked region is identified by kind, name, file and line of the begin, and the number of processes that do the
/// same in it. The ends have definitions of their own; an end belongs to the innermost open begin of the same kind,
/// number and name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/definitions.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// As in the journal: enum mora_mark_kind.
enum class MarkKind : std::uint32_t { interval = 1, sequential = 2, replicated = 3, region = 4 };

struct Mark {
  MarkKind kind = MarkKind::interval;
  std::uint32_t line = 0;
  std::string file, name;
  std::string place() const;  ///< "solve.c:12"
};

/// The marks of one process.
class MarkTable {
 public:
  /// Takes the record if it is about marks; false for all others.
  bool take(const journal::Record& record);
  /// Null for a mark that was not defined (damaged journal).
  const Mark* find(std::uint32_t number) const;
  /// no_id for marks that are unknown.
  std::uint32_t region(std::uint32_t number, std::int32_t argument) const;

 private:
  friend void number_marks(const std::vector<MarkTable*>& tables, std::vector<archive::Region>& regions);
  /// How many processes do the same: 1 = distributed, no_id = all.
  std::uint32_t replication(const Mark& mark, std::int32_t argument) const;

  std::unordered_map<std::uint32_t, Mark> marks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> regions_;  ///< (number, replication) of begins
};

/// Appends the regions of all processes, in an order that does not depend on which process had them first.
void number_marks(const std::vector<MarkTable*>& tables, std::vector<archive::Region>& regions);

}  // namespace mora::experiment
