/// Any .cubex file as tables: what `mora cube info|dump|stat` print. Pure functions.
#pragma once

#include <string>

#include "base/error.h"
#include "cube/cubex.h"

namespace mora::report {

enum class TableFormat : std::uint8_t { text, json, csv };

/// What a table shows; `top` 0 = all rows.
struct CubeTableOptions {
  TableFormat format = TableFormat::text;
  std::string metric;         ///< id or unique name; empty = all
  bool per_location = false;  ///< a row for each location instead of their sum
  unsigned top = 0;           ///< rows per metric, largest first; 0 = all (dump: in order of the call tree)
};

/// Metrics, call paths, locations, attributes, and what could not be read. Never an error.
Result<std::string> cube_info(const cube::CubexFile& file, const CubeTableOptions& options);

/// One row per metric, call path (and location) with a value: own, and with the call path's descendants.
/// Error (usage): no such metric; `help` names similar ones.
Result<std::string> cube_dump(const cube::CubexFile& file, const CubeTableOptions& options);

/// One row per metric and region (call paths of one name added up; MPI calls by function): sum over locations, mean,
/// least and most of a location; with per_location a row for each location. Error: as of cube_dump().
Result<std::string> cube_stat(const cube::CubexFile& file, const CubeTableOptions& options);

}  // namespace mora::report
