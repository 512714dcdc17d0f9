#!/usr/bin/python3
"""Records a teaching program, analyses it, and checks the statement in its header against `mora report --json`.

    check_example.py --mora MORA --source examples/late_sender.c --program PROGRAM --mpi openmpi|openmpi-pt2pt|mpich

Amounts have bounds that noise cannot break on a machine with more ranks than cores: the injected delay is hundreds of
milliseconds, the lower bound leaves 100 ms for late arrivals, the upper one is a multiple. On a loaded machine, where ranks
wait for processors, delays and bounds are several times as long (tests/mpi/idle; sleeping costs nothing).
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "idle"))

from stretch import stretch_of_delays  # noqa: E402

SECONDS_FOR_A_RUN = 300

# A lower bound that is shorter is no part of a delay and does not become longer with it: there was something.
SMALLEST_DELAY = 0.1

# Starting up takes as long as the machine likes: never held against a program that states nothing about it.
STARTUP = {"wait-at-init", "initialization-completion"}


class Statement:
    """What the header of a teaching program says that Mora must find under one MPI."""

    def __init__(self, source, mpi, stretch):
        text = source.read_text()
        header = text[: text.index("*/")]
        fields = dict(re.findall(r"^ \*   ([\w-]+): +(.*?)\s*$", header, re.MULTILINE))
        # what one MPI library does otherwise: "openmpi-pt2pt: call = MPI_Put, metric = early-transfer"
        differs = fields.get(mpi, "")
        self.is_nothing = differs == "nothing"
        fields.update(re.findall(r"(\w+) = ([^,]+)", differs))
        self.number_of_ranks = int(re.search(r"with (\d+) ranks", header)[1])
        self.metric = fields["metric"]
        self.call = fields["call"]
        self.ranks = [int(r) for r in fields["ranks"].split()]
        self.causes = {int(r) for r in fields.get("causes", "").split()}
        bounds = re.match(r"([\d.]+) to ([\d.]+) ", fields["seconds"])
        self.least, self.most = float(bounds[1]), float(bounds[2]) * stretch
        if self.least >= SMALLEST_DELAY:
            self.least *= stretch
        self.stretch = stretch
        self.times = int(fields.get("times", "1"))  # how often each of the ranks waits
        self.also = set(fields.get("also", "").split())
        self.below = dict(words.split() for words in fields.get("below", "").split(",") if words)
        self.counts = dict(words.split() for words in fields.get("counts", "").split(",") if words)
        self.checks = set(fields.get("checks", "").split())
        self.delays = fields.get("delays", "").split()
        self.indirect = [int(r) for r in fields.get("indirect", "").split()]
        self.is_finding = fields.get("finding") != "none"  # only wait states have findings
        self.file = source.name
        lines = text.splitlines()
        # "waits here: CALL" where libraries wait in different calls
        self.waits_at = [n for n, line in enumerate(lines, 1)
                         if re.search(rf"/\*.*waits here(?!:)|/\* waits here: {self.call} ", line)]
        self.late_at = [n for n, line in enumerate(lines, 1) if re.search(r"/\*.*late here.*\*/", line)]
        assert len(self.waits_at) == 1, f"one line waits, not {self.waits_at}"


class Check:
    """Collects what does not hold, so that one run shows everything."""

    def __init__(self):
        self.failures = []

    def that(self, condition, text):
        if not condition:
            self.failures.append(text)


def environment(mpi, stretch):
    result = dict(os.environ, MORA_TEST_STRETCH=str(stretch))
    result.update({
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
    })
    if mpi == "openmpi-pt2pt":
        result["OMPI_MCA_osc"] = "pt2pt"
    return result


def other_unwinder():
    """The library that each call path is compared with; GCC's is everywhere."""
    for library in ("libunwind.so.8", "libgcc_s.so.1"):
        try:
            ctypes.CDLL(library)
            return library
        except OSError:
            continue
    sys.exit("no unwinder to compare with")


