/// Causes of waits of OpenMP's threads for each other: what kind they are, and their words. Pure functions; safe from
/// any thread.
#pragma once

#include <map>
#include <string>

#include "report/data/report_data.h"

namespace mora::report {

/// Of a delay that threads of its process wait for: sets kind, symptom, place of the waits, and the thread that has at
/// least six tenths of `by_thread` (ns, by number in the process). False: none of OpenMP's findings fits.
bool name_team_wait(const ReportData& data, const std::map<std::uint32_t, Nanoseconds>& by_thread, LossCause& cause);

/// The sentence of such a cause. `costs`: "1.2 s, 14 % of all ranks' time"; `code`: "in !$omp parallel (a.c:3) in
/// step"; `where`: where the waiting is, a sentence with a blank in front, or empty.
std::string team_text(const LossCause& cause, const std::string& costs, const std::string& code,
                      const std::string& where);

/// Whether name_team_wait() has set its kind.
bool is_of_team(const LossCause& cause);

}  // namespace mora::report
