/// A list that its copies share: copying costs a counter, changing one copy leaves the others as they were (copy on
/// write). For long lists that are the same in thousands of objects, such as the metrics of every cube of an analysis.
/// Copies may be read by several threads at once; one object is not thread-safe while it is changed.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace mora {

template <typename T>
class SharedList {
 public:
  using value_type = T;
  using const_iterator = typename std::vector<T>::const_iterator;

  SharedList() = default;
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}
  SharedList(std::vector<T> items)  // NOLINT(google-explicit-constructor): a list of its own kind
      : items_(std::make_shared<std::vector<T>>(std::move(items))) {}

  std::size_t size() const { return list().size(); }
  bool empty() const { return list().empty(); }
  const_iterator begin() const { return list().begin(); }
  const_iterator end() const { return list().end(); }
  const T& operator[](std::size_t i) const { return list()[i]; }
  const T& back() const { return list().back(); }
  const std::vector<T>& list() const {
    static const std::vector<T> none;
    return items_ != nullptr ? *items_ : none;
  }

  void push_back(T item) { change().push_back(std::move(item)); }
  /// The items, to be changed. O(size) if another copy has them, too.
  std::vector<T>& change() {
    if (items_ == nullptr) {
      items_ = std::make_shared<std::vector<T>>();
    } else if (items_.use_count() > 1) {
      items_ = std::make_shared<std::vector<T>>(*items_);
    }
    return *items_;
  }

 private:
  std::shared_ptr<std::vector<T>> items_;  ///< nullptr: empty
};

}  // namespace mora
