/// Numbers of a .cubex data file: type names, sizes, byte order, exact conversion from and to integer cells.
/// Pure functions; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cube/cube.h"

namespace mora::cube {

enum class NumberKind : std::uint8_t { floating, signed_integer, unsigned_integer };

/// How the numbers of a data file are stored.
struct NumberType {
  NumberKind kind;
  std::size_t size;  ///< bytes
  Fold fold = Fold::sum;
};

/// "DOUBLE", "UINT64", "INTEGER" …; nothing for what is not one number (TAU_ATOMIC, HISTOGRAM …).
std::optional<NumberType> number_type(std::string_view name);

/// Nearest double to nanoseconds / 10^9 (IEEE round to even), for every int64.
double seconds_as_double(std::int64_t nanoseconds);

/// What stands for no value in a file: 0, the largest double, the smallest.
double no_value(Fold fold);

enum class Conversion : std::uint8_t {
  exact,         ///< seconds: nearest nanosecond, at most 1 ns / 1024 away (written from whole nanoseconds)
  rounded,       ///< a fraction was lost
  too_large,     ///< clamped to the limits of int64
  not_a_number,  ///< NaN; the cell is 0
};

/// A number of a data file as an integer cell, and what was lost by that.
struct ConvertedCell {
  std::int64_t value;
  Conversion how;
};

/// One number of `type` at `bytes`, as a cell of `unit`.
ConvertedCell cell_from_bytes(const std::byte* bytes, NumberType type, bool swap_bytes, Unit unit);

}  // namespace mora::cube
