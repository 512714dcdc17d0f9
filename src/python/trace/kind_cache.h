/// What names of kinds ("EXIT", ("SEND", "RECV")) mean in one trace, remembered by the object that said them: a script
/// asks with the same constants again and again.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace mora::python {

/// Kinds of events: a bit for each EarlType, and USER events of some of the trace's own types besides.
struct KindSet {
  std::uint32_t types = 0;
  std::vector<std::uint32_t> user_types;  ///< ascending
};

/// At most 64 of them; only under the GIL.
class KindCache {
 public:
  KindCache() = default;
  KindCache(const KindCache&) = delete;
  KindCache& operator=(const KindCache&) = delete;
  ~KindCache() { clear(); }

  /// Null if it is not there.
  const KindSet* find(const PyObject* kinds) const {
    const Entry& entry = entries_[slot_of(kinds)];
    return entry.kinds == kinds ? &entry.set : nullptr;
  }
  /// Precondition: `kinds` never changes: a str, or a tuple of them, and no subclass. Valid until the next call.
  const KindSet* keep(PyObject* kinds, KindSet set) {
    Entry& entry = entries_[slot_of(kinds)];
    entry.set = std::move(set);
    Py_INCREF(kinds);
    PyObject* old = std::exchange(entry.kinds, kinds);
    Py_XDECREF(old);
    return &entry.set;
  }
  void clear() {
    for (Entry& entry : entries_) Py_CLEAR(entry.kinds);
  }

 private:
  struct Entry {
    PyObject* kinds = nullptr;
    KindSet set;
  };
  static std::size_t slot_of(const PyObject* kinds) { return (reinterpret_cast<std::uintptr_t>(kinds) >> 4) % 64; }
  std::array<Entry, 64> entries_;
};

}  // namespace mora::python
