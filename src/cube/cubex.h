/// CUBE4 result files (.cubex): a tar of anchor.xml and, for each metric, <id>.index and <id>.data.
/// The bytes are described in docs/formats/cubex.md, with sources. Reads what CubeLib 4, CubeW 4 and we write.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/data_quality.h"
#include "base/error.h"
#include "cube/cube.h"

namespace mora::cube {

/// A result as it was read, with the data-quality rows of what a cell cannot hold.
struct CubexFile {
  Cube cube;
  /// What could not be represented: kinds "cubex-derived-metric", "cubex-unsupported-type", "cubex-rounded-value",
  /// "cubex-not-a-number", "cubex-large-value", "cubex-tar-checksum".
  DataQuality quality;
};

/// Writes beside `path` and renames. Seconds are doubles, correctly rounded; counts and bytes UINT64 (INT64 if a cell
/// is negative). Errors: system (cannot write).
Result<void> write_cubex(const Cube& cube, const std::string& path);

/// The same bytes in memory, for small cubes and tests.
Result<std::string> cubex_bytes(const Cube& cube);

/// Reads any .cubex file. Inclusive metrics are made exclusive along the call tree. Metrics written by us come back
/// with their ids and to the nanosecond (cells up to 2^52 ns, 52 days); others' metrics get their unique name as id.
/// Errors: unreadable, with the member and the reason.
Result<CubexFile> read_cubex(const std::string& path);

/// The same from bytes in memory.
Result<CubexFile> read_cubex_bytes(std::span<const std::byte> bytes);

}  // namespace mora::cube
