#!/usr/bin/python3
"""One thing has one count and one duration, whoever is asked: every verb with --json, the cube, the Python module, exports.

    same_figures_test.py MORA [TRACE…]

Without traces: the teaching traces, all golden traces that can be analysed, and DAMAGED. PYTHONPATH has the module.

What is not the same thing, though it sounds alike, has its own name here and the reason beside the line. 
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal

import mora as module

MORA = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Damage, one kind each: nobody may count it differently from the others.
DAMAGED = {
    "a leave is missing": "P0 0 ENTER main; 1 ENTER MPI_Send; 1 SEND to 1; 9 EXIT\nP1 0 ENTER main; 3-8 MPI_Recv from 0; 9 EXIT",
    "nobody receives": "P0 0 ENTER main; 1-2 MPI_Send to 1; 3-4 MPI_Send to 1; 9 EXIT\nP1 0 ENTER main; 3-8 MPI_Recv from 0; 9 EXIT",
    "nobody sends": "P0 0 ENTER main; 9 EXIT\nP1 0 ENTER main; 3-8 MPI_Recv from 0; 9 EXIT",
    "one member of a collective is missing": "P0 0 ENTER main; 1-5 MPI_Barrier; 9 EXIT\nP1 0 ENTER main; 9 EXIT\nP2 0 ENTER main; 4-5 MPI_Barrier; 9 EXIT",
    "recording was off": "P0 0 ENTER main; 1-2 MPI_Send to 1; 3 RECORDING_OFF; 6 RECORDING_ON; 7-8 MPI_Send to 1; 9 EXIT\n"
                         "P1 0 ENTER main; 1-3 MPI_Recv from 0; 4-8 MPI_Recv from 0; 9 EXIT",
    "the recorder was busy": "P0 0 ENTER main; 1-2 MPI_Send to 1; 3 OVERHEAD_BEGIN; 6 OVERHEAD_END; 9 EXIT\nP1 0 ENTER main; 1-3 MPI_Recv from 0; 9 EXIT",
    "messages outside of calls": "P0 0 ENTER main; 1 SEND to 1; 9 EXIT\nP1 0 ENTER main; 3 RECV from 0; 9 EXIT",
    "a request is never completed": "P0 0 ENTER main; 1-2 MPI_Isend to 1 req a; 9 EXIT\nP1 0 ENTER main; 1-3 MPI_Irecv from 0 req b; 9 EXIT",
    "a transfer is never completed": "P0 0 ENTER main; 1-2 MPI_Win_lock w0 to 1; 3-4 MPI_Put w0 to 1; 9 EXIT\nP1 0 ENTER main; 9 EXIT",
    "records before and after all events": "P0 10 RECORDING_OFF; 30 RECORDING_ON; 30 ENTER main; 70 EXIT; 90 OVERHEAD_BEGIN; 95 OVERHEAD_END\nP1 20 ENTER main; 60 EXIT",
    "a transfer ends after all records": "P0 5 ENTER main; 6-8 MPI_Win_lock w0 to 1; 9 ENTER MPI_Put; 9 PUT_1TS @1 w0 rma1 sent 8; 10 EXIT; 13 EXIT\n"
                                         "P1 7 ENTER main; 9 EXIT; 20 PUT_1TE @0 w0 rma1 recvd 8",
    "a rank without events": "P0 0 ENTER main; 1-2 MPI_Send to 2; 9 EXIT\nP2 0 ENTER main; 1-3 MPI_Recv from 0; 9 EXIT",
}

# Formats in which a process may live longer than its states.
FOREIGN = {
    "Pajé": """%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
% Time date
% Name string
% Type string
%EndEventDef
%EventDef PajePushState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 5
% Time date
% Type string
% Container string
%EndEventDef
0 P 0 Process
1 S P State
2 0.1 p1 P 0 "rank 0"
2 0.12 p2 P 0 "rank 1"
4 0.2 S p1 "work"
5 0.3 S p1
4 0.25 S p2 "work"
5 0.35 S p2
3 0.5 p1 P
3 0.4 p2 P
""",
    "Paraver": """#Paraver (27/11/2026 at 10:00):1000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
