#!/usr/bin/python3
"""Records a program of examples/efficiency and checks the statement in its header against `mora report --intervals --json`.

    check_efficiency.py --mora MORA --source examples/efficiency/io_rank.c --program PROGRAM --mpi openmpi|mpich
"""
import argparse
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
RATIOS = ("efficiency", "processors")  # all other characteristics are times
STATEMENT = re.compile(r"^ \*   (?:kind (?P<kind>\w+) in )?(?P<interval>\w+)(?:#(?P<id>\d+))?: "
                       r"(?P<key>\w+)(?: of rank (?P<rank>\d+):)? (?P<least>[\d.]+)(?: to (?P<most>[\d.]+))?$", re.MULTILINE)

failures = []


def check(condition, text):
    if not condition:
        failures.append(text)


def environment(mpi, stretch):
    result = dict(os.environ, MORA_TEST_STRETCH=str(stretch))
    if mpi == "openmpi":
        result.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
    return result


def run(words, env):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=env, timeout=SECONDS_FOR_A_RUN,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def ns(seconds):
    """JSON numbers have exact nanosecond digits; a double holds them for 50 days."""
    return round(seconds * 1e9)


def broken_invariants(intervals):
    """Sums and bounds between characteristics, on what the report says: a list of those that do not hold."""
    broken = []

    def check_here(condition, text):
        if not condition:
            broken.append(text)

    for i in intervals:
        c = {key: value if key in RATIOS else ns(value) for key, value in i["characteristics"].items()
             if value is not None}
        where = f"{i['name']}:{i['line']}#{i['id']}"
        check_here(c["total_time"] == c["execution_time"] * i["processes"], f"{where}: total")
        check_here(c["total_time"] == c["productive_time"] + c["lost_time"], f"{where}: lost")
        leaves = ("user_insufficient_parallelism", "system_insufficient_parallelism", "communication", "idle_time", "measurement")
        check_here(c["lost_time"] == sum(c[leaf] for leaf in leaves) - c["useful_mpi"], f"{where}: leaves")
        kinds = ("point_to_point", "collective", "all_to_all", "one_sided", "io")
        check_here(c["communication"] == sum(c[kind] for kind in kinds), f"{where}: kinds")
        check_here(0 <= c["real_synchronization"] <= c["communication"], f"{where}: real synchronisation")
        check_here(0 <= c["overlap"] <= c["time_outside_mpi"], f"{where}: overlap")
        check_here(min(ns(r["idle_time"]) for r in i["by_rank"]) == 0, f"{where}: nobody without idle time")
    return broken


def check_statement(statement, intervals, stretch):
    wanted = statement.groupdict()
    found = [i for i in intervals if i["name"] == wanted["interval"] and wanted["id"] in (None, str(i["id"]))]
    if len(found) != 1:
        return check(False, f"{statement[0]}: {len(found)} such intervals")
    amounts = found[0]["characteristics"]
    if wanted["kind"]:
        rows = [k for k in found[0]["by_collective"] if k["name"] == wanted["kind"]]
        if len(rows) != 1:
            return check(False, f"{statement[0]}: {len(rows)} rows of {wanted['kind']}")
        amounts = rows[0]
    elif wanted["rank"]:
        amounts = next(r for r in found[0]["by_rank"] if r["rank"] == int(wanted["rank"]))
    value = amounts[wanted["key"]]
    unit = 1 if wanted["key"] in RATIOS else stretch
    check(float(wanted["least"]) * unit <= value <= float(wanted["most"]) * unit, f"{statement[0].strip(' *')}, {stretch} times: it is {value}")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mora", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpi", required=True)
    options = parser.parse_args()
    header = options.source.read_text().split("*/")[0]
    statements = list(STATEMENT.finditer(header))
    advice = re.findall(r"^ \*   advice: ([\w-]+)$", header, re.MULTILINE)
    stated = header.split("Mora must find")[1].strip().splitlines()[1:]
    check(len(statements) + len(advice) == len(stated), f"{len(stated)} lines of statement, {len(statements) + len(advice)} understood")

    stretch = stretch_of_delays()
    env = environment(options.mpi, stretch)
    with tempfile.TemporaryDirectory() as directory:
        experiment = pathlib.Path(directory) / "experiment"
        run([options.mora, "record", "-o", experiment, f"mpirun.{options.mpi}", "-n", "4", options.program], env)
        run([options.mora, "analyze", experiment], env)
        report = json.loads(run([options.mora, "report", experiment, "--json"], env))
        intervals = json.loads(run([options.mora, "report", experiment, "--intervals", "--json"], env))["intervals"]
        given = json.loads(run([options.mora, "advise", experiment, "--json"], env)) if advice else {}

    bad = [row for row in report["data_quality"] if row["severity"] != "info"]
    check(not bad, f"data quality: {bad}")
    failures.extend(broken_invariants(intervals))
    for statement in statements:
        check_statement(statement, intervals, stretch)
    rules = {piece["rule"] for piece in given.get("conclusions", [])}
    for rule in advice:
        check(rule in rules, f"advice {rule} is missing: {sorted(rules)}")
    for failure in failures:
        print("FAILED:", failure)
    if not failures:
        print(f"{len(statements)} statements and {len(advice)} pieces of advice hold in {len(intervals)} intervals")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
