#!/usr/bin/env python3
"""Compares what `mora map` itself prints with jobs that are really launched, with --report-bindings.

    launched.py --mora PROGRAM --pretend LIBRARY [--seed N] [--count N] [--show N]

The daemons of all nodes run here (run_here.sh); `pretend_cpus.c` is preloaded so that they can bind to cpus which this machine does not have. What is
compared: from `mora map --json` the nodes, their slots, and each rank's node, slot and first core; from `mora map --display-map` the whole binding.
"""
import argparse
import datetime
import json
import os
import random
import re
import subprocess
import sys

import generate
import real_mpirun
import refusals
import sensible

NODE = re.compile(r"^ Data for node: (\S+)\tNum slots: (\d+)")
PROC = re.compile(r"Process rank: (\d+) Bound: (.*)$")
BOUND = re.compile(r"MCW rank (\d+) bound to (.*)$")
UNBOUND = re.compile(r"MCW rank (\d+) is not bound")


def job_map(text):
    """[(node, slots)], {rank: (node, binding)} of a JOB MAP."""
    nodes, ranks = [], {}
    for line in text.splitlines():
        if match := NODE.match(line):
            nodes.append((real_mpirun.shown_name(match[1]), int(match[2])))
        elif match := PROC.search(line):
            ranks[int(match[1])] = (nodes[-1][0], match[2].replace("]]:[", "]]: ["))
    return nodes, ranks


def expected(text):
    """What a launched job says: nodes and slots, {rank: (node, binding, '' if it is the whole node, None if nothing is said)}."""
    nodes, ranks = job_map(text)
    bound = {}
    for line in text.splitlines():
        if match := BOUND.search(line):
            bound[int(match[1])] = match[2].strip()
        elif match := UNBOUND.search(line):
            bound[int(match[1])] = ""
    return nodes, {rank: (node, bound.get(rank)) for rank, (node, _) in ranks.items()}


def differences(launched, verb, verb_map):
    """What is not the same, a line each."""
    nodes, ranks = launched
    wrong = []
    if [(node["name"], node["slots"]) for node in verb["nodes"]] != nodes:
        wrong.append(f"nodes {nodes}, Mora {verb['nodes']}")
    if [entry["rank"] for entry in verb["ranks"]] != sorted(ranks):
        return wrong + [f"{len(ranks)} ranks, Mora {len(verb['ranks'])}"]
    mapped = job_map(verb_map)[1]
    for entry in verb["ranks"]:
        rank = entry["rank"]
        node, bound = ranks[rank]
        cores = re.findall(r"core (\d+)\[", bound or "")
        before = sum(1 for other in ranks if other < rank and ranks[other][0] == node)
        theirs = (node, str(before), cores[0] if cores else None)
        mine = (entry["node"], entry["slot"], entry["core"])
        if theirs != mine:
            wrong.append(f"rank {rank}: mpirun {theirs}, mora map --json {mine}")
        shown = mapped[rank][1] if rank in mapped and "core" in mapped[rank][1] else ""
        if (bound or "") != shown:
            wrong.append(f"rank {rank}: mpirun {bound!r}, mora map --display-map {shown!r}")
    return wrong


def asked(seed, count):
    """Random requests in which every daemon binds for itself, on nodes whose bindings are printed in full; most of them are accepted."""
    chance, drawn = random.Random(f"launched {seed}"), []
    topologies = [topology for topology in generate.TOPOLOGIES if "pack" in topology and "core" in topology]
    while len(drawn) < count:
        topology = chance.choice(topologies)
        _, words, files = generate.wild_request(chance) if chance.random() < 0.2 else sensible.request(chance, topology)
        if "GRANTED" not in files and not real_mpirun.listed(words) and "" not in words and "rmaps_dist_device" not in words:
            drawn.append((generate.line_of(topology, words, files), topology, words, files))
    return drawn


def is_refused(text):
    """By mpirun, or by the daemon of a node that cannot bind its ranks, which then ends without a word."""
    reasons = set(refusals.of_mpirun(text)) - {"unknown message", "silent", "notice only"}
    return "JOB MAP" not in text or "lost communication with a remote daemon" in text or bool(reasons)


def main():
    real_mpirun.leave_the_network()
    options = argparse.ArgumentParser()
    options.add_argument("--mora", required=True)
    options.add_argument("--pretend", required=True)
    options.add_argument("--seed", default="1", help="a number, or 'today': another every day")
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--show", type=int, default=5)
    chosen = options.parse_args()
    os.environ["LC_ALL"] = "C"
    seed = datetime.date.today().toordinal() if chosen.seed == "today" else int(chosen.seed)
    oracle = real_mpirun.Oracle()
    compared = bindings = refused = hung = wrong = 0
    for line, topology, words, files in asked(seed, chosen.count):
        named = [f"{{{word}}}" if word in files else word for word in words]
        for _ in range(2):
            text = real_mpirun.launched(named, files, oracle.xml(topology), oracle.directory, chosen.pretend)
            if text != real_mpirun.HANGS:
                break
        if text == real_mpirun.HANGS:
            hung += 1
            continue
        launched = expected(text)
        paths = [word.replace("{", oracle.directory + "/").replace("}", "") for word in named]
        verbs = [subprocess.run([chosen.mora, "map", form, "--topology", topology, *paths, "true"], capture_output=True, text=True, check=False)
                 for form in ("--json", "--display-map")]
        if is_refused(text):
            refused += 1
            errors = [f"mpirun refuses, mora map exits with {run.returncode}" for run in verbs if run.returncode not in (2, 3)]
        elif any(run.returncode for run in verbs):
            errors = [f"mpirun launches, mora map: {verbs[0].stderr.strip()}"]
        else:
            compared += 1
            bindings += any(bound for _, bound in launched[1].values())
            errors = differences(launched, json.loads(verbs[0].stdout), verbs[1].stdout)
        if errors:
            wrong += 1
            if wrong <= chosen.show:
                print("\n  ".join([line] + errors[:6]) + "\n")
    print(f"seed {seed}: {chosen.count} jobs: {compared} launched and compared with mora map --json and --display-map ({bindings} of them with bindings), "
          f"{refused} refused, {hung} without answer, {wrong} disagreements")
    return 1 if wrong or 2 * compared < chosen.count or 4 * bindings < chosen.count or hung > 2 else 0


if __name__ == "__main__":
    sys.exit(main())
