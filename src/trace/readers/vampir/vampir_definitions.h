/// What the definition records of a VAMPIR trace say, wherever they stand in the file (rule `definitions-anywhere`).
///
/// Source: Wolf 1998, appendix B.1; the record layouts: vampir_record.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/readers/building/reading_damage.h"
#include "trace/readers/vampir/tick_clock.h"
#include "trace/readers/vampir/vampir_record.h"

namespace mora::trace::vampir {

/// Activity token and number: the identity of a region (two regions of one name in one activity are legal).
using SymbolKey = std::pair<std::int32_t, std::int32_t>;

struct Symbol {
  std::string name;
  std::string file;  ///< of its definition; empty = unknown
  std::uint32_t line = 0;
};

struct VampirDefinitions {
  std::map<std::int32_t, std::string> activities;                    ///< DEFTOKEN
  std::map<SymbolKey, Symbol> symbols;                               ///< DEFSYMBOL
  std::vector<SymbolKey> symbol_order;                               ///< as they stand in the file
  std::map<std::int32_t, std::string> cpu_names;                     ///< DEFCPUSYMBOL
  std::map<std::int32_t, std::string> files;                         ///< FILETOKEN
  std::map<std::int32_t, std::vector<std::uint32_t>> communicators;  ///< COMDEF: CPU numbers in rank order
  std::uint64_t cpus = 0;                                            ///< NCPUS; 0 = not said
  std::uint64_t highest = 0;                                         ///< largest CPU number of an event, plus one
  std::optional<TickClock> clock;                                    ///< CLKPERIOD, if its value can be
  bool clock_defined = false;                                        ///< there is a CLKPERIOD
  Nanoseconds time_offset = 0;                                       ///< TIMEOFFSET
};

/// Reads all records once. `limit`: larger CPU numbers count as damage (reading_damage.h, believable_processes()).
/// O(file); memory: the definitions. Damage is added to `damage` with the byte of its first place.
VampirDefinitions gather_definitions(std::string_view file, std::uint64_t limit, ReadingDamage& damage);

}  // namespace mora::trace::vampir
