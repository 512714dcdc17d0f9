/// The readers of files that others may have written, each behind one function of bytes: for libFuzzer and for the
/// replay. Each also uses what it read, and aborts if a promise of the reader's header is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mora::fuzz {

struct Reader {
  const char* name;  ///< its folder in corpus/
  /// True if the bytes were accepted, perhaps with damage counted.
  bool (*read)(std::span<const std::byte> bytes);
};

bool read_trace_text(std::span<const std::byte> bytes);
/// The same text, analysed.
bool read_analysis(std::span<const std::byte> bytes);
bool read_cubex(std::span<const std::byte> bytes);
/// The live chunk that the header names is the end of the bytes or absent (readers_binary.cpp), never another file.
bool read_journal(std::span<const std::byte> bytes);
bool read_findings(std::span<const std::byte> bytes);
/// Definitions and records as libotf2's callbacks would give them, without libotf2 (readers_otf2.cpp).
bool read_otf2_records(std::span<const std::byte> bytes);
/// .prv, then perhaps a line "--- pcf" and the .pcf, a line "--- row" and the .row.
bool read_paraver(std::span<const std::byte> bytes);
bool read_paje(std::span<const std::byte> bytes);
bool read_chrome(std::span<const std::byte> bytes);
bool read_alog(std::span<const std::byte> bytes);
bool read_vampir(std::span<const std::byte> bytes);

#define MORA_FUZZ_TARGET(name) {#name, read_##name},
inline constexpr Reader readers[] = {
#include "targets.inc"
};
#undef MORA_FUZZ_TARGET

}  // namespace mora::fuzz
