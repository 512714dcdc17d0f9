/// Values by (sequence, number), where each sequence has few at a time and their numbers lie close together: messages
/// under way, open receives.
///
/// Idea: what a sequence has lies in a ring of 2^k cells, each at its number modulo 2^k, which reaches from the lowest
/// to the highest number that it has. It is doubled when that needs it and goes back to a pool with the last value; a
/// single one lies in the sequence itself. So nothing is hashed or allocated for a value, and where each sequence has
/// one, as in an all-to-all exchange, it costs one access to memory. A number far from the sequence's others is kept
/// apart, in a hash table. Cost: O(1) amortised. Memory: at most twice the distance between
/// the numbers, beside what was the most at a time. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace mora::replay {

/// `T`: a value; T() has is_live == false, at() sets it, and what is written over a value must have it, too.
template <class T>
class NumberedWindows {
 public:
  /// For sequences 0 … count-1.
  explicit NumberedWindows(std::size_t count) : windows_(count) {}
  ~NumberedWindows() {
    for (Window& w : windows_) clear(w);
  }
  NumberedWindows(const NumberedWindows&) = delete;
  NumberedWindows& operator=(const NumberedWindows&) = delete;

  /// One more sequence. `is_dense`: nothing is kept apart however far away it is, since most numbers are used.
  std::uint32_t add(bool is_dense) {
    if (unused_.empty()) {
      unused_.push_back(static_cast<std::uint32_t>(windows_.size()));
      windows_.emplace_back();
    }
    const std::uint32_t window = unused_.back();
    unused_.pop_back();
    windows_[window].is_dense = is_dense;
    return window;
  }
  /// Gives one of these back. One that still has values, since nobody came for them, nobody else gets.
  void remove(std::uint32_t window) {
    if (windows_[window].live == 0 && windows_[window].far == 0) unused_.push_back(window);
  }
  /// Values that there are.
  std::uint64_t count() const { return in_rings_ + far_.size(); }
  /// Sequences that nobody gets from add().
  std::size_t in_use() const { return windows_.size() - unused_.size(); }

  /// nullptr: there is none. Valid until the next at() or erase().
  T* find(std::uint32_t window, std::uint32_t number) {
    Window& w = windows_[window];
    if (number - w.first < w.span) {
      T& cell = cells(w)[number & mask(w)];
      if (cell.is_live) return &cell;
    }
    if (far_.empty()) return nullptr;
    const auto at = far_.find(id(window, number));
    return at == far_.end() ? nullptr : &at->second;
  }
  /// Made if there is none.
  T& at(std::uint32_t window, std::uint32_t number) {
    if (T* const found = find(window, number)) return *found;
    T& cell = made(windows_[window], window, number);
    cell.is_live = true;
    return cell;
  }
  /// Precondition: there is one.
  void erase(std::uint32_t window, std::uint32_t number) {
    Window& w = windows_[window];
    if (number - w.first < w.span && cells(w)[number & mask(w)].is_live) {
      cells(w)[number & mask(w)] = T();
      --in_rings_;
      if (--w.live == 0) return clear(w);
      if (number == w.first) trim(w, 16);
      return;
    }
    w.far -= static_cast<std::uint32_t>(far_.erase(id(window, number)));
  }

 private:
  struct alignas(std::bit_ceil(sizeof(T) + 26)) Window {
    T one;                              ///< the ring, if log is 0
    T* ring = nullptr;                  ///< else
    std::uint32_t first = 0, span = 0;  ///< it has no numbers below `first`, or from first + span on
    std::uint32_t live = 0, far = 0;    ///< values in the ring, kept apart
    std::uint8_t log = 0;               ///< of the number of cells
    bool is_dense = false;
  };
  static constexpr std::uint32_t farthest = 4096;  ///< from the others of its sequence
  static constexpr unsigned pooled_logs = 10;      ///< larger rings are allocated one by one

  static T* cells(Window& w) { return w.log == 0 ? &w.one : w.ring; }
  static std::uint32_t mask(const Window& w) { return (std::uint32_t{1} << w.log) - 1; }
  static std::uint64_t id(std::uint32_t window, std::uint32_t number) { return std::uint64_t{window} << 32 | number; }

  T& made(Window& w, std::uint32_t window, std::uint32_t number) {
    if (w.live == 0) {
      w.first = number;
      w.span = 1;
    } else if (number - w.first >= w.span) {
      if (beyond(w, number) > size(w)) trim(w, w.span);
      const std::uint64_t span = beyond(w, number);
      if (span > farthest && !w.is_dense) {
        ++w.far;
        return far_[id(window, number)];
      }
      if (span > size(w)) grow(w, static_cast<std::uint8_t>(std::bit_width(span - 1)));
      w.first = std::min(w.first, number);
      w.span = static_cast<std::uint32_t>(span);
    }
    ++w.live;
    ++in_rings_;
    return cells(w)[number & mask(w)];
  }
  static std::uint64_t size(const Window& w) { return std::uint64_t{1} << w.log; }
  /// How many numbers there are between the first and the last if this is one of them.
  static std::uint64_t beyond(const Window& w, std::uint32_t number) {
    const std::uint64_t end = std::uint64_t{w.first} + w.span;
    return number < w.first ? end - number : std::max<std::uint64_t>(end, std::uint64_t{number} + 1) - w.first;
  }
  /// Numbers that are over leave at the lower end, at most so many at once.
  static void trim(Window& w, std::uint32_t most) {
    for (; most > 0 && !cells(w)[w.first & mask(w)].is_live; --most, ++w.first) --w.span;
  }
  void grow(Window& w, std::uint8_t log) {
    Window old = w;
    w.one = T();
    w.ring = allocate(log);
    w.log = log;
    for (std::uint32_t i = 0; i < old.span; ++i) {
      T& cell = cells(old)[(old.first + i) & mask(old)];
      if (!cell.is_live) continue;
      w.ring[(old.first + i) & mask(w)] = cell;
      cell = T();
    }
    release(old);
  }
  void clear(Window& w) {
    release(w);
    w.ring = nullptr;
    w.log = 0;
    w.span = w.live = 0;
  }

  /// All cells of a ring that is not in use are T().
  T* allocate(std::uint8_t log) {
    if (log >= pooled_logs) return new T[std::size_t{1} << log];
    std::vector<T*>& free = free_[log];
    if (free.empty()) {
      slabs_.push_back(std::make_unique<T[]>(std::size_t{1} << pooled_logs));
      for (std::size_t at = std::size_t{1} << pooled_logs; at > 0; at -= std::size_t{1} << log)
        free.push_back(slabs_.back().get() + at - (std::size_t{1} << log));
    }
    T* const ring = free.back();
    free.pop_back();
    return ring;
  }
  void release(const Window& w) {
    if (w.log >= pooled_logs) {
      delete[] w.ring;
    } else if (w.log > 0) {
      free_[w.log].push_back(w.ring);
    }
  }

  std::vector<Window> windows_;
  std::vector<std::uint32_t> unused_;  ///< of add()
  std::unordered_map<std::uint64_t, T> far_;
  std::uint64_t in_rings_ = 0;
  std::array<std::vector<T*>, pooled_logs> free_;  ///< rings by the logarithm of their cells
  std::vector<std::unique_ptr<T[]>> slabs_;
};

}  // namespace mora::replay
