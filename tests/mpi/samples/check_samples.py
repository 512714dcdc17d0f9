#!/usr/bin/python3
"""Records a program with a function that is slow on one rank, and asks what Mora says of it (README.md).

    check_samples.py --mora MORA --program PROGRAM --mpi openmpi|mpich [--runs N]

In each run the first function of the first delay must be the one that the program names, with its file, its lines and the
excess that the program's own clock found, and `mora report` must open with it.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "waits"))
from check_example import environment  # pylint: disable=wrong-import-position

EXCESS_WITHIN = 0.05
RANKS = 3
LINE = re.compile(r"slow: rank=(\d+) function=(.+) file=(\S+) lines=(\d+)-(\d+) excess=(-?[\d.]+)(?: caller=(\S+))?(?: at=(\d+))?")


def run(command, **more):
    done = subprocess.run(command, text=True, capture_output=True, timeout=300, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(arguments, directory):
    """Returns what is wrong, in words; nothing if all is right."""
    experiment = directory / "run"
    launcher = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS)],
                "mpich": ["mpiexec.mpich", "-n", str(RANKS)]}[arguments.mpi]
    said = run([arguments.mora, "record", "--quiet", "--mpi", arguments.mpi, "-o", experiment, *launcher, arguments.program],
               env=environment(arguments.mpi, 1))
    planted = LINE.search(said)
    if not planted:
        sys.exit(f"the program does not say what it does: {said}")
    rank, function, file, first, last, excess, caller, at = planted.groups()
    run([arguments.mora, "analyze", "--quiet", experiment])
    losses = json.loads((experiment / "findings.json").read_text())["losses"]
    delays = [cause for cause in losses["causes"] if cause["kind"] == "delay"]
    report = run([arguments.mora, "report", experiment])
    verdict = " ".join(report.split("\n\n")[0:4]).replace("\n", " ")
    if not delays or not delays[0].get("functions"):
        return f"no function is named: {json.dumps(delays[:1])}\n{verdict}"
    found = delays[0]["functions"][0]
    wrong = []
    if delays[0]["ranks"] != [int(rank)]:
        wrong.append(f"ranks {delays[0]['ranks']}")
    if found["name"] != function:
        wrong.append(f"function {found['name']}, not {function}")
    if pathlib.Path(found["file"]).name != file:
        wrong.append(f"file {found['file']}, not {file}")
    if found["line"] != int(first) or not int(last) - 1 <= found["last_line"] <= int(last):
        wrong.append(f"lines {found['line']}-{found['last_line']}, not {first}-{last}")
    if caller and found["called_from"] != caller:
        wrong.append(f"called from {found['called_from']}, not {caller}")
    if at and found["called_at_line"] != int(at):
        wrong.append(f"called at line {found['called_at_line']}, not {at}")
    measured = float(found["time_s"]) - float(found["others_s"])
    # On a loaded machine the thread runs at few of the ticks: then there are few samples, and the error that is stated
    # must hold.
    within = max(EXCESS_WITHIN * float(excess), float(found["error_s"]))
    if abs(measured - float(excess)) > within:
        wrong.append(f"excess {measured:.3f} s, not {excess} s")
    sentence = re.sub(r"\s+", " ", report)
    spoken = re.sub("<[^<>]*>", "", function.split("(")[0])  # without template arguments and parameters
    if f"Rank {rank} came late because {spoken}" not in sentence:
        wrong.append(f"the report says: {sentence[:800]}")
    print(f"{arguments.program}: excess {measured:.3f} s of {excess} s, error {float(found['error_s']):.3f} s")
    return "; ".join(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mora", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("--runs", type=int, default=1)
    arguments = parser.parse_args()
    failures = 0
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory() as directory:
            wrong = check(arguments, pathlib.Path(directory))
        if wrong:
            print(wrong)
        failures += bool(wrong)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
