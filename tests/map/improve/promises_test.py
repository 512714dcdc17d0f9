#!/usr/bin/python3
"""Proposals of `mora map --improve` for random requests, against what each request itself promises (README.md)."""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import improve_test

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../oracle"))
import sensible  # noqa: E402

TOPOLOGIES = [(2, 4, "pack:2 core:4 pu:1"), (2, 8, "pack:2 l3:1 core:8 pu:1"), (1, 8, "pack:1 core:8 pu:2"), (4, 4, "pack:4 core:4 pu:2")]


def pairs_of(ranks, chance):
    """Ranks that exchange messages in pairs, strewn over all: most placements can be improved."""
    order = chance.sample(range(ranks), ranks)
    return {(a, b): [1000] for a, b in zip(order[::2], order[1::2])}


def cores_in(text):
    """Cores of a rankfile's slot list; None for all."""
    if text == "s*":
        return None
    cores = []
    for piece in text.split(","):
        first, last = (piece.split("-") * 2)[:2]
        cores += range(int(first), int(last) + 1)
    return cores


def rankfile_of(path):
    with open(path, encoding="ascii") as file:
        lines = [re.fullmatch(r"rank (\d+)=(\S+) slot=(\S+)", line) for line in file.read().splitlines()]
    return {int(line[1]): (line[2], cores_in(line[3])) for line in lines}


def broken(words, shape, asked, slots, proposal):
    """What the proposal does not keep, a sentence each. `asked`: the rankfile of what was asked for."""
    packages, per_package, topology = shape
    threads = int(topology.rpartition("pu:")[2])
    text = " ".join(words)
    wrong = []
    of_node, before = collections.defaultdict(list), collections.Counter(node for node, _ in asked.values())
    for node, cores in proposal.values():
        of_node[node].append(cores)
    for node, ranks in of_node.items():
        if len(ranks) > max(slots[node], before[node]):
            wrong.append(f"{len(ranks)} ranks on {node}: {slots[node]} slots")
    sizes = {None if cores is None else len(cores) for _, cores in asked.values()}
    for rank, (node, cores) in proposal.items():
        size = None if cores is None else len(cores)
        if len(sizes) == 1 and {size} != sizes:
            wrong.append(f"rank {rank} has {size} cores instead of {sizes}")
    if "--bind-to none" in text and any(cores is not None for ranks in of_node.values() for cores in ranks):
        wrong.append("ranks are bound that are to be left unbound")
    if pe := re.search(r"pe=(\d+)", text):
        each = -(-int(pe[1]) // threads) if "--use-hwthread-cpus" in text else int(pe[1])
        if any(cores is not None and len(cores) != each for ranks in of_node.values() for cores in ranks):
            wrong.append(f"not {each} cores for each")
    if re.search(r"--bind-to core( |$)", text) or ("pe=" in text and "overload" not in text):
        for node, ranks in of_node.items():
            taken = [core for cores in ranks if cores is not None for core in cores]
            if len(taken) != len(set(taken)) and "--oversubscribe" not in text:
                wrong.append(f"ranks share cores on {node}")
    each = re.search(r"ppr:(\d+):(\w+)", text) or re.search(r"-(?:npernode|N) (\d+)", text)
    if each or "-pernode" in text:
        most = int(each[1]) if each else 1
        kind = each[2] if each and each.re.groups == 2 else "node"
        objects = {"node": 1, "socket": packages, "numa": None, "core": packages * per_package}.get(kind)
        for node, ranks in of_node.items():
            if objects and len(ranks) > most * objects:
                wrong.append(f"{len(ranks)} ranks on {node}, {most} for each {kind}")
            owners = collections.Counter(cores[0] // per_package for cores in ranks if cores and len(cores) <= per_package)
            if kind == "socket" and owners and max(owners.values()) > most:
                wrong.append(f"more than {most} ranks at a package of {node}")
    if re.search(r"--map-by socket(:pe=2)?( |$)", text) and packages > 1:
        for node, ranks in of_node.items():
            if all(cores is not None and len(cores) <= per_package for cores in ranks):
                owners = collections.Counter(cores[0] // per_package for cores in ranks)
                if max(owners.values()) - (min(owners.values()) if len(owners) == packages else 0) > 1:
                    wrong.append(f"ranks are not spread over the packages of {node}: {dict(owners)}")
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mora", required=True)
    options.add_argument("--count", type=int, default=120)
    options.add_argument("--seed", default="promises")
    options = options.parse_args()
    chance, failed, improved, tried = random.Random(options.seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        while tried < options.count:
            shape = chance.choice(TOPOLOGIES)
            topology, words, files = sensible.request(chance, shape[2])
            if "GRANTED" in files:
                continue
            for name, text in files.items():
                with open(name, "w", encoding="ascii") as file:
                    file.write(text)
            words = [*words, "--topology", topology]
            run = lambda *more, words=words: subprocess.run([options.mora, "map", *words, "--json", "--rankfile-out", "R", *more],
                                                            capture_output=True, text=True, timeout=60, check=False)
            given = run()
            if given.returncode != 0:
                continue
            tried += 1
            asked = rankfile_of("R")
            pattern = f"p{len(asked)}"
            if not os.path.exists(pattern):
                improve_test.write_pattern(pattern, len(asked), pairs_of(len(asked), chance))
            counted = [] if any(word in ("-np", "-n") for word in words) else ["-np", str(len(asked))]
            found = run("--improve", pattern, *counted)
            if counted and found.returncode != 0:
                continue  # with -np the same words may be refused
            if found.returncode != 0:
                failed += 1
                print("FAILED", words, found.stderr, file=sys.stderr)
                continue
            result = json.loads(found.stdout)
            if not result["candidates"][0]["best"]:
                improved += 1
            if counted and rankfile_of("R") != asked and result["candidates"][0]["best"]:
                continue  # -np changes the policies that mpirun chooses
            slots = {node["name"]: node["slots"] for node in [*result["nodes"], *json.loads(given.stdout)["nodes"]]}
            if wrong := broken(words, shape, asked, slots, rankfile_of("R")):
                failed += 1
                print("FAILED", " ".join(words), files, *wrong[:3], sep="\n  ", file=sys.stderr)
    print(f"{tried} requests, {improved} improved, {failed} broken")
    return 1 if failed or improved < tried // 10 else 0


if __name__ == "__main__":
    sys.exit(main())
