#!/usr/bin/python3
"""Predictions against an independent simulator: the messages that `mora predict --simgrid` writes, run by SimGrid's SMPI on a platform with the same latency
and bandwidth, take as long as Mora says. Traces are made here; no MPI job runs."""
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

MORA = os.environ["MORA_BINARY"]
EAGER_UP_TO = 65535
# Transfers share the line into their receiver, as messages share the receiver's port in Mora's model; everything that SimGrid adds by
# default to resemble one cluster is off.
CONFIGURATION = ["network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "smpi/os:0:0:0", "smpi/or:0:0:0", "smpi/ois:0:0:0", "smpi/init:0",
                 f"smpi/async-small-thresh:{EAGER_UP_TO + 1}", f"smpi/send-is-detached-thresh:{EAGER_UP_TO + 1}"]


def machine(latency_ns, distance="same_node", **more):
    cost = {"latency_ns": latency_ns, "ns_per_byte": 1}
    return json.dumps({"format": "mora-machine 2", "name": "lines", distance: {
        "model": "piecewise", "segments": [{"up_to_bytes": EAGER_UP_TO, **cost}, {"protocol": "rendezvous", **cost}]}, **more})


def platform(ranks, latency_ns):
    hosts = "".join(f'<host id="h{i}" speed="1Gf"/><link id="in{i}" latency="{latency_ns}ns" bandwidth="1GBps"/>\n' for i in range(ranks))
    routes = "".join(f'<route src="h{i}" dst="h{j}" symmetrical="NO"><link_ctn id="in{j}"/></route>\n' for i in range(ranks) for j in range(ranks) if i != j)
    return document(f'<zone id="z" routing="Full">\n{hosts}{routes}</zone>')


def machine_of_nodes(latency_ns, shared):
    """Messages cost the same within a node and between nodes, beside what they share."""
    lines = json.loads(machine(latency_ns))
    return json.dumps({**lines, "other_node": lines["same_node"], "shared": shared})


def two_nodes(pairs, latency_ns, connection_ns_per_byte, memory=False):
    """All messages from the first half of the ranks to the second share a link, beside the line into each rank; memory: all messages do."""
    hosts = "".join(f'<host id="h{i}" speed="1Gf"/><link id="in{i}" latency="{latency_ns}ns" bandwidth="1GBps"/>\n' for i in range(2 * pairs))
    hosts += f'<link id="shared" latency="0ns" bandwidth="{1e9 / connection_ns_per_byte:.6f}Bps"/>\n'
    routes = ""
    for i in range(2 * pairs):
        for j in range(2 * pairs):
            if i != j:
                shares = '<link_ctn id="shared"/>' if memory or i < pairs <= j else ""
                routes += f'<route src="h{i}" dst="h{j}" symmetrical="NO">{shares}<link_ctn id="in{j}"/></route>\n'
    return document(f'<zone id="z" routing="Full">\n{hosts}{routes}</zone>')


def document(inside):
    return f'<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">{inside}</platform>\n'


def cluster(ranks, latency_ns, topology, parameters):
    """SimGrid's own routes of a topology; each link has the latency."""
    return document(f'<cluster id="c" prefix="h" suffix="" radical="0-{ranks - 1}" speed="1Gf" bw="1GBps" lat="{latency_ns}ns" '
                    f'topology="{topology}" topo_parameters="{parameters}"/>')


class Lines:
    """A trace in the text language, each rank's calls one after the other; a call's recorded duration does not matter."""

    def __init__(self, ranks, nodes=False):
        """nodes: each rank is on a node of its own; a number: so many ranks are on each node."""
        self.now, self.lines = [0] * ranks, []
        of_one = int(nodes)
        self.nodes = "".join(f"node h{i} {','.join(map(str, range(i, i + of_one)))}\n" for i in range(0, ranks, of_one)) if nodes else ""

    def work(self, rank, ns):
        self.add(rank, "work", ns)

    def add(self, rank, call, ns=10):
        self.lines.append(f"P{rank} {self.now[rank]}-{self.now[rank] + ns} {call}")
        self.now[rank] += ns

    def text(self):
        return f"mora-trace 1\nranks {len(self.now)}\n{self.nodes}" + "\n".join(self.lines) + "\n"


