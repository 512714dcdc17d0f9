/// Of what there is too much of, an even choice: all, or every second, fourth ….
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mora::serve {

template <class T>
class EvenChoice {
 public:
  /// At most so many are kept; at least one.
  explicit EvenChoice(std::size_t at_most) : at_most_(at_most) {}

  void add(T one) {
    if (all_++ % every_ != 0) return;
    chosen_.push_back(std::move(one));
    if (chosen_.size() <= at_most_ || chosen_.size() == 1) return;
    for (std::size_t i = 1; 2 * i < chosen_.size(); ++i) chosen_[i] = std::move(chosen_[2 * i]);
    chosen_.resize((chosen_.size() + 1) / 2);
    every_ *= 2;
  }
  const std::vector<T>& chosen() const { return chosen_; }  ///< in the order in which they came
  std::uint64_t all() const { return all_; }

 private:
  std::size_t at_most_;
  std::uint64_t all_ = 0, every_ = 1;
  std::vector<T> chosen_;
};

}  // namespace mora::serve
