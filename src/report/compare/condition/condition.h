/// The language of `--fail-if` (docs/formats/compare.md): "efficiency < 0.8 or delta(lost_time @ solve.c:20) > 5%".
///
///   condition   = conjunction { "or" conjunction }
///   conjunction = factor { "and" factor }
///   factor      = "not" factor | "(" condition ")" | value ("<" | "<=" | ">" | ">=" | "==" | "!=") number
///   value       = term | "delta" "(" term ")" | "ratio" "(" term ")"
///   term        = NAME [ "@" interval ]            NAME: letters, digits, "_", "-", ":"
///   interval    = '"' any '"' | word without blanks, parentheses and comparison signs
///   number      = ["+" | "-"] digits ["." digits] [unit]      unit: % ns us ms s min h kB MB GB KiB MiB GiB
///
/// At most 4096 characters and 100 levels of "not" and parentheses. Pure functions; safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/compare/comparison/comparison.h"

namespace mora::compare {

enum class Comparator : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };
enum class Against : std::uint8_t { last, delta, ratio };
enum class NumberUnit : std::uint8_t { plain, percent, seconds, bytes };

/// A node of the condition: a test, or a combination of conditions.
struct Condition {
  enum class Kind : std::uint8_t { either, both, negation, test };
  Kind kind = Kind::test;
  std::vector<Condition> parts;  ///< of either, both, negation
  // A test:
  Against against = Against::last;
  std::string name, interval;  ///< interval empty: the program
  Comparator comparator = Comparator::less;
  long double number = 0;  ///< ns, bytes, or as written; percent divided by 100
  NumberUnit unit = NumberUnit::plain;
  std::size_t place = 0;  ///< of the name in the text
  std::string text;       ///< the test as it was written
};

/// Errors: usage, with the place and what was expected there.
Result<Condition> parse_condition(const std::string& text);

/// Whether a condition holds, and why.
struct Verdict {
  bool holds = false;
  /// For tests that decided it: "efficiency = 0.75 < 0.8", "delta(lost_time) = 0.2 s: inside the run-to-run spread …".
  std::vector<std::string> reasons;
};

/// A bare name is the mean of the last configuration's runs; delta and ratio are the last against the first, of means;
/// a difference that is insignificant (spread.h) counts as none. Errors: usage: an unknown name (with the nearest known
/// one), an interval that is not there, delta of a single configuration, units that do not fit, a figure that this run
/// does not know.
Result<Verdict> evaluate(const Condition& condition, const Comparison& comparison);

}  // namespace mora::compare
