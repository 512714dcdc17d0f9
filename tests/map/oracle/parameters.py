#!/usr/bin/env python3
"""Parameters beside the command line (OMPI_MCA_ variables, the user's mca-params.conf): `mora map` against the real mpirun, by nodes and first cores.

    parameters.py --mora PROGRAM
"""
import argparse
import json
import os
import subprocess
import sys

import real_mpirun

TOPOLOGY = "pack:2 core:4 pu:1"
HOSTS = ["--host", "a:4,b:4"]
MAP, RANK, BIND = "rmaps_base_mapping_policy", "rmaps_base_ranking_policy", "hwloc_base_binding_policy"
CASES = [  # environment, the user's file, words
    ({}, "", ["-np", "4"]),
    ({MAP: "node"}, "", ["-np", "4"]),
    ({MAP: "node"}, "", ["-np", "4", "--map-by", "core"]),
    ({MAP: "node"}, "", ["-np", "4", "--mca", MAP, "core"]),
    ({MAP: "slot"}, f"{MAP} = node\n", ["-np", "4"]),
    ({}, f"{MAP} = node\n", ["-np", "4"]),
    ({}, f"# {MAP} = node\n  {BIND}=core  \n\n{RANK} = node", ["-np", "5", "--map-by", "slot"]),
    ({}, f"{MAP} = node\n{MAP} = slot\n", ["-np", "4"]),
    ({}, f"--mca {MAP} node\n", ["-np", "4"]),
    ({}, f"-mca {MAP} node --mca {RANK} slot\n", ["-np", "4"]),
    ({}, f"-x FOO -mca {MAP} 'node' -x BAR\n", ["-np", "4"]),
    ({}, f"-mca {MAP} node junk -mca {RANK} slot\n", ["-np", "4"]),
    ({}, f"-mca {MAP}\n", ["-np", "4"]),
    ({}, f"{MAP} = \n", ["-np", "4"]),
    ({}, f"this is nothing\n{MAP} = node\n", ["-np", "4"]),
    ({}, f"{MAP} = node # not a comment\n", ["-np", "4"]),
    ({BIND: "none"}, f"{BIND} = core\n", ["-np", "4"]),
    ({BIND: "none"}, "", ["-np", "4", "--bind-to", "core"]),
    ({MAP: ""}, "", ["-np", "4"]),
    ({"rmaps_base_oversubscribe": "1"}, "", ["-np", "9"]),
    ({MAP: "ppr:2:node"}, "", ["-np", "4"]),
    ({MAP: "ppr:1:socket:pe=2"}, "", ["-np", "4"]),
    ({RANK: "node"}, f"{MAP} = core\n", ["-np", "6"]),
    ({MAP: "nonsense"}, "", ["-np", "4"]),
    ({"rmaps_base_schedule_policy": "node", MAP: "core"}, "", ["-np", "4"]),
]


def real(oracle, home, variables, words):
    around = real_mpirun.environment(oracle.xml(TOPOLOGY))
    around.update(HOME=home, **variables)
    text = real_mpirun.printed_by(["mpirun.openmpi", "--do-not-launch", "--display-devel-map", "-novm", *words, "true"], {}, around, oracle.directory)
    answer = real_mpirun.normalise(text)
    if answer is None:
        return None
    first = lambda cpus: None if cpus in ("-", "*", "") else cpus.split(",")[0].split("-")[0]
    return {rank: (node, first(binding)) for node, _, _, ranks in answer[1] for rank, _, binding in ranks}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mora", required=True)
    options = options.parse_args()
    oracle, failed = real_mpirun.Oracle(), 0
    home = os.path.join(oracle.directory, "home")
    os.makedirs(home + "/.openmpi")
    for environment, text, words in CASES:
        with open(home + "/.openmpi/mca-params.conf", "w", encoding="ascii") as file:
            file.write(text)
        variables = {"OMPI_MCA_" + name: value for name, value in environment.items()}
        theirs = real(oracle, home, variables, HOSTS + words)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("OMPI_MCA_")}
        done = subprocess.run([options.mora, "map", *HOSTS, *words, "--topology", TOPOLOGY, "--json"], capture_output=True, text=True, check=False,
                              env={**kept, "HOME": home, **variables})
        mine = {entry["rank"]: (entry["node"], entry["core"]) for entry in json.loads(done.stdout)["ranks"]} if done.returncode == 0 else None
        if theirs != mine:
            failed += 1
            print(f"FAILED {environment} {text!r} {words}\n  mpirun {theirs}\n  Mora   {mine} {done.stderr}", file=sys.stderr)
    print(f"{len(CASES)} requests, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    real_mpirun.leave_the_network()
    sys.exit(main())
