/// Calls on windows whose costs a network may know apart from those of messages (rule predicted-windows).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "mpi/function.h"

namespace mora::replay {

enum class WindowCall : std::uint8_t {
  put,
  get,
  accumulate,
  fetch,  ///< accumulates with a result
  fence,
  post,
  start,
  complete,
  wait,
  lock,
  unlock,
  lock_all,
  unlock_all,
  flush,  ///< all forms
  create,
  free,
  none,
};
inline constexpr std::size_t window_call_count = static_cast<std::size_t>(WindowCall::none);

/// As machine models name them; static storage.
constexpr std::string_view name_of(WindowCall call) {
  constexpr std::array<std::string_view, window_call_count + 1> names = {
      "put",  "get",    "accumulate", "fetch",      "fence", "post",   "start", "complete", "wait",
      "lock", "unlock", "lock_all",   "unlock_all", "flush", "create", "free",  "none"};
  return names[static_cast<std::size_t>(call)];
}

/// `none`: it is none of them.
WindowCall window_call_of(const mpi::Function& function);

}  // namespace mora::replay
