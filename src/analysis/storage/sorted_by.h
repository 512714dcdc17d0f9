/// sort_by(): sorts many elements by numbers, byte by byte (radix sort). Only bytes in which the numbers differ are
/// looked at: times of one run share their high bytes, locations and classes are small. Stable. Cost: O(n) per byte
/// that differs, as much memory again; nothing for a number by which they are sorted already; few elements are compared
/// instead. Not for elements that are dear to copy.
/// merge_runs(): what came from a few sources, one after the other, each in order, is merged: O(n log sources).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "analysis/storage/storage.h"

namespace mora::analysis {

namespace radix {

/// In the order of the numbers, whether they have signs or not.
template <class Number>
std::uint64_t ordered(Number number) {
  static_assert(std::is_integral_v<Number>);
  return static_cast<std::uint64_t>(number) ^ (std::is_signed_v<Number> ? std::uint64_t{1} << 63 : 0);
}

/// Stable, by one number. `room` is as large as `elements`.
template <class T, class Number>
void sort(SpillVector<T>& elements, SpillVector<T>& room, const Number& number) {
  const std::uint64_t some = ordered(number(elements.front()));
  std::uint64_t differs = 0, before = 0;
  bool is_sorted = true;
  for (const T& element : elements) {
    const std::uint64_t one = ordered(number(element));
    differs |= one ^ some;
    is_sorted = is_sorted && before <= one;
    before = one;
  }
  if (is_sorted) return;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((differs >> shift & 0xFF) == 0) continue;
    const auto byte = [&](const T& element) { return ordered(number(element)) >> shift & 0xFF; };
    std::array<std::size_t, 256> places{};
    for (const T& element : elements) ++places[byte(element)];
    std::size_t place = 0;
    for (std::size_t& count : places) place += std::exchange(count, place);
    for (const T& element : elements) room[places[byte(element)]++] = element;
    elements.swap(room);
  }
}

/// The last number first: the sort by an earlier one keeps its order.
template <class T, class First, class... Others>
void sort_all(SpillVector<T>& elements, SpillVector<T>& room, const First& first, const Others&... others) {
  if constexpr (sizeof...(others) != 0) sort_all(elements, room, others...);
  sort(elements, room, first);
}

/// Lexicographically by the keys, the first key first.
template <class T, class First, class... Others>
bool is_before(const T& a, const T& b, const First& first, const Others&... others) {
  if constexpr (sizeof...(others) != 0) {
    if (first(a) == first(b)) return is_before(a, b, others...);
  }
  return first(a) < first(b);
}

}  // namespace radix

/// Sorts, keeping the order of equal elements, what consists of a few ascending runs; false: there are too many.
template <class T, class Before>
bool merge_runs(SpillVector<T>& elements, const Before& before) {
  constexpr std::size_t most = 16;
  std::array<std::size_t, most> ends{};
  std::size_t runs = 0;
  for (std::size_t i = 1; i < elements.size(); ++i) {
    if (!before(elements[i], elements[i - 1])) continue;
    if (runs + 1 == most) return false;
    ends[runs++] = i;
  }
  if (runs == 0) return true;
  ends[runs++] = elements.size();
  for (SpillVector<T> room(elements.size()); runs > 1; elements.swap(room)) {
    const auto begin = elements.begin();
    const auto place = [&](std::size_t at) { return begin + static_cast<std::ptrdiff_t>(at); };
    auto out = room.begin();
    std::size_t merged = 0, from = 0;
    for (std::size_t run = 0; run < runs; run += 2) {
      const std::size_t middle = ends[run], end = ends[std::min(run + 1, runs - 1)];
      out = std::merge(place(from), place(middle), place(middle), place(end), out, before);
      ends[merged++] = from = end;
    }
    runs = merged;
  }
  return true;
}

namespace radix {

template <class T, class... Numbers>
void sort_by(SpillVector<T>& elements, const Numbers&... numbers) {
  constexpr std::size_t few = 256;
  const auto before = [&](const T& a, const T& b) { return radix::is_before(a, b, numbers...); };
  if (merge_runs(elements, before)) return;
  if (elements.size() < few) {
    std::stable_sort(elements.begin(), elements.end(), before);
    return;
  }
  SpillVector<T> room(elements.size());
  radix::sort_all(elements, room, numbers...);
}

}  // namespace radix

/// Ascending by the first number, of equal ones by the second, and so on. A number may be looked up in what is stored.
template <class T, class... Numbers>
void sort_by(SpillVector<T>& elements, const Numbers&... numbers) {
  StoragePace pace;
  radix::sort_by(elements, [&](const T& element) {
    pace.step();
    return numbers(element);
  }...);
}

}  // namespace mora::analysis
