#!/usr/bin/python3
"""Placements that `mora map --improve` finds, counted again, and judged by the real mpirun (README.md)."""
import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

MPIRUN = shutil.which("mpirun.openmpi")
AGENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../oracle/run_here.sh")


def leave_the_network():
    """Goes on in a network namespace of its own if that is allowed: name servers are not asked for invented nodes then, which takes minutes."""
    if os.environ.get("MORA_IMPROVE_ALONE"):
        return
    os.environ["MORA_IMPROVE_ALONE"] = "1"
    if subprocess.run(["unshare", "-n", "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode == 0:
        os.execvp("unshare", ["unshare", "-n", "sh", "-c", 'ip link set lo up; exec "$@"', "sh", sys.executable] + sys.argv)


def write_pattern(directory, ranks, messages):
    """messages: {(from, to): [bytes, ...]} -> text traces."""
    os.makedirs(directory)
    for rank in range(ranks):
        lines = [f"{rank} init 1"]
        for (source, target), sizes in sorted(messages.items()):
            if source == rank:
                lines += [f"{rank} Isend {target} {size} (of 1 bytes) 6 on comm MPI_COMM_WORLD" for size in sizes]
        for (source, target), sizes in sorted(messages.items()):
            if target == rank:
                lines += [f"{rank} recv {source} {size} (of 1 bytes) 6 on comm MPI_COMM_WORLD" for size in sizes]
        lines.append(f"{rank} finalize")
        with open(f"{directory}/ti_trace{rank}.txt", "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")


def grid(width, height, names=None):
    names = names or list(range(width * height))
    messages = {}
    for y in range(height):
        for x in range(width):
            for other in ([(x + 1, y)] if x + 1 < width else []) + ([(x, y + 1)] if y + 1 < height else []):
                a, b = names[y * width + x], names[other[1] * width + other[0]]
                messages[a, b] = messages[b, a] = [100, 20]
    return messages


def crossing(messages, node_of):
    between = [size for (a, b), sizes in messages.items() if node_of[a] != node_of[b] for size in sizes]
    return sum(between), len(between)


class Test:
    def __init__(self, mora, directory):
        self.mora, self.directory, self.failed = mora, directory, 0

    def check(self, condition, text):
        if not condition:
            self.failed += 1
            print("FAILED", text, file=sys.stderr)

    def map(self, *words):
        done = subprocess.run([self.mora, "map", *words], capture_output=True, text=True, timeout=60, check=False)
        self.check(done.returncode == 0, f"{words}: {done.stderr}")
        return done.stdout

    def real(self, rankfile, xml, *words):
        """-> {rank: (node, cores)}: what the real mpirun says it would do on nodes like `xml`; {} if it refuses."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OMPI_")}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", HWLOC_XMLFILE=xml, HWLOC_THISSYSTEM="1",
                           RES_OPTIONS="timeout:1 attempts:1")  # the names are invented; nobody knows them
        # The map is printed before anything is started; nothing needs to start.
        mpirun = subprocess.Popen(["stdbuf", "-oL", MPIRUN, "--display-map", "--mca", "plm_rsh_agent", AGENT, *words, "-rf", rankfile, "true"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True)
        killer = threading.Timer(60, mpirun.kill)
        killer.start()
        places, node, said = {}, None, ""
        for line in mpirun.stdout:
            said += line
            if found := re.search(r"Data for node: (\S+)", line):
                node = found.group(1)
            if found := re.search(r"Process rank: (\d+) Bound: (.*)", line):
                places[int(found.group(1))] = (node, re.findall(r"core (\d+)", found.group(2)))
            if re.match(r" =+\s*$", line):
                break
        mpirun.terminate()
        try:
            mpirun.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(mpirun.pid, signal.SIGKILL)
            mpirun.communicate()
        killer.cancel()
        if not places:
            print(f"mpirun said:\n{said}", file=sys.stderr)
        return places

    def improve(self, name, ranks, messages, best, *words):
        """Returns the JSON; the best must have `best` bytes between nodes, and be what the rankfile and the lines say."""
        pattern = f"{self.directory}/{name}"
        if not os.path.exists(pattern):
            write_pattern(pattern, ranks, messages)
        rankfile = pattern + ".rankfile"
        result = json.loads(self.map(*words, "--improve", pattern, "--json", "--rankfile-out", rankfile))
        node_of = [place["node"] for place in result["ranks"]]
        chosen = [c for c in result["candidates"] if c["best"]]
        self.check(len(chosen) == 1, f"{name}: one is the best")
        self.check(crossing(messages, node_of) == (chosen[0]["bytes"], chosen[0]["messages"]), f"{name}: counted again")
        self.check(chosen[0]["bytes"] == best, f"{name}: {chosen[0]['bytes']} bytes between nodes, {best} are possible")
        self.check(all(chosen[0]["bytes"] <= c["bytes"] for c in result["candidates"]), f"{name}: the best is the best")
        with open(rankfile, encoding="ascii") as file:
            listed = dict(re.findall(r"rank (\d+)=(\S+) ", file.read()))
        self.check(listed == {str(r): node for r, node in enumerate(node_of)}, f"{name}: the rankfile says the same")
        if result["mode"] == "openmpi" and "--machine" not in words:
            again = json.loads(self.map("-rf", rankfile, *words, "--json"))
            self.check([place["node"] for place in again["ranks"]] == node_of, f"{name}: the rankfile is placed as it says")
        lines = [line for line in self.map(*words, "--improve", pattern, "--quiet").splitlines() if line[0] != "#"]
        self.check([line.split()[1].split(":", 2)[2] for line in lines] == node_of, f"{name}: the lines say the same")
        return result, rankfile


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mora", required=True)
    with tempfile.TemporaryDirectory() as directory:
        test = Test(options.parse_args().mora, directory)
        hosts = ["--host", "a:16,b:16,c:16,d:16", "--topology", "pack:2 core:8 pu:1", "--bind-to", "core"]
        shuffled = random.Random(4).sample(range(64), 64)
        rings = {(r, (r + 4) % 32): [1000] for r in range(32)}
        alone = grid(4, 2)
        found = [
            test.improve("grid", 64, grid(8, 8), 16 * 2 * 120, *hosts),
            test.improve("shuffled", 64, grid(8, 8, shuffled), 16 * 2 * 120, *hosts),
            test.improve("rings", 32, rings, 0, "--host", "a:8,b:8,c:8,d:8"),
            test.improve("small", 8, alone, 4 * 120, "--mode", "kotomatas", "--host", "a,b", "--slots", "4", "--map-by", "node"),
            test.improve("slurm", 64, grid(8, 8), 16 * 2 * 120, "--mode", "slurm", "-w", "n[1-4]", "--topology", "pack:2 core:8 pu:1"),
        ]
        test.check(found[3][0]["optimum"] and not found[0][0]["optimum"], "8 ranks: all ways were tried; 64: not")
        test.check(found[0][0]["candidates"][0]["bytes"] == 24 * 2 * 120, "strips cut 24 edges")

        machine = directory + "/machine.json"
        with open(machine, "w", encoding="ascii") as file:
            json.dump({"format": "mora-machine 1", "same_node": [{"latency_ns": 10, "ns_per_byte": 0}],
                       "other_node": [{"latency_ns": 1000, "ns_per_byte": 1}]}, file)
        timed, _ = test.improve("grid", 64, grid(8, 8), 16 * 2 * 120, *hosts, "--machine", machine)
        # A square in a corner has 8 edges out: 2 messages each way, 1000 + 60 ns on average; inside, a rank of it has at most 4 edges, 16 messages.
        test.check([c["time"] for c in timed["candidates"] if c["best"]] == [(8 * (2 * 1000 + 120) + 16 * 10) / 1e9], "time by hand")

        words = ["--mode", "kotomatas", "--nodes", "3", "--slots", "2", "-np", "5"]
        test.map(*words, "-o", directory + "/out")
        with open(directory + "/out", encoding="ascii") as file:
            test.check(file.read() == test.map(*words), "-o writes what is printed otherwise")

        cores_checked = False
        if MPIRUN is None:
            print("no mpirun.openmpi here: the rankfiles are not judged by it")
        else:
            xml = directory + "/t.xml"
            subprocess.run(["lstopo-no-graphics", "--input", "pack:2 core:8 pu:1", "--of", "xml", "--force", xml], check=True, capture_output=True)
            for (result, rankfile), words in zip((found[0], found[2], found[3]), (hosts[:2], ["--host", "a:8,b:8,c:8,d:8"], ["--host", "a:4,b:4"])):
                places = test.real(rankfile, xml, *words)
                expected = {place["rank"]: place["node"] for place in result["ranks"]}
                test.check({rank: node for rank, (node, _) in places.items()} == expected, f"{rankfile}: the real mpirun's map {places}")
                if result["mode"] != "kotomatas" and all(place["core"] for place in result["ranks"]) and "graph" in result["policies"][0]:
                    cores = {place["rank"]: [place["core"]] for place in result["ranks"]}
                    test.check({rank: bound for rank, (_, bound) in places.items()} == cores, f"{rankfile}: cores {places}, expected {cores}")
                    cores_checked = True
            test.check(cores_checked, "the cores of one rankfile at least were checked")
    return 1 if test.failed else 0


if __name__ == "__main__":
    leave_the_network()
    sys.exit(main())
