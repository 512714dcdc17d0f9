/// What a reader of a foreign format found wrong in a file: counted by kind, with the first place of each, then written
/// to the data-quality table at once. Also how many processes a reader accepts from a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/data_quality.h"

namespace mora::trace {

class ReadingDamage {
 public:
  struct Kind {
    const char* kind;  ///< docs/user/data-quality.md
    Severity severity;
    const char* what;
    const char* remedy;
  };

  /// `kind` must outlive this (a constant); `place`: "line 17", "byte 1040". Only the first place is kept.
  void add(const Kind& kind, const char* unit, std::uint64_t place) {
    auto [at, first] = rows_.try_emplace(&kind);
    if (first) at->second.place = " (first: " + std::string(unit) + " " + std::to_string(place) + ")";
    ++at->second.count;
  }
  /// What is wrong with the file as a whole.
  void add(const Kind& kind) { ++rows_[&kind].count; }

  /// Adds one row per kind to the table. Call once, after reading.
  void report(DataQuality& quality) const {
    for (const auto& [kind, row] : rows_)
      quality.add(kind->kind, kind->severity, "", row.count, kind->what + row.place, kind->remedy);
  }

 private:
  struct Row {
    std::uint64_t count = 0;
    std::string place;
  };
  std::map<const Kind*, Row> rows_;
};

/// Process numbers from this on count as damage (rule `believable-process-numbers`): a process costs memory, and a
/// trace of so many processes would be a larger file.
inline std::uint64_t believable_processes(std::uint64_t file_bytes) {
  return std::min<std::uint64_t>(4096 + file_bytes / 8, std::uint64_t{1} << 20);
}

namespace damage {

inline constexpr ReadingDamage::Kind record = {"damaged-record", Severity::loss,
                                               "records cannot be read and are left out",
                                               "the file is damaged or cut: copy it again"};
inline constexpr ReadingDamage::Kind uninterpreted = {"uninterpreted-event", Severity::info,
                                                      "records of kinds that Mora does not interpret", ""};
inline constexpr ReadingDamage::Kind partner = {"unknown-partner", Severity::loss,
                                                "messages to or from processes that do not exist are left out",
                                                "the file is damaged: copy it again"};
inline constexpr ReadingDamage::Kind process = {
    "undefined-process", Severity::warning,
    "records of processes beyond the number that the header gives; they are kept",
    "the header of the file is wrong: check the program that wrote it"};
inline constexpr ReadingDamage::Kind impossible_process = {"impossible-process", Severity::loss,
                                                           "records with impossible process numbers are left out",
                                                           "the file is damaged: copy it again"};
inline constexpr ReadingDamage::Kind truncated = {"truncated-trace", Severity::warning, "the file ends inside a record",
                                                  "the file is cut: copy or record it again"};

}  // namespace damage
}  // namespace mora::trace