def run(check, words, env):
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=SECONDS_FOR_A_RUN,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print(f"$ {' '.join(map(str, words))}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
        sys.exit(1)
    check.that("error:" not in done.stderr, f"{words[1]} printed an error but succeeded:\n{done.stderr}")
    return done.stdout


def ancestors(metrics, name):
    found = set()
    while name and name in metrics:
        found.add(name)
        name = metrics[name]["parent"]
    return found


def check_metric(check, metrics, said):
    if said.metric not in metrics:
        check.that(False, f"no metric {said.metric}; there are {sorted(metrics)}")
        return
    by_rank = metrics[said.metric]["by_rank"]
    if said.is_nothing:
        check.that(max(by_rank) < said.least * 0.75, f"{said.metric} is {by_rank} s, but this MPI does not wait")
        return
    # noise of many small delays: judged by what it is noise of
    noise = max(said.least, min(by_rank[rank] for rank in said.ranks)) * 0.75
    for rank in range(said.number_of_ranks):
        if rank in said.ranks:
            check.that(said.least <= by_rank[rank] <= said.most,
                       f"{said.metric} of rank {rank} is {by_rank[rank]} s, not {said.least} to {said.most}")
        else:
            check.that(by_rank[rank] < noise,
                       f"{said.metric} of rank {rank} is {by_rank[rank]} s, but it does not wait")


def check_finding(check, findings, said):
    """The statement's finding: right place, right ranks, right culprits."""
    at_place = [f for f in findings if f["metric"] == said.metric and f.get("call_site")
                and pathlib.PurePath(f["call_site"]["file"]).name == said.file
                and f["call_site"]["line"] == said.waits_at[0]]
    if len(at_place) != 1:
        sites = [(f["metric"], f.get("call_site")) for f in findings]
        check.that(False, f"{len(at_place)} findings of {said.metric} at {said.file}:{said.waits_at[0]}; all: {sites}")
        return
    finding = at_place[0]
    check.that(said.call in finding["call_path"][-1], f"call path {finding['call_path']} does not end in {said.call}")
    check.that(finding["severity_s"] >= said.least * len(said.ranks),
               f"severity {finding['severity_s']} s is too small for ranks {said.ranks}")
    check.that(finding["worst_rank"] in said.ranks, f"worst rank {finding['worst_rank']} is none of {said.ranks}")
    # under noise single waits may vanish, not half of them
    check.that(finding["instances"] >= len(said.ranks) * max(said.times // 2, 1), f"only {finding['instances']} instances")
    if not said.causes:
        return
    caused = sum(c["severity_s"] for c in finding["causes"] if c["rank"] in said.causes)
    check.that(caused >= 0.6 * finding["severity_s"], f"causes {finding['causes']} are not {sorted(said.causes)}")
    if said.times > 1:
        return  # the worst of many small waits may be the machine's noise
    worst = finding["worst_instance"]
    check.that(worst["rank"] in said.ranks, f"worst instance is at rank {worst['rank']}")
    check.that(worst["cause_rank"] in said.causes, f"worst instance is caused by {worst['cause_rank']}")
    length = worst["end_s"] - worst["begin_s"]
    check.that(said.least <= length <= said.most, f"worst instance lasts {length} s")
    site = worst.get("cause_call_site") or {}
    check.that(not said.late_at or site.get("line") in said.late_at,
               f"the cause was in line {site.get('line')}, not in {said.late_at} ({worst.get('cause_call_path')})")


def check_nothing_else(check, metrics, findings, said):
    """No other wait state in an amount that matters."""
    expected = ancestors(metrics, said.metric) | said.also | STARTUP
    for name in sorted({f["metric"] for f in findings} - expected):
        worst = max(metrics[name]["by_rank"])
        check.that(worst < max(said.least, 0.1 * said.stretch), f"{name} found too: {metrics[name]['by_rank']}")


def check_details(check, report, metrics, said):
    """What only some statements say: small parts, exact counts, broken rules."""
    for name, most in said.below.items():
        check.that(max(metrics[name]["by_rank"]) < float(most) * said.stretch, f"{name} is {metrics[name]['by_rank']}, not below {most}")
    for name, count in said.counts.items():
        found = metrics[name]["inclusive"]
        right = found > int(count[1:]) if count[0] == ">" else found == int(count)
        check.that(right, f"{name} is {found}, not {count}")
    rules = {row["rule"] for row in report["checks"]}
    check.that(rules == said.checks, f"broken rules {sorted(rules)}, not {sorted(said.checks)}")


# Wait states whose delay costs have a class of their own, by the metric that they are below.
CLASSES = {"barrier": "delay-costs-barrier", "init-finalize": "delay-costs-start-and-end"}


def check_delay_costs(check, metrics, said):
    """The delay costs are charged to those who caused the waiting."""
    if not said.causes or said.is_nothing or said.metric not in metrics or said.metric in STARTUP:
        return  # starting up has no last synchronisation point, from which on anybody's doing could be compared
    wanted = {CLASSES[name] for name in ancestors(metrics, said.metric) if name in CLASSES}
    classes = [m for m in metrics.values() if m["parent"] == "delay-costs" and m.get("by_rank")
               and (m["id"] in wanted if wanted else m["id"] not in CLASSES.values())]
    costs = max(classes, key=lambda m: m["inclusive"], default=None)
    if costs is None:
        check.that(False, "no delay costs of this class")
        return
    caused = sum(costs["by_rank"][rank] for rank in said.causes)
    check.that(caused >= 0.6 * costs["inclusive"], f"{costs['id']} {costs['by_rank']} are not those of {sorted(said.causes)}")
    check.that(caused >= said.least * len(said.ranks), f"{costs['id']} {costs['by_rank']} are too small")


def check_chain(check, cells, metrics, said):
    """The largest delay cost is what the stated rank computes before the stated call; the stated ranks wait indirectly."""
    if not said.delays:
        return
    largest = max((row for row in cells if row["location"]), key=lambda row: row["own"])
    right = largest["location"] == f"rank {said.delays[0]}" and re.search(
        rf"> compute [^>]* -> {said.delays[1]}@{re.escape(said.file)}:{said.late_at[0]}$", largest["call_path"])
    check.that(right, f"the largest delay cost is {largest}, not rank {said.delays[0]} before {said.delays[1]}")
    indirect = metrics["indirect-waits-late-sender"]["by_rank"]
    for waiting in said.ranks:
        check.that((indirect[waiting] >= said.least) == (waiting in said.indirect),
                   f"indirect waits are {indirect}, stated for {said.indirect}")


def check_accounts(check, metrics):
    """Children never exceed their parent, on any rank; ranks add up to the total."""
    for name, metric in metrics.items():
        if metric.get("by_rank") is None:
            continue
        total = round(metric["inclusive"] * 1e9)
        check.that(sum(round(v * 1e9) for v in metric["by_rank"]) == total, f"{name}: ranks do not add up to {total} ns")
        children = [m for m in metrics.values() if m["parent"] == name and m["unit"] == metric["unit"] and m.get("by_rank")]
        for rank in range(len(metric["by_rank"])):
            below = sum(round(child["by_rank"][rank] * 1e9) for child in children)
            check.that(below <= round(metric["by_rank"][rank] * 1e9),
                       f"children of {name} exceed it on rank {rank}: {below} ns")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mora", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["openmpi", "openmpi-pt2pt", "mpich"], required=True)
    options = parser.parse_args()
    stretch = stretch_of_delays()
    said = Statement(options.source, options.mpi, stretch)
    env = environment(options.mpi, stretch)
    launcher = "mpirun.mpich" if options.mpi == "mpich" else "mpirun.openmpi"
    check = Check()
    with tempfile.TemporaryDirectory(prefix="mora-waits-") as scratch:
        experiment = pathlib.Path(scratch) / "experiment"
        # Beside a poll the comparison takes most of the time.
        compared = {} if said.metric == "polling" else {"MORA_STACK_CHECK": other_unwinder()}
        run(check, [options.mora, "record", "-o", experiment, launcher, "-n", str(said.number_of_ranks), options.program],
            env | compared)
        run(check, [options.mora, "analyze", experiment], env)
        report = json.loads(run(check, [options.mora, "report", experiment, "--json"], env))
        cells = json.loads(run(check, [options.mora, "cube", "dump", "--json", "-p", "--metric", "delay-costs",
                                       experiment / "analysis.cubex"], env))["rows"] if said.delays else None

    metrics = {m["id"]: m for m in report["metrics"]}
    check.that(report["run"]["ranks"] == said.number_of_ranks, f"{report['run']['ranks']} ranks")
    bad = [row for row in report["data_quality"] if row["severity"] != "info"]
    check.that(not bad, f"data quality: {bad}")
    check.that(not compared or any(row["kind"] == "call-paths-checked" for row in report["data_quality"]), "no call path was compared with another unwinder's")
    check_metric(check, metrics, said)
    if not said.is_nothing and said.is_finding:
        check_finding(check, report["findings"], said)
    check_details(check, report, metrics, said)
    check_delay_costs(check, metrics, said)
    check_chain(check, cells, metrics, said)
    check_nothing_else(check, metrics, report["findings"], said)
    check_accounts(check, metrics)
    for failure in check.failures:
        print("FAILED:", failure)
    if not check.failures:
        print(f"{said.metric} {metrics[said.metric]['by_rank']}: as stated in {said.file}")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
