/// Result<T> and Error: how every function of Mora that can fail reports it. Libraries never print, never exit and
/// never throw across a public boundary; the CLI prints an Error in one place: what, where, why, what to do.
#pragma once

#include <string>

// An ignored Result does not compile: a class template's first declaration may say [[nodiscard]], so ours comes before
// the library's. (A class of our own around it would say the same, at the price of its constructors in every unit.)
#ifdef TL_EXPECTED_HPP
#error "include base/error.h, not <tl/expected.hpp>: its first declaration is here"
#endif
namespace tl {
template <class T, class E>
class [[nodiscard]] expected;
}  // namespace tl
#include <tl/expected.hpp>

namespace mora {

/// Decides the exit code of the CLI (docs/user/exit-codes.md).
enum class ErrorKind {
  usage,       ///< the request itself is wrong (exit 2)
  unreadable,  ///< an input cannot be read: missing, damaged, foreign (exit 3)
  system,      ///< the operating system refused: disk full, permission (exit 3)
  internal,    ///< a defect of Mora (exit 4)
};

/// One failure. Every field is a complete phrase without a trailing full stop; empty = not known.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string what;   ///< "cannot open the trace"
  std::string where;  ///< file, byte offset, event
  std::string why;    ///< reason given by the system or found by us
  std::string help;   ///< what the user can do next

  /// Several lines for people, without colour.
  std::string text() const;
};

/// A value, or the Error why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Makes the failed Result of any type: return fail(ErrorKind::usage, "…").
inline tl::unexpected<Error> fail(ErrorKind kind, std::string what, std::string where = {}, std::string why = {},
                                  std::string help = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(what), std::move(where), std::move(why), std::move(help)});
}

/// The system's text for an errno value, for Error::why. Thread-safe.
std::string system_reason(int error_number);

/// Exit code of the CLI for a failure of this kind.
int exit_code(ErrorKind kind);

/// Evaluates EXPR (a Result); returns its Error from the enclosing function, or binds the value.
#define MORA_CONCAT_(a, b) a##b
#define MORA_CONCAT(a, b) MORA_CONCAT_(a, b)
#define MORA_TRY_(tmp, declaration, expr)                  \
  auto tmp = (expr);                                       \
  if (!tmp) return tl::unexpected(std::move(tmp.error())); \
  declaration = std::move(*tmp)
#define MORA_TRY(declaration, expr) MORA_TRY_(MORA_CONCAT(mora_try_, __LINE__), declaration, expr)
/// Evaluates EXPR (a Result<void>); returns its Error from the enclosing function.
#define MORA_CHECK_OK(expr)                                                                                   \
  do {                                                                                                        \
    if (auto mora_checked_ = (expr); !mora_checked_) return tl::unexpected(std::move(mora_checked_.error())); \
  } while (false)

}  // namespace mora
