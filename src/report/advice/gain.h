/// The most that the run could shrink by, as every conclusion says it.
///
/// Each bound is one of these, and the smallest one that holds for the remedy counts. N processes, T run time;
/// all of the program, since what is remedied in one interval may be waited for in
/// another.
///
///   shared     (removed + waiting + idling) / N. A remedy keeps the computation and all other time in MPI, wherever it
///              is done then; T' x N is at least their sum. Nothing less holds: who no longer waits comes earlier to
///              the next barrier, and others no longer wait there.
///   lost       lost time / N: the same with nothing left but the productive time, unless that is left out as well.
///   own work   T - the longest computation of a process: a remedy that leaves computation where it is, in whatever
///              order, leaves every process its own.
///   cut        the waiting itself and what else goes, all processes together: a remedy that only does away with these
///              waits, and lets the processes do everything else as before, makes no event earlier than by the time
///              that goes on the way to it.
///   path       what the critical path takes in the interval: a remedy that only makes computation there shorter leaves
///              the rest of that path as it is.
///
/// All rounded up to a nanosecond. Effects on single calls (caches, contention of the network) are beyond any bound.
#pragma once

#include "report/advice/rule.h"

namespace mora::report::advice {

/// What a remedy does with the computation of the processes.
enum class Work : std::uint8_t { stays, moves, is_left_out };

/// MPI time of these metrics in the interval without the waiting in those calls: what goes as well if calls become
/// non-blocking, start earlier, or are left out.
Nanoseconds besides_waiting(const Question& question, Ids metrics);

/// Nobody would wait `waiting`, computation may move to other processes, and `removed` besides waiting may go: shared,
/// lost.
void gain_of_waiting(const Question& question, Nanoseconds waiting, Nanoseconds removed, Conclusion& conclusion);
/// Nobody would wait `waiting`, because computation in the interval is shortened, and nothing else: path, too.
void gain_of_balance(const Question& question, Nanoseconds waiting, Conclusion& conclusion);
/// Nobody would wait `waiting`, because processes do the same in another order: shared, lost, own work, cut.
void gain_of_order(const Question& question, Nanoseconds waiting, Nanoseconds removed, Conclusion& conclusion);
/// `time` that is no waiting would not be spent, and order and waiting may change with it: shared, lost, and own work
/// if `work` stays. Of computation that is left out: shared only.
void gain_of_time(const Question& question, Nanoseconds time, Work work, Conclusion& conclusion);
/// A bound that a rule knows itself: counts if it is smaller.
void bound_gain(Nanoseconds bound, std::string reason, Conclusion& conclusion);
/// All that is lost, shared by the processes.
void gain_of_everything(const Question& question, Conclusion& conclusion);

/// For people, as time_for_people and percent_for_people, but never less than it is.
std::string bound_for_people(Nanoseconds bound);
std::string bound_percent_for_people(Nanoseconds bound, Nanoseconds whole);

}  // namespace mora::report::advice
