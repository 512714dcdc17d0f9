"""What the record and fault tests share: running mora, reading archives with the independent python3-otf2."""
import ctypes
import functools
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / folder) for folder in ("schema", "export")]
import json_outputs  # noqa: E402
import scalasca_needs  # noqa: E402  (also mends python3-otf2)

MORA = os.environ["MORA_BINARY"]
FLAVOUR = os.environ["MORA_TEST_FLAVOUR"]
SOURCES = Path(__file__).resolve().parent
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
LAUNCHER = f"mpirun.{FLAVOUR}"


def compile_c(sources, target, *flags, compiler="mpicc"):
    command = [f"{compiler}.{FLAVOUR}", "-g", "-o", str(target), *map(str, sources), *flags]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return str(target)


def mora(*words, cwd, timeout=120, env=None):
    return subprocess.run([MORA, *map(str, words)], cwd=cwd, env=dict(ENVIRONMENT, **(env or {})), capture_output=True,
                          text=True, timeout=timeout, errors="replace", stdin=subprocess.DEVNULL)


def ended_with_this_test():
    """For the child of a Popen: mora is told to end, and ends its job, if this test does not live to do it."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)  # PR_SET_PDEATHSIG


def stderr_on_a_terminal(*words, cwd):
    """What mora writes to its standard error if that is a terminal."""
    ours, its = pty.openpty()
    job = subprocess.Popen([MORA, *map(str, words)], cwd=cwd, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    written = b""
    try:
        while block := os.read(ours, 65536):
            written += block
    except OSError:  # Linux: the terminal's last writer is gone
        pass
    os.close(ours)
    return job.wait(timeout=60), written.decode()


def site_lines(source):
    """{"MPI_Send": line} from the comments site:NAME."""
    lines = {}
    for number, line in enumerate(Path(source).read_text().splitlines(), 1):
        if "site:" in line and "#" not in line and "comments" not in line:
            lines[line.split("site:")[1].split()[0]] = number
    return lines


def checked_json(text):
    """A JSON document of Mora, which is as its schema says."""
    assert not json_outputs.problems(text), json_outputs.problems(text)
    return json.loads(text)


def manifest(experiment):
    return checked_json((Path(experiment) / "manifest.json").read_text())


def quality_kinds(experiment):
    return Counter(row["kind"] for row in manifest(experiment)["data_quality"])


def xxh3(path):
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_64bits.restype = ctypes.c_uint64
    data = Path(path).read_bytes()
    return f"{library.XXH3_64bits(data, ctypes.c_size_t(len(data))):016x}"


class Archive:
    """All events by rank: (kind, region or None, event)."""

    def __init__(self, experiment):
        import otf2
        self.events = {}
        with otf2.reader.open(str(Path(experiment) / "traces.otf2")) as trace:
            self.regions = list(trace.definitions.regions)
            for location, event in trace.events:
                rank = int(location.group.name.split()[-1])
                self.events.setdefault(rank, []).append(event)

    def calls(self, rank):
        """[(function, line, [events between enter and leave], enter, leave)] in order."""
        out, open_call = [], None
        for e in self.events[rank]:
            kind = type(e).__name__
            if kind == "Enter":
                assert open_call is None, "MPI calls do not nest"
                open_call = (e.region.name, e.region.begin_line_number, [], e)
            elif kind == "Leave":
                out.append((*open_call, e))
                open_call = None
            elif open_call is not None:
                open_call[2].append(e)
        assert open_call is None
        return out


def up_to_three_times(test):
    """Of a test that compares times with the program's own clock: other jobs of the machine may stop a process between the two readings.
    What is systematically wrong fails each time."""
    @functools.wraps(test)
    def tries(self):
        for _ in range(2):
            try:
                return test(self)
            except AssertionError as error:
                print(f"once more: {str(error)[:200]}", file=sys.stderr)
                shutil.rmtree(self.dir / "exp", ignore_errors=True)
        return test(self)
    return tries


class Case(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="mora-test-")
        self.dir = Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def assert_sound(self, experiment, is_whole=False):
        """otf2-print accepts it and Scalasca would, the manifest's files are what they were, no journal is left.

        `is_whole`: the job ended by itself and received all that it sent, so every end has its partner."""
        done = subprocess.run(["otf2-print", "--silent", f"{experiment}/traces.otf2"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("error", (done.stdout + done.stderr).lower())
        self.assertEqual(scalasca_needs.offences(f"{experiment}/traces.otf2", is_whole, is_whole), [])
        facts = manifest(experiment)
        names = {f["path"] for f in facts["archive"]["files"]}
        for f in facts["archive"]["files"]:
            path = Path(experiment) / f["path"]
            self.assertEqual(path.stat().st_size, f["bytes"])
            self.assertEqual(xxh3(path), f["xxh3"])
        on_disk = {str(p.relative_to(experiment)) for p in Path(experiment).rglob("*") if p.is_file()}
        self.assertEqual(on_disk - {"manifest.json"}, names)
        return facts

    def assert_error(self, done, code, *parts):
        self.assertEqual(done.returncode, code, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
