/// A JSON text read in pieces, so that memory does not grow with its long lists.
///
/// A handler for Json::sax_parse() that makes the tree which Json::parse() makes, and throws the same errors, except
/// for the lists that lie directly in the outermost object: each of their elements becomes a tree by itself, is handed
/// over and forgotten, and the list in the tree stays empty. `Json` is any nlohmann::basic_json. `Lists` has
///
///     begin(key)          a member of the outermost object begins; it replaces an earlier one of that name
///     take(key, element)  the next element of the list of that name
///     passed()            some more of the text is read and not needed again
///
/// Cost: O(text). Memory: the tree without the lists, one element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mora::report {

template <class Json, class Lists>
class JsonPieces {
 public:
  JsonPieces(Json& tree, Lists& lists) : tree_(tree), lists_(lists) {}

  bool null() { return scalar(nullptr); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(typename Json::number_integer_t value) { return scalar(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) { return scalar(value); }
  bool number_float(typename Json::number_float_t value, const std::string&) { return scalar(value); }
  bool string(std::string& value) { return scalar(std::move(value)); }
  bool binary(typename Json::binary_t&) { return false; }  // texts have none
  bool start_object(std::size_t) { return start(Json::value_t::object); }
  bool start_array(std::size_t) { return start(Json::value_t::array); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool key(std::string& key) {
    member_ = &(*open_.back())[key];
    if (open_.size() == 1) is_chosen_ = lists_.begin(key_ = key);
    return true;
  }
  template <class Exception>
  bool parse_error(std::size_t, const std::string&, const Exception& reason) {
    throw reason;
  }

 private:
  static constexpr std::uint64_t scalars_of_stretch = 1 << 16;  ///< about a megabyte of numbers

  bool is_in_list() const { return is_chosen_ && open_.size() == 2 && open_[0]->is_object() && open_[1]->is_array(); }

  /// Where the next value belongs.
  template <class Value>
  Json* put(Value&& value) {
    Json* place = &tree_;
    if (is_in_list()) {
      place = &element_;
    } else if (!open_.empty()) {
      place = open_.back()->is_array() ? &open_.back()->emplace_back() : member_;
    }
    *place = Json(std::forward<Value>(value));
    return place;
  }
  template <class Value>
  bool scalar(Value&& value) {
    put(std::forward<Value>(value));
    if (is_in_list()) hand_over();
    if (++scalars_ % scalars_of_stretch == 0) lists_.passed();
    return true;
  }
  bool start(typename Json::value_t type) {
    open_.push_back(put(type));
    return true;
  }
  bool end() {
    open_.pop_back();
    if (is_in_list()) hand_over();
    return true;
  }
  void hand_over() {
    lists_.take(key_, element_);
    element_ = nullptr;
  }

  Json& tree_;
  Lists& lists_;
  std::vector<Json*> open_;  ///< from the outermost value in
  Json* member_ = nullptr;   ///< the value of the last key
  std::string key_;          ///< of the outermost object, the last one
  bool is_chosen_ = false;   ///< that one
  Json element_;
  std::uint64_t scalars_ = 0;
};

}  // namespace mora::report
