#!/usr/bin/env python3
"""Compares Mora's placement with the real mpirun's answers that are stored in cases.txt (compare.py --record made them)."""
import argparse
import os
import subprocess
import sys

import real_mpirun
import refusals


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--answer", required=True)
    chosen = options.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "cases.txt"), encoding="ascii") as source:
        cases = [line.rstrip("\n").rsplit("\t=> ", 1) for line in source]
    requests = "".join(request + "\n" for request, _ in cases)
    done = subprocess.run([chosen.answer, "--one-process"], input=requests, capture_output=True, text=True, check=True, cwd=here)
    answers = done.stdout.splitlines()
    wrong = [(request, theirs, mine) for (request, theirs), mine in zip(cases, answers) if not real_mpirun.agree(theirs, mine)]
    for request, theirs, mine in wrong[:10]:
        print(f"{request}\n  mpirun: {theirs}\n  mora:   {mine}\n")
    accepted = sum(not theirs.startswith("refused ") for _, theirs in cases)
    facts = sum(theirs.startswith("refused ") and refusals.only_the_fact(theirs.removeprefix("refused ").split("; ")) for _, theirs in cases)
    print(f"{len(cases)} stored requests, {accepted} accepted, {len(cases) - accepted} refused ({facts} without a readable word), {len(wrong)} disagreements")
    return 1 if wrong or len(answers) != len(cases) or len(cases) < 1000 or 3 * accepted < len(cases) else 0


if __name__ == "__main__":
    sys.exit(main())
