"""Whether ranks had a core, and what the kernel counted: programs that sleep, write, touch memory and share a processor, against the
clocks and counters that they read themselves, and against time(1)."""
import collections
import csv
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from run_mora import ENVIRONMENT, LAUNCHER, MORA, Case, compile_c, manifest, mora, quality_kinds, up_to_three_times

SOURCE = pathlib.Path(__file__).with_name("cores.c")
INCLUDE = SOURCE.parents[3] / "include"
OPTIONS = ["--bind-to", "none"]
STRETCHES = 250


class Limit:
    """A control group that may use a fifth of a processor, for this test alone; `words` begin a command in it. Where none can be
    made, one processor is all that the command may use."""

    PERIOD_US, QUOTA_US = 10000, 2000  # less than a loaded machine leaves to it

    def __init__(self):
        self.group = None
        for top, files in ((pathlib.Path("/sys/fs/cgroup/cpu"), {"cpu.cfs_period_us": self.PERIOD_US, "cpu.cfs_quota_us": self.QUOTA_US}),
                           (pathlib.Path("/sys/fs/cgroup"), {"cpu.max": f"{self.QUOTA_US} {self.PERIOD_US}"})):
            group = top / f"mora-test-{os.getpid()}"
            try:
                group.mkdir()
                for name, value in files.items():
                    (group / name).write_text(str(value))
                self.group = group
                return
            except OSError:
                if group.is_dir():
                    group.rmdir()

    @property
    def words(self):
        if self.group is None:
            return ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
        return ["sh", "-c", f'echo $$ > {self.group}/cgroup.procs && exec "$@"', "sh"]

    def end(self):
        if self.group is not None:
            self.group.rmdir()


