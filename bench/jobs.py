"""What the benches that run whole jobs and whole verbs share: programs, recordings, what a command used."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

ENVIRONMENT = {
    **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
}


class Used(NamedTuple):
    cpu: float  # seconds, user and system, of all processes that the command waited for
    wall: float  # seconds
    memory: int  # KiB, most of one process
    said: str  # standard output and error


def say(text):
    print(text, file=sys.stderr, flush=True)


def used_by(command, folder, environment=None, keep=True):
    """Runs it in `folder`; ends the bench if it fails. keep=False: what it says is not kept."""
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        job = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment or ENVIRONMENT, stdin=subprocess.DEVNULL,
                               stdout=output if keep else subprocess.DEVNULL, stderr=subprocess.STDOUT if keep else output)
        _, status, used = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read()
    if job.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).parent.name}: {' '.join(map(str, command))}: exit code {job.returncode}\n{said[-2000:]}")
    return Used(used.ru_utime + used.ru_stime, time.monotonic() - begin, used.ru_maxrss, said)


def recorded(build, flavour, folder, **variables):
    """Words before the program of each rank: only what runs in the job, as `mora record` preloads it; `mora recover FOLDER` is the rest."""
    shutil.rmtree(folder / "journal", ignore_errors=True)
    (folder / "journal").mkdir()
    settings = {"MORA_STACK": 256, "MORA_SAMPLE": 250, **variables}
    return ["env", f"LD_PRELOAD={build}/lib/libmora_mpi-{flavour}.so", f"MORA_DIR={folder}",
            *(f"{name}={value}" for name, value in settings.items())]


def counted_by_processor():
    if shutil.which("perf") is None:
        return False
    done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True)
    return done.returncode == 0 and done.stderr[:1].isdigit()


PERF = counted_by_processor()


def instructions(command, environment=()):
    """User instructions of the process and its children, by the processor's counter (PERF) or by cachegrind; ends the bench if it fails."""
    with tempfile.TemporaryDirectory(prefix="mora-bench-") as folder:
        if PERF:
            before = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", f"{folder}/log"]
        else:
            before = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=no", "--trace-children=yes",
                      "--cachegrind-out-file=/dev/null", f"--log-file={folder}/log.%p"]
        words = [str(word) for word in command]
        done = subprocess.run(before + (["env", *environment] if environment else []) + words, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{pathlib.Path(sys.argv[0]).parent.name}: {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
        total = 0
        for log in pathlib.Path(folder).iterdir():
            pattern = r"^(\d+),,instructions" if PERF else r"I +refs: +([\d,]+)"
            total += sum(int(number.replace(",", "")) for number in re.findall(pattern, log.read_text(), re.MULTILINE))
        return total
