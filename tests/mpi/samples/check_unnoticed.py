#!/usr/bin/python3
"""Runs a program by itself and with samples, and wants the same output (README.md).

    check_unnoticed.py --mora MORA --mpi openmpi|mpich PROGRAM ARGUMENTS…
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "waits"))
from check_example import environment  # pylint: disable=wrong-import-position

RATE = 2000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mora", required=True)
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    launcher = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "-n", "1"],
                "mpich": ["mpiexec.mpich", "-n", "1"]}[arguments.mpi]

    def run(before):
        done = subprocess.run([*before, *launcher, *arguments.command], text=True, capture_output=True, timeout=300,
                              env=environment(arguments.mpi, 1))
        return f"{done.stdout}exit code {done.returncode}\n", done.stderr

    bare, _ = run([])
    with tempfile.TemporaryDirectory() as directory:
        sampled, problems = run([arguments.mora, "record", "--sample", str(RATE), "-o", f"{directory}/run"])
        samples = subprocess.run(["otf2-print", f"{directory}/run/traces.otf2"], text=True, capture_output=True,
                                 check=True).stdout.count("CALLING_CONTEXT_SAMPLE")
    print(bare)
    if sampled != bare:
        sys.exit(f"with samples:\n{sampled}{problems}")
    if samples == 0:
        sys.exit("there were no samples")


if __name__ == "__main__":
    main()
