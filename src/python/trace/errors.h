/// How Mora's errors become Python's: classes of mora/_errors.py, made there so that help() shows them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "base/error.h"

namespace mora::python {

/// Sets the Python error for `error`: UsageError, UnreadableError or Error. The GIL is held.
void set_error(const Error& error);
/// Sets mora.ClosedError.
void set_closed_error(const std::string& path);
/// Sets mora.UsageError.
void set_usage_error(const std::string& what, const std::string& why = {}, const std::string& help = {});

/// For pybind11 code: sets the error and throws it.
[[noreturn]] void throw_error(const Error& error);
[[noreturn]] void throw_usage_error(const std::string& what, const std::string& why = {}, const std::string& help = {});

/// The value, or throw_error().
template <class T>
T value_of(Result<T>&& result) {
  if (!result) throw_error(result.error());
  return std::move(*result);
}

}  // namespace mora::python
