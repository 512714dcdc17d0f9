/// Seconds in the interval report: fixed point, never rounded.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/efficiency/interval_table.h"
#include "base/time.h"

namespace mora::report {

/// Six decimals, as in the DVM analyser's reports, while every amount is a whole number of microseconds; nine as soon
/// as one is not. with_enough_digits() renders a second time then: all figures of a report have the same unit, and
/// columns align.
class SecondsFormat {
 public:
  enum class Unit : std::uint8_t { microseconds, nanoseconds };
  explicit SecondsFormat(Unit unit) : unit_(unit) {}

  /// An amount: must not lose a digit.
  std::string operator()(Nanoseconds amount) {
    if (unit_ == Unit::microseconds && amount % 1000 != 0) lost_digits_ = true;
    return truncated(amount);
  }

  /// Of a characteristic: an amount as above, or a number where it counts something.
  std::string amount(analysis::Characteristic characteristic, std::int64_t amount) {
    return analysis::info_of(characteristic).is_count ? std::to_string(amount) : (*this)(amount);
  }

  /// A mean: truncated towards zero in the unit of the report, as the DVM analyser's sample report does.
  std::string truncated(Nanoseconds amount) const;

  bool lost_digits() const { return lost_digits_; }

 private:
  Unit unit_;
  bool lost_digits_ = false;
};

/// What `render` makes with a format: with microseconds, and again with nanoseconds if digits were lost.
template <class Render>
auto with_enough_digits(const Render& render) {
  SecondsFormat microseconds(SecondsFormat::Unit::microseconds), nanoseconds(SecondsFormat::Unit::nanoseconds);
  auto rendered = render(microseconds);
  return microseconds.lost_digits() ? render(nanoseconds) : rendered;
}

/// `part` / `whole` with six decimals, rounded to nearest (0.666667 of 2 / 3), but 1.000000 and 0.000000 only if it is
/// that. Without length (whole = 0) nothing is lost: 1.
std::string ratio_text(Nanoseconds part, Nanoseconds whole);

}  // namespace mora::report
