#include "base/error.h"

#include <cstring>

namespace mora {

std::string Error::text() const {
  std::string out = what;
  if (!where.empty()) out += "\n  where: " + where;
  if (!why.empty()) out += "\n  why:   " + why;
  if (!help.empty()) out += "\n  help:  " + help;
  return out;
}

std::string system_reason(int error_number) {
  char buffer[256];
  return strerror_r(error_number, buffer, sizeof buffer);
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::unreadable:
    case ErrorKind::system:
      return 3;
    case ErrorKind::internal:
      return 4;
  }
  return 4;
}

}  // namespace mora
