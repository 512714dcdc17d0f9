"""mora record, analyze and report on a program of Debian: hpcc, lammps or NetPIPE (see README.md)."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MORA = os.environ["MORA_BINARY"]
SOURCES = Path(__file__).resolve().parent
sys.path.insert(0, str(SOURCES.parent / "efficiency"))
from check_efficiency import broken_invariants  # noqa: E402
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
HPCC_INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")


def hpcc(folder):
    """Debian's own example input, with a matrix of 100 instead of 1000."""
    lines = HPCC_INPUT.read_text().splitlines(keepends=True)
    sizes = next(i for i, line in enumerate(lines) if line.split()[-1:] == ["Ns"])
    lines[sizes] = "100 Ns\n"
    (folder / "hpccinf.txt").write_text("".join(lines))
    return ["mpirun.openmpi", "-n", "4", "hpcc"]


def lammps(folder):
    shutil.copy(SOURCES / "melt.lammps", folder)
    return ["mpirun.openmpi", "-n", "4", "lmp", "-in", "melt.lammps", "-log", "none"]


def netpipe_openmpi(_folder):
    return ["mpirun.openmpi", "-n", "2", "NPopenmpi", "-u", "4096", "-n", "50"]


def netpipe_mpich(_folder):
    return ["mpirun.mpich", "-n", "2", "NPmpich2", "-u", "4096", "-n", "50"]


def mora(folder, *words):
    done = subprocess.run([MORA, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, errors="replace",
                          timeout=300, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"mora {' '.join(words)}: exit {done.returncode}\n{done.stderr}"
    return done.stdout


def check_metrics(report):
    by_id = {metric["id"]: metric for metric in report["metrics"]}
    for metric in report["metrics"]:
        children = [m["inclusive"] for m in report["metrics"] if m["parent"] == metric["id"] and m["unit"] == metric["unit"]]
        assert sum(children) <= metric["inclusive"] * (1 + 1e-12) + 1e-9, metric["id"]
        assert metric["exclusive"] >= -1e-9, metric["id"]
        assert len(metric["by_rank"]) == report["run"]["ranks"]
    time, wall = by_id["time"], report["run"]["wall_s"]
    assert all(0 < seconds <= wall * (1 + 1e-12) for seconds in time["by_rank"]), "a rank lives longer than the run"
    assert 0 < by_id["mpi"]["inclusive"] < time["inclusive"]
    return by_id


def check_efficiency(folder, report):
    """Characteristics add up on a program that nobody marked; advice has evidence; a run equals itself."""
    intervals = json.loads(mora(folder, "report", "experiment", "--intervals", "--json"))["intervals"]
    assert not broken_invariants(intervals), broken_invariants(intervals)
    assert intervals[0]["level"] == 0 and intervals[0]["processes"] == report["run"]["ranks"]
    time = next(m for m in report["metrics"] if m["id"] == "time")
    assert [r["execution_time"] for r in intervals[0]["by_rank"]] == time["by_rank"]
    for conclusion in json.loads(mora(folder, "advise", "experiment", "--json"))["conclusions"]:
        assert conclusion["evidence"] and conclusion["advice"] and conclusion["gain_at_most_s"] >= 0, conclusion
    assert "parallel_efficiency" in mora(folder, "report", "experiment", "--pop", "--json")
    mora(folder, "compare", "experiment", "experiment", "--fail-if", "delta(execution_time) != 0")


def check(program, folder):
    mora(folder, "record", "-o", "experiment", *program(folder))
    subprocess.run(["otf2-print", "--silent", "experiment/traces.otf2"], cwd=folder, check=True, timeout=120)
    mora(folder, "analyze", "--quiet", "experiment")
    report = json.loads(mora(folder, "report", "experiment", "--json"))
    untrue = [row for row in report["data_quality"] if row["severity"] != "info"]
    assert not untrue, f"warnings about a sound run: {untrue}"
    by_id = check_metrics(report)
    assert report["findings"], "nothing waits in this program?"
    for finding in report["findings"]:
        assert finding["severity_s"] > 0 and finding["call_path"], finding["id"]
        assert "MPI_" in finding["call_path"][-1] and finding["call_site"]["file"], finding
    if program.__name__.startswith("netpipe"):
        sent, received = by_id["messages-sent"]["by_rank"], by_id["messages-received"]["by_rank"]
        assert sent == received[::-1] and min(sent) > 1000, (sent, received)
        assert by_id["bytes-sent"]["by_rank"] == by_id["bytes-received"]["by_rank"][::-1]
    check_efficiency(folder, report)
    print(f"{program.__name__}: {report['run']['events']} events, {len(report['findings'])} findings, no warnings")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mora-programs-") as name:
        check({f.__name__: f for f in (hpcc, lammps, netpipe_openmpi, netpipe_mpich)}[sys.argv[1]], Path(name))
