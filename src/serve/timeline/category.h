/// What a stretch of time is, for the colours of the timeline. The groups of MPI functions are those of the DVM
/// analyser's table of colours (docs/sources.md); what the table does not have got groups of its own. Pure,
/// thread-safe.
#pragma once

#include <array>
#include <cstdint>

#include "trace/definitions.h"

namespace mora::serve {

enum class Category : std::uint8_t {
  nothing,  ///< before the first and after the last event of a location
  user,     ///< code between MPI calls
  collective,
  send,
  send_start,
  receive,        ///< and waits for requests, send-receive
  receive_start,  ///< and tests
  other,
  one_sided,
  file,
  management,  ///< start and end of MPI, communicators
  library,     ///< OpenMP, SHMEM, accelerators
};
inline constexpr std::size_t categories = 12;

struct CategoryText {
  const char* key;   ///< "collective": the page's colour has this name
  const char* name;  ///< for people
};
/// Index = Category.
const std::array<CategoryText, categories>& category_texts();

/// By what the MPI function does; else by the paradigm: a library, or user code where it is unknown.
Category category_of(const trace::Region& region);

}  // namespace mora::serve
