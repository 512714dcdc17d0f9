#!/usr/bin/python3
"""16,384 ranks are placed in each mode: every rank once, every node with as many as it has slots (how long it takes: bench/map)."""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

RANKS, NODES, SLOTS = 16384, 1024, 16


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mora", required=True)
    mora = options.parse_args().mora
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        hosts = directory + "/hosts"
        with open(hosts, "w", encoding="ascii") as file:
            file.write("".join(f"node{n} slots={SLOTS}\n" for n in range(NODES)))
        rankfile = directory + "/rankfile"
        with open(rankfile, "w", encoding="ascii") as file:
            file.write("".join(f"rank {r}=node{r % NODES} slot={r // NODES}\n" for r in range(RANKS)))
        inside = ["--topology", "pack:2 core:8 pu:1"]
        for words in (["--mode", "kotomatas", "--hostfile", hosts, "-np", str(RANKS), "--bynode"],
                      ["--mode", "kotomatas", "--hostfile", hosts, "-np", str(RANKS), "--map-by", "core", "--rank-by", "slot"],
                      ["--mode", "kotomatas", "-rf", rankfile],
                      ["--mode", "slurm", "-w", f"node[0-{NODES - 1}]", "-n", str(RANKS), "-m", "plane=4", *inside],
                      ["--mode", "slurm", "-w", f"node[0-{NODES - 1}]", "-n", str(RANKS), "-m", "cyclic:fcyclic:block", "--exclusive", *inside],
                      ["--hostfile", hosts, "-np", str(RANKS), "--map-by", "node"],
                      ["--hostfile", hosts, "-np", str(RANKS), "--map-by", "socket", "--rank-by", "core", *inside],
                      ["--hostfile", hosts, "-np", str(RANKS), "--map-by", "ppr:8:socket", *inside],
                      ["--hostfile", hosts, "-rf", rankfile, *inside]):
            done = subprocess.run([mora, "map", *words], capture_output=True, text=True, check=False,
                                  env={k: v for k, v in os.environ.items() if not k.startswith("OMPI_")})
            placed = [line.split(" ", 1) for line in done.stdout.splitlines() if not line.startswith("#")]
            on_node = collections.Counter(seat.split(":", 2)[2] for _, seat in placed)
            whole = [int(rank) for rank, _ in placed] == list(range(RANKS)) and on_node == {f"node{n}": SLOTS for n in range(NODES)}
            if done.returncode != 0 or not whole:
                failed += 1
                print(f"FAILED: mora map {' '.join(words)}: exit {done.returncode} {done.stderr}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
