/// The amounts of an interval's processes, column by column: of a million processes each column needs 8 MB, and one of
/// zeros nothing. Kept are elementary amounts; the characteristics of a process are worked out when they are asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "analysis/efficiency/characteristics.h"
#include "analysis/efficiency/elementary_times.h"
#include "cube/cube.h"

namespace mora::analysis {

/// Numbers by process or location; empty where all are 0.
using Column = std::vector<std::int64_t>;

class ProcessList;

/// One process in one interval, as long as the list that it is of.
class ProcessAmounts {
 public:
  std::uint32_t rank = 0;
  cube::LocationId location = 0;
  std::int64_t executions = 0;  ///< EXE_Count of this process

  ProcessAmounts(const ProcessList& list, std::size_t index);
  std::int64_t value(Characteristic c) const;
  std::int64_t value(Elementary e) const;
  Amounts amounts() const;                                              ///< all of them
  std::int64_t ideal_time() const { return value(Elementary::ideal); }  ///< on the ideal network; 0: not replayed
  std::int64_t useful() const { return value(Elementary::useful); }     ///< computation, not of libraries either
  std::int64_t instructions() const { return value(Elementary::instructions); }  ///< 0 = not recorded, as the next
  std::int64_t cycles() const { return value(Elementary::cycles); }

 private:
  const ProcessList* list_;
  std::size_t index_;
};

/// Elementary amounts of several processes or locations, and what is no amount of a metric.
struct ElementaryColumns {
  std::array<Column, elementaries> elementary;
  Column executions, first_execution;
  Column insufficient;  ///< user insufficient parallelism: computation that others repeat

  Column& of(Elementary e) { return elementary[static_cast<std::size_t>(e)]; }
  const Column& of(Elementary e) const { return elementary[static_cast<std::size_t>(e)]; }
  /// `take(column)` for each.
  template <class Take>
  void each(const Take& take) {
    for (Column& column : elementary) take(column);
    for (Column* column : {&executions, &first_execution, &insufficient}) take(*column);
  }
};

/// Those that executed an interval, by rank. A sequence whose elements are made when they are asked for.
class ProcessList {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = ProcessAmounts;
    using difference_type = std::ptrdiff_t;
    using reference = ProcessAmounts;
    struct pointer {  // NOLINT(readability-identifier-naming): the name that iterators have
      ProcessAmounts process;
      const ProcessAmounts* operator->() const { return &process; }
    };

    Iterator() = default;
    Iterator(const ProcessList* list, std::size_t index) : list_(list), index_(index) {}
    ProcessAmounts operator*() const { return {*list_, index_}; }
    pointer operator->() const { return {**this}; }
    ProcessAmounts operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) { return {list_, index_++}; }
    Iterator operator--(int) { return {list_, index_--}; }
    Iterator& operator+=(difference_type n) { return index_ += static_cast<std::size_t>(n), *this; }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    Iterator operator+(difference_type n) const { return {list_, index_ + static_cast<std::size_t>(n)}; }
    Iterator operator-(difference_type n) const { return *this + -n; }
    difference_type operator-(const Iterator& other) const {
      return static_cast<difference_type>(index_ - other.index_);
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }
    auto operator<=>(const Iterator& other) const { return index_ <=> other.index_; }

   private:
    const ProcessList* list_ = nullptr;
    std::size_t index_ = 0;
  };

  ProcessList() = default;
  /// `columns` by process, `locations` and `ranks` of each. O(processes).
  ProcessList(const EfficiencyRules& rules, std::vector<std::uint32_t> ranks, std::vector<cube::LocationId> locations,
              ElementaryColumns columns);

  std::size_t size() const { return ranks_.size(); }
  bool empty() const { return ranks_.empty(); }
  ProcessAmounts operator[](std::size_t process) const { return {*this, process}; }
  ProcessAmounts front() const { return (*this)[0]; }
  ProcessAmounts back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  const std::vector<cube::LocationId>& locations() const { return locations_; }

  /// Sums over the processes; execution_time is the longest.
  Amounts sums() const;
  /// In place of what is there; the longest process and the largest load stay what they were.
  void set(std::size_t process, Elementary e, std::int64_t amount);

 private:
  friend class ProcessAmounts;
  template <class Get>
  std::int64_t value(Characteristic c, std::int64_t processes, const Get& get) const;
  std::int64_t value(Characteristic c, std::size_t process) const;

  EfficiencyRules rules_;
  std::vector<std::uint32_t> ranks_;
  std::vector<cube::LocationId> locations_;
  ElementaryColumns columns_;
  std::int64_t longest_ = 0, largest_load_ = 0;
  std::size_t least_mpi_ = SIZE_MAX;  ///< the first process of those with the least
};

}  // namespace mora::analysis
