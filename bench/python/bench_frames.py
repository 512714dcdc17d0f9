#!/usr/bin/python3
"""Frames and profiles of one archive: mora beside Pipit (Bhatele et al.), if Python finds it, in one run.

    PYTHONPATH=BUILD/python[:PIPIT] bench_frames.py ARCHIVE      ARCHIVE: a folder with traces.otf2

Processor time of the process with its children, best of three (Pipit: of one; each of its calls on a freshly read trace, because it
keeps what it has matched). Prints the lines that bench/run collects.
"""
import copy
import os
import resource
import sys
import time

import mora

CALLS = (
    ("open", None, None),
    ("calls matched (begin, end, exclusive, parent)", lambda t: t.calls(), lambda p: (p.calc_exc_metrics(), p._match_caller_callee())),
    ("profile", lambda t: t.profile(), lambda p: p.flat_profile()),
    ("profile by rank", lambda t: t.profile(True), lambda p: p.flat_profile(per_process=True)),
    ("comm_matrix", lambda t: t.comm_matrix(), lambda p: p.comm_matrix()),
    ("message_histogram", lambda t: t.message_histogram(20), lambda p: p.message_histogram(20)),
    ("time_profile, 50 bins", lambda t: t.time_profile(50), lambda p: p.time_profile(50)),
    ("messages matched", lambda t: t.messages(), None),
)


def spent_so_far():
    usages = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def took(function, times):
    best = None
    for _ in range(times):
        before = spent_so_far()
        result = function()
        spent = spent_so_far() - before
        best = spent if best is None else min(best, spent)
    return best, result


def precise(function, least=0.2):
    """Seconds of one call, of as many as take `least` seconds."""
    count = 1
    while True:
        begin = time.process_time()
        for _ in range(count):
            function()
        spent = time.process_time() - begin
        if spent >= least:
            return spent / count
        count *= 4


def main(archive):
    os.environ["MORA_INDEX_DIR"] = "none"
    opening, trace = took(lambda: mora.open(archive), 3)
    try:
        import pipit
    except ImportError:
        pipit = None
        print("Pipit is not there: no comparison", file=sys.stderr)
    if pipit is not None:
        reading, theirs = took(lambda: pipit.Trace.from_otf2(str(archive), num_processes=1), 1)
    for name, ours, other in CALLS:
        mine = opening if ours is None else min(precise(lambda: ours(trace)) for _ in range(3))
        line = f"Python frames, {name}, {len(trace)} events\t\t{mine * 1e3:.2f} ms"
        if pipit is not None and (ours is None or other is not None):
            spent = reading if ours is None else took(lambda fresh=copy.deepcopy(theirs): other(fresh), 1)[0]
            line += f"; Pipit {spent * 1e3:.0f} ms: {spent / mine:.0f} times as long"
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
