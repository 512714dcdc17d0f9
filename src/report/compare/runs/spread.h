/// A figure over the runs of one configuration, and when the difference of two configurations is more than chance (rule
/// comparison; that runs differ from one to the next must be considered: DVM analyser, conclusion).
///
/// Criterion: the ranges (least … most) of both configurations are known if one of them has two runs or more; a
/// difference of means is insignificant if the ranges overlap or it is not larger than the wider range. With one run
/// each the spread is unknown, and so is significance. Amounts are integers, also of sums; a mean is rounded to the
/// nearest whole number.
#pragma once

#include <cstdint>
#include <optional>

namespace mora::compare {

enum class FigureUnit : std::uint8_t { seconds, occurrences, bytes, ratio };

/// Amount for all units (ns, count, bytes) but ratio.
struct Value {
  std::int64_t amount = 0;
  double ratio = 0;
  bool operator==(const Value&) const = default;
};

/// Held at the limits of int64: results may come from damaged files.
std::int64_t held_sum(std::int64_t a, std::int64_t b);

/// Sum, minimum and maximum of a figure over runs; means are computed when asked for.
struct Spread {
  FigureUnit unit = FigureUnit::seconds;
  std::uint32_t runs = 0;     ///< of the configuration
  std::uint32_t present = 0;  ///< runs that have the place and know the figure
  Value sum, least, most;     ///< a run without the place counts as an amount of zero; ratios only of those present

  void add(Value value);  ///< of one run
  void add_absent();      ///< one run without the place
  /// Sum / runs (amounts), sum / present (ratios).
  Value mean() const;
  /// most - least.
  Value range() const;
  /// For arithmetic at the end; amounts in ns.
  double number() const;

 private:
  void extend(Value value, bool first);
};

enum class Significance : std::uint8_t { equal, unknown, insignificant, significant };
/// "equal", "unknown", "insignificant", "significant".
const char* to_string(Significance significance);

/// Difference of two configurations, and whether it is more than chance.
struct Change {
  Value difference;             ///< b - a
  std::optional<double> ratio;  ///< b / a; nullopt: a is zero
  Significance significance = Significance::equal;
};

/// Of means. nullopt: a ratio that one of them does not know.
std::optional<Change> change_between(const Spread& a, const Spread& b);

}  // namespace mora::compare
