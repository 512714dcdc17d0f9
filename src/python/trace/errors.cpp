#include "python/trace/errors.h"

#include "python/trace/text.h"

namespace py = pybind11;

namespace mora::python {
namespace {

void set(const char* name, const Error& error) {
  try {
    const py::object type = py::module_::import("mora._errors").attr(name);
    const py::object instance = type(text(error.what), text(error.where), text(error.why), text(error.help));
    PyErr_SetObject(type.ptr(), instance.ptr());
  } catch (py::error_already_set& failed) {
    failed.restore();
  }
}

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::unreadable:
    case ErrorKind::system:
      return "UnreadableError";
    case ErrorKind::internal:
      break;
  }
  return "Error";
}

}  // namespace

void set_error(const Error& error) { set(class_of(error.kind), error); }

void set_closed_error(const std::string& path) {
  set("ClosedError", {ErrorKind::usage, "the trace is closed", path, "close() was called or its with-block has ended",
                      "open it again with mora.open()"});
}

void set_usage_error(const std::string& what, const std::string& why, const std::string& help) {
  set("UsageError", {ErrorKind::usage, what, "", why, help});
}

void throw_error(const Error& error) {
  set_error(error);
  throw py::error_already_set();
}

void throw_usage_error(const std::string& what, const std::string& why, const std::string& help) {
  set_usage_error(what, why, help);
  throw py::error_already_set();
}

}  // namespace mora::python
