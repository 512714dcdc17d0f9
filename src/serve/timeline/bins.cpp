#include "serve/timeline/bins.h"

#include <algorithm>

namespace mora::serve {
namespace {

constexpr std::size_t bins_in_all = std::size_t{1} << 25;  ///< of the finest level
constexpr std::size_t most_bins = std::size_t{1} << 16, least_bins = std::size_t{1} << 9;
constexpr std::size_t bins_per_event = 8;

/// Largest power of two that keeps the finest level within its size.
std::size_t bins_of_row(std::size_t rows, std::uint64_t events) {
  const std::size_t all = std::min<std::size_t>(bins_in_all, bins_per_event * events);
  std::size_t bins = most_bins;
  while (bins > least_bins && bins * rows > all) bins /= 2;
  return bins;
}

Nanoseconds divided_up(Nanoseconds length, std::size_t parts) {
  const auto n = static_cast<Nanoseconds>(parts);
  return std::max<Nanoseconds>(1, length / n + (length % n != 0 ? 1 : 0));
}

}  // namespace

BinFiller::BinFiller(Bin* bins, std::size_t count, Nanoseconds begin, Nanoseconds width)
    : bins_(bins), count_(count), begin_(begin), width_(width) {
  std::fill(bins_, bins_ + count_, Bin{static_cast<std::uint8_t>(Category::nothing), 0});
}

void BinFiller::close() {
  Nanoseconds all = 0, most = 0;
  std::size_t largest = static_cast<std::size_t>(Category::user);
  for (std::size_t c = 0; c < categories; ++c) {
    all += time_[c];
    if (c != static_cast<std::size_t>(Category::user) && time_[c] > most) most = time_[c], largest = c;
  }
  if (all > 0) {
    const Nanoseconds busy = all - time_[static_cast<std::size_t>(Category::user)];
    constexpr Nanoseconds fits = INT64_MAX / 256;
    const auto share = static_cast<std::uint8_t>(
        all < fits ? (busy * 255 + all - 1) / all
                   : static_cast<std::int64_t>((static_cast<__int128>(busy) * 255 + all - 1) / all));
    bins_[now_] = {static_cast<std::uint8_t>(largest), share};
  }
  time_.fill(0);
}

void BinFiller::add(Category category, Nanoseconds from, Nanoseconds until) {
  from = std::max(from, begin_);
  until = std::min(until, begin_ + static_cast<Nanoseconds>(count_) * width_);
  if (from >= until) return;
  const auto bin_begin = [&](std::size_t bin) { return begin_ + static_cast<Nanoseconds>(bin) * width_; };
  if (from >= bin_begin(now_) && until <= bin_begin(now_ + 1)) {  // without a division
    time_[static_cast<std::size_t>(category)] += until - from;
    return;
  }
  const auto first = static_cast<std::size_t>((from - begin_) / width_);
  const auto last = static_cast<std::size_t>((until - 1 - begin_) / width_);
  if (first != now_) {
    close();
    now_ = first;
  }
  Nanoseconds& time = time_[static_cast<std::size_t>(category)];
  if (first == last) {
    time += until - from;
    return;
  }
  time += bin_begin(first + 1) - from;
  close();
  const bool is_user = category == Category::user;
  std::fill(bins_ + first + 1, bins_ + last,
            Bin{static_cast<std::uint8_t>(category), static_cast<std::uint8_t>(is_user ? 0 : 255)});
  now_ = last;
  time += until - bin_begin(last);
}

Bin BinMean::mean() const {
  if (bins_ == 0) return {static_cast<std::uint8_t>(Category::nothing), 0};
  std::uint64_t all = 0, most = 0;
  std::size_t largest = static_cast<std::size_t>(Category::user);
  for (std::size_t c = 0; c < categories; ++c) {
    all += share_[c];
    if (share_[c] > most) most = share_[c], largest = c;
  }
  return {static_cast<std::uint8_t>(largest), static_cast<std::uint8_t>((all + bins_ - 1) / bins_)};
}

BinLevels::BinLevels(std::size_t rows, Nanoseconds duration, std::uint64_t events)
    : rows_(rows), bins_(bins_of_row(rows, events)), width_(divided_up(duration, bins_)) {
  levels_.emplace_back(rows_ * bins_, Bin{static_cast<std::uint8_t>(Category::nothing), 0});
}

BinFiller BinLevels::filler(std::size_t row) { return {&levels_[0][row * bins_], bins_, 0, width_}; }

void BinLevels::finish() {
  for (std::size_t bins = bins_ / 2; bins >= least_bins; bins /= 2) {
    const std::vector<Bin>& finer = levels_.back();
    std::vector<Bin> level(rows_ * bins);
    for (std::size_t i = 0; i < level.size(); ++i) {
      BinMean mean;
      mean.add(finer[2 * i]);
      mean.add(finer[2 * i + 1]);
      level[i] = mean.mean();
    }
    levels_.push_back(std::move(level));
  }
}

void BinLevels::keep(KeptBytes& bytes) {
  const std::size_t size = levels_[0].size();
  bytes(levels_[0]);
  if (levels_[0].size() != size) bytes.fail();
}

std::vector<Bin> BinLevels::picture(const std::vector<std::vector<std::uint32_t>>& groups, Nanoseconds from,
                                    Nanoseconds until, std::size_t columns) const {
  const auto length = static_cast<double>(until - from);
  std::size_t level = 0;
  while (level + 1 < levels_.size() &&
         length / static_cast<double>(width_ << (level + 1)) >= static_cast<double>(columns)) {
    ++level;
  }
  const auto bins = static_cast<std::int64_t>(bins_ >> level);
  const Nanoseconds width = width_ << level;
  const std::vector<Bin>& at = levels_[level];
  std::vector<Bin> picture(groups.size() * columns);
  std::vector<std::pair<std::int64_t, std::int64_t>> shown(columns);  // first and last bin
  for (std::size_t c = 0; c < columns; ++c) {
    const auto edge = [&](std::size_t column) {
      return from + static_cast<Nanoseconds>(length * static_cast<double>(column) / static_cast<double>(columns));
    };
    const Nanoseconds left = edge(c), right = std::max(edge(c + 1), left + 1);
    const std::int64_t first = left < 0 ? 0 : left / width;
    shown[c] = {first, std::min(bins - 1, right <= 0 ? -1 : std::max(first, right / width - 1))};
  }
  std::vector<BinMean> means(columns);
  for (std::size_t g = 0; g < groups.size(); ++g) {  // a row's bins lie side by side
    std::fill(means.begin(), means.end(), BinMean());
    for (const std::uint32_t row : groups[g]) {
      const Bin* const of_row = &at[row * static_cast<std::size_t>(bins)];
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::int64_t b = shown[c].first; b <= shown[c].second; ++b) means[c].add(of_row[b]);
      }
    }
    for (std::size_t c = 0; c < columns; ++c) picture[g * columns + c] = means[c].mean();
  }
  return picture;
}

}  // namespace mora::serve
