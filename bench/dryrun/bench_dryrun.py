#!/usr/bin/python3
"""What a dry run of one rank costs beside that rank's own computing: bench_dryrun.py --mora build/shared/bin/mora [--flavour openmpi].

CPU seconds are those of the whole dry run: the program's start, the rank, auxiliary processes, converting the trace."""

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def measure(options, program, place, size, rank, words):
    directory = os.path.join(place, "run")
    shutil.rmtree(directory, ignore_errors=True)
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([options.mora, "pattern", "dryrun", "-n", str(size), "--ranks", str(rank), "--quiet", "-o", directory, "--mpi", options.flavour, program, *words],
                          capture_output=True, text=True, check=True)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    own = float(re.search(r"own ([0-9.]+)", done.stdout)[1])
    return own, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mora", required=True)
    parser.add_argument("--flavour", default="openmpi")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--figures", action="store_true", help="lines for bench/run on standard output, the table on standard error")
    options = parser.parse_args()
    table = sys.stderr if options.figures else sys.stdout
    place = tempfile.mkdtemp(prefix="mora-bench-")
    program = os.path.join(place, "stencil")
    subprocess.run([f"mpicc.{options.flavour}", "-O2", "-o", program, os.path.join(os.path.dirname(os.path.abspath(__file__)), "stencil.c")], check=True)
    print(f"{'case':34} {'own s':>8} {'wall s':>8} {'CPU s':>8} {'wall/own':>9} {'CPU/own':>8}", file=table)
    for name, words in (("1000 large steps", ("-n", "1000", "-s", "1000")), ("20000 small steps", ("-n", "20000", "-s", "200")),
                        ("1000 large steps, two splits", ("-n", "1000", "-s", "1000", "-x"))):
        runs = [measure(options, program, place, options.size, options.size // 2, words) for _ in range(options.repeat)]
        own, wall, cpu = (statistics.median(column) for column in zip(*runs))
        print(f"{name:34} {own:8.3f} {wall:8.3f} {cpu:8.3f} {wall / own:9.2f} {cpu / own:8.2f}", file=table, flush=True)
        if options.figures:
            print(f"dry run of one rank of {options.size}, {name}\t≤ 2x of its own compute time\t{wall / own:.2f}x wall, {cpu / own:.2f}x CPU", flush=True)
    shutil.rmtree(place)


if __name__ == "__main__":
    main()
