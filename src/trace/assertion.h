/// Assertions of window calls. MPI's bits differ between libraries, so Mora has its own everywhere: in journals (enum
/// mora_assert, src/journal/format.h), archives (attribute mora:assert), trace texts and `Event::assertion`.
/// docs/formats/otf2.md, "Assertions", is the table. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mora::trace {

inline constexpr std::uint32_t assertion_nocheck = 1, assertion_nostore = 2, assertion_noput = 4,
                               assertion_noprecede = 8, assertion_nosucceed = 16;

/// "noprecede+nosucceed"; bits without a name follow as one number: "nocheck+64". 0 is "0".
std::string assertion_text(std::uint32_t bits);

/// The reverse: names and numbers joined by '+'. Nothing if a part is neither, or does not fit into 32 bits.
std::optional<std::uint32_t> parse_assertion(std::string_view text);

}  // namespace mora::trace
