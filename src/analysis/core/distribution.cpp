/// The histogram's buckets: values below 4096 have one each; above, the highest 12 bits of a value name its bucket. New
/// values wait unsorted and are merged into the sorted buckets when they are as many as twice these. Idea and limits:
/// distribution.h.
#include "analysis/core/distribution.h"

#include <algorithm>
#include <bit>

namespace mora::analysis {

namespace {

constexpr unsigned linear_bits = 11;  // 2^11 buckets per power of two

}  // namespace

std::uint32_t Distribution::bucket_of(Nanoseconds value) {
  const auto v = static_cast<std::uint64_t>(value);
  const auto power = static_cast<unsigned>(std::bit_width(v));
  if (power <= linear_bits + 1) return static_cast<std::uint32_t>(v);
  const unsigned shift = power - linear_bits - 1;
  return static_cast<std::uint32_t>((std::uint64_t{shift} << linear_bits) + (v >> shift));
}

Nanoseconds Distribution::least_in(std::uint32_t bucket) {
  if (bucket < 2u << linear_bits) return bucket;
  const unsigned shift = (bucket >> linear_bits) - 1;
  return static_cast<Nanoseconds>(std::uint64_t{bucket - (shift << linear_bits)} << shift);
}

void Distribution::add(Nanoseconds value) {
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  sum_ += value;
  if (++count_ <= exact_at_most) {
    exact_.push_back(value);
    return;
  }
  if (!exact_.empty()) spread();
  waiting_.push_back(bucket_of(value));
  if (waiting_.size() > std::max<std::size_t>(256, 2 * buckets_.size())) sort_waiting();
}

void Distribution::spread() {
  for (const Nanoseconds value : exact_) waiting_.push_back(bucket_of(value));
  exact_ = {};
}

void Distribution::sort_waiting() const {
  std::sort(waiting_.begin(), waiting_.end());
  std::vector<Bucket> merged;
  merged.reserve(buckets_.size() + 16);
  auto old = buckets_.begin();
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const auto next = std::upper_bound(at, waiting_.end(), *at);
    while (old != buckets_.end() && old->first < *at) merged.push_back(*old++);
    merged.emplace_back(*at, static_cast<std::uint64_t>(next - at));
    if (old != buckets_.end() && old->first == *at) merged.back().second += old++->second;
    at = next;
  }
  merged.insert(merged.end(), old, buckets_.end());
  buckets_ = std::move(merged);
  waiting_.clear();
}

void Distribution::add_buckets(const std::vector<Bucket>& other) {
  std::vector<Bucket> merged;
  merged.reserve(buckets_.size() + other.size());
  auto a = buckets_.begin();
  auto b = other.begin();
  while (a != buckets_.end() || b != other.end()) {
    if (b == other.end() || (a != buckets_.end() && a->first < b->first)) {
      merged.push_back(*a++);
    } else if (a == buckets_.end() || b->first < a->first) {
      merged.push_back(*b++);
    } else {
      merged.emplace_back(a->first, a->second + b->second);
      ++a, ++b;
    }
  }
  buckets_ = std::move(merged);
}

void Distribution::merge(const Distribution& other) {
  if (other.count_ == 0) return;
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  count_ += other.count_;
  sum_ += other.sum_;
  exact_.insert(exact_.end(), other.exact_.begin(), other.exact_.end());
  if (count_ <= exact_at_most) return;
  spread();
  sort_waiting();
  other.sort_waiting();
  add_buckets(other.buckets_);
}

WaitStatistics Distribution::statistics() const {
  WaitStatistics result;
  result.count = count_;
  result.sum = sum_;
  result.min = min_;
  result.max = max_;
  if (count_ == 0) return result;
  const auto rank = [&](std::uint64_t quarters) { return (count_ / 4) * quarters + (count_ % 4 * quarters + 3) / 4; };
  Nanoseconds* const wanted[] = {&result.lower_quartile, &result.median, &result.upper_quartile};
  if (count_ <= exact_at_most) {
    std::vector<Nanoseconds> sorted = exact_;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint64_t k = 1; k <= 3; ++k) *wanted[k - 1] = sorted[rank(k) - 1];
    return result;
  }
  sort_waiting();
  std::uint64_t seen = 0;
  std::uint64_t k = 1;
  for (const auto& [bucket, times] : buckets_) {
    seen += times;
    for (; k <= 3 && seen >= rank(k); ++k) *wanted[k - 1] = std::clamp(least_in(bucket), min_, max_);
  }
  return result;
}

void Distribution::pack(BufferWriter& out) const {
  sort_waiting();
  out.put(count_);
  out.put(sum_);
  out.put(min_);
  out.put(max_);
  out.put(static_cast<std::uint64_t>(exact_.size()));
  for (const Nanoseconds value : exact_) out.put(value);
  out.put(static_cast<std::uint64_t>(buckets_.size()));
  for (const auto& [bucket, times] : buckets_) {
    out.put(bucket);
    out.put(times);
  }
}

void Distribution::unpack_and_merge(BufferReader& in) {
  Distribution other;
  other.count_ = in.take<std::uint64_t>();
  other.sum_ = in.take<Nanoseconds>();
  other.min_ = in.take<Nanoseconds>();
  other.max_ = in.take<Nanoseconds>();
  other.exact_.resize(in.take<std::uint64_t>());
  for (Nanoseconds& value : other.exact_) value = in.take<Nanoseconds>();
  other.buckets_.resize(in.take<std::uint64_t>());
  for (auto& [bucket, times] : other.buckets_) {
    bucket = in.take<std::uint32_t>();
    times = in.take<std::uint64_t>();
  }
  merge(other);
}

}  // namespace mora::analysis
