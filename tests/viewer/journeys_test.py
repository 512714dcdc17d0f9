#!/usr/bin/python3
"""From the verdict to the guilty source line in at most five keys or clicks, for every teaching program: records it, opens the page
Overview, presses keys, and reads the line that is marked in the source text.

    journeys_test.py MORA EXAMPLES PROGRAMS VIEWER [NAME...]

The guilty line is the one that the program's source says was late, else the one that says it waits (examples/README.md).
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
    names = sys.argv[5:] or sorted(path.stem for path in EXAMPLES.glob("*.c"))
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    browser = subprocess.Popen(["node", HERE / "journeys_test.mjs", VIEWER, shutil.which("chromium")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    failed, done = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            statement = check_example.Statement(EXAMPLES / f"{name}.c", FLAVOUR, 1)
            if statement.is_nothing or not statement.is_finding:
                print(f"none    {name}: it states no finding")
                continue
            for attempt in range(3):  # a crowded machine may hide the planted wait: what is systematically wrong fails each time
                experiment = pathlib.Path(scratch) / f"{name}.{attempt}"
                subprocess.run([MORA, "record", "-o", experiment, f"mpirun.{FLAVOUR}", "-n", str(statement.number_of_ranks), PROGRAMS / name], check=True, env=environment, capture_output=True, timeout=300)
                subprocess.run([MORA, "analyze", experiment], check=True, capture_output=True, timeout=300)
                report = json.loads(subprocess.run([MORA, "report", "--json", experiment], check=True, capture_output=True, text=True, timeout=300).stdout)
                keys, lines = journey_of(report, statement)
                if keys is not None and len(keys) <= MOST_KEYS:
                    break
            if keys is None or len(keys) > MOST_KEYS:
                failed.append(f"{name}: {'no finding' if keys is None else len(keys)} for {statement.metric}: {[f['metric'] for f in report['findings']]}")
                continue
            server = subprocess.Popen([MORA, "view", "--no-browser", experiment], stdout=subprocess.PIPE, text=True)
            try:
                browser.stdin.write(json.dumps({"url": server.stdout.readline().strip(), "keys": keys}) + "\n")
                browser.stdin.flush()
                shown = json.loads(browser.stdout.readline())
            finally:
                server.terminate()
                server.wait()
            is_right = shown.get("line") in lines and shown.get("file", "").endswith(f"{name}.c") and shown.get("visible")
            print(f"{'ok     ' if is_right else 'WRONG  '} {name}: {' '.join(keys)} shows {shown}, guilty {lines}", flush=True)
            done += 1
            if not is_right:
                failed.append(f"{name}: {shown}, not {lines}")
            shutil.rmtree(experiment)
    browser.stdin.close()
    browser.wait()
    assert done > 0
    print("\n".join(failed))
    sys.exit(1 if failed else 0)


main()
