"""mora.run: any program, recorded programs, errors, and a series of measurements that decides by itself when to end."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from decimal import Decimal

import mora
import pytest

HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(os.environ["MORA"]).parent
GEN = [sys.executable, HERE / "gen.py"]
MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1,
               "OMPI_MCA_rmaps_base_oversubscribe": 1, "OMPI_MCA_mpi_yield_when_idle": 1}


def plain(*words, **options):
    return mora.run(words, record=False, **options)


def test_output_and_status():
    run = plain("sh", "-c", "echo out; echo err >&2")
    assert (run.stdout, run.stderr, run.status) == ("out\n", "err\n", 0)
    assert run.seconds > 0 and run.experiments == ()
    assert mora.run("printf '%s|' 'a b' c", record=False).stdout == "a b|c|"


def test_input_and_environment(tmp_path):
    assert plain("cat", stdin="hello").stdout == "hello"
    assert plain("cat", stdin=b"\x00").stdout == "\x00"
    assert plain("cat").stdout == ""
    (tmp_path / "f").write_text("file")
    with open(tmp_path / "f") as file:
        assert plain("cat", stdin=file).stdout == "file"
    assert plain("sh", "-c", "echo $A $HOME", env={"A": 1}).stdout == f"1 {os.environ['HOME']}\n"
    assert plain("pwd", cwd=tmp_path).stdout == f"{tmp_path}\n"


def test_a_lot_of_output():
    assert len(plain("sh", "-c", "yes | head -c 3000000; yes | head -c 3000000 >&2").stdout) == 3000000


def test_failures_can_be_caught():
    with pytest.raises(mora.RunError, match="ended with status 3") as caught:
        plain("sh", "-c", "echo half; echo why >&2; exit 3")
    assert (caught.value.run.status, caught.value.run.stdout) == (3, "half\n")
    assert "why" in str(caught.value)
    assert plain("false", check=False).status == 1
    with pytest.raises(mora.RunError, match="killed by signal 9"):
        plain("sh", "-c", "kill -9 $$")
    with pytest.raises(mora.RunError, match="standard error") as caught:
        plain("sh", "-c", "echo oh >&2", fail_on_stderr=True)
    assert caught.value.run.stderr == "oh\n"
    with pytest.raises(mora.RunError, match="cannot start") as caught:
        plain("./no-such-program")
    assert caught.value.run is None
    with pytest.raises(mora.RunError, match="no experiments"):
        plain("true").experiment


def test_wrong_arguments():
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(mora.UsageError, match="positive int"):
            mora.run("true", ranks=wrong)
    with pytest.raises(mora.UsageError, match="empty"):
        mora.run([])


def test_timeouts_leave_nothing_running(tmp_path):
    mark = tmp_path / "pid"
    with pytest.raises(mora.RunError, match="too long") as caught:
        plain("sh", "-c", f"sleep 60 & echo $! > {mark}; echo begun; wait", timeout=3)
    assert caught.value.run.stdout == "begun\n" and caught.value.run.seconds < 30
    child = int(mark.read_text())
    for _ in range(100):
        if not pathlib.Path(f"/proc/{child}").exists() or "\nState:\tZ" in pathlib.Path(f"/proc/{child}/status").read_text():
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the grandchild still runs")


def test_background():
    started = mora.start(["sh", "-c", "read line; echo got $line"], record=False, stdin="x\n")
    assert started.wait().stdout == "got x\n" and started.done
    assert started.wait().status == 0  # again
    endless = mora.start("sleep 60", record=False)
    assert not endless.done
    endless.stop()
    with pytest.raises(mora.RunError, match="signal"):
        endless.wait()


def test_feedback_experiment(tmp_path):
    """W = 0.02 s: T(P) = W/P + (P-1) ms + 2 µs for P > 1; efficiency 1, 0.91, 0.62, 0.26: stops at 8."""
    chosen, times, ranks = None, {}, 1
    while chosen is None:
        path = tmp_path / f"{ranks}.alog"
        with plain(*GEN, ranks, 0.02, path, fail_on_stderr=True).open(path) as trace:
            assert trace.info.nodecount == ranks
            times[ranks] = trace.info.duration_ns
        if times[1] / (ranks * times[ranks]) < 0.5:
            chosen = ranks
        ranks *= 2
    assert chosen == 8
    assert times == {1: 20000000, 2: 11002000, 4: 8002000, 8: 9502000}
    with mora.open(tmp_path / "4.alog") as before, mora.open(tmp_path / "8.alog") as after:  # two at once
        assert (len(before), len(after)) == (4 * 2 + 3 * 2, 8 * 2 + 7 * 2)
    with pytest.raises(mora.RunError, match="backwards"):
        plain(*GEN, 1, -1, tmp_path / "no.alog")


def test_words_may_be_paths_and_numbers():
    assert plain("echo", pathlib.Path("/a"), 3).stdout == "/a 3\n"


def same_measured_time(experiment):
    """One begin and one end for all: what was recorded before the first event and after the last one is measured time, too."""
    def answer(*words):
        return json.loads(subprocess.check_output([os.environ["MORA"], *words, "--json", experiment]), parse_float=Decimal)

    info = answer("info")
    begin, end = (int((info["clock_origin_s"] + info[key]).scaleb(9)) for key in ("first_s", "last_s"))
    assert answer("report")["run"]["wall_s"].scaleb(9) == end - begin
    for index in (True, False):
        with mora.open(experiment, index=index, clock="trace") as trace:
            assert (trace.info.begin_ns, trace.info.end_ns, trace.info.duration_ns) == (begin, end, end - begin)
            assert begin <= trace[1].time_ns <= trace[len(trace)].time_ns < end  # the process ends after its last event
    return end - begin


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_recorded_programs(tmp_path, mpi):
    program = BUILD / "examples" / mpi / "late_sender"
    if not program.exists():  # built by `ninja examples`; the full test run always has it
        source = HERE.parent.parent / "examples" / "late_sender.c"
        program = tmp_path / "late_sender"
        subprocess.run([f"mpicc.{mpi}", "-g", source, "-o", program], check=True)
    run = mora.run(program, launcher=f"mpirun.{mpi}", ranks=2, output=tmp_path / "e", env=MPI_AS_ROOT, timeout=120)
    assert run.status == 0 and run.experiment == str(tmp_path / "e")
    assert run.recordings[0]["ranks"] == 2 and "launcher_exit" not in run.stderr and "mora-record" not in run.stderr
    with run.open() as trace:
        assert trace.info.nodecount == 2 and len(trace) > 4
    result = run.analyze()
    assert round(1e9 * run.recordings[0]["wall_s"]) == same_measured_time(run.experiment)
    assert result["late-sender"].inclusive > 0.2
    early = subprocess.run([os.environ["MORA"], "script", HERE.parent.parent / "examples" / "scripts" / "early_receive.py",
                            run.experiment], capture_output=True, text=True, check=True).stdout
    assert float(early.split()[-3]) == pytest.approx(result["late-sender"].inclusive, abs=2e-9)
    with pytest.raises(mora.RunError, match="must not exist|exists"):
        mora.run(program, launcher=f"mpirun.{mpi}", ranks=2, output=tmp_path / "e", env=MPI_AS_ROOT, timeout=120)


def test_what_cannot_be_recorded():
    with pytest.raises(mora.RunError, match="not an MPI program") as caught:
        mora.run("true")
    assert caught.value.run.stderr == ""  # what Mora says is not the program's
