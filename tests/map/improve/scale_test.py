#!/usr/bin/python3
"""16,384 ranks are placed within a second in each mode (processor time, so that other work on the machine does not count)."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

RANKS, NODES, SLOTS = 16384, 1024, 16
LIMIT_S = 1.0


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
        for words in (["--mode", "thesis", "--hostfile", hosts, "-np", str(RANKS), "--bynode"],
                      ["--mode", "thesis", "--hostfile", hosts, "-np", str(RANKS), "--map-by", "core", "--rank-by", "slot"],
                      ["--mode", "thesis", "-rf", rankfile],
                      ["--mode", "slurm", "-w", f"node[0-{NODES - 1}]", "-n", str(RANKS), "-m", "plane=4", *inside],
                      ["--mode", "slurm", "-w", f"node[0-{NODES - 1}]", "-n", str(RANKS), "-m", "cyclic:fcyclic:block", "--exclusive", *inside],
                      ["--hostfile", hosts, "-np", str(RANKS), "--map-by", "node"],
                      ["--hostfile", hosts, "-np", str(RANKS), "--map-by", "socket", "--rank-by", "core", *inside],
                      ["--hostfile", hosts, "-np", str(RANKS), "--map-by", "ppr:8:socket", *inside],
                      ["--hostfile", hosts, "-rf", rankfile, *inside]):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([mora, "map", *words], capture_output=True, text=True, timeout=60, check=False,
                                  env={k: v for k, v in os.environ.items() if not k.startswith("OMPI_")})
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            lines = sum(not line.startswith("#") for line in done.stdout.splitlines())
            print(f"{seconds:.2f} s  {lines} ranks  mora map {' '.join(words)}")
            if done.returncode != 0 or lines != RANKS or seconds > LIMIT_S:
                failed += 1
                print(f"FAILED: exit {done.returncode} {done.stderr}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
