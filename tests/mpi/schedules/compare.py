#!/usr/bin/env python3
"""The messages that `--collectives openmpi` says, against those that Open MPI really sends (its component pml/monitoring).

    compare.py --said PROGRAM [--ranks N,N,...] [--names NAME,...] [--show N]
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "allgatherv", "gatherv", "scatterv", "reduce_scatter",
         "reduce_scatter_block", "scan", "exscan"]
COUNTS = [1, 2, 3, 7, 16, 31, 33, 100, 250, 257, 600, 1025, 3001, 8191, 16385, 40001, 70001, 140001, 300001]
ROOTED = ("bcast", "reduce", "gather", "scatter", "gatherv", "scatterv")
BY_RANK = ("gather", "scatter", "allgather", "alltoall", "allgatherv", "gatherv", "scatterv", "reduce_scatter", "reduce_scatter_block")


def cases(ranks, names):
    for size in ranks:
        for name in names:
            for at, count in enumerate(COUNTS if name != "barrier" else [0]):
                if count * 4 * (size if name in BY_RANK else 1) > 16 << 20:
                    continue
                root = (0, size - 1, size // 2)[at % 3] if name in ROOTED else 0
                yield name, size, root, count


def answers(text):
    found, now = {}, None
    for line in text.splitlines():
        words = line.split(" ", 2)
        if words[0] == "case":
            now = found.setdefault(int(words[1]), (words[2] if len(words) > 2 else "", {}))[1]
        else:
            a, b, messages, size = map(int, line.split())
            now[a, b] = (messages, size)
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--said", required=True)
    options.add_argument("--ranks", default="2,3,4,5,6,7,8,9,12,13,16,17")
    options.add_argument("--names", default=",".join(NAMES))
    options.add_argument("--show", type=int, default=10)
    options = options.parse_args()
    mpirun, mpicc = shutil.which("mpirun.openmpi"), shutil.which("mpicc.openmpi")
    if mpirun is None or mpicc is None:
        print("no Open MPI here")
        return 0
    ranks = [int(n) for n in options.ranks.split(",")]
    wanted = list(cases(ranks, options.names.split(",")))
    with tempfile.TemporaryDirectory() as directory:
        listed, program = directory + "/cases", directory + "/sent"
        with open(listed, "w", encoding="ascii") as file:
            file.writelines(f"{name} {size} {root} {count}\n" for name, size, root, count in wanted)
        subprocess.run([mpicc, "-O1", "-rdynamic", HERE + "/sent.c", "-o", program], check=True)
        around = {key: value for key, value in os.environ.items() if not key.startswith("OMPI_MCA_")}
        around.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        real = subprocess.run([mpirun, "--oversubscribe", "-n", str(max(ranks)), "--mca", "mpi_yield_when_idle", "1", "--mca", "pml_monitoring_enable", "1",
                               "--mca", "btl", "self,vader", program, listed], capture_output=True, text=True, env=around, check=False)
        if real.returncode != 0:
            print(real.stderr[-2000:], file=sys.stderr)
            return 1
        said = subprocess.run([options.said, "openmpi", listed], capture_output=True, text=True, check=True)
    sent, said = answers(real.stdout), answers(said.stdout)
    wrong, by_name, shown = 0, Counter(), 0
    for n, case in enumerate(wanted):
        theirs, (algorithm, mine) = sent[n][1], said[n]
        if theirs == mine:
            continue
        wrong += 1
        by_name[case[0], algorithm] += 1
        if shown < options.show:
            shown += 1
            pairs = [pair for pair in sorted(set(theirs) | set(mine)) if theirs.get(pair) != mine.get(pair)]
            print("DIFFERS", *case, algorithm, f"{len(pairs)} pairs, (from, to): sent, said", *(f"{p}: {theirs.get(p)}, {mine.get(p)}" for p in pairs[:6]), sep="  ", file=sys.stderr)
    print(f"{len(wanted)} cases, {wrong} differ {dict(by_name)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
