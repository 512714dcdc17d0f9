#!/usr/bin/python3
"""What `mora view` draws across ranks and over time is what the other verbs print: `mora print --epochs` and `--locks`, `mora convert --to csv`
in the three ways to draw one-sided transfers, `mora report --json` and `--intervals --json`. No browser is needed.

    timeline_numbers_test.py MORA SAMPLE_EXPERIMENT VIEWER
"""
import collections
import csv
import io
import json
import pathlib
import re
import shutil
import sys
import tempfile
import time
import unittest

from viewer_test import Server, mora, skip_without_viewer


def one_sided(ranks, rounds):
    """Each round: fence, Put to the right, fence; a broadcast of a root that changes; groups of eight lock their first rank one
    after the other; pairs: start, Get, complete against post, wait. Times in us."""
    lines = ["mora-trace 1", "unit us", "program one-sided", f"ranks {ranks}"]
    for rank in range(ranks):
        in_group, t = rank % 8, 20
        words = [f"P{rank} 0 ENTER main; 1-9 MPI_Init; 10-15 MPI_Win_create w0; 16-18 MPI_Win_create w1"]
        for i in range(rounds):
            granted = t + 150 + 20 * in_group
            words += [f"{t + 10 + (7 * rank + i) % 50}-{t + 80} MPI_Win_fence w0; {t + 82}-{t + 84} MPI_Put w0 to {(rank + 1) % ranks} bytes {800 + rank % 3}",
                      f"{t + 90 + rank % 9}-{t + 120} MPI_Win_fence w0; {t + 121 + rank % 5}-{t + 140} MPI_Bcast root {i % ranks}",
                      f"{t + 150 + in_group}-{granted + 10} MPI_Win_lock w0 to {rank - in_group}; {granted + 11}-{granted + 12} MPI_Put w0 to {rank - in_group} bytes 64; {granted + 13}-{granted + 18} MPI_Win_unlock w0 to {rank - in_group}"]
            partner, late = rank ^ 1, t + 350 + rank % 5
            words.append(f"{late}-{late + 4} MPI_Win_start w1 group {partner}; {late + 5}-{late + 6} MPI_Get w1 to {partner} bytes 640; {late + 10}-{t + 380} MPI_Win_complete w1" if rank % 2 == 0
                         else f"{late - 10}-{late - 8} MPI_Win_post w1 group {partner}; {late + 12}-{t + 385} MPI_Win_wait w1")
            t += 400
        words.append(f"{t}-{t + 5} MPI_Barrier; {t + 10}-{t + 19} MPI_Finalize; {t + 20} EXIT")
        lines.append("; ".join(words))
    return "\n".join(lines) + "\n"


def overlapping(ranks, rounds):
    """Each round: MPI_Iallreduce and MPI_Ibcast of a root that changes, computation, MPI_Wait of the one and MPI_Waitall of the other with a message; in the last round the first rank
    never completes its broadcast. Times in us."""
    lines = ["mora-trace 1", "unit us", "program overlapping", f"ranks {ranks}"]
    for rank in range(ranks):
        words = [f"P{rank} 0 ENTER main; 1-9 MPI_Init"]
        for i in range(rounds):
            t, late = 20 + 200 * i, (11 * rank + 3 * i) % 40
            words += [f"{t + late}-{t + late + 2} MPI_Iallreduce bytes 8 req a; {t + late + 4}-{t + late + 5} MPI_Ibcast root {i % ranks} bytes 800 req b",
                      f"{t + 100}-{t + 110 + rank % 7} MPI_Wait req a"]
            if rank > 0 or i + 1 < rounds:
                words.append(f"{t + 120}-{t + 130 + rank % 3} MPI_Waitall req b")
        words.append(f"{20 + 200 * rounds}-{30 + 200 * rounds} MPI_Finalize; {40 + 200 * rounds} EXIT")
        lines.append("; ".join(words))
    return "\n".join(lines) + "\n"


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


