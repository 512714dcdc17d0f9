/// Upper bounds of the gain: by how much the run time could shrink at most if the advice of a conclusion is followed.
///
/// Source: Mora's rule confidence-and-gain. Each conclusion gets the smallest bound that is valid for its remedy. N is
/// the number of processes, T the run time. All amounts are those of the whole program, because a remedy in one
/// interval may also remove waiting in another one.
///
///   shared     (removed + waiting + idle time) / N. Computation and all other MPI time remain, on whatever process:
///   the
///              new run time times N is at least their sum. All waiting and idle time must be counted: a process that
///              no longer waits reaches the next synchronisation earlier, and then others no longer wait there.
///   lost       lost time / N. As before, but only the productive time remains; not valid if computation is left out.
///   own work   T minus the longest computation of a process. Valid if computation stays on its process, in any order.
///   cut        the waiting and the removed time themselves, summed over all processes. Valid if only these waits go
///   and
///              every process does everything else as before: no event then becomes earlier by more than this time.
///   path       the time that the critical path spends in the interval. Valid if only computation there becomes
///   shorter,
///              because the rest of the path stays.
///
/// All bounds are rounded up to a nanosecond. Effects on the duration of single calls (caches, contention in the
/// network) are not bounded. Pure functions; each costs at most one pass over call paths x processes.
#pragma once

#include "report/advice/rule.h"

namespace mora::report::advice {

/// What a remedy does with the computation of the processes.
enum class Work : std::uint8_t { stays, moves, is_left_out };

/// MPI time of these metrics in the interval, without the waiting in those calls: this time may go, too, if calls
/// become non-blocking, start earlier, or are left out.
Nanoseconds besides_waiting(const Question& question, Ids metrics);

/// Removes `waiting` and `removed` other MPI time; computation may move to other processes. Bounds: shared, lost.
void gain_of_waiting(const Question& question, Nanoseconds waiting, Nanoseconds removed, Conclusion& conclusion);
/// Removes `waiting` by shortening computation in the interval and nothing else. Bounds: shared, lost, path.
void gain_of_balance(const Question& question, Nanoseconds waiting, Conclusion& conclusion);
/// Removes `waiting` and `removed` by doing the same in another order. Bounds: shared, lost, own work, cut.
void gain_of_order(const Question& question, Nanoseconds waiting, Nanoseconds removed, Conclusion& conclusion);
/// Removes `time` that is not waiting; waiting may change with it. Bounds: shared; lost, unless `work` is left out; own
/// work if `work` stays.
void gain_of_time(const Question& question, Nanoseconds time, Work work, Conclusion& conclusion);
/// A bound that the rule itself knows: used if it is smaller than the present one.
void bound_gain(Nanoseconds bound, std::string reason, Conclusion& conclusion);
/// Removes everything that is lost. Bound: lost.
void gain_of_everything(const Question& question, Conclusion& conclusion);

/// As time_for_people() and percent_for_people(), but rounded up: a bound must not be shown too small.
std::string bound_for_people(Nanoseconds bound);
std::string bound_percent_for_people(Nanoseconds bound, Nanoseconds whole);

}  // namespace mora::report::advice
