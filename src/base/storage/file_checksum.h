/// The checksum of a file as manifests tell it: XXH3, 64 bits, as 16 hexadecimal digits. Memory: a piece of the file,
/// however long it is. Whoever includes it links xxHash. Thread-safe.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <xxhash.h>

#include "base/file.h"

namespace mora {

inline std::string checksum_of(const MappedFile& mapped) {
  constexpr std::size_t piece = 1 << 24;
  const auto bytes = mapped.bytes();
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    XXH3_64bits_update(state.get(), bytes.data() + at, std::min(piece, bytes.size() - at));
    mapped.forget();
  }
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

}  // namespace mora