2:1:1:1:1:100:40000001:1
2:2:1:2:1:120:40000001:1
2:1:1:1:1:300:50000001:1
2:2:1:2:1:350:50000001:2
3:1:1:1:1:300:310:2:1:2:1:350:400:8:5
2:1:1:1:1:350:50000001:0
2:2:1:2:1:400:50000001:0
2:1:1:1:1:900:40000001:0
2:2:1:2:1:950:40000001:0
""",
}


def ns(seconds):
    """Whole nanoseconds of exact decimal seconds."""
    value = Decimal(seconds).scaleb(9)
    assert value == int(value), seconds
    return int(value)


def once_per_key(pairs):
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), f"a key stands twice: {pairs}"
    return dict(pairs)


class Asked:
    """What everybody says of one trace: figures[what][who]."""

    def __init__(self, trace):
        self.trace, self.figures = trace, collections.defaultdict(dict)
        self.ask()

    def run(self, *words):
        done = subprocess.run([MORA, *words], capture_output=True, text=True, timeout=120)
        assert done.returncode in (0, 1), f"mora {' '.join(words)}: {done.stderr}"
        return done.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "--json"), parse_float=Decimal, object_pairs_hook=once_per_key)

    def say(self, who, **figures):
        for what, value in figures.items():
            self.figures[what.replace("__", " ")][who] = value

    def disagreements(self):
        return {what: said for what, said in self.figures.items() if len(set(said.values())) > 1}

    def ask(self):
        # One clock for all: print, info and exports show the times as they were recorded.
        findings = self.json("analyze", "--correct-clocks", "never", self.trace)
        assert findings == self.json("report", self.trace)
        self.metrics = {m["id"]: m for m in findings["metrics"]}
        # Marks of intervals are measurement, not calls of the program.
        self.marked = re.search("tag 0x0A|tag 0xAA|MPI_Pcontrol", pathlib.Path(self.trace).read_text()) is not None
        cube = self.json("cube", "info", self.trace + ".analysis/analysis.cubex")
        result = module.load(self.trace)
        self.of_metrics(findings, cube, result)
        self.of_waits(findings)
        info = self.json("info", self.trace)
        self.of_records(findings, info, cube, result)
        matrix = self.json("pattern", "matrix", "--collectives", "none", self.trace)
        self.of_messages_and_transfers(findings, info, matrix)
        # What reading repaired; the others find more than info does.
        for row in info["data_quality"]:
            for who, document in (("info", info), ("findings.json", findings), ("pattern matrix", matrix)):
                count = sum(r["count"] for r in document["data_quality"] if (r["kind"], r["where"]) == (row["kind"], row["where"]))
                self.say(who, **{f"damage {row['kind']} {row['where']}": count})
        self.of_intervals(findings, result)
        self.of_other_formats(("otf2", "paje") if info["events_by_kind"].get("enter") else ("otf2",))

    def amount(self, metric, cell="inclusive"):
        found = self.metrics.get(metric)
        if found is None:
            return 0
        return ns(found[cell]) if found["unit"] == "s" else int(found[cell])

    def of_metrics(self, findings, cube, result):
        for m in cube["metrics"]:
            self.say("cube info", **{f"metric {m['id']}": ns(m["total"]) if m["unit"] == "s" else m["total"]})
        for m in result.metrics:
            self.say("Python", **{f"metric {m.id}": m._integer})
            self.say("Python, cells", **{f"metric {m.id}": int(m.cells.sum())})
        for m in self.metrics.values():
            self.say("findings.json", **{f"metric {m['id']}": self.amount(m["id"])})
            by_rank = sum(ns(v) if m["unit"] == "s" else v for v in m["by_rank"])
            self.say("findings.json by rank", **{f"metric {m['id']}": by_rank})

    def of_waits(self, findings):
        per_metric, times = collections.Counter(), collections.Counter()
        for f in findings["findings"]:
            per_metric[f["metric"]] += ns(f["severity_s"])
            times[f["metric"]] += f["instances"]
            self.say("severity", **{f"finding {f['id']}": ns(f["severity_s"])})
            self.say("by rank", **{f"finding {f['id']}": sum(map(ns, f["by_rank"]))})
            self.say("statistics", **{f"finding {f['id']}": ns(f["statistics"]["sum_s"]), f"waits of {f['id']}": f["statistics"]["count"]})
            self.say("instances", **{f"waits of {f['id']}": f["instances"]})
        for metric, amount in per_metric.items():
            self.say("findings", **{f"metric {metric}": amount, f"waits {metric}": times[metric]})
        for m in self.json("report", "--stats", self.trace)["metrics"]:
            self.say("report --stats", **{f"metric {m['id']}": ns(m["statistics"]["sum_s"]), f"waits {m['id']}": m["statistics"]["count"]})

    def of_records(self, findings, info, cube, result):
        run, kinds = findings["run"], collections.Counter(info["events_by_kind"])
        self.say("findings.json", events=run["events"], ranks=run["ranks"], locations=run["locations"], run__time=ns(run["wall_s"]))
        self.say("info", events=info["events"], ranks=info["ranks"], locations=info["locations"],
                 run__time=ns(info["last_s"]) - ns(info["first_s"]), begin=ns(info["clock_origin_s"]) + ns(info["first_s"]),
                 end=ns(info["clock_origin_s"]) + ns(info["last_s"]))
        self.say("info by kind", events=sum(kinds.values()), enters=kinds["enter"])
        self.say("cube", locations=cube["locations"] if isinstance(cube["locations"], int) else len(cube["locations"]))
        # The events of a view (EARL's) are others than those of the file: a Put has a start and an end there.
        with module.open(self.trace) as trace:
            counts = trace.info.counts
            self.say("Python", view=len(trace), ranks=trace.info.nodecount, run__time=trace.info.duration_ns,
                     enters=counts.get("ENTER", 0), sends=counts.get("SEND", 0), receives=counts.get("RECV", 0))
            self.say("Python by type", view=sum(counts.values()))
        for index in (True, False):
            for clock in ("start", "trace"):
                with module.open(self.trace, index=index, clock=clock) as trace:
                    origin, times = trace.info.start_ns if clock == "start" else 0, [event.time_ns for event in trace]
                    self.say(f"Python, {index}, {clock}", run__time=trace.info.duration_ns, begin=origin + trace.info.begin_ns,
                             end=origin + trace.info.end_ns)
                    self.say("begin <= events <= end", **{f"{index} {clock}": True})
                    self.say("Python", **{f"{index} {clock}": all(trace.info.begin_ns <= t <= trace.info.end_ns for t in times)})
        printed = self.json("print", self.trace)
        self.say("print", view=printed["size"], enters=sum(e["type"] == "ENTER" for e in printed["events"]))
        self.say("print, events", view=len(printed["events"]))
        self.say("csv", view=len(self.run("convert", "--to", "csv", "-o", "-", self.trace).splitlines()) - 1)
        for who in ("SEND", "RECV"):
            events = [e for e in printed["events"] if e["type"] == who]
            what = "sends" if who == "SEND" else "receives"
            self.say("print", **{what: len(events), f"bytes of {what}": sum(e["bytes"] for e in events)})
        # The call tree has a root and computation between calls, which nobody enters.
        visits = next(m for m in result.metrics if m.id == "visits").cells
        # The call tree has no device streams in it, and found and marked intervals besides what was entered.
        entered = [p.index for p in result.call_paths if p.kind in ("user", "mpi")]
        if all(p.kind != "interval" for p in result.call_paths) and info["location_kinds"]["devices"] == 0:
            self.say("visits", enters=sum(int(visits[c].sum()) for c in entered))

    def of_messages_and_transfers(self, findings, info, matrix):
        kinds = collections.Counter(info["events_by_kind"])
        self.say("info", sends=info["messages"], bytes__of__sends=info["message_bytes"])
        self.say("info by kind", sends=kinds["send"] + kinds["send_request"])
        if not self.marked:  # marks that are messages are measurement, not messages of the program
            self.say("metric", sends=self.amount("messages-sent"), receives=self.amount("messages-received"))
        p2p, one_sided = matrix["total"]["point_to_point"], matrix["total"]["one_sided"]
        self.say("pattern matrix", sends=p2p["messages"], bytes__of__sends=p2p["bytes"], ranks=matrix["ranks"])
        features = self.json("pattern", "features", self.trace)["phases"][:-1]  # the last one is the total
        self.say("pattern features", sends=sum(f["point_to_point_messages"] for f in features),
                 bytes__of__sends=sum(f["point_to_point_bytes"] for f in features))
        chrome = json.loads(self.run("convert", "--to", "chrome", "-o", "-", self.trace))["traceEvents"]
        arrows = sum(e["ph"] == "f" and e["cat"] == "message" for e in chrome)
        # Those with both ends; of a receive before its send no arrow can be drawn.
        self.say("chrome", arrows=arrows)
        self.say("chrome, tails", arrows=sum(e["ph"] == "s" and e["cat"] == "message" for e in chrome))
        transfers = self.json("report", "--transfers", self.trace)["transfers"]
        for who, rows in (("report --transfers", transfers), ("findings.json", findings["transfers"])):
            self.say(who, transfers=sum(t["operations"] for t in rows), bytes__of__transfers=sum(t["bytes"] for t in rows))
        self.say("metric", transfers=self.amount("rma-transfers"), bytes__of__transfers=self.amount("rma-bytes"))
        self.say("info by kind", transfers=kinds["put"] + kinds["get"] + kinds["atomic"])
        self.say("pattern matrix", messages__of__transfers=one_sided["messages"])
        self.say("info by kind", messages__of__transfers=kinds["put"] + kinds["get"] + 2 * kinds["atomic"])  # there and back

    def of_other_formats(self, forms):
        """What is converted takes as long as it did. (Of a trace without states Pajé's form holds nothing.)"""
        for form in forms:
            other = self.trace + "." + form
            self.run("convert", "--to", form, "-o", other, "--quiet", self.trace)
            info = self.json("info", other)
            self.say(f"info, {form}", run__time=ns(info["last_s"]) - ns(info["first_s"]))
            with module.open(other) as trace:
                self.say(f"Python, {form}", run__time=trace.info.duration_ns)

    def of_intervals(self, findings, result):
        run = self.json("report", "--intervals", self.trace)["intervals"][0]
        amounts = {key: ns(value) for key, value in run["characteristics"].items()
                   if value is not None and key not in ("efficiency", "processors", "first_execution")}
        # First executions are those of an interval's iterations: the program has one, and nested intervals do not add up.
        advice, pop = self.json("advise", self.trace), self.json("report", "--pop", self.trace)
        for who, document in (("intervals", run), ("advise", advice), ("pop", pop)):
            self.say(who, processes=document["processes"])
        self.say("intervals", **{key: amounts[key] for key in ("execution_time", "total_time", "productive_time", "lost_time")})
        self.say("advise", **{key: ns(advice[key + "_s"]) for key in ("execution_time", "total_time", "productive_time", "lost_time")})
        if ns(pop["start_and_end_s"]) == 0:  # else POP's figures are those of the time between
            self.say("pop", execution_time=ns(pop["run_time_s"]), waiting=ns(pop["waiting_s"]), measurement=ns(pop["measurement_s"]))
        self.say("intervals", waiting=amounts["real_synchronization"], measurement=amounts["measurement"])
        # Characteristics are those of a process, which is its first thread; metrics those of all threads.
        has_threads = any(location.thread for location in result.locations)
        self.of_comparison(amounts, has_threads)
        if has_threads:
            return
        self.say("metrics", measurement=self.amount("overhead") + self.amount("unrecorded"))
        self.say("metrics", mpi_time=self.amount("mpi") + self.amount("shmem"))
        self.say("intervals", mpi_time=amounts["mpi_time"])

    def of_comparison(self, amounts, has_threads):
        compared = self.json("compare", self.trace, self.trace)
        units = {figure["key"]: figure["unit"] for figure in compared["figures"]}
        for figure in compared["intervals"][0]["figures"]:
            if figure["kind"] == "characteristic" and figure["key"] in amounts:
                self.say("intervals", **{f"characteristic {figure['key']}": amounts[figure["key"]]})
                self.say("compare", **{f"characteristic {figure['key']}": ns(figure["values"][0])})
        sums = collections.Counter()
        for path in compared["call_paths"]:
            for figure in path["metrics"]:
                value = figure["values"][0]
                sums[figure["key"]] += ns(value) if units[figure["key"]] == "s" else int(value)
        for key, value in sums.items():
            self.say("compare", **{f"metric {key}": value})
        if has_threads:
            return
        # Two figures of one name are one figure.
        names = {m["name"].lower(): key for key, m in self.metrics.items()}
        for figure in compared["figures"]:
            if figure["kind"] == "characteristic" and figure["name"].lower() in names and figure["key"] in amounts:
                self.say("intervals", **{f"named {figure['name']}": amounts[figure["key"]]})
                key = names[figure["name"].lower()]
                scale = 1 if self.metrics[key]["unit"] == "s" else 10 ** 9  # as ns() has scaled the other one
                self.say("metric", **{f"named {figure['name']}": self.amount(key) * scale})


def golden_traces():
    """name, text of every golden trace that its test analyses without error."""
    for path in sorted((ROOT / "tests/golden").rglob("*.test")):
        text = path.read_text()
        head, _, rest = text.partition("--- command")
        if re.search(r"(?m)^(P\d|%EventDef| *-\d)", head) and "--- error" not in rest:
            yield str(path.relative_to(ROOT)), head


def traces():
    for path in sys.argv[2:]:
        yield path, pathlib.Path(path).read_text()
    if len(sys.argv) > 2:
        return
    for path in sorted((ROOT / "docs/patterns").glob("*.trace")):
        yield path.name, path.read_text()
    yield from golden_traces()
    for name, text in DAMAGED.items():
        yield name, f"mora-trace 1\n{text}\n"
    yield from FOREIGN.items()


def ask(text):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "run.trace")
        pathlib.Path(trace).write_text(text)
        return Asked(trace).disagreements()


class SameFigures(unittest.TestCase):
    def test_all(self):
        with concurrent.futures.ProcessPoolExecutor() as pool:
            for name, answer in [(name, pool.submit(ask, text)) for name, text in traces()]:
                with self.subTest(trace=name):
                    self.maxDiff = None
                    self.assertEqual(answer.result(), {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
