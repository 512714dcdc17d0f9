#!/usr/bin/env -S mora script
"""How long each node was in each region, with (incl) and without (excl) what is called there: region_times.py TRACE

Recursion counts once in incl; regions still open at the end of the trace end there.
"""
import sys
from collections import Counter

import mora


def region_times(trace):
    """Two dicts {(node, region): nanoseconds}: inclusive, exclusive."""
    inclusive, exclusive = Counter(), Counter()

    def leave(enter, end, around):  # around: the regions it was entered from, innermost first
        exclusive[enter.node, enter.region] += end - enter.time_ns
        inclusive[enter.node, enter.region] += 0 if enter.region in around else end - enter.time_ns
        if around:
            exclusive[enter.node, around[0]] -= end - enter.time_ns

    for exit in trace.events("EXIT"):
        if exit.enter:
            leave(exit.enter, exit.time_ns, trace.state(exit.num).stack(exit.node, sym=True, thread=exit.thread))
    last = trace.state(len(trace))
    for rank, thread in ((place.rank, place.thread) for place in trace.locations):
        names = last.stack(rank, sym=True, thread=thread)
        for depth, number in enumerate(last.stack(rank, thread=thread)):
            leave(trace[number], trace[len(trace)].time_ns, names[depth + 1 :])
    return inclusive, exclusive


if __name__ == "__main__":
    with mora.open(sys.argv[1]) as trace:
        inclusive, exclusive = region_times(trace)
    print(f"{'node':>4}  {'region':24} {'incl s':>15} {'excl s':>15}")
    for node, region in sorted(inclusive):
        print(f"{node:4}  {region:24} {inclusive[node, region] / 1e9:15.9f} {exclusive[node, region] / 1e9:15.9f}")
