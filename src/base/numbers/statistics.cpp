/// P²: five markers follow the minimum, the quartiles and the maximum. Each has a height (an estimate of the quantile)
/// and a position (how many values are not above it). A new value shifts the positions of the markers above it; a
/// marker that has come a whole place away from where it should be moves by one, and its height with it: along the
/// parabola through it and its neighbours, or, where that would leave the neighbours, along the straight line to one of
/// them.
///
/// Variance: squares_ grows by d² (n-1)/n, d = distance from the mean of the values before (Welford; Youngs and
/// Cramer). The mean is sum/count, so that count, sum and squares_ are the whole state. Unlike the difference of two
/// big sums this does not cancel for times around 2025.4 s that are microseconds apart.
///
/// Source: Jain 1985.
/// Cost: constant time and memory for each value.
/// Limits: quartiles are estimates from the sixth value on; they depend on the order of the values.
#include "base/numbers/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace mora {
namespace {

constexpr std::size_t markers = 5;
constexpr double largest_count = 9007199254740992.0;  // 2^53: every count below is a double

Result<double> too_few(const char* name, int needed, std::int64_t count) {
  return fail(ErrorKind::usage, fmt::format("the {} needs at least {} value{}", name, needed, needed == 1 ? "" : "s"),
              "", fmt::format("the statistics hold {}", count), "add more values, or ask count first");
}

bool whole(double number) { return number >= 0 && number < largest_count && number == std::floor(number); }

/// How many values of one side are below x (left) and not above x (right): a step at the minimum, lines between
/// markers.
struct Rank {
  double left = 0;
  double right = 0;
};

Rank rank_at(const Statistics::State& s, double x) {
  const double* height = s.data();
  const double* position = s.data() + markers;
  if (x < height[0]) return {0, 0};
  if (x > height[4]) return {position[4], position[4]};
  Rank rank;
  std::size_t first = 0;
  while (height[first] < x) ++first;  // the first marker not below x
  std::size_t last = first;
  while (last + 1 < markers && height[last + 1] == x) ++last;
  if (height[first] == x) return {first == 0 ? 0 : position[first], position[last]};
  const double share = (x - height[first - 1]) / (height[first] - height[first - 1]);
  rank.left = rank.right = position[first - 1] + share * (position[first] - position[first - 1]);
  return rank;
}

}  // namespace

Result<Statistics> Statistics::from_state(const State& state) {
  const auto refuse = [](const std::string& why) {
    return fail(ErrorKind::usage, "these thirteen values are not the state of a statistics object", "", why,
                "give the values of state() or print() in their order");
  };
  for (std::size_t i = 0; i < state.size(); ++i) {
    // Sum and squares of huge values may have overflowed.
    if (std::isnan(state[i]) || (i < 11 && !std::isfinite(state[i])))
      return refuse("a value is infinite or not a number");
  }
  if (!whole(state[10])) return refuse(fmt::format("the count (11th value) is {}", state[10]));
  Statistics made;
  made.count_ = static_cast<std::int64_t>(state[10]);
  made.sum_ = state[11];
  made.squares_ = state[12];
  const std::size_t used = std::min<std::size_t>(markers, static_cast<std::size_t>(made.count_));
  for (std::size_t i = 0; i < markers; ++i) {
    if (!whole(state[markers + i])) return refuse("a position (6th to 10th value) is not a whole number");
    made.height_[i] = state[i];
    made.position_[i] = static_cast<std::int64_t>(state[markers + i]);
    if (i >= used) {
      if (state[i] != 0 || state[markers + i] != 0) return refuse("there are more heights than values");
    } else if (i > 0 && (made.height_[i] < made.height_[i - 1] || made.position_[i] <= made.position_[i - 1])) {
      return refuse("heights and positions (1st to 10th value) must ascend");
    }
  }
  if (used > 0 && (made.position_[0] != 1 || made.position_[used - 1] != made.count_))
    return refuse("the positions must reach from 1 to the count");
  if (made.squares_ < 0 || (made.count_ < 2 && made.squares_ != 0) || (made.count_ == 0 && made.sum_ != 0))
    return refuse("sum and squares (12th and 13th value) do not fit the count");
  return made;
}

Statistics::State Statistics::state() const {
  State state{};
  for (std::size_t i = 0; i < markers; ++i) {
    state[i] = height_[i];
    state[markers + i] = static_cast<double>(position_[i]);
  }
  state[10] = static_cast<double>(count_);
  state[11] = sum_;
  state[12] = squares_;
  return state;
}

Result<void> Statistics::add(double value) {
  if (!std::isfinite(value))
    return fail(ErrorKind::usage, "only finite numbers can be added to statistics", "",
                fmt::format("the value is {}", value), "leave such values out");
  if (count_ > 0) {
    const double before = static_cast<double>(count_);
    const double distance = value - sum_ / before;
    squares_ += distance * distance * (before / (before + 1));
  }
  sum_ += value;
  mark(value);
  return {};
}

void Statistics::mark(double value) {
  ++count_;
  if (count_ > static_cast<std::int64_t>(markers)) return move_markers(value);
  const auto end = height_.begin() + (count_ - 1);
  const auto place = std::upper_bound(height_.begin(), end, value);
  std::move_backward(place, end, end + 1);
  *place = value;
  position_[static_cast<std::size_t>(count_) - 1] = count_;
}

