#!/usr/bin/env python3
"""`mora map --mode hydra` against the real mpiexec.hydra: random jobs on invented nodes, launched here.

    hydra.py --mora PROGRAM --pretend LIBRARY [--seed N] [--count N]

The launcher is a script that drops the host's name. mpiexec tells each binding with HYDRA_TOPO_DEBUG=1; the topology comes through HWLOC_XMLFILE.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys

import real_mpirun

AGENT = """#!/bin/sh
while [ $# -gt 0 ]; do case "$1" in -x) shift;; *) break;; esac; done
export PRETEND_HOST=$1
shift
exec sh -c "$*"
"""
TOPOLOGIES = [("pack:2 l3:2 core:2 pu:2", 8, 2), ("pack:2 core:3 pu:1", 6, 1), ("pack:3 numa:1 core:4 pu:1", 12, 1)]
OBJECTS = ["machine", "numa", "socket", "package", "core", "hwthread", "l3cache", "l3ucache"]


def request(chance):
    topology, cores, threads = chance.choice(TOPOLOGIES)
    binds = chance.random() < 0.7
    names = [chance.choice("abc") for _ in range(chance.randrange(1, 5))]
    hosts = [name + chance.choice(["", f":{chance.randrange(1, 5)}"]) for name in names]
    words = ["-hosts", ",".join(hosts)] if chance.random() < 0.5 else [chance.choice(["-f", "-hostfile"]), "H"]
    text = "".join(host + chance.choice(["", " # comment", "  "]) + "\n" for host in hosts)
    words += ["-ppn", str(chance.randrange(1, 4))] if chance.random() < 0.3 else []
    words += [chance.choice(["-n", "-np"]), str(chance.randrange(1, 25))] if chance.random() < 0.9 else []
    if binds:
        kinds = [kind for kind in OBJECTS if "l3" in topology or not kind.startswith("l3")]
        drawn = lambda: chance.choice(kinds) + chance.choice(["", "", f":{chance.randrange(1, 4)}"])
        words += ["-bind-to", chance.choice([drawn(), drawn(), drawn(), "rr", "user:0,1+2,4", "none", "l2cache"])]
        words += ["-map-by", drawn()] if chance.random() < 0.5 else []
    return topology, cores, threads, words, text


def real(oracle, options, asked):
    """{rank: [node, first core]}; None: refused."""
    topology, cores, threads, words, text = asked
    around = real_mpirun.environment(oracle.xml(topology))
    around.update(LD_PRELOAD=options.pretend, HYDRA_TOPO_DEBUG="1")
    said = real_mpirun.printed_by(["mpiexec.hydra", "-prepend-rank", "-launcher", "ssh", "-launcher-exec", oracle.directory + "/agent", *words,
                                   "sh", "-c", "echo rank $PMI_RANK on $PRETEND_HOST"], {"H": text}, around, oracle.directory)
    places = {int(rank): [node, None] for rank, node in re.findall(r"rank (\d+) on (\w+)", said)}
    for rank, bits in re.findall(r"\[(\d+)\] process \d+ binding: ([01]+)", said):
        bound = [at for at, bit in enumerate(bits) if bit == "1"]
        if len(bound) not in (0, cores * threads):
            places[int(rank)][1] = str(bound[0] // threads)
    return places or None


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mora", required=True)
    options.add_argument("--pretend", required=True)
    options.add_argument("--seed", default="hydra")
    options.add_argument("--count", type=int, default=60)
    options = options.parse_args()
    if shutil.which("mpiexec.hydra") is None:
        print("no mpiexec.hydra here")
        return 0
    oracle, chance, failed, accepted = real_mpirun.Oracle(), random.Random(options.seed), 0, 0
    with open(oracle.directory + "/agent", "w", encoding="ascii") as file:
        file.write(AGENT)
    os.chmod(oracle.directory + "/agent", 0o755)
    for _ in range(options.count):
        asked = request(chance)
        theirs = real(oracle, options, asked)  # writes the file that both read
        done = subprocess.run([options.mora, "map", "mpiexec.hydra", "--topology", asked[0], "--json", *asked[3]], capture_output=True, text=True, check=False,
                              cwd=oracle.directory)
        mine = {entry["rank"]: [entry["node"], entry["core"]] for entry in json.loads(done.stdout)["ranks"]} if done.returncode == 0 else None
        for _ in range(3):  # on a loaded machine lines of mpiexec are lost: asked again, it prints them
            if theirs != mine:
                theirs = real(oracle, options, asked)
        accepted += theirs is not None
        if theirs != mine:
            failed += 1
            print(f"FAILED {asked}\n  mpiexec {theirs}\n  Mora    {mine} {done.stderr}", file=sys.stderr)
    print(f"{options.count} requests, {accepted} accepted, {failed} differ")
    return 1 if failed or accepted < options.count // 2 else 0


if __name__ == "__main__":
    real_mpirun.leave_the_network()
    sys.exit(main())
