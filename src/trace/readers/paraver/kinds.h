/// Kinds of damage of Paraver traces beside those of all formats (../reading_damage.h).
#pragma once

#include "trace/readers/building/reading_damage.h"

namespace mora::trace::paraver::paraver_damage {

using Kind = ReadingDamage::Kind;

inline constexpr Kind object = {
    "undefined-process", Severity::loss, "records of tasks or threads that the header does not define are left out",
    "the header of the file is wrong (check the program that wrote it), or the file is damaged (copy it again)"};
inline constexpr Kind communicator = {"undefined-reference", Severity::warning,
                                      "communicators with members that do not exist are left out",
                                      "the file is damaged: copy it again"};
inline constexpr Kind second_communicator = {"duplicate-definition", Severity::warning,
                                             "definitions of numbers that have one already are left out",
                                             "the file is damaged: copy it again"};
inline constexpr Kind collective = {
    "unknown-communicator", Severity::warning,
    "collective operations without a known communicator are enter and leave only",
    "record with Extrae's communicator events (type 50100004) and definitions (c: lines)"};
inline constexpr Kind open_call = {"missing-leave", Severity::warning,
                                   "MPI calls begin before the one around them has ended; that is ended there",
                                   "the recording tool lost events: check its settings and record again"};
inline constexpr Kind forgotten_posting = {
    "forgotten-posting", Severity::info,
    "receives were posted so long before that --memory did not allow to keep when; Late Receiver waits of their "
    "senders are not computed",
    "give a larger --memory"};
inline constexpr Kind stray = {"stray-leave", Severity::warning, "ends of calls or functions that never began",
                               "the recording tool lost events: check its settings and record again"};
inline constexpr Kind overlap = {"missing-leave", Severity::warning,
                                 "states begin before the one before has ended; that is ended there",
                                 "the recording tool wrote overlapping states: report it to its developers"};

}  // namespace mora::trace::paraver::paraver_damage
