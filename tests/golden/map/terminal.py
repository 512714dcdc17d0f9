#!/usr/bin/python3
"""T-MAP-3 (Kotomatas 2018, Figure 5.7) on a terminal: `mora map` asks for what is missing, on standard error, until it gets a number."""
import argparse
import os
import pty
import subprocess
import sys

FIGURE = "#####OUTPUT#####\n0 0:0:node0\n1 0:1:node0\n2 0:0:node1\n3 0:1:node1\n"
HOSTS = "Please specify number of host on the cluster:"
SLOTS = "Please specify number of slots on each host:"
CASES = [
    (["--mode", "kotomatas", "-np", "4"], "2\n8\n", 0, FIGURE, HOSTS + SLOTS),
    (["--mode", "kotomatas", "-np", "4"], "two\n0\n2\n8 8\n8\n", 0, FIGURE, (HOSTS + "It must be a whole number of at least 1.\n") * 2 + HOSTS +
     SLOTS + "It must be a whole number of at least 1.\n" + SLOTS),
    (["--mode", "kotomatas", "-np", "2", "-host", "a", "b"], "1\n", 0, "#####OUTPUT#####\n0 0:0:a\n1 0:0:b\n", SLOTS),
    (["-np", "3"], "2\n2\n", 0, "#####OUTPUT#####\n0 -:0:node0\n1 -:1:node0\n2 -:0:node1\n", HOSTS + SLOTS),  # as mpirun: by slot
    (["--mode", "kotomatas", "-np", "4"], "2\n\x04", 2, "", HOSTS + SLOTS + "mora: error: the number of slots on each host is not known\n"
     "  help:  give --hostfile F or --slots N\n"),
]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mora", required=True)
    mora = options.parse_args().mora
    failed = 0
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OMPI_MCA_")}  # mpirun's settings count for map, too
    for words, answers, code, output, asked in CASES:
        ours, its = pty.openpty()
        os.write(ours, answers.encode())
        done = subprocess.run([mora, "map", *words], stdin=its, capture_output=True, text=True, timeout=20,
                              env=environment, check=False)
        os.close(its)
        os.close(ours)
        if (done.returncode, done.stdout, done.stderr) != (code, output, asked):
            failed += 1
            print(f"{words} answered {answers!r}: exit {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
