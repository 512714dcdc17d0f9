/// Where time is lost, and why: every second of waiting, of other time in MPI and OpenSHMEM, and of measurement belongs
/// to one cause.
///
/// Idea. Waiting belongs to the delays that caused it, however many ranks passed it on (metrics delay-costs-*: their
/// sum is the waiting). Other time in a library belongs to the call that took it. Delays of one rank in stretches of
/// one function are one cause, and so are delays before one call that no rank has most of. What starting and ending MPI
/// cost (MPI_Init, MPI_Finalize, waiting there, and what caused it) is kept apart: the focus is the time between them.
///
/// Source: Böhme 2016 (delay costs); the division is Mora's rule losses. Cost: one pass over the cells of the delay
/// costs and of time in MPI. Pure function; safe from any thread. Amounts are processor time in ns, over all locations.
#pragma once

#include "base/table/text_page.h"
#include "cube/cube.h"
#include "report/data/report_data.h"

namespace mora::report {

/// Fills `data.losses` from the cube and the trends of the same analysis; findings and transfers must be there already.
void find_losses(const cube::Cube& cube, ReportData& data, const std::vector<analysis::CallTrend>& trends = {});

/// "between MPI_Init and MPI_Finalize", or the calls by which an OpenSHMEM program starts and ends: the focus.
std::string focus_words(const ReportData& data);

/// "Rank 2 makes others wait: …": who, which code, how much, and what to do. Two sentences. `cause` is one of `data`.
std::string loss_text(const ReportData& data, const LossCause& cause);

/// " It had its core all the time.", of the cause's ranks in its code; empty if it is not known, or neither here nor
/// there.
std::string core_words(const LossCause& cause);

/// " The processes of n1 are bound to different numbers of processors: …", where that is known; else empty.
std::string binding_words(const ReportData& data);

/// What the manifest tells of processors that processes share or are bound to differently.
std::vector<ProcessorFinding> processor_findings(const ReportData& data);
/// Section of the text report; leaves the page as it is if nothing was found.
void processors_section(const ReportData& data, TextPage& page);

/// That the processes had no core although they waited for nobody, a tenth of their time or more; else empty.
struct RunQueueWords {
  std::string text;
  Nanoseconds harm = 0;  ///< at least: time in the run queue without all waiting
};
RunQueueWords run_queue_words(const ReportData& data);

/// loss_text() of the cause that costs most: what every report and every advice opens with. Empty if it is not known.
std::string main_cause(const ReportData& data);

/// Section of the text report: all causes. Leaves the page as it is when they are not known.
void losses_section(const ReportData& data, TextPage& page);

/// " Data are missing: …", with which a headline ends whose figures rest on a recording with losses; else empty.
std::string missing_sentence(const std::vector<QualityRow>& quality);

/// The first lines of every report: the cause that costs most, then how much MPI and waiting there is in all.
std::string verdict(const ReportData& data);

}  // namespace mora::report