class SimGrid(unittest.TestCase):
    def both(self, lines, collectives="algorithms", latency_ns=2000, on=None):
        """Run time in ns: as Mora says, as SimGrid says. on: a machine and the platform that it describes."""
        ranks = len(lines.now)
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            (work / "t.trace").write_text(lines.text())
            model, described = on or (machine(latency_ns), platform(ranks, latency_ns))
            (work / "machine.json").write_text(model)
            (work / "platform.xml").write_text(described)
            (work / "hosts").write_text("".join(f"h{i}\n" for i in range(ranks)))
            made = subprocess.run([MORA, "predict", "t.trace", "--on", "machine.json", "--collectives", collectives, "--simgrid", "replay", "--json", "--quiet"],
                                  cwd=work, capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            options = [f"--cfg={words}" for words in CONFIGURATION]
            done = subprocess.run(["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts", *options, "-replay", "replay/ranks.txt"],
                                  cwd=work, capture_output=True, text=True)
            found = re.search(r"Simulation time ([\d.]+)", done.stdout + done.stderr)
            self.assertTrue(found, done.stdout + done.stderr)
            return json.loads(made.stdout)["predicted"]["run_time"] * 1e9, float(found.group(1)) * 1e9

    def agree(self, lines, within=0.0, collectives="algorithms", message="", on=None):
        ours, theirs = self.both(lines, collectives, on=on)
        # SimGrid prints whole microseconds.
        self.assertLessEqual(abs(ours - theirs), within * theirs + 1000, f"{message}: Mora {ours:.0f} ns, SimGrid {theirs:.0f} ns")
        return ours / theirs

    def test_single_messages(self):
        for size in (0, 1, 1000, 65535, 65536, 1_000_000, 100_000_000):
            for late in (0, 50_000):  # the receiver comes late
                lines = Lines(2)
                lines.work(0, 10_000), lines.work(1, 10_000 + late)
                lines.add(0, f"MPI_Send to 1 bytes {size}"), lines.add(1, f"MPI_Recv from 0 bytes {size}")
                lines.work(0, 20_000), lines.work(1, 5_000)
                self.agree(lines, message=f"{size} bytes, {late} ns late")

    def test_messages_of_many_ranks(self):
        """A ring, and borders exchanged by requests with uneven work; small messages and rendezvous."""
        for ranks, size in ((3, 1000), (5, 200_000), (8, 300)):
            draw = random.Random(ranks)
            ring, halo = Lines(ranks), Lines(ranks)
            for _ in range(10):
                for rank in range(ranks):
                    right, left = (rank + 1) % ranks, (rank - 1) % ranks
                    ring.work(rank, draw.randint(1_000, 90_000))
                    ring.add(rank, f"MPI_Sendrecv to {right} from {left} bytes {size}")
                    for name, other in (("a", left), ("b", right)):
                        halo.add(rank, f"MPI_Irecv from {other} bytes {size} tag {0 if name == 'a' else 1} req {name}")
                    halo.work(rank, draw.randint(1_000, 90_000))
                    halo.add(rank, f"MPI_Isend to {left} bytes {size} tag 1 req c"), halo.add(rank, f"MPI_Isend to {right} bytes {size} tag 0 req d")
                    halo.add(rank, "MPI_Waitall req a,b,c,d")
            self.agree(ring, 0.002, message=f"ring of {ranks}")
            # Two messages share the line into a rank: SimGrid gives each half of it, Mora one after the other.
            self.agree(halo, 0.05, message=f"halo of {ranks}")

    def test_links_of_topologies(self):
        """A rank exchanges a message with each other one in turn: the sum of all routes. A link more or less anywhere is 100 us."""
        link = 50_000
        for kind, keys, topology, parameters, ranks, nearest in (
                ("torus", {"extents": [4, 3]}, "TORUS", "4,3", 12, 1), ("torus", {"extents": [3, 2, 2]}, "TORUS", "3,2,2", 12, 1),
                ("torus", {"extents": [7]}, "TORUS", "7", 7, 1), ("fat_tree", {"down": [3, 4]}, "FAT_TREE", "2;3,4;1,2;1,1", 12, 2),
                ("fat_tree", {"down": [2, 2, 3]}, "FAT_TREE", "3;2,2,3;1,1,1;1,1,1", 12, 2), ("switch", {}, "FLAT", "", 5, 2)):
            model = machine(nearest * link, "other_node", topology={"kind": kind, **keys, "hop_latency_ns": link})
            for first in (0, ranks - 2):
                lines = Lines(ranks, nodes=True)
                for other in range(ranks):
                    if other != first:
                        for sender, receiver in ((first, other), (other, first)):
                            lines.add(sender, f"MPI_Send to {receiver} bytes 1000"), lines.add(receiver, f"MPI_Recv from {sender} bytes 1000")
                with self.subTest(f"{kind} {parameters} from {first}"):
                    self.agree(lines, message=f"{kind} {parameters} from {first}", on=(model, cluster(ranks, link, topology, parameters)))

    def test_messages_that_share_a_link(self):
        """Two to four messages leave a node at once, or are copied within one: equal ones are all through when Mora says, where one fills the link and where
        it does not."""
        for size in (1000, 65536, 1_000_000):
            for pairs in (2, 3, 4):
                for shared in (2, 1, 0.75, 0.5, 0.25):  # ns per byte; a line takes 1
                    for memory in (False, True):
                        lines = Lines(2 * pairs, nodes=2 * pairs if memory else pairs)
                        for i in range(pairs):
                            lines.work(i, 10_000), lines.work(pairs + i, 10_000)
                            lines.add(i, f"MPI_Send to {pairs + i} bytes {size}"), lines.add(pairs + i, f"MPI_Recv from {i} bytes {size}")
                        key = "memory_ns_per_byte" if memory else "connection_ns_per_byte"
                        on = machine_of_nodes(2000, {key: shared}), two_nodes(pairs, 2000, shared, memory)
                        with self.subTest(f"{pairs} x {size} bytes, {key} {shared}"):
                            ours, theirs = self.both(lines, on=on)
                            self.assertLessEqual(abs(ours - theirs), 1000, f"Mora {ours:.0f} ns, SimGrid {theirs:.0f} ns")
                            self.assertLessEqual(abs(ours - (12_000 + max(size, pairs * shared * size))), 1)

    def test_different_messages_that_share_a_link(self):
        """Sizes and begins differ. Where one message fills the link no order makes a difference to the last one. Where several pass at once SimGrid shares fairly;
        Mora serves the link's bytes in order, while each message flows as fast as it would alone: it never comes later, and earlier where a long message is
        served early or could not have got its rate (a fifth at most here)."""
        ratios = []
        for seed in range(12):
            draw = random.Random(seed)
            pairs = draw.choice((2, 3, 4))
            for shared in (2, 1, 0.6, 0.4):
                lines = Lines(2 * pairs, nodes=pairs)
                for i in range(pairs):
                    size = draw.randint(100_000, 1_000_000)
                    lines.work(i, draw.randint(0, 100_000))
                    lines.add(i, f"MPI_Send to {pairs + i} bytes {size}"), lines.add(pairs + i, f"MPI_Recv from {i} bytes {size}")
                on = machine_of_nodes(2000, {"connection_ns_per_byte": shared}), two_nodes(pairs, 2000, shared)
                ours, theirs = self.both(lines, on=on)
                what = f"seed {seed}, {pairs} messages, {shared}: Mora {ours:.0f} ns, SimGrid {theirs:.0f} ns"
                ratios.append((ours / theirs, what))
                with self.subTest(what):
                    if shared >= 1:
                        self.assertLessEqual(abs(ours - theirs), 1000)
                    else:
                        self.assertLess(ours, theirs + 1000)
                        self.assertGreater(ours, 0.79 * theirs)
        if os.environ.get("MORA_SHOW"):
            print("\n".join(f"{ratio:.3f} {what}" for ratio, what in sorted(ratios)))

    def test_links_of_a_torus_are_shared(self):
        """Two equal messages at once: twice as long where their routes have a link in common, whichever."""
        model = machine(2000, "other_node", topology={"kind": "torus", "extents": [5, 3], "hop_latency_ns": 2000, "link_ns_per_byte": 1})
        on = model, cluster(15, 2000, "TORUS", "5,3")
        met = 0
        for a, b, c, d in ((0, 2, 1, 3), (0, 2, 2, 4), (0, 6, 1, 11), (0, 6, 10, 1), (0, 7, 1, 12), (4, 1, 0, 2), (3, 0, 4, 6), (2, 0, 0, 2), (0, 12, 10, 2)):
            lines = Lines(15, nodes=True)
            for rank in range(15):
                lines.work(rank, 1000)
            lines.add(a, f"MPI_Isend to {b} bytes 1000000 req s"), lines.add(c, f"MPI_Isend to {d} bytes 1000000 req t")
            lines.add(b, f"MPI_Recv from {a} bytes 1000000"), lines.add(d, f"MPI_Recv from {c} bytes 1000000")
            lines.add(a, "MPI_Wait req s"), lines.add(c, "MPI_Wait req t")
            with self.subTest(f"{a} to {b}, {c} to {d}"):
                met += self.both(lines, on=on)[0] > 1.9e6
                self.agree(lines, within=0.01, message=f"{a} to {b}, {c} to {d}", on=on)
        self.assertIn(met, range(2, 8))

    def collectives(self, latency_ns, sizes):
        """Ratio of both run times and what it is of, of every collective operation, by the algorithms of both libraries and of textbooks."""
        ratios = []
        for call in ("MPI_Barrier", "MPI_Bcast root 0", "MPI_Reduce root 1", "MPI_Allreduce", "MPI_Gather root 0", "MPI_Scatter root 0", "MPI_Allgather",
                     "MPI_Alltoall", "MPI_Reduce_scatter_block", "MPI_Scan", "MPI_Exscan"):
            for model in ("openmpi", "mpich", "algorithms"):
                for ranks, size in zip((4, 7, 8), sizes):
                    lines = Lines(ranks)
                    for rank in range(ranks):
                        lines.work(rank, 10_000 + 3_000 * rank)
                        lines.add(rank, call if call == "MPI_Barrier" else f"{call} bytes {size}")
                    ours, theirs = self.both(lines, model, latency_ns)
                    ratios.append((ours / theirs, f"{call}, {model}, {ranks} ranks, {size} bytes: Mora {ours:.0f} ns, SimGrid {theirs:.0f} ns"))
        if os.environ.get("MORA_SHOW"):
            print("\n".join(f"{ratio:.3f} {what}" for ratio, what in sorted(ratios)))
        return ratios

    def test_rounds_of_collectives(self):
        """Where a message takes a millisecond whatever its size, all agree: who waits for whom, and how often."""
        for ratio, what in self.collectives(1_000_000, (64, 500, 900)):
            with self.subTest(what):
                self.assertLess(abs(ratio - 1), 0.01)

    def test_bytes_of_collectives(self):
        """Where bytes count: within 2 % where one message at a time enters each rank. Where several do, SimGrid gives each a part of the line from when it
        comes, so that all end late; Mora gives the whole line to one after the other, so that a rank that passes on what came first is ahead."""
        ratios = self.collectives(2000, (64, 4096, 120_000))
        self.assertGreaterEqual(sum(abs(ratio - 1) < 0.02 for ratio, _ in ratios), 75, ratios)
        for ratio, what in ratios:
            with self.subTest(what):
                self.assertGreater(ratio, 0.75)
                self.assertLess(ratio, 1.02)


if __name__ == "__main__":
    unittest.main()