class Cores(Case):
    def measured(self, what, ranks=2, around=(), each=(), more=(), flags=()):
        """Per rank and kind: what the program measured in its stretches, how unequal these were, what it measured outside of them; Mora's
        report. `each` begins the command of a rank."""
        program = compile_c([SOURCE], self.dir / "cores", "-O1", "-lm", f"-I{INCLUDE}", *flags)
        done = subprocess.run([*around, MORA, "record", "--quiet", "-o", "exp", LAUNCHER, *OPTIONS, "-n", str(ranks), *each, program, what, str(STRETCHES), *more],
                              cwd=self.dir, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        number = r"(-?\d+\.\d{6})"  # the launcher may join lines
        one = rf"(\w+) {number} unequal {number} outside {number}"
        said = {int(rank): {"wall": float(wall), **{kind: tuple(map(float, numbers)) for kind, *numbers in re.findall(one, rest)}}
                for rank, wall, rest, *_ in re.findall(rf"rank (\d) wall (\d+\.\d+)((?: {one}){{4}})", done.stdout)}
        self.assertEqual(sorted(said), list(range(ranks)), done.stdout)
        self.assertEqual(mora("analyze", "--quiet", "exp", cwd=self.dir).returncode, 0)
        return said, json.loads(mora("report", "--json", "exp", cwd=self.dir).stdout)

    def between_calls(self, metric):
        """By rank, without what comes after MPI_Finalize, where the program writes down its own figures."""
        rows = csv.DictReader(mora("cube", "dump", "--csv", "-p", "--metric", metric, "exp/analysis.cubex", cwd=self.dir).stdout.splitlines())
        amounts = collections.Counter()
        for row in rows:
            if "> compute MPI_Finalize@" not in row["call_path"]:
                amounts[int(row["location"].split()[-1])] += float(row["own"])
        return amounts

    def of_second_threads(self, metric):
        """By rank: what was counted in the whole run."""
        rows = csv.DictReader(mora("cube", "dump", "--csv", "-p", "--metric", metric, "exp/analysis.cubex", cwd=self.dir).stdout.splitlines())
        amounts = collections.Counter()
        for row in rows:
            if row["location"].endswith(" thread 1"):
                amounts[int(row["location"].split()[1])] += float(row["own"])
        return amounts

    def words(self):
        return " ".join(mora("report", "exp", cwd=self.dir).stdout.split())

    def check(self, what, **more):
        # Some stretches are read, at random: the error of an estimate by ratio (Cochran, Sampling Techniques, chapter 6), which
        # is that of unequal stretches only. Few of them are long where a machine is loaded.
        said, report = self.measured(what, **more)
        metrics = {metric["id"]: metric for metric in report["metrics"]}
        idle, without = self.between_calls("not-running"), self.between_calls("computation-without-core")
        for rank, kinds in said.items():
            read = metrics["core-readings"]["by_rank"][rank] / STRETCHES
            self.assertGreater(read, 0.1, msg=what)
            not_running, unequal, _ = kinds["not_running"]
            error = unequal * math.sqrt(max(0, 1 - read) / read)
            self.assertAlmostEqual(idle[rank], not_running, delta=0.05 * not_running + 4 * error, msg=what)
            self.assertAlmostEqual(without[rank], kinds["queued"][0], delta=0.05 * not_running + 4 * error, msg=what)
            # Of the stretches that were read: no more than there were, with the few outside of the program's own.
            for kind, metric in (("faults", "page-faults"), ("voluntary", "voluntary-switches")):
                self.assertLessEqual(metrics[metric]["by_rank"][rank], kinds[kind][0] + 200, msg=(what, metric))
        return metrics

    def assert_in_each_stretch(self, metrics, metric, amount):
        for rank, count in enumerate(metrics[metric]["by_rank"]):
            read = metrics["core-readings"]["by_rank"][rank]
            few = 0.2 * read if amount == 1 else 200
            others = 5  # stretches that were read and are not the program's own: beside MPI_Init and MPI_Finalize
            self.assertGreaterEqual(count, 0.95 * amount * (read - others) - few, msg=(metric, rank, read))
            self.assertLessEqual(count, 1.05 * amount * read + few, msg=(metric, rank, read))

    def test_sleep_is_not_running(self):
        self.assert_in_each_stretch(self.check("sleep"), "voluntary-switches", 1)

    def test_a_program_that_has_another_file_at_the_descriptor(self):
        self.check("sleep", more=["replacing"])

    def test_a_program_that_closes_the_descriptor(self):
        self.check("sleep", more=["closing"])
        self.assertEqual(quality_kinds(self.dir / "exp"), {})

    def rows_of_unread(self, ranks, severity, reason):
        rows = [row for row in manifest(self.dir / "exp")["data_quality"] if row["kind"] == "core-not-read"]
        rows.sort(key=lambda row: row["where"].split(",")[0])
        self.assertEqual([row["where"].split(",")[0] for row in rows], ranks)
        for row in rows:
            self.assertEqual((row["severity"], row["count"]), (severity, 1))
            self.assertIn(f"could not be read ({reason})", row["what"])
        return rows

    def test_a_program_that_leaves_no_descriptor(self):
        _, report = self.measured("compute", more=["taking all"])
        for row in self.rows_of_unread(["rank 0", "rank 1"], "info", "Too many open files"):
            self.assertIn("ulimit -n", row["remedy"])
            since, until = map(float, re.fullmatch(r"rank \d, from (\S+) s after MPI_Init to (\S+) s", row["where"]).groups())
            self.assertGreater(until - since, STRETCHES / 3 * 0.002)  # that it computes meanwhile
        for metric in report["metrics"]:
            if metric["id"] in ("core-readings", "cpu-time"):  # sums are right in spite of it
                self.assertGreater(min(metric["by_rank"]), {"core-readings": 1, "cpu-time": STRETCHES * 0.002}[metric["id"]])

    def test_readings_of_other_threads_take_no_low_number(self):
        self.measured("compute", more=["lowest"])
        self.assertGreater(min(self.of_second_threads("core-readings")[rank] for rank in (0, 1)), 10)

    def test_no_proc_is_told_of_each_thread(self):
        self.measured("compute", more=["threaded"], flags=["-DWITHOUT_PROC", "-rdynamic"])
        for row in self.rows_of_unread(["rank 0", "rank 0 thread 1", "rank 1", "rank 1 thread 1"], "warning", "No such file or directory"):
            self.assertRegex(row["where"], r", from \d+\.\d{3} s after MPI_Init on$")
            self.assertIn("/proc", row["remedy"])

    def test_writing_is_not_running(self):
        self.check("write")

    @up_to_three_times
    def test_new_memory_is_page_faults(self):
        _, report = self.measured("touch")
        metrics = {metric["id"]: metric for metric in report["metrics"]}
        self.assert_in_each_stretch(metrics, "page-faults", 1024)
        # By the kernel's ticks: most of the time that it ran, in sums over many of them.
        ran = [time - idle for time, idle in zip(metrics["computation"]["by_rank"], metrics["not-running"]["by_rank"])]
        for rank, kernel in enumerate(metrics["computation-in-kernel"]["by_rank"]):
            self.assertGreater(kernel, 0.3 * ran[rank])

    @up_to_three_times
    def test_page_faults_of_a_late_rank_are_named(self):
        _, report = self.measured("late")
        self.assertRegex(self.words(), r"Rank 0 (makes|came late)[^@]* In \d+\.\d+ % of that time it was in the kernel, with at least \d+ page faults: "
                                       "it touches memory for the first time, or again after it was given back. Allocate it once.")
        # Where others have the processors, the loss of theirs may stand before it.
        of_rank_0 = [cause.get("page_faults", 0) for cause in report["losses"]["causes"] if cause["ranks"] == [0]]
        self.assertGreater(max(of_rank_0, default=0), 0.1 * STRETCHES * 1024)

    @up_to_three_times
    def test_agrees_with_time(self):
        # /usr/bin/time tells of a whole process, from its start to its end: what Mora tells of the stretches and what the program
        # itself found outside of them is the same, to a twentieth and the hundredth of a second in which time tells its times.
        script = self.dir / "timed"
        script.write_text('#!/bin/sh\nexec /usr/bin/time -v -o "time.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "$@"\n')
        script.chmod(0o755)
        for what in ("sleep", "write", "share"):
            shutil.rmtree(self.dir / "exp", ignore_errors=True)
            said, report = self.measured(what, each=[script])
            metrics = {metric["id"]: metric for metric in report["metrics"]}
            idle = self.between_calls("not-running")
            for rank, kinds in said.items():
                told = dict(line.strip().rsplit(": ", 1) for line in (self.dir / f"time.{rank}").read_text().splitlines() if ": " in line)
                minutes, seconds = told["Elapsed (wall clock) time (h:mm:ss or m:ss)"].split(":")
                expected = 60 * int(minutes) + float(seconds) - float(told["User time (seconds)"]) - float(told["System time (seconds)"])
                read = metrics["core-readings"]["by_rank"][rank] / STRETCHES
                _, unequal, outside = kinds["not_running"]
                error = 4 * unequal * math.sqrt(max(0, 1 - read) / read)
                self.assertAlmostEqual(idle[rank] + outside, expected, delta=0.05 * expected + 0.03 + error, msg=(what, rank))
                faults, _, more_faults = kinds["faults"]
                self.assertAlmostEqual(faults + more_faults, int(told["Minor (reclaiming a frame) page faults"]) + int(told["Major (requiring I/O) page faults"]),
                                       delta=100, msg="the program's own count")

    @up_to_three_times
    def test_marked_intervals_have_what_the_program_measured_around_them(self):
        for what in ("sleep", "touch", "share"):
            shutil.rmtree(self.dir / "exp", ignore_errors=True)
            said, _ = self.measured(what, more=["marked"])
            intervals = json.loads(mora("report", "--intervals", "--json", "exp", cwd=self.dir).stdout)["intervals"]
            program, marked = (next(i["by_rank"] for i in intervals if i["name"] == name) for name in (intervals[0]["name"], "stretch"))
            for rank, kinds in said.items():
                found, whole = marked[rank], program[rank]
                ran = kinds["wall"] - kinds["not_running"][0]
                self.assertEqual(found["count"], STRETCHES)
                self.assertAlmostEqual(found["cpu_time"], ran, delta=0.05 * ran + 0.005, msg=what)
                self.assertAlmostEqual(found["run_queue_wait"], kinds["queued"][0], delta=0.05 * kinds["wall"], msg=what)
                self.assertAlmostEqual(found["page_faults"], kinds["faults"][0], delta=0.05 * kinds["faults"][0] + 50, msg=what)
                self.assertAlmostEqual(found["voluntary_switches"], kinds["voluntary"][0], delta=0.05 * kinds["voluntary"][0] + 20, msg=what)
                for key in ("cpu_time", "run_queue_wait", "page_faults", "voluntary_switches", "involuntary_switches"):
                    self.assertLessEqual(found[key], whole[key], msg=key)

    @up_to_three_times
    def test_another_thread_than_the_first(self):
        for what in ("sleep", "touch", "share"):
            shutil.rmtree(self.dir / "exp", ignore_errors=True)
            said, _ = self.measured(what, more=["threaded"])
            found = {metric: self.of_second_threads(metric) for metric in ("cpu-time", "run-queue-wait", "all-page-faults", "all-voluntary-switches",
                                                                          "not-running", "core-readings")}
            for rank, kinds in said.items():
                ran = kinds["wall"] - kinds["not_running"][0]
                self.assertAlmostEqual(found["cpu-time"][rank], ran, delta=0.05 * ran + 0.005, msg=what)
                self.assertAlmostEqual(found["run-queue-wait"][rank], kinds["queued"][0], delta=0.05 * kinds["wall"], msg=what)
                self.assertAlmostEqual(found["all-page-faults"][rank], kinds["faults"][0], delta=0.05 * kinds["faults"][0] + 50, msg=what)
                self.assertAlmostEqual(found["all-voluntary-switches"][rank], kinds["voluntary"][0], delta=0.05 * kinds["voluntary"][0] + 20, msg=what)
                if what == "touch":  # short stretches: what lies between them is as long
                    continue
                read = found["core-readings"][rank] / STRETCHES
                self.assertGreater(read, 0.1, msg=what)
                not_running, unequal, _ = kinds["not_running"]
                error = unequal * math.sqrt(max(0, 1 - read) / read)
                self.assertAlmostEqual(found["not-running"][rank], not_running, delta=0.05 * not_running + 4 * error + 0.005, msg=what)

    def test_teams_that_share_a_processor_had_no_core(self):
        program = compile_c([SOURCE.with_name("core_teams.c")], self.dir / "core_teams", "-O1", "-fopenmp")
        done = subprocess.run(["taskset", "-c", str(min(os.sched_getaffinity(0))), MORA, "record", "--quiet", "-o", "exp", LAUNCHER, *OPTIONS, "-n", "2", program],
                              cwd=self.dir, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(mora("analyze", "--quiet", "exp", cwd=self.dir).returncode, 0)
        said = {int(rank): float(ran) for rank, ran in re.findall(r"rank (\d) second thread (\d+\.\d{6})", done.stdout)}
        found = self.of_second_threads("cpu-time")
        self.assertEqual(sorted(said), [0, 1], done.stdout)
        for rank, ran in said.items():  # the last reading may be before the last parts
            self.assertAlmostEqual(found[rank], ran, delta=0.05 * ran + 0.02)
        self.assertIn("The processes had no core for", self.words())

    def sentences_of_a_team(self, around=(), **environment):
        program = compile_c([SOURCE.with_name("core_teams.c")], self.dir / "core_teams", "-O1", "-fopenmp")
        done = subprocess.run([MORA, "record", "--quiet", "-o", "exp", LAUNCHER, *OPTIONS, "-n", "1", *around, program],
                              cwd=self.dir, env=ENVIRONMENT | environment, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return manifest(self.dir / "exp")["processors"]

    def test_a_team_whose_threads_are_bound_each_to_its_own_has_enough(self):
        # libgomp binds the first thread before MPI_Init.
        processors = len(os.sched_getaffinity(0))
        self.assertEqual(len(self.sentences_of_a_team(OMP_PROC_BIND="true", OMP_PLACES="cores")), 1 if processors == 1 else 0)

    def test_a_team_on_one_processor_is_told(self):
        # As launchers bind that give each rank one processor.
        processor = min(os.sched_getaffinity(0))
        sentence, = self.sentences_of_a_team(["taskset", "-c", str(processor)])
        self.assertRegex(sentence, rf"^2 threads of rank 0 share processor {processor} of \S+, the only one that they may use$")

    def test_two_that_share_a_processor_have_no_core_half_of_the_time(self):
        metrics = self.check("share")
        without = sum(metrics["computation-without-core"]["by_rank"])
        self.assertGreater(without, 0.9 * sum(metrics["not-running"]["by_rank"]))

    def test_more_processes_than_processors(self):
        # The kernel's own account of each process, by time(1), holds its start and end, too.
        processors = len(os.sched_getaffinity(0))
        ranks = processors + 2
        said, report = self.measured("compute", ranks=ranks)
        self.assertIn(f"{ranks} processes share {processors} processor", self.words())
        queued = sum(kinds["queued"][0] for kinds in said.values())
        in_all = next(metric["inclusive"] for metric in report["metrics"] if metric["id"] == "run-queue-wait")
        self.assertGreater(in_all, 0.95 * queued)

    @up_to_three_times
    def test_a_limit_of_the_control_group(self):
        limit = Limit()
        try:
            self.check("compute", around=limit.words)
        finally:
            limit.end()
        text = self.words()
        if limit.group is None:
            self.assertIn("2 processes share processor", text)
        else:
            self.assertRegex(text, r"2 processes of \S+ may use 0.2 of \d+ processors at a time, a limit of their control group, which stopped it for [\d.]+ s")

    def test_binding_that_differs_is_told(self):
        processors = len(os.sched_getaffinity(0))
        self.measured("uneven")
        text = f"are bound to different numbers of processors: rank 1 to {processors}, rank 0 to 1."
        self.assertEqual(text in self.words(), processors > 1)


if __name__ == "__main__":
    unittest.main()