void Statistics::move_markers(double value) {
  auto& q = height_;
  auto& n = position_;
  std::size_t cell = 3;  // the value lies between markers cell and cell + 1
  if (value < q[0]) {
    q[0] = value;
    cell = 0;
  } else if (value > q[4]) {
    q[4] = value;
  } else {
    while (cell > 0 && value < q[cell]) --cell;
  }
  for (std::size_t i = cell + 1; i < markers; ++i) ++n[i];
  for (std::size_t i = 1; i <= 3; ++i) {
    const double desired = 1 + static_cast<double>((count_ - 1) * static_cast<std::int64_t>(i)) / 4;
    const double off = desired - static_cast<double>(n[i]);
    const std::int64_t above = n[i + 1] - n[i];
    const std::int64_t below = n[i - 1] - n[i];
    if (!(off >= 1 && above > 1) && !(off <= -1 && below < -1)) continue;
    const std::int64_t step = off > 0 ? 1 : -1;
    const double s = static_cast<double>(step);
    const double up = static_cast<double>(above);
    const double down = static_cast<double>(-below);
    const double parabola =
        q[i] + s / (up + down) * ((down + s) * (q[i + 1] - q[i]) / up + (up - s) * (q[i] - q[i - 1]) / down);
    if (q[i - 1] < parabola && parabola < q[i + 1]) {
      q[i] = parabola;
    } else {
      const std::size_t to = step > 0 ? i + 1 : i - 1;
      const double places = static_cast<double>(n[to] - n[i]);
      const double line = q[i] + s * (q[to] - q[i]) / places;
      q[i] = std::isfinite(line) ? line : q[i] + s * (q[to] / places - q[i] / places);  // heights near 10^308
    }
    n[i] += step;
  }
}

void Statistics::merge(const Statistics& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = Statistics(other);
    return;
  }
  const double mine = static_cast<double>(count_);
  const double theirs = static_cast<double>(other.count_);
  const double distance = other.sum_ / theirs - sum_ / mine;
  const double sum = sum_ + other.sum_;
  const double squares = squares_ + other.squares_ + distance * distance * (mine * theirs / (mine + theirs));
  const std::int64_t few = static_cast<std::int64_t>(markers);
  if (count_ >= few && other.count_ >= few) {
    merge_markers(other);
  } else {
    const bool swap = std::tie(count_, height_) < std::tie(other.count_, other.height_);
    const Statistics small = swap ? *this : other;
    if (swap) *this = Statistics(other);
    for (std::int64_t i = 0; i < small.count_; ++i) mark(small.height_[static_cast<std::size_t>(i)]);
  }
  sum_ = sum;
  squares_ = squares;
}

void Statistics::merge_markers(const Statistics& other) {
  const State a = state();
  const State b = other.state();
  std::vector<double> places(a.begin(), a.begin() + markers);
  places.insert(places.end(), b.begin(), b.begin() + markers);
  std::sort(places.begin(), places.end());
  count_ += other.count_;
  for (std::size_t i = 0; i < markers; ++i) {
    position_[i] = 1 + ((count_ - 1) * static_cast<std::int64_t>(i) + 2) / 4;  // nearest to where it should be
    const double wanted = static_cast<double>(position_[i]);
    double last_place = places.front();
    double last_rank = 0;
    height_[i] = places.back();
    for (const double place : places) {
      const Rank x = rank_at(a, place);
      const Rank y = rank_at(b, place);
      const double left = x.left + y.left;
      const double right = x.right + y.right;
      if (right >= wanted) {
        height_[i] =
            left <= wanted ? place : last_place + (place - last_place) * (wanted - last_rank) / (left - last_rank);
        break;
      }
      last_place = place;
      last_rank = right;
    }
  }
  height_[0] = places.front();
  height_[4] = places.back();
  for (std::size_t i = 1; i < markers; ++i) height_[i] = std::clamp(height_[i], height_[i - 1], height_[4]);
}

Result<double> Statistics::sum() const { return count_ < 1 ? too_few("sum", 1, count_) : Result<double>(sum_); }

Result<double> Statistics::minimum() const {
  return count_ < 1 ? too_few("minimum", 1, count_) : Result<double>(height_[0]);
}

Result<double> Statistics::mean() const {
  return count_ < 1 ? too_few("mean", 1, count_) : Result<double>(sum_ / static_cast<double>(count_));
}

Result<double> Statistics::maximum() const {
  if (count_ < 1) return too_few("maximum", 1, count_);
  return height_[std::min<std::size_t>(markers, static_cast<std::size_t>(count_)) - 1];
}

Result<double> Statistics::variance() const {
  if (count_ < 2) return too_few("variance", 2, count_);
  return squares_ / static_cast<double>(count_ - 1);
}

Result<double> Statistics::quartile(std::size_t marker, const char* name) const {
  if (count_ < static_cast<std::int64_t>(markers)) return too_few(name, 5, count_);
  return height_[marker];
}

Result<double> Statistics::lower_quartile() const { return quartile(1, "0.25 quantile"); }
Result<double> Statistics::median() const { return quartile(2, "median"); }
Result<double> Statistics::upper_quartile() const { return quartile(3, "0.75 quantile"); }

}  // namespace mora
