#!/usr/bin/python3
"""Chrome JSON: well-formed, balanced, paired, exact; windows; the announced size."""
import collections
import json
import re
from decimal import Decimal

import traces
from traces import TestCase, golden_traces, run


class Chrome(TestCase):
    def convert(self, path, *more):
        out = path + ".json"
        done = run("convert", path, "--to", "chrome", "-o", out, "--force", *more)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        return json.loads(text, parse_float=Decimal, parse_int=Decimal)["traceEvents"], text, done.stderr

    def test_slices_balance_and_flows_pair(self):
        for name, path in golden_traces(self.directory):
            events, _, _ = self.convert(path)
            open_slices, flows = collections.Counter(), collections.Counter()
            for event in events:
                place = (event["pid"], event["tid"])
                if event["ph"] == "B":
                    open_slices[place] += 1
                if event["ph"] == "E":
                    open_slices[place] -= 1
                    self.assertGreaterEqual(open_slices[place], 0, name)
                if event["ph"] in "sf":
                    flows[(event["id"], event["cat"], event["ph"])] += 1
            self.assertEqual(set(open_slices.values()) - {0}, set(), name)
            self.assertEqual({(i, c) for i, c, p in flows if p == "s"}, {(i, c) for i, c, p in flows if p == "f"}, name)
            self.assertTrue(all(n == 1 for n in flows.values()), name)
            view = run("print", path).stdout
            self.assertEqual(sum(1 for e in events if e["ph"] == "B"), len(re.findall(r"^\d+ -?\d+ P\S+ ENTER", view, re.M)), name)

    def test_times_are_exact(self):
        path = self.file("long.trace", "mora-trace 1\nP0 0 ENTER main; 123456789012345678 ENTER f; 123456789012345679 EXIT; 200000000000000001 EXIT\n")
        events, _, _ = self.convert(path)
        self.assertEqual([e["ts"] * 1000 for e in events if e["ph"] in "BE"],
                         [0, 123456789012345678, 123456789012345679, 200000000000000001])

    def test_arguments(self):
        events, _, _ = self.convert(self.file("messages.trace", traces.MESSAGES))
        send = next(e for e in events if e.get("name") == "MPI_Send")
        self.assertEqual(send["args"], {"site": "ring.c:7"})
        starts = [e for e in events if e["ph"] == "s"]
        self.assertEqual([(e["cat"], e["pid"], e["args"]["bytes"], e["args"]["tag"], e["args"]["comm"]) for e in starts],
                         [("message", 0, 80, 3, "WORLD"), ("message", 0, 16, 4, "PAIR")])
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual([(ends[e["id"]]["pid"], ends[e["id"]]["ts"]) for e in starts], [(1, Decimal("0.025")), (2, Decimal("0.070"))])
        cast = [e["args"] for e in events if e.get("name") == "MPI_Bcast"]
        self.assertEqual(cast[0], {"comm": "WORLD", "root": 1, "sent": 0, "recvd": 8})

    def test_window_cuts_and_marks(self):
        path = self.file("messages.trace", traces.MESSAGES)
        events, _, notes = self.convert(path, "--from", "15", "--until", "35", "--ranks", "0-1")
        slices = [(e["ph"], int(e["pid"]), int(e["ts"] * 1000), e.get("name"), e.get("args", {}).get("cut")) for e in events if e["ph"] in "BE"]
        self.assertEqual(slices, [
            ("B", 0, 15, "main", True), ("B", 0, 15, "MPI_Send", True), ("B", 1, 15, "main", True), ("B", 1, 15, "MPI_Recv", True),
            ("E", 0, 20, None, None), ("E", 1, 25, None, None), ("B", 0, 30, "MPI_Isend", None),
            ("E", 0, 35, None, True), ("E", 0, 35, None, True), ("E", 1, 35, None, True)])
        self.assertFalse([e for e in events if e["ph"] in "sf"])
        self.assertIn("arrow-outside-window", notes)

    def test_size_is_announced_and_limited(self):
        path = self.file("messages.trace", traces.MESSAGES)
        events, text, notes = self.convert(path)
        announced = re.search(r"will write (\d+) events", notes)
        self.assertEqual(int(announced.group(1)), len(events))
        refused = run("convert", path, "--to", "chrome", "-o", self.place("no.json"), "--max-size", str(len(text) - 1), check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--from", refused.stderr)
        self.assertIn("--max-size", refused.stderr)
        run("convert", path, "--to", "chrome", "-o", self.place("yes.json"), "--max-size", str(len(text)))

    def test_size_of_a_long_trace_is_near(self):
        rounds = "".join(f"P0 {i}00-{i}20 MPI_Send@program.c:77 to 1 tag 1; {i}30-{i}60 MPI_Barrier\n"
                         f"P1 {i}05-{i}25 MPI_Recv from 0 tag 1; {i}31-{i}60 MPI_Barrier\n" for i in range(1, 6001))
        events, text, notes = self.convert(self.file("long.trace", "mora-trace 1\n" + rounds))
        announced = re.search(r"will write about (\d+) events, ([0-9.]+) MiB", notes)
        self.assertLess(abs(int(announced.group(1)) / len(events) - 1), 0.02)
        self.assertLess(abs(float(announced.group(2)) * 2**20 / len(text) - 1), 0.05)

    def test_dependencies_are_no_messages(self):
        path = self.file("fence.trace", traces.FENCE)
        plain, _, _ = self.convert(path)
        more, _, _ = self.convert(path, "--show-transfers", "dependencies")
        added = [e for e in more if e not in plain]
        self.assertEqual({e["cat"] for e in added}, {"dependency"})
        self.assertEqual(len(added), 2)

    def test_own_reader_restores_it(self):
        path = self.file("messages.trace", traces.MESSAGES)
        self.convert(path)
        def kinds(trace):
            rows = []
            for line in run("print", trace).stdout.splitlines():
                words = line.split()
                if words[0] != "!" and (words[3] in ("ENTER", "SEND", "RECV") or words[3].endswith("EXIT")):
                    wanted = ("region", "dest", "src", "tag", "bytes", "sent", "recvd", "root")
                    rows.append((words[1], words[2], words[3], [w for w in words[4:] if w.split("=")[0] in wanted]))
            return rows
        self.assertEqual(kinds(path), kinds(path + ".json"))


if __name__ == "__main__":
    traces.main()
