#!/usr/bin/python3
"""mora compare --scaling and --one-process on runs whose law is known, held to numbers that were worked out by hand.

800 us of work: 2 processes take 400, 4 take 200 + 100 in MPI_Barrier, 8 take 100 + 150 (scale-*.trace); one process takes 800.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def trace(processes):
    return str(HERE / f"scale-{processes}.trace")


def run(mora, *words):
    done = subprocess.run([mora, "compare", "--json", *words], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"mora compare {' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def expect(what, got, wanted):
    near = all(abs(g - w) <= 1e-8 * max(1, abs(w)) for g, w in zip(got, wanted)) and len(got) == len(wanted)
    if not near:
        sys.exit(f"{what}: {got}, expected {wanted}")


def values(table):
    return {row["metric"]: row["values"] for row in table["metrics"]}


def strong(mora):
    table = run(mora, "--scaling", "strong", "--extrapolate", "64,16", trace(8), trace(2), trace(4))["scaling"]
    rows = values(table)
    expect("processes", [r["processes"] for r in table["runs"]], [2, 4, 8])
    expect("parallel_efficiency", rows["parallel_efficiency"], [1, 2 / 3, 0.4])
    expect("transfer", rows["transfer"], [1, 2 / 3, 0.4])
    expect("load_balance", rows["load_balance"], [1, 1, 1])
    expect("computation_scaling", rows["computation_scaling"], [1, 1, 1])
    expect("speed_up", rows["speed_up"], [1, 4 / 3, 1.6])
    expect("run_time_s", rows["run_time_s"], [0.0004, 0.0003, 0.00025])
    future = table["extrapolation"]
    fit = next(f for f in future["factors"] if f["factor"] == "transfer")
    if (fit["form"], fit["bound"]) != ("amdahl", "none"):
        sys.exit(f"transfer: {fit}")
    # 1 / transfer = 1, 1.5, 2.5 = 0.5 + 0.25 P.
    expect("x0, f", [fit["x0"], fit["f"]], [1 / 0.75, 0.5 / 0.75])
    expect("at 16 and 64", [at["value"] for at in future["parallel_efficiency"]], [1 / 4.5, 1 / 16.5])
    expect("run time", [at["value"] for at in future["run_time_s"]], [0.000225, 800e-6 / 64 * 16.5])
    expect("far", [at["far"] for at in future["run_time_s"]], [False, True])


def weak(mora):
    """The same runs called weak: four times the processes should have done four times the work."""
    table = run(mora, "--scaling", "weak", "--extrapolate", "16", trace(2), trace(8))["scaling"]
    rows = values(table)
    expect("weak computation_scaling", rows["computation_scaling"], [1, 4])
    expect("weak speed_up", rows["speed_up"], [1, 6.4])
    if not any("looks like strong scaling" in note for note in table["notes"]):
        sys.exit(f"weak: nobody says that it is strong scaling: {table['notes']}")
    if "2 different numbers" not in table["extrapolation"]["why_not"]:
        sys.exit(f"two runs were extrapolated: {table['extrapolation']}")


def two_runs(mora):
    """Said before anything is read: the second run does not exist."""
    done = subprocess.run([mora, "compare", "--scaling", "strong", "--extrapolate", "16", trace(2), "no-such-run"], capture_output=True,
                          text=True, timeout=60)
    if not done.stderr.startswith("mora: note: not enough runs to extrapolate: 2 given"):
        sys.exit(f"two runs: {done.stderr}")


def one_process(mora):
    program = run(mora, "--one-process", trace(1), trace(2), trace(8))["one_process"]["intervals"][0]
    expect("one process", [program["predicted_s"], program["measured_s"], program["efficiency_measured"]], [0.0008, 0.0008, 0.4])
    if [f["cause"] for f in program["findings"]] != ["agrees"]:
        sys.exit(f"one process: {program['findings']}")
    wrong = subprocess.run([mora, "compare", "--json", "--one-process", trace(4), trace(2), trace(8)], capture_output=True,
                           text=True, timeout=60)
    if wrong.returncode != 2 or "this one has 4" not in wrong.stderr or wrong.stdout:
        sys.exit(f"four processes taken for one: {wrong}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--mora", required=True)
    mora = arguments.parse_args().mora
    strong(mora)
    weak(mora)
    two_runs(mora)
    one_process(mora)


if __name__ == "__main__":
    main()
