#!/usr/bin/env -S mora script
"""Performance indices of your own, side by side for several traces: performance_index.py TRACE…

useful     share of all ranks' time outside MPI (parallel efficiency): balance x communication
balance    mean useful time of a rank / that of the busiest one
grain      microseconds of useful time per MPI call
volume     MB/s received, of all ranks together
"""
import sys

import mora


def indices(trace):
    """{index: value}; an index that cannot be computed is None."""
    in_mpi = dict.fromkeys(range(trace.info.nodecount), 0)
    calls = 0
    for exit in trace.events("EXIT"):
        enter = exit.enter
        if enter and enter.region.startswith("MPI_") and enter.thread == 0:
            if not (enter.enter and enter.enter.region.startswith("MPI_")):  # calls within calls count once
                in_mpi[enter.rank] += exit.time_ns - enter.time_ns
                calls += 1
    run = trace.info.duration_ns
    useful = mora.Stat()
    useful.add_many([(run - spent) / 1e9 for spent in in_mpi.values()])
    received = trace.columns("len", kinds="RECV").len.sum()
    if not run or not useful.count:
        return dict.fromkeys(("useful", "balance", "grain", "volume"))
    return {
        "useful": useful.mean / (run / 1e9),
        "balance": useful.mean / useful.max if useful.max else None,
        "grain": useful.sum * 1e6 / calls if calls else None,
        "volume": received / 1e6 / (run / 1e9),
    }


if __name__ == "__main__":
    print(f"{'trace':30} {'useful':>9} {'balance':>9} {'grain us':>12} {'MB/s':>12}")
    for path in sys.argv[1:]:
        with mora.open(path) as trace:
            row = [f"{value:.4g}" if value is not None else "-" for value in indices(trace).values()]
        print(f"{path:30} {row[0]:>9} {row[1]:>9} {row[2]:>12} {row[3]:>12}")