class Numbers(unittest.TestCase):
    """Of eight ranks; the class below does the same with 4,096."""
    RANKS, ROUNDS = 8, 3

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.trace = pathlib.Path(cls.scratch.name) / "run.trace"
        cls.trace.write_text(one_sided(cls.RANKS, cls.ROUNDS))
        mora("analyze", cls.trace)
        cls.server = Server(cls.trace)
        cls.info = cls.until(lambda: cls.ask("info"), lambda info: info["state"] == "ready")
        cls.report = json.loads(mora("report", "--json", cls.trace))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.scratch.cleanup()

    @classmethod
    def ask(cls, name, **query):
        answer, body = cls.server.ask(f"{cls.server.root}timeline/{name}?" + "&".join(f"{key}={value}" for key, value in query.items()))
        assert answer.status == 200, body
        return json.loads(body)

    @staticmethod
    def until(ask, is_right):
        ends = time.monotonic() + 120
        while not is_right(answer := ask()):
            assert time.monotonic() < ends, answer
            time.sleep(0.05)
        return answer

    def all_of(self, name, key, limit=10000, **query):
        """Everything, however often one answer is too small: by stretches of time. Overlapping ones give some twice."""
        found, steps = {}, 1 if self.RANKS < 100 else 8 * self.ROUNDS
        for i in range(steps):
            begin, end = self.info["duration"] * i // steps, self.info["duration"] * (i + 1) // steps
            for first in range(0, self.RANKS, 512):
                answer = self.ask(name, limit=limit, **{"from": begin, "until": max(begin + 1, end + 1), "first": first, "count": min(512, self.RANKS - first)}, **query)
                self.assertLessEqual(answer["all"], limit, "the test asks for too much at once")
                found.update((json.dumps(one), one) for one in answer[key])
        return list(found.values())

    def test_critical_path_is_that_of_the_report(self):
        path = self.ask("path", limit=10000)
        self.assertEqual(path["state"], "ready", "the analysis kept it")
        self.assertEqual(path["all"], len(path["pieces"]))
        by_rank = [0] * self.RANKS
        for location, begin, end in path["pieces"]:
            by_rank[self.info["locations"][location]["rank"]] += end - begin
        metric = next(m for m in self.report["metrics"] if m["id"] == "critical-path")
        self.assertEqual(by_rank, [round(seconds * 1e9) for seconds in metric["by_rank"]])
        self.assertEqual([piece[1] for piece in path["pieces"][1:]], [piece[2] for piece in path["pieces"][:-1]])
        kept = pathlib.Path(f"{self.trace}.analysis/critical-path")
        for text in (b"", kept.read_bytes()[:-1], kept.read_bytes().replace(b"PATH\1", b"PATH\2")):  # none, cut, of a later version
            self.assertEqual(self.path_beside(text)["pieces"], path["pieces"])

    def path_beside(self, text):
        """The path that a server finds which has this file instead; stopped while it looks, it ends at once."""
        with tempfile.TemporaryDirectory() as scratch:
            copy = pathlib.Path(scratch) / self.trace.name
            shutil.copytree(f"{self.trace}.analysis", f"{copy}.analysis")
            copy.symlink_to(self.trace)
            pathlib.Path(f"{copy}.analysis/critical-path").write_bytes(text)
            for is_stopped in (True, False):
                server = Server(copy)
                ask = lambda: json.loads(server.ask(f"{server.root}timeline/path?limit=10000")[1])
                first = self.until(ask, lambda answer: "error" not in answer)
                answer = first if is_stopped else self.until(ask, lambda a: a["state"] == "ready")
                began = time.monotonic()
                self.assertEqual(server.stop()[0], 0)
                self.assertLess(time.monotonic() - began, 30)
            return answer

    def test_epochs_are_those_that_are_printed(self):
        printed, with_lock = {}, set()
        for line in mora("print", "--epochs", self.trace).splitlines():
            rank, window, begin, end, kind = re.match(r"P(\d+) (\S+) (\d+)-(\d+|end) (\w+)", line).groups()
            printed[int(rank), window, int(begin), self.info["duration"] if end == "end" else int(end)] = kind
        for line in mora("print", "--locks", self.trace).splitlines():
            if found := re.fullmatch(r"(\S+) P(\d+) (\d+) WLOCK P(\d+) .*", line):
                with_lock.add((int(found[4]), found[1], int(found[3])))
        answer = self.ask("epochs", limit=0)
        bars = [bar for bar in self.all_of("epochs", "bars") if "epoch" in answer["kinds"][bar[4]]]
        drawn = collections.Counter((bar[0], answer["windows"][bar[5]], bar[2], bar[3]) for bar in bars)
        self.assertEqual(set(drawn.values()), {1})
        self.assertEqual(set(drawn) - set(printed), set())
        self.assertEqual({epoch for epoch, kind in printed.items() if kind == "RMA" and epoch[:3] not in with_lock} - set(drawn), set())
        kinds = collections.Counter(answer["kinds"][bar[4]] for bar in bars)
        self.assertEqual((kinds["access epoch"], kinds["exposure epoch"]), (self.RANKS // 2 * self.ROUNDS, self.RANKS // 2 * self.ROUNDS))

    def test_locks_are_those_that_are_printed(self):
        printed, held = collections.Counter(), {}
        for line in mora("print", "--locks", self.trace).splitlines():
            window, target, when, what, rank, rest = re.fullmatch(r"(\S+) P(\d+) (\d+) (WLOCK|WUNLOCK) P(\d+) (.*)", line).groups()
            if what == "WLOCK":
                held[window, target, rank] = (int(when), rest.split()[0])
            else:
                begin, mode = held.pop((window, target, rank))
                printed[int(rank), window, int(target), begin, int(when), f"{mode} lock"] += 1
        answer = self.ask("epochs", limit=0)
        bars = [bar for bar in self.all_of("epochs", "bars") if "lock" in answer["kinds"][bar[4]]]
        self.assertEqual(collections.Counter((bar[0], answer["windows"][bar[5]], bar[6], bar[2], bar[3], answer["kinds"][bar[4]]) for bar in bars), printed)
        waiting = sum(round(value * 1e9) for value in next(m for m in self.report["metrics"] if m["id"] == "lock-contention")["by_rank"])
        grants = self.RANKS // 8 * 7 * self.ROUNDS   # the call returns 2 us after the lock is released
        self.assertEqual(sum(bar[2] - bar[7] for bar in bars) - waiting, 12_000 * grants)

    def test_transfers_are_those_that_are_exported(self):
        for way in ("closed", "logical"):
            exported = collections.Counter((row["kind"], int(row["from"][1:]), int(row["to"][1:]), int(row["bytes"]), int(row["start_ns"]), int(row["end_ns"]))
                                           for row in rows_of(mora("convert", "--quiet", "--to", "csv", "--messages", "--show-transfers", way, "-o", "-", self.trace)))
            drawn = collections.Counter((line["kind"], line["from"], line["to"], line["bytes"], line["begin"], line["end"]) for line in self.all_of("messages", "lines", transfers=way))
            self.assertEqual(drawn, exported, way)
            self.assertGreater(sum(drawn.values()), 2 * self.RANKS * self.ROUNDS)

    def test_dependencies_are_those_that_are_exported(self):
        fences, lines = collections.Counter(), collections.Counter()
        for row in rows_of(mora("convert", "--quiet", "--to", "csv", "--show-transfers", "dependencies", "-o", "-", self.trace)):
            if row["kind"] == "fence":
                fences[len(row["collective"].split())] += 1
            else:
                lines[row["kind"], int(row["from_location"].lstrip("P")), int(row["to_location"].lstrip("P")), int(row["from_time_ns"]), int(row["to_time_ns"])] += 1
        drawn = self.all_of("messages", "lines", transfers="dependencies")
        self.assertEqual(collections.Counter((line["kind"], line["from"], line["to"], line["begin"], line["end"]) for line in drawn), lines)
        self.assertTrue(any(line["end"] < line["begin"] for line in drawn), "none runs backwards")
        answer = self.ask("messages", transfers="dependencies", limit=10000, **{"from": 0, "until": self.info["duration"] + 1})
        self.assertEqual(collections.Counter(fence["members"] for fence in answer["joined"]), fences)

    def test_collectives_say_who_came_when(self):
        entered = {(event["location"], event["time_ns"]) for event in json.loads(mora("print", "--json", "--kinds", "ENTER", self.trace))["events"] if event["region"] == "MPI_Bcast"}
        answer = self.ask("collectives", limit=1000, points=4096)
        self.assertEqual(answer["all"], len(answer["instances"]))
        broadcasts = sorted((one for one in answer["instances"] if one["name"] == "MPI_Bcast"), key=lambda one: one["begin"])
        self.assertEqual([one["root"] for one in broadcasts], [i % self.RANKS for i in range(self.ROUNDS)])
        self.assertEqual([one["members"] for one in broadcasts], [self.RANKS] * self.ROUNDS)
        drawn = [(f"P{location}", came) for one in broadcasts for location, came in one["points"]]
        self.assertEqual((len(drawn), set(drawn)), (len(entered), entered))

    def test_nonblocking_collectives_lead_to_where_they_are_completed(self):
        with tempfile.TemporaryDirectory() as scratch:
            trace = pathlib.Path(scratch) / "overlapping.trace"
            trace.write_text(overlapping(self.RANKS, self.ROUNDS))
            mora("analyze", trace)
            events = json.loads(mora("print", "--json", "--kinds", "ENTER,NBC_START,NBC_END", trace))["events"]
            server = Server(trace)
            self.addCleanup(server.stop)
            ask = lambda name, **query: json.loads(server.ask(f"{server.root}timeline/{name}?" + "&".join(f"{key}={value}" for key, value in query.items()))[1])
            self.until(lambda: ask("info"), lambda info: info.get("state") == "ready")
            answer = ask("collectives", limit=1000, points=4096)
        by_number, ended = {e["event"]: e for e in events}, {e["start"]: e for e in events if e["type"] == "NBC_END"}
        printed = collections.defaultdict(dict)   # the n-th of its kind on each rank
        seen = collections.Counter()
        for start in (e for e in events if e["type"] == "NBC_START"):
            call, end = by_number[start["enter"]], ended.get(start["event"])
            seen[start["location"], call["region"]] += 1
            printed[call["region"], seen[start["location"], call["region"]]][start["location"]] = (call["time_ns"], end and end["time_ns"], call["event"], end["enter"] if end else 0)
        drawn = [one for one in answer["instances"] if one.get("nonblocking")]
        self.assertEqual((len(drawn), answer["all"], len(printed)), (2 * self.ROUNDS, 2 * self.ROUNDS, 2 * self.ROUNDS))
        for name in ("MPI_Iallreduce", "MPI_Ibcast"):
            for i, one in enumerate(sorted((one for one in drawn if one["name"] == name), key=lambda one: one["begin"])):
                members = {f"P{location}": tuple(rest) for location, *rest in one["completions"]}
                self.assertEqual((one["members"], members), (self.RANKS, printed[name, i + 1]))
                self.assertEqual({(f"P{location}", came) for location, came in one["points"]}, {(rank, values[0]) for rank, values in members.items()})
                self.assertEqual(one["root"], i % self.RANKS if name == "MPI_Ibcast" else None)
                self.assertEqual([location for location, _, completed, *_ in one["completions"] if completed is None], [0] if name == "MPI_Ibcast" and i + 1 == self.ROUNDS else [])

    def test_intervals_are_those_of_the_report(self):
        table = json.loads(mora("report", "--intervals", "--json", self.trace))["intervals"]
        drawn, ranks = collections.Counter(), collections.Counter()
        for rank in range(self.RANKS):
            answer = self.ask("intervals", location=rank, columns=8192)
            mine = collections.Counter()
            for bar in answer["bars"]:
                mine[answer["numbers"][bar[0]]] += bar[4]
            drawn |= mine
            ranks.update(mine.keys())
            self.assertEqual([len(answer["numbers"]), len(answer["names"])], [len(table)] * 2)
            self.assertEqual(answer["drawn"], answer["all"])
        self.assertGreater(len(table), 1)
        self.assertEqual([(one["number"], one["count"], one["processes"]) for one in table[1:]], [(one["number"], drawn[one["number"]], ranks[one["number"]]) for one in table[1:]])

    def waiting(self, **query):
        return json.loads(self.server.ask(f"{self.server.root}waiting?" + "&".join(f"{key}={value}" for key, value in query.items()))[1])

    def test_waiting_over_time_adds_up_to_the_report(self):
        answer = self.waiting()
        metrics = {metric["id"]: round(metric["inclusive"] * 1e9) for metric in self.report["metrics"]}
        self.assertGreater(len(answer["waits"]), 2)
        for wait in answer["waits"]:
            self.assertEqual((wait["all"], sum(wait["ns"])), (metrics[wait["metric"]],) * 2, wait["metric"])
        summary = json.loads(self.server.ask(self.server.root + "summary")[1])
        self.assertEqual(sum(wait["all"] for wait in answer["waits"]), summary["waiting_ns"])
        half = answer["from"] + answer["length"] * (len(answer["waits"][0]["ns"]) // 2)
        parts = [self.waiting(**{"from": 0, "until": half, "bars": 4096}), self.waiting(**{"from": half, "until": self.info["duration"], "bars": 4096})]
        for wait in answer["waits"]:
            self.assertEqual(sum(sum(one["ns"]) for part in parts for one in part["waits"] if one["metric"] == wait["metric"]), wait["all"])
        kept = pathlib.Path(f"{self.trace}.analysis/waiting-over-time")
        with tempfile.TemporaryDirectory() as scratch:   # none, of an older version
            copy = pathlib.Path(scratch) / self.trace.name
            shutil.copytree(kept.parent, f"{copy}.analysis")
            copy.symlink_to(self.trace)
            pathlib.Path(f"{copy}.analysis/{kept.name}").unlink()
            server = Server(copy)
            self.assertEqual(json.loads(server.ask(f"{server.root}waiting")[1]), {"waits": None})
            server.stop()

    def test_waiting_over_time_is_that_of_every_single_wait(self):
        answer = self.waiting(bars=4096)
        expected = collections.defaultdict(collections.Counter)
        for finding in self.report["findings"]:
            for wait in json.loads(mora("analyze", "--trace-finding", finding["id"], "--limit", "0", "--json", self.trace))["waits"]:
                at, end = round(wait["begin_s"] * 1e9), round(wait["end_s"] * 1e9)
                while at < end:
                    part = at // answer["length"]
                    until = min(end, (part + 1) * answer["length"])
                    expected[finding["metric"]][part] += until - at
                    at = until
        for wait in answer["waits"]:
            self.assertEqual({i: ns for i, ns in enumerate(wait["ns"], answer["from"] // answer["length"]) if ns}, dict(expected[wait["metric"]]), wait["metric"])

    def test_ranks_are_ordered_by_what_the_report_says(self):
        waiting = json.loads(self.server.ask(self.server.root + "summary")[1])["waiting_by_rank_ns"]
        rows = self.ask("rows", sort="waiting")["rows"]
        self.assertEqual(sorted(rows), list(range(self.RANKS)))
        self.assertEqual([waiting[row] for row in rows], sorted(waiting, reverse=True))
        self.assertEqual(self.ask("rows", ranks="0-2,5")["rows"], [0, 1, 2, 5])


class NumbersOfManyRanks(Numbers):
    RANKS, ROUNDS = 4096, 1

    test_waiting_over_time_is_that_of_every_single_wait = None   # an analysis for each finding: done with few
    test_intervals_are_those_of_the_report = None   # one question for each rank: done with few

    def test_collectives_say_who_came_when(self):
        one = next(one for one in self.ask("collectives", points=512)["instances"] if one["name"] == "MPI_Bcast")
        self.assertEqual((one["members"], len(one["points"])), (self.RANKS, 512))
        self.assertEqual({came for _, came in one["points"]}, {1000 * (141 + 4)})   # the last of each eight


if __name__ == "__main__":
    skip_without_viewer()
    run = unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]], exit=False)
    sys.exit(0 if run.result.wasSuccessful() else 1)
