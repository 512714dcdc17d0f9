/// Assertions of window calls (the `assert` argument of MPI_Win_fence, MPI_Win_post, MPI_Win_start, MPI_Win_lock;
/// MPI-3.1, 11.5.5). The bits of MPI_MODE_… differ between MPI libraries, so Mora has its own in every file: journals
/// (enum mora_assert, src/journal/format.h), archives (attribute mora:assert), trace texts and `Event::assertion`.
/// docs/formats/otf2.md, "Assertions", is the table. All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mora::trace {

inline constexpr std::uint32_t assertion_nocheck = 1, assertion_nostore = 2, assertion_noput = 4,
                               assertion_noprecede = 8, assertion_nosucceed = 16;

/// Bits as text: "noprecede+nosucceed". Bits without a name follow as one decimal number: "nocheck+64". 0 gives "0".
std::string assertion_text(std::uint32_t bits);

/// Text as bits: names and numbers joined by '+'. Returns nothing if a part is neither a name nor a decimal number that
/// fits into 32 bits (an empty part is neither).
std::optional<std::uint32_t> parse_assertion(std::string_view text);

}  // namespace mora::trace
