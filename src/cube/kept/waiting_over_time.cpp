#include "cube/kept/waiting_over_time.h"

#include <algorithm>
#include <utility>

#include "cube/kept/kept_file.h"

namespace mora::cube {

namespace {

constexpr KeptKind kept_waiting{"MORAWAIT", "the waiting over time"};
constexpr auto most = static_cast<Nanoseconds>(WaitingOverTime::most_parts);
constexpr Nanoseconds longest = INT64_MAX / most / 2;

/// Two parts become one.
void halve(std::vector<Nanoseconds>& parts) {
  const std::size_t half = (parts.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) parts[i] = parts[2 * i] + (2 * i + 1 < parts.size() ? parts[2 * i + 1] : 0);
  std::fill(parts.begin() + static_cast<std::ptrdiff_t>(half), parts.end(), 0);
}

}  // namespace

/// The parts that waits fill get their lengths.
void WaitingOverTime::settle(Filling& filling, Nanoseconds length) {
  std::int64_t waits = 0;
  for (std::size_t i = 0; i < filling.parts.size(); ++i) {
    waits += std::exchange(filling.filled[i], 0);
    filling.parts[i] += waits * length;
  }
}

void WaitingOverTime::grow(Nanoseconds until) {
  while (until > length_ * most && length_ < longest) {
    for (Filling& filling : fillings_) {
      if (filling.parts.empty()) continue;
      settle(filling, length_);
      halve(filling.parts);
    }
    length_ *= 2;
  }
}

void WaitingOverTime::add(MetricId metric, Nanoseconds from, Nanoseconds amount) {
  if (amount <= 0) return;
  const Nanoseconds until = from + amount;
  if (until > length_ * most) grow(until);
  if (metric >= fillings_.size()) fillings_.resize(metric + std::size_t{1});
  Filling& filling = fillings_[metric];
  if (filling.parts.empty()) {
    filling.parts.resize(most_parts);
    filling.filled.resize(most_parts);
  }
  const auto part = [&](Nanoseconds time) {
    return static_cast<std::size_t>(std::clamp<Nanoseconds>(time / length_, 0, most - 1));
  };
  const std::size_t first = part(from), last = part(until - 1);
  if (first == last) {
    filling.parts[first] += amount;
    return;
  }
  filling.parts[first] += static_cast<Nanoseconds>(first + 1) * length_ - from;
  filling.parts[last] += until - static_cast<Nanoseconds>(last) * length_;
  ++filling.filled[first + 1];
  --filling.filled[last];
}

void WaitingOverTime::finish() {
  for (MetricId metric = 0; metric < fillings_.size(); ++metric) {
    Filling& filling = fillings_[metric];
    if (filling.parts.empty()) continue;
    settle(filling, length_);
    while (!filling.parts.empty() && filling.parts.back() == 0) filling.parts.pop_back();
    rows_.push_back({metric, std::move(filling.parts)});
  }
  fillings_ = {};
}

void WaitingOverTime::merge(const WaitingOverTime& other) {
  const Nanoseconds length = std::max(length_, other.length_);
  const auto coarser = [&](std::vector<Nanoseconds> parts, Nanoseconds from) {
    for (; from < length; from *= 2) halve(parts);
    while (!parts.empty() && parts.back() == 0) parts.pop_back();
    return parts;
  };
  for (Row& row : rows_) row.parts = coarser(std::move(row.parts), length_);
  for (const Row& theirs : other.rows_) {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), theirs.metric,
                                     [](const Row& row, MetricId metric) { return row.metric < metric; });
    Row& mine = at != rows_.end() && at->metric == theirs.metric ? *at : *rows_.insert(at, Row{theirs.metric, {}});
    const std::vector<Nanoseconds> parts = coarser(theirs.parts, other.length_);
    mine.parts.resize(std::max(mine.parts.size(), parts.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) mine.parts[i] += parts[i];
  }
  length_ = length;
}

void WaitingOverTime::keep(const std::vector<MetricId>& metrics) {
  std::erase_if(rows_,
                [&](const Row& row) { return std::find(metrics.begin(), metrics.end(), row.metric) == metrics.end(); });
}

std::string WaitingOverTime::packed() const {
  std::string bytes;
  for (const Row& row : rows_) {
    put_number(bytes, row.metric);
    put_number(bytes, static_cast<std::uint64_t>(row.parts.size() - static_cast<std::size_t>(std::count(
                                                                        row.parts.begin(), row.parts.end(), 0))));
    std::size_t before = 0;  // behind the last one that has waiting
    for (std::size_t i = 0; i < row.parts.size(); ++i) {
      if (row.parts[i] == 0) continue;
      put_number(bytes, i - before);
      put_number(bytes, static_cast<std::uint64_t>(row.parts[i]));
      before = i + 1;
    }
  }
  return bytes;
}

bool WaitingOverTime::unpack(Nanoseconds length, std::uint64_t rows, std::string_view bytes) {
  if (length < 1 || length > 2 * longest || (length & (length - 1)) != 0) return false;
  length_ = length;
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::uint64_t metric = 0, parts = 0, at = 0, gap = 0, amount = 0;
    if (!take_number(bytes, metric) || !take_number(bytes, parts) || metric >= no_id) return false;
    if (!rows_.empty() && rows_.back().metric >= metric) return false;
    Row& mine = rows_.emplace_back();
    mine.metric = static_cast<MetricId>(metric);
    for (; parts > 0; --parts) {
      if (!take_number(bytes, gap) || !take_number(bytes, amount) || gap >= most_parts || at + gap >= most_parts ||
          amount > INT64_MAX)
        return false;
      at += gap;
      mine.parts.resize(at + 1);
      mine.parts[at++] = static_cast<Nanoseconds>(amount);
    }
  }
  return bytes.empty();
}

std::string WaitingOverTime::file_text(std::string_view findings) const {
  const std::string bytes = packed();
  return kept_file_text(kept_waiting, {rows_.size(), length_, bytes}, findings);
}

Result<WaitingOverTime> WaitingOverTime::read(std::string_view text, const std::string& path,
                                              std::string_view findings) {
  MORA_TRY(const KeptBody body, read_kept_file(kept_waiting, text, path, findings));
  WaitingOverTime kept;
  if (!kept.unpack(body.measure, body.count, body.bytes)) return damaged_kept_file(kept_waiting, path);
  return kept;
}

}  // namespace mora::cube
