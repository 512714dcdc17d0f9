#!/usr/bin/python3
"""From the verdict to the guilty source line in at most five keys or clicks, for every teaching program: records it, opens the page
Overview, presses keys, and reads the line that is marked in the source text.

    journeys_test.py MORA EXAMPLES PROGRAMS VIEWER [NAME...]

The guilty line is the one that the program's source says was late, else the one that says it waits (examples/README.md). Where that is no
wait state, the bar of the page Overview leads to it. Of the programs in examples/efficiency it is where the interval begins that their headers
say is the least efficient one, and the page Intervals leads to it.
Exit 77, with the reason, where a browser cannot run.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mpi/waits"))

sys.path.insert(0, str(HERE.parent / "mpi/efficiency"))

import check_efficiency  # noqa: E402
import check_example  # noqa: E402

MORA, EXAMPLES, PROGRAMS, VIEWER = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
MOST_KEYS = 5
FLAVOUR = "openmpi"


def missing():
    if shutil.which("node") is None or shutil.which("chromium") is None:
        return "node or chromium is not installed"
    if not (VIEWER / "node_modules/playwright-core").is_dir():
        return "the packages of viewer/package-lock.json are not installed"
    return None


def json_of(*words):
    return json.loads(subprocess.run([MORA, *words], check=True, capture_output=True, text=True, timeout=300).stdout)


class Teaching:
    """A program of examples/: its header states a wait state or another metric, its lines say who waits and who is late."""

    def __init__(self, name):
        self.source, self.program, self.environment = EXAMPLES / f"{name}.c", PROGRAMS / name, {}
        self.statement = check_example.Statement(self.source, FLAVOUR, 1)
        if self.statement.is_nothing:  # one-sided communication over messages waits where Open MPI's default does not
            self.statement = check_example.Statement(self.source, f"{FLAVOUR}-pt2pt", 1)
            self.environment = {"OMPI_MCA_osc": "pt2pt"}
        assert not self.statement.is_nothing, f"{name} states nothing under {FLAVOUR}"
        self.number_of_ranks = self.statement.number_of_ranks

    def journey(self, experiment):
        if self.statement.is_finding:
            return journey_of(json_of("report", "--json", experiment), self.statement)
        place = f"{self.statement.call}@{self.source.name}"
        return [f'click .divided .legend button:has-text("{part}")' for part in ("in MPI, not waiting", place)], self.statement.waits_at


class Efficiency:
    """A program of examples/efficiency: its header states efficiencies of intervals."""

    def __init__(self, name):
        self.source, self.program, self.environment, self.number_of_ranks = EXAMPLES / f"{name}.c", PROGRAMS / name, {}, 4
        stated = [m for m in check_efficiency.STATEMENT.finditer(self.source.read_text()) if m["key"] == "efficiency"]
        worst = min(stated, key=lambda m: float(m["most"]))
        self.interval, self.id = worst["interval"], worst["id"]

    def journey(self, experiment):
        begin = f"MORA_INTERVAL_BEGIN({self.id})" if self.id else "MORA_SEQUENTIAL_BEGIN()" if self.interval == "sequential" else f'MORA_REGION_BEGIN("{self.interval}")'
        lines = [n for n, line in enumerate(self.source.read_text().splitlines(), 1) if begin in line]
        assert len(lines) == 1, f"{begin} at {lines}"
        found = [i for i in json_of("report", "--intervals", "--json", experiment)["intervals"] if i["line"] == lines[0]]
        if len(found) != 1:
            return None, None
        return ["5", f'click [aria-label="intervals"] [role="treeitem"]:has-text("{found[0]["number"]} ")', "g"], lines


def journey_of(report, statement):
    """Keys from the page Overview, and the lines that may be shown."""
    at = next((i for i, f in enumerate(report["findings"]) if f["metric"] == statement.metric), None)
    if at is None:
        return None, None
    chosen = ["j"] * at if at < 3 else [f"click #finding-{report['findings'][at]['id']} button"]
    return ["Enter", *chosen, "g" if statement.late_at else "w"], statement.late_at or statement.waits_at


def main():
    why = missing()
    if why:
        print(f"{why}: the journeys were not tested")
        sys.exit(77)
    names = sys.argv[5:] or sorted(str(path.relative_to(EXAMPLES).with_suffix("")) for pattern in ("*.c", "efficiency/*.c") for path in EXAMPLES.glob(pattern))
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    browser = subprocess.Popen(["node", HERE / "journeys_test.mjs", VIEWER, shutil.which("chromium")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    failed, done = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            program = (Efficiency if "/" in name else Teaching)(name)
            for attempt in range(3):  # a crowded machine may hide the planted wait: what is systematically wrong fails each time
                experiment = pathlib.Path(scratch) / f"{program.source.stem}.{attempt}"
                subprocess.run([MORA, "record", "-o", experiment, f"mpirun.{FLAVOUR}", "-n", str(program.number_of_ranks), program.program], check=True, env={**environment, **program.environment}, capture_output=True, timeout=300)
                subprocess.run([MORA, "analyze", experiment], check=True, capture_output=True, timeout=300)
                keys, lines = program.journey(experiment)
                if keys is not None and len(keys) <= MOST_KEYS:
                    break
            if keys is None or len(keys) > MOST_KEYS:
                found = [f["metric"] for f in json_of("report", "--json", experiment)["findings"]]
                failed.append(f"{name}: {'nothing to go to' if keys is None else len(keys)}; findings: {found}")
                continue
            server = subprocess.Popen([MORA, "view", "--no-browser", experiment], stdout=subprocess.PIPE, text=True)
            try:
                browser.stdin.write(json.dumps({"url": server.stdout.readline().strip(), "keys": keys}) + "\n")
                browser.stdin.flush()
                shown = json.loads(browser.stdout.readline())
            finally:
                server.terminate()
                server.wait()
            is_right = shown.get("line") in lines and shown.get("file", "").endswith(program.source.name) and shown.get("visible")
            print(f"{'ok     ' if is_right else 'WRONG  '} {name}: {' '.join(keys)} shows {shown}, guilty {lines}", flush=True)
            done += 1
            if not is_right:
                failed.append(f"{name}: {shown}, not {lines}")
            shutil.rmtree(experiment)
    browser.stdin.close()
    browser.wait()
    assert done == len(names) or failed, f"{done} of {len(names)}"
    print("\n".join(failed))
    sys.exit(1 if failed else 0)


main()
