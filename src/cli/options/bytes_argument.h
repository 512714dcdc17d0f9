/// The size of recording buffers on the command line.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace mora::cli {

/// "4194304", "4M", "512K". Error: usage.
inline Result<std::uint64_t> parse_chunk_bytes(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const std::uint64_t factor = unit.empty()                   ? 1
                               : unit == "K" || unit == "KiB" ? 1024
                               : unit == "M" || unit == "MiB" ? 1 << 20
                                                              : 0;
  if (error != std::errc() || factor == 0 || value > (1u << 30) / factor || value * factor < (1 << 15))
    return fail(ErrorKind::usage, "this is not a chunk size", "--chunk-bytes " + text,
                "it must be between 32K and 1024M, for example 512K or 4M", "leave it out: the default is 1M");
  return value * factor;
}

}  // namespace mora::cli
