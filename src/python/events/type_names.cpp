#include "python/events/type_names.h"

#include <algorithm>
#include <iterator>

namespace mora::python {
namespace {

using T = trace::EarlType;

constexpr T other_exits[] = {T::mpicexit, T::mpiwcexit, T::mpiwexit, T::ompcexit};
PyObject* plain[trace::earl_type_count];
PyObject* spoken[trace::earl_type_count];
PyObject* exit_name = nullptr;

/// What the script has shown of its knowledge of a type.
struct Comparisons {
  bool is_known = false;  ///< it was compared with this type's own name
  bool misled = false;    ///< it was compared with "EXIT", and not with its own name since
};
Comparisons comparisons[trace::earl_type_count];
bool told = false;

PyTypeObject exit_type_name{};

bool tell(std::size_t type) {
  told = true;
  for (std::size_t i = 0; i < trace::earl_type_count; ++i) Py_XSETREF(spoken[i], Py_NewRef(plain[i]));
  return PyErr_WarnFormat(
             PyExc_UserWarning, 1,
             "event.type == 'EXIT' is not true of all exits: this trace has %s, too. Ask event.is_exit, or "
             "event.is_a('EXIT') (docs/user/python.md)",
             trace::to_string(static_cast<T>(type))) == 0;
}

/// `name` is interned.
bool equals(PyObject* text, PyObject* name) {
  if (text == name) return true;
  return PyUnicode_Check(text) && PyUnicode_CHECK_INTERNED(text) == 0 && PyUnicode_Compare(text, name) == 0;
}

PyObject* compare_names(PyObject* left, PyObject* right, int operation) {
  if (!told && (operation == Py_EQ || operation == Py_NE)) {
    PyObject* self = Py_TYPE(left) == &exit_type_name ? left : right;
    PyObject* other = self == left ? right : left;
    const auto* const found = std::find_if(std::begin(other_exits), std::end(other_exits),
                                           [&](T type) { return spoken[static_cast<std::size_t>(type)] == self; });
    if (found != std::end(other_exits)) {
      const auto type = static_cast<std::size_t>(*found);
      Comparisons& seen = comparisons[type];
      if (equals(other, plain[type])) {
        seen = {true, false};
      } else if (!seen.is_known && equals(other, exit_name)) {
        if (seen.misled && !tell(type)) return nullptr;
        seen.misled = true;
      }
    }
  }
  return PyUnicode_Type.tp_richcompare(left, right, operation);
}

PyObject* reduce_name(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(N))", &PyUnicode_Type, PyUnicode_FromObject(self));
}

PyMethodDef name_methods[] = {{"__reduce__", reduce_name, METH_NOARGS, "Pickled as a plain str."},
                              {nullptr, nullptr, 0, nullptr}};

bool prepare_class() {
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&exit_type_name), 1);
  exit_type_name.tp_name = "mora.ExitTypeName";
  exit_type_name.tp_base = &PyUnicode_Type;
  exit_type_name.tp_flags = Py_TPFLAGS_DEFAULT;
  exit_type_name.tp_doc = "The name of a type of exits other than EXIT: a str.";
  exit_type_name.tp_richcompare = compare_names;
  exit_type_name.tp_hash = PyUnicode_Type.tp_hash;
  exit_type_name.tp_methods = name_methods;
  return PyType_Ready(&exit_type_name) == 0;
}

}  // namespace

bool prepare_type_names() {
  exit_name = PyUnicode_InternFromString("EXIT");
  if (exit_name == nullptr || !prepare_class()) return false;
  for (std::size_t i = 0; i < trace::earl_type_count; ++i) {
    const T type = static_cast<T>(i);
    plain[i] = PyUnicode_InternFromString(trace::to_string(type));
    if (plain[i] == nullptr) return false;
    spoken[i] = std::find(std::begin(other_exits), std::end(other_exits), type) != std::end(other_exits)
                    ? PyObject_CallOneArg(reinterpret_cast<PyObject*>(&exit_type_name), plain[i])
                    : Py_NewRef(plain[i]);
    if (spoken[i] == nullptr) return false;
  }
  return true;
}

PyObject* model_type_name(trace::EarlType type) { return Py_NewRef(plain[static_cast<std::size_t>(type)]); }
PyObject* spoken_type_name(trace::EarlType type) { return Py_NewRef(spoken[static_cast<std::size_t>(type)]); }

bool tell_about_exits() {
  if (told) return true;
  for (std::size_t i = 0; i < trace::earl_type_count; ++i) {
    if (comparisons[i].misled) return tell(i);
  }
  return true;
}

}  // namespace mora::python
