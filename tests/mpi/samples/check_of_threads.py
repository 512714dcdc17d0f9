#!/usr/bin/python3
"""Records a program whose threads compute, and compares what samples say of each thread with the program's own clock (README.md).

    check_of_threads.py --mora MORA --dump MORA_JOURNAL_DUMP --mpi openmpi|mpich PROGRAM team|posix|steps
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "waits"))
import kernel_clock  # pylint: disable=wrong-import-position
from check_example import environment  # pylint: disable=wrong-import-position

DEVIATIONS = 4
USED = re.compile(r"^used thread=(\d+) function=(\w+) seconds=([\d.]+)", re.M)
SMALL_PART = 0.1  # of samples: in reading the clock
LOST_AT_MOST = 0.9  # of the samples that a second of processor time has, on a machine with other work


def run(*command, env=None):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=300, env=env)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def table(mora, metric, cube):
    """{(thread, function): amount} of the functions that samples found"""
    found = {}
    for _, path, location, value in list(csv.reader(run(mora, "cube", "stat", "--metric", metric, "-p", "--csv", cube).splitlines()))[1:]:
        thread = re.search(r"thread (\d+)", location)
        function = re.sub(r"\(.*", "", path.split("/")[-1]).strip()
        key = (int(thread.group(1)) if thread else 0, function)
        found[key] = found.get(key, 0) + float(value)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mora", required=True)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    launcher = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "none", "-n", "1"],
                "mpich": ["mpiexec.mpich", "-n", "1"]}[arguments.mpi]
    with tempfile.TemporaryDirectory() as directory:
        experiment = pathlib.Path(directory) / "run"
        said = run(arguments.mora, "record", "--quiet", "--keep-journal", "-o", experiment, *launcher, *arguments.command,
                   env=environment(arguments.mpi, 1) | {"OMP_WAIT_POLICY": "active", "MORA_SAMPLE_CLOCK": "event"})
        quality = json.loads((experiment / "manifest.json").read_text())["data_quality"]
        run(arguments.mora, "analyze", "--quiet", experiment)
        samples = table(arguments.mora, "samples", experiment / "analysis.cubex")
        times = table(arguments.mora, "sampled-computation", experiment / "analysis.cubex")
        recorded = sum(run(arguments.dump, journal).count(" SAMPLE ") for journal in (experiment / "journal").glob("*.t*.journal"))
    print(said, samples, times, f"{recorded} samples recorded", sep="\n")
    used = {(int(thread), function): float(seconds) for thread, function, seconds in USED.findall(said)}
    wrong = [f"data quality: {row}" for row in quality if row["kind"] != "forked"]
    if "lost a timer" in said:
        wrong.append("the child lost a timer")
    all_samples, all_seconds = sum(n for (of, _), n in samples.items() if of > 0), sum(used.values())
    if all_samples < (1 - LOST_AT_MOST) * 250 * all_seconds:
        wrong.append(f"{all_samples} samples of {all_seconds} s")
    if recorded > (1 + SMALL_PART) * all_samples + 1:
        wrong.append(f"{recorded} samples were recorded, {all_samples} of computation")
    # Threads of the journal and of OpenMP are numbered each for themselves; all divide their time alike.
    for thread in {thread for (thread, _), seconds in used.items() if seconds > 0}:
        taken = {function: samples.get((thread, function), 0) for function in ("heavy", "light")}
        all_used, all_taken = (sum(of) for of in ((used[thread, f] for f in taken), taken.values()))
        # What a thread does while it waits, for the last one of the team or for the next region, is no computation.
        others = {f: n for (of, f), n in samples.items() if of == thread and f not in (*taken, "touches") and n > SMALL_PART * all_taken + 1}
        if others:
            wrong.append(f"thread {thread}: samples while it waited: {others}")
        if not kernel_clock.is_allowed():
            continue  # timers: on a machine with other work they see little of some functions
        share = used[thread, "heavy"] / all_used
        if abs(taken["heavy"] - share * all_taken) > DEVIATIONS * math.sqrt(share * (1 - share) * all_taken) + 1:
            wrong.append(f"thread {thread}: {taken} for {used}")
        if times.get((thread, "heavy"), 0) < times.get((thread, "light"), 0):
            wrong.append(f"thread {thread}: times {times}")
        touched = samples.get((thread, "touches"), 0)
        if touched < 0.4 * all_samples / all_seconds * used.get((thread, "touches"), 0):
            wrong.append(f"thread {thread}: {touched} samples while the kernel worked for it")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
