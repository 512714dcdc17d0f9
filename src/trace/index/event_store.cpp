#include "trace/index/event_store.h"

namespace mora::trace {

const char* to_string(EarlType type) {
  static constexpr const char* names[earl_type_count] = {
      "ENTER",    "EXIT",    "MPICEXIT", "MPIWCEXIT", "MPIWEXIT", "SEND",       "RECV",       "PUT_1TS",
      "PUT_1TE",  "GET_1TO", "GET_1TS",  "GET_1TE",   "WLOCK",    "WUNLOCK",    "OMPCEXIT",   "FORK",
      "JOIN",     "ALOCK",   "RLOCK",    "NBC_START", "NBC_END",  "ATOMIC_1TS", "ATOMIC_1TE", "WFLUSH",
      "IO_START", "IO_END",  "METRIC",   "SAMPLE",    "USER"};
  const auto index = static_cast<std::size_t>(type);
  return index < earl_type_count ? names[index] : "?";
}

}  // namespace mora::trace
