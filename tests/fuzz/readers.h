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
/// The live chunk that the header names is the end of the bytes or absent (journal_input.h), never another file.
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
bool read_csv(std::span<const std::byte> bytes);
/// Time-independent actions of all ranks in one file.
bool read_simgrid(std::span<const std::byte> bytes);
bool read_goal(std::span<const std::byte> bytes);

/// A trace.mpt; or the definitions' JSON in a line, a byte that says how many ranks, and their bytes: a file with right
/// checksums is made of them.
bool read_pattern_archive(std::span<const std::byte> bytes);
/// ti_trace0.txt, ti_trace1.txt …, with lines "---" between. True if nothing is damaged.
bool read_pattern_text(std::span<const std::byte> bytes);
/// A journal as a pattern, and as an experiment; live chunks as for read_journal.
bool read_pattern_journal(std::span<const std::byte> bytes);
bool read_convert_journal(std::span<const std::byte> bytes);

bool read_machine_model(std::span<const std::byte> bytes);
/// What `mora predict --correct` reads.
bool read_learned_correction(std::span<const std::byte> bytes);
/// Samples of a calibration; the model that is made of them must be readable.
bool read_calibration_samples(std::span<const std::byte> bytes);
/// Hostfile, rankfile or placement: true if it is any of them.
bool read_placement_files(std::span<const std::byte> bytes);
/// A byte for the topology, a line of words, files (readers_placement.cpp).
bool read_mpirun_words(std::span<const std::byte> bytes);
bool read_srun_words(std::span<const std::byte> bytes);
/// A command line of `mora record`.
bool read_launch_words(std::span<const std::byte> bytes);
/// Conditions of --fail-if, lists of ranks and intervals, thresholds …: true if it is any of them.
bool read_option_texts(std::span<const std::byte> bytes);

bool read_manifest(std::span<const std::byte> bytes);
bool read_dryrun_report(std::span<const std::byte> bytes);
/// Copies of /proc/PID/maps.
bool read_module_maps(std::span<const std::byte> bytes);
/// The side file vectors.<rank> of an archive.
bool read_vectors(std::span<const std::byte> bytes);
/// Changes of a sound index (readers_index.cpp).
bool read_index(std::span<const std::byte> bytes);

#define MORA_FUZZ_TARGET(name) {#name, read_##name},
inline constexpr Reader readers[] = {
#include "targets.inc"
};
#undef MORA_FUZZ_TARGET

}  // namespace mora::fuzz
