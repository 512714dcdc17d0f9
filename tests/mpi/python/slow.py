#!/usr/bin/python3
"""One rank is slow in one function of Python; says what ../samples/check_samples.py wants to know."""
import statistics
import time

from mpi_here import barrier, finalize, gathered, rank

LATE, ROUNDS, SECONDS = 1, 20, 0.03


def relax(seconds):
    end = time.process_time() + seconds
    x = 3.0
    while time.process_time() < end:
        for _ in range(100):
            x = x * 0.999 + 0.001
    return x


def flux(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def step():
    flux(SECONDS)
    begin = time.monotonic()
    relax(SECONDS * (3 if rank == LATE else 1))
    spent = time.monotonic() - begin
    barrier()
    return spent


spent = gathered(sum(step() for _ in range(ROUNDS)))
if rank == 0:
    excess = spent.pop(LATE) - statistics.median(spent)
    print(f"slow: rank={LATE} function=relax file=slow.py lines=11-17 excess={excess:.6f} caller=step at=29", flush=True)
finalize()
