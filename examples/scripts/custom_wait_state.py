#!/usr/bin/env -S mora script
"""A wait state of your own: polling, time lost in loops of MPI_Test, MPI_Iprobe and their like: custom_wait_state.py TRACE
A poll followed by another, with no other MPI call between, found nothing. Lost is the time from one to the other."""
import re
import sys
from collections import Counter

import mora

POLL = re.compile(r"MPI_(Im?probe|Test(all|any|some)?)$")


def polling(trace):
    """{(rank, call site or name of the loop's first call): nanoseconds}"""
    lost, loops = Counter(), {}
    for enter in trace.events("ENTER"):
        first, last = loops.pop(enter.loc, (None, None))
        if POLL.match(enter.region):
            if last:
                lost[enter.rank, first.csite or first.region] += enter.time_ns - last.time_ns
            loops[enter.loc] = first or enter, enter
        elif first and not enter.region.startswith("MPI_"):  # the program's own functions do not end the loop
            loops[enter.loc] = first, last
    return lost


if __name__ == "__main__":
    with mora.open(sys.argv[1]) as trace:
        for (rank, place), lost in polling(trace).most_common():
            print(f"{lost / 1e9:15.9f} s on rank {rank}, loop at {place}")
