"""mpirun -n K mora analyze: the same bytes as one process, for every K, window and memory; errors end all, told once."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

MORA = os.environ["MORA_BINARY"]
SYNTHETIC = os.environ["MORA_SYNTHETIC_ARCHIVE"]
LAUNCHER = "mpirun." + os.environ["MORA_TEST_FLAVOUR"]
FLAVOUR = os.environ["MORA_TEST_FLAVOUR"]
ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
COUNTS = (1, 2, 3, 5, 8)
# Every kind of half: messages, collectives on several communicators, windows, locks, threads, requests.
MICRO_TRACES = ("mt-01-late-sender", "mt-09-posting-order", "mt-10-overlap", "tc-10-fence", "tc-11-gats", "tc-12-locks",
                "tc-28-create-between", "tc-72-invariants", "tc-73-synchronization", "waitall-maximum", "late-broadcast-inter")


def run(*words, timeout=240, env=None):
    return subprocess.run([str(word) for word in words], env=dict(ENVIRONMENT, **(env or {})), capture_output=True, text=True,
                          timeout=timeout, errors="replace", stdin=subprocess.DEVNULL)


def results(directory):
    return {name: (Path(directory) / name).read_bytes() for name in ("analysis.cubex", "findings.json")}


class AnalyseInProcesses(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="mora-analyze-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def alone(self, trace, *options):
        done = run(MORA, "analyze", "--quiet", "-o", self.folder / "alone", "--carrier", "thread", *options, trace)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return results(self.folder / "alone")

    def shared(self, count, trace, *options):
        out = self.folder / "shared"
        shutil.rmtree(out, ignore_errors=True)
        done = run(LAUNCHER, "-n", count, MORA, "analyze", "--quiet", "--carrier", "mpi", "-o", out, *options, trace)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return results(out)

    def archive(self, ranks, events):
        directory = self.folder / "archive"
        subprocess.run([SYNTHETIC, directory, str(ranks), str(events)], check=True, timeout=60)
        return directory

    def paraver(self, ranks, rounds):
        """Each process sends 1 KiB to the next one and takes one, in every microsecond."""
        end = (rounds + 2) * 1000
        trace = self.folder / "ring.prv"
        with trace.open("w") as out:
            out.write(f"#Paraver (1/1/26 at 0:00):{end}_ns:1({ranks}):1:{ranks}({','.join(['1:1'] * ranks)})\n")
            for t in range(1000, end - 1000, 1000):
                for offset, value in ((0, 1), (50, 0), (100, 2)):
                    out.writelines(f"2:{r}:1:{r}:1:{t + offset}:50000001:{value}:42000050:{r}\n" for r in range(1, ranks + 1))
                for r in range(1, ranks + 1):
                    to = r % ranks + 1
                    out.write(f"3:{r}:1:{r}:1:{t}:{t + 5}:{to}:1:{to}:1:{t + 100}:{t + 300}:1024:7\n")
                out.writelines(f"2:{r}:1:{r}:1:{t + 300}:50000001:0:42000050:{r}\n" for r in range(1, ranks + 1))
        return trace

    def messages_last(self, ranks, messages):
        """The lines of messages stand behind all others: the reader has to bring each back to its place."""
        end = messages * 10 + 100
        trace = self.folder / "last.prv"
        with trace.open("w") as out:
            out.write(f"#Paraver (1/1/26 at 0:00):{end}_ns:1({ranks}):1:{ranks}({','.join(['1:1'] * ranks)})\n")
            for t, value in ((0, 3), (end, 0)):
                out.writelines(f"2:{r}:1:{r}:1:{t}:60000019:{value}\n" for r in range(1, ranks + 1))
            for t in range(10, 10 + 10 * messages, 10):
                r, to = t // 10 % ranks + 1, (t // 10 + 1) % ranks + 1
                out.write(f"3:{r}:1:{r}:1:{t}:{t}:{to}:1:{to}:1:{t}:{t + 50}:8:7\n")
        return trace

    def posted_in_vain(self, ranks, receives):
        """Receives are posted of which no message says that it is theirs."""
        end = receives * 10 + 100
        trace = self.folder / "posted.prv"
        with trace.open("w") as out:
            out.write(f"#Paraver (1/1/26 at 0:00):{end}_ns:1({ranks}):1:{ranks}({','.join(['1:1'] * ranks)})\n")
            for t in range(10, 10 + 10 * receives, 10):
                r = t // 10 % ranks + 1
                out.write(f"2:{r}:1:{r}:1:{t}:50000001:4:50000001:0\n")
        return trace

    def test_archive_for_every_number_of_processes(self):
        trace = self.archive(6, 30000)
        expected = self.alone(trace, "--workers", 1)
        self.assertEqual(expected, self.alone(trace, "--workers", 3))
        for count in COUNTS:  # 8: more processes than ranks
            with self.subTest(processes=count):
                self.assertEqual(expected, self.shared(count, trace))
        self.assertEqual(expected, self.shared(3, trace, "--workers", 2))

    def test_windows_and_memory_never_show(self):
        trace = self.archive(5, 4000)
        expected = self.alone(trace)
        for window in (1, 2, 7, 1000, 0):
            with self.subTest(window=window):
                self.assertEqual(expected, self.alone(trace, "--window", window, "--workers", 2))
        self.assertEqual(expected, self.shared(3, trace, "--window", 7))
        self.assertEqual(expected, self.alone(trace, "--memory", "1M"))
        self.assertEqual(expected, self.shared(2, trace, "--memory", "32M"))

    def peak(self, trace, *options):
        """MiB."""
        job = subprocess.Popen([MORA, "analyze", "--quiet", "--workers", "2", "--carrier", "thread", "-o", self.folder / "out",
                                *options, trace], env=ENVIRONMENT)
        _, status, used = os.wait4(job.pid, 0)
        job.returncode = status
        self.assertEqual(status, 0)
        return used.ru_maxrss / 1024

    def test_memory_is_kept(self):
        """Who drops the pages looks once a millisecond, and later where others have the processors: the best of five counts."""
        for trace in (self.archive(8, 3000000), self.paraver(8, 16000), self.messages_last(8, 500000),
                      self.posted_in_vain(8, 1200000)):
            with self.subTest(trace.name):
                self.assertGreater(self.peak(trace), 100, "the trace is too small to tell")
                peaks = []
                while not peaks or (min(peaks) >= 64 + 32 and len(peaks) < 5):
                    peaks.append(self.peak(trace, "--memory", "64M"))
                self.assertLess(min(peaks), 64 + 32, peaks)

    def test_micro_traces(self):
        for number, name in enumerate(MICRO_TRACES):
            with self.subTest(trace=name):
                text = (ROOT / "tests/golden/patterns" / (name + ".test")).read_text().split("\n--- ")[0]
                trace = self.folder / (name + ".trace")
                trace.write_text(text + "\n")
                expected = self.alone(trace)
                self.assertEqual(expected, self.alone(trace, "--window", 1, "--workers", 2))
                self.assertEqual(expected, self.shared(COUNTS[1 + number % 4], trace))

    def test_recorded_experiment(self):
        program = self.folder / "late_sender"
        source = ROOT / "examples" / "late_sender.c"
        subprocess.run([f"mpicc.{FLAVOUR}", "-g", "-o", program, source, "-lm"], check=True, capture_output=True, timeout=120)
        experiment = self.folder / "experiment"
        done = run(MORA, "record", "-o", experiment, LAUNCHER, "-n", 4, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        expected = self.alone(experiment)
        for count in (2, 5):
            self.assertEqual(expected, self.shared(count, experiment))

    def test_damaged_archive(self):
        trace = self.archive(4, 8000)
        event_files = sorted((trace / "traces").glob("*.evt"))
        event_files[1].write_bytes(event_files[1].read_bytes()[:900])
        event_files[2].write_bytes(b"")
        expected = self.alone(trace)
        self.assertIn(b'"data_quality"', expected["findings.json"])
        for count in COUNTS[1:]:
            with self.subTest(processes=count):
                self.assertEqual(expected, self.shared(count, trace))

    def test_an_error_is_told_once(self):
        trace = self.archive(3, 900)
        in_the_way = self.folder / "file"
        in_the_way.write_text("")
        for words, code in (((self.folder / "nothing",), 3), ((trace, "-o", in_the_way / "below"), 3), ((trace, "--memory", "12X"), 2)):
            with self.subTest(words=words):
                done = run(LAUNCHER, "-n", 3, MORA, "analyze", "--carrier", "mpi", *words, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(done.stderr.count("mora: error:"), 1, done.stderr)

    def on_a_disk_of(self, size, trace, *options):
        done = run("unshare", "--mount", "sh", "-c",
                   f"mkdir -p {self.folder}/small && mount -t tmpfs -o size={size} none {self.folder}/small && "
                   f"TMPDIR={self.folder}/small {MORA} analyze --quiet {' '.join(map(str, options))} -o {self.folder}/out {trace}")
        if "unshare failed" in done.stderr or "permission denied" in done.stderr:
            self.fail("this test needs the right to mount: " + done.stderr)
        return done

    def test_full_disk(self):
        done = self.on_a_disk_of("1m", self.archive(4, 400000), "--memory", "1M")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(str(self.folder / "small"), done.stderr)
        self.assertIn("TMPDIR", done.stderr)

    def test_a_disk_for_the_analysis_alone(self):
        """What is kept so as not to be read twice takes no room from the halves (96 MiB) and from the replay."""
        trace, options = self.archive(4, 1200000), ("--workers", 2, "--memory", "1M")
        done = self.on_a_disk_of("111m", trace, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(results(self.folder / "out"), self.alone(trace, *options))

    def test_under_the_recorder(self):
        trace = self.archive(3, 900)
        done = run(MORA, "record", "--mpi", FLAVOUR, "-o", self.folder / "recorded", LAUNCHER, "-n", 2, MORA, "analyze", "--quiet",
                   "--carrier", "mpi", "-o", self.folder / "out", trace, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(results(self.folder / "out"), self.alone(trace))
        self.assertTrue((self.folder / "recorded" / "traces.otf2").exists())

    def test_carrier_without_mpirun(self):
        done = run(MORA, "analyze", "--carrier", "mpi", self.archive(2, 200))
        self.assertEqual(done.returncode, 2)
        self.assertIn("mpirun", done.stderr)


if __name__ == "__main__":
    unittest.main()
