#include "trace/readers/vampir/tick_clock.h"

#include <cmath>

namespace mora::trace::vampir {

// A period such as 1e-06 is no exact double. The number meant is taken to be a whole number of nanoseconds, or the
// reciprocal of a whole frequency, if that gives the very same double; then the arithmetic is exact.
std::optional<TickClock> TickClock::make(double seconds) {
  if (!(seconds >= 1e-12 && seconds <= 1e6)) return {};
  TickClock clock;
  const double nanoseconds = std::round(seconds * 1e9);
  const double frequency = std::round(1.0 / seconds);
  if (nanoseconds >= 1 && nanoseconds / 1e9 == seconds) {
    clock.numerator_ = static_cast<std::int64_t>(nanoseconds);
  } else if (frequency >= 1 && 1.0 / frequency == seconds) {
    clock.numerator_ = 1000000000;
    clock.denominator_ = static_cast<std::int64_t>(frequency);
  } else {
    clock.period_ = static_cast<long double>(seconds) * 1e9L;
  }
  return clock;
}

std::optional<Nanoseconds> TickClock::time(double ticks) const {
  constexpr double limit = 1152921504606846976.0;  // 2^60
  const long double per_tick =
      period_ != 0 ? period_ : static_cast<long double>(numerator_) / static_cast<long double>(denominator_);
  const long double about = static_cast<long double>(ticks) * per_tick;
  if (!(std::fabs(ticks) <= limit) || !(std::fabs(about) <= static_cast<long double>(limit))) return {};
  if (period_ != 0) return static_cast<Nanoseconds>(std::llround(about));
  const double whole = std::trunc(ticks);
  const __int128 product = static_cast<__int128>(static_cast<std::int64_t>(whole)) * numerator_;
  __int128 floor = product / denominator_;
  if (floor * denominator_ > product) --floor;
  const auto rest = static_cast<long double>(product - floor * denominator_) / static_cast<long double>(denominator_);
  // Ticks are whole numbers as a rule; a fraction is less than one tick and needs no exact product.
  return static_cast<Nanoseconds>(floor) +
         static_cast<Nanoseconds>(std::llround(rest + static_cast<long double>(ticks - whole) * per_tick));
}

}  // namespace mora::trace::vampir
