"""Counters of processor and kernel by call path: programs that do a known number of things, against that number and perf stat."""
import csv
import os
import shutil
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "record")]

from run_mora import ENVIRONMENT, FLAVOUR, LAUNCHER, Case, compile_c, manifest, mora, quality_kinds, up_to_three_times  # noqa: E402

PERF = shutil.which("perf")
OPTIONS = ["--bind-to", "none"]


class Counters(Case):
    def program(self, *flags):
        return compile_c([HERE / "counted.c"], self.dir / "counted", "-O1", "-pthread", *flags)

    def record(self, counters, what, amount, ranks=1, before=(), flags=(), name="exp"):
        done = mora("record", "--mpi", FLAVOUR, "--counters", counters, "-o", name, LAUNCHER, *OPTIONS, "-n", ranks, *before, self.program(*flags), what, amount, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_sound(self.dir / name)
        self.assertEqual(mora("analyze", "--quiet", name, cwd=self.dir).returncode, 0)
        return done

    def by_path(self, counter, name="exp"):
        """Of each call path and location what it has itself."""
        done = mora("cube", "dump", "--csv", "-p", "--metric", f"counter-{counter}", f"{name}/analysis.cubex", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {(row["call_path"], row["location"]): float(row["own"]) for row in csv.DictReader(done.stdout.splitlines())}

    def total(self, counter, name="exp"):
        return sum(self.by_path(counter, name).values())

    def between_barriers(self, counter, name="exp"):
        return sum(n for (path, _), n in self.by_path(counter, name).items() if "compute MPI_Barrier" in path and "-> MPI_Barrier" in path)

    def perf_stat(self, counter, what, amount):
        """Of one process from its start to its end."""
        out = self.dir / f"perf-{what}-{amount}"
        subprocess.run([LAUNCHER, *OPTIONS, "-n", "1", PERF, "stat", "-x", ",", "-o", out, "-e", counter, self.program(), what, str(amount)],
                       cwd=self.dir, env=ENVIRONMENT, check=True, capture_output=True, timeout=300)
        return float(next(line for line in out.read_text().splitlines() if line and not line.startswith("#")).split(",")[0])

    def check(self, counter, what, amount, unit=1):
        """What the stretch counts is what it did, and no other call path has it; perf stat finds the same, of a whole process: what starting and
        ending count it finds without doing anything, too."""
        self.record(counter, what, amount)
        self.assertAlmostEqual(self.between_barriers(counter), amount * unit, delta=0.02 * amount * unit)
        self.assertEqual(quality_kinds(self.dir / "exp")["no-counter"], 0)
        if PERF:
            told = self.perf_stat(counter, what, amount) - self.perf_stat(counter, what, 0)
            scale = 1e3 if counter == "task-clock" else 1  # perf says ms, the dump of seconds has them
            found = self.between_barriers(counter)
            if counter == "context-switches":  # perf's is another run, which other programs may interrupt more often
                self.assertLess(found, 1.02 * told)
            else:
                self.assertAlmostEqual(found, told / scale, delta=0.02 * told / scale)

    @up_to_three_times
    def test_page_faults(self):
        self.check("page-faults", "touch", 300000)

    @up_to_three_times
    def test_context_switches(self):
        self.check("context-switches", "doze", 4000)

    @up_to_three_times
    def test_task_clock(self):
        self.check("task-clock", "compute", 2000, 1e-3)

    @up_to_three_times
    def test_migrations(self):
        if len(os.sched_getaffinity(0)) > 1:
            self.check("cpu-migrations", "move", 2000)
        else:
            self.record("cpu-migrations", "move", 2000)
            self.assertEqual(self.total("cpu-migrations"), 0)

    def test_bytes_read_and_written(self):
        amount = 100_000_000
        self.record("io-write-bytes,io-read-bytes", "copy", amount, ranks=2, flags=["-finstrument-functions"])
        for counter in ("io-write-bytes", "io-read-bytes"):
            of_copy = {where: n for (path, where), n in self.by_path(counter).items() if path.endswith("copy")}
            self.assertEqual(len(of_copy), 2, self.by_path(counter))
            for n in of_copy.values():
                self.assertAlmostEqual(n, amount, delta=0.02 * amount)
            # What the recorder writes is none of the program's.
            self.assertLess(self.total(counter) - sum(of_copy.values()), 0.02 * amount)

    def test_what_the_recorder_reads_is_not_counted(self):
        self.record("memory-high-water-bytes,io-read-bytes", "grow", 64 << 20)
        self.assertEqual(self.between_barriers("io-read-bytes"), 0)
        self.assertGreater(self.between_barriers("memory-high-water-bytes"), 60 << 20)

    def test_memory_grows_once(self):
        amount = 200 << 20
        self.record("memory-high-water-bytes", "grow", amount)
        self.assertAlmostEqual(self.between_barriers("memory-high-water-bytes"), amount, delta=0.05 * amount)

    def test_functions_have_their_own(self):
        self.record("page-faults,minor-faults", "touch", 50000, ranks=2, flags=["-finstrument-functions"])
        for counter in ("page-faults", "minor-faults"):
            of_touch = {where: n for (path, where), n in self.by_path(counter).items() if path.endswith("touch")}
            self.assertEqual(len(of_touch), 2, self.by_path(counter))
            for n in of_touch.values():
                self.assertAlmostEqual(n, 50000, delta=1000)

    def test_each_thread_has_its_own(self):
        self.record("page-faults", "threads", 20000)
        by_location = Counter()
        for (path, where), n in self.by_path("page-faults").items():
            if "compute MPI_Sendrecv" in path:
                by_location[where] += n
        # the first thread's place is taken by one of the two that follow
        self.assertEqual(len(by_location), 2, by_location)
        self.assertAlmostEqual(sum(by_location.values()), 80000, delta=1600)
        self.assertIn(round(max(by_location.values()) / 20000), (2, 3))

    def test_a_thread_that_takes_a_place_goes_on_counting(self):
        amount = 1_000_000
        self.record("io-read-bytes,io-write-bytes", "copies", amount)
        for counter in ("io-read-bytes", "io-write-bytes"):
            copied = sum(n for (path, _), n in self.by_path(counter).items() if "compute MPI_Sendrecv" in path)
            self.assertAlmostEqual(copied, 2 * amount, delta=0.04 * amount, msg=counter)

    def test_children_are_not_counted(self):
        self.record("page-faults", "spawn", 50000)
        self.assertAlmostEqual(self.between_barriers("page-faults"), 50000, delta=2500)  # pages that were shared with the child are copied

    def test_descriptors_that_the_program_takes_are_opened_again(self):
        amount = 60000
        self.record("page-faults,io-write-bytes", "take numbers", amount)
        rows = {row["kind"]: row for row in manifest(self.dir / "exp")["data_quality"]}
        if "counter-without-perf" not in rows:  # perf is forbidden here: then there is none to lose
            self.assertEqual(rows["counters-interrupted"]["count"], 1)
            self.assertIn("close only descriptors", rows["counters-interrupted"]["remedy"])
        for counter in ("page-faults", "io-write-bytes"):
            self.assertAlmostEqual(self.total(counter), amount, delta=0.02 * amount, msg=counter)

    def test_nothing_counts_while_recording_is_off(self):
        self.record("page-faults", "part", 40000)
        self.assertAlmostEqual(self.total("page-faults"), 20000, delta=1500)

    @up_to_three_times
    def test_polls_stay_one_record(self):
        # A row ends where a process is stopped for long between two polls.
        self.record("task-clock", "poll", 2000)
        own = Counter()
        for (path, _), n in self.by_path("task-clock").items():
            last = path.split(" > ")[-1]
            own["MPI_Test" if last.startswith("MPI_Test") else "around" if "MPI_Test" in last else "other"] += n
        self.assertGreater(own["MPI_Test"], 3 * own["around"], own)
        visits = mora("cube", "stat", "--csv", "--metric", "visits", "-p", "exp/analysis.cubex", cwd=self.dir).stdout
        self.assertEqual(sum(int(row["value"]) for row in csv.DictReader(visits.splitlines()) if row["region"].startswith("MPI_Test")), 2000)
        self.assertLess(sum(rank["events"] for rank in manifest(self.dir / "exp")["ranks"]), 2000)

    def test_without_a_pmu_one_sentence_says_so(self):
        done = self.record("instructions,cycles,page-faults", "touch", 50000)
        self.assertAlmostEqual(self.between_barriers("page-faults"), 50000, delta=1000)
        rows = [row for row in manifest(self.dir / "exp")["data_quality"] if row["kind"] == "no-counter"]
        if self.by_path_or_none("instructions") is not None:  # this machine has one
            self.assertEqual(rows, [])
            self.assertGreater(self.between_barriers("instructions"), 50000 * 10)
        else:
            self.assertEqual([row["where"] for row in rows], ["cycles, instructions"])
            self.assertEqual(done.stderr.count("they are missing"), 1, done.stderr)

    def by_path_or_none(self, counter):
        done = mora("cube", "dump", "--csv", "-p", "--metric", f"counter-{counter}", "exp/analysis.cubex", cwd=self.dir)
        return None if done.returncode else done.stdout

    def test_where_perf_is_forbidden_recording_goes_on_with_less(self):
        for reason in ("EPERM", "EACCES"):  # a container's filter, and perf_event_paranoid above 2
            with self.subTest(reason):
                self.check_where_perf_is_forbidden(reason)
                shutil.rmtree(self.dir / "exp")

    def check_where_perf_is_forbidden(self, reason):
        forbid = self.dir / "forbid"
        subprocess.run(["cc", f"-DREASON={reason}", "-o", forbid, HERE / "forbid.c"], check=True, timeout=60)
        done = self.record("page-faults,cpu-migrations,task-clock", "touch", 50000, before=[forbid])
        self.assertAlmostEqual(self.between_barriers("page-faults"), 50000, delta=1000)
        self.assertGreater(self.between_barriers("task-clock"), 0)
        rows = {row["kind"]: row for row in manifest(self.dir / "exp")["data_quality"]}
        self.assertEqual(rows["no-counter"]["where"], "cpu-migrations")
        self.assertIn("forbids", rows["no-counter"]["what"])
        self.assertEqual(rows["counter-without-perf"]["where"], "page-faults, task-clock")
        self.assertEqual(done.stderr.count("forbids these counters"), 1, done.stderr)
        self.assertIn("kernel.perf_event_paranoid", rows["no-counter"]["remedy"])

    def test_unknown_names_are_refused(self):
        for counters, said in (("page-fault", "did you mean page-faults?"), ("cycles,cycles", "stands there twice"), ("rxyz", "there is no counter 'rxyz'"),
                               ("", "there is no counter ''"), (",".join(f"r{n}" for n in range(10, 27)), "17 counters are too many")):
            done = mora("record", "--counters", counters, LAUNCHER, "-n", 1, "true", cwd=self.dir)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
        done = mora("record", "--counters", "cycles", "--stats", LAUNCHER, "-n", 1, "true", cwd=self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertIn("counters need a trace", done.stderr)


if __name__ == "__main__":
    unittest.main()
