"""Tasks of OpenMP, of GCC's library and of LLVM's: their execution is work of the thread that executes them, wherever, and no waiting."""
import csv
import os
import re
import subprocess
import unittest
from collections import Counter
from pathlib import Path

from run_mora import ENVIRONMENT, LAUNCHER, MORA, SOURCES, Case, compile_c, manifest, mora, up_to_three_times
from test_teams import line_of, stretch_of_delays

ROUNDS, THREADS = 5, 4
METRICS = {"executed": {"computation"}, "taskwait": {"omp-taskwait"}, "barrier": {"omp-wait-at-implicit-barrier", "omp-wait-at-explicit-barrier"}}
TASKS_OF_A_ROUND = 5 + 5 + 2 * 3 + 2 + THREADS


class Tasks(Case):
    compiler, compiler_of_cpp = "gcc", "g++"
    kinds_left_out = cancelled_left_out = ()
    of_cancelled_barrier, takings = 1, 3
    # Loops and sections of work_kinds.c, and visits of each. With GCC the place is that of the statement before it.
    work = {"for": 4 + 4 + 4, "sections": 4 + 4}
    without_work = ()

    def compile(self, source, *options):
        os.environ["OMPI_CC"] = os.environ["MPICH_CC"] = self.compiler
        os.environ["OMPI_CXX"] = os.environ["MPICH_CXX"] = self.compiler_of_cpp
        return compile_c([SOURCES / source], self.dir / source.split(".")[0], "-fopenmp", *options, compiler="mpicxx" if source.endswith(".cpp") else "mpicc")

    def record(self, *command, ranks=2, options=(), env=None):
        done = mora("record", *options, "-o", "exp", LAUNCHER, "-n", ranks, *command, cwd=self.dir, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([r for r in manifest(self.dir / "exp")["data_quality"] if r["severity"] != "info"], [])
        return done

    def records(self, shape):
        """How many of them the kept journals of exp have."""
        dump = Path(MORA).parent / "mora_journal_dump"
        journals = (self.dir / "exp/journal").glob("*.journal")
        return sum(subprocess.run([dump, journal], capture_output=True, text=True, check=True).stdout.count(f" {shape} ") for journal in journals)

    def analyze(self):
        self.assert_sound(self.dir / "exp")
        done = mora("analyze", "exp", cwd=self.dir)
        self.assertEqual((done.returncode, re.findall("[a-z]+-team", done.stdout + done.stderr)), (0, []))

    def sums(self, metrics, region=""):
        """{rank: sum over its threads}"""
        sums = Counter()
        for metric in metrics:
            table = mora("cube", "stat", "--metric", metric, "-p", "--csv", "exp/analysis.cubex", cwd=self.dir).stdout
            for _, name, location, value in list(csv.reader(table.splitlines()))[1:]:
                if re.match(region, name):
                    sums[int(location.split()[1])] += float(value)
        return sums

    def entered(self):
        """{name of a construct, without its place: visits}, {the same with it: visits}"""
        import otf2
        kinds, regions = Counter(), Counter()
        with otf2.reader.open(str(self.dir / "exp/traces.otf2")) as trace:
            for _, event in trace.events:
                if type(event).__name__ == "Enter" and event.region.name.startswith("!$omp"):
                    kinds[event.region.name.split(" @")[0]] += 1
                    regions[event.region.name] += 1
        return kinds, regions

    @up_to_three_times
    def test_times_are_what_the_program_measured(self):
        self.assertEqual(self.wrong_times(), [])

    def wrong_times(self):
        done = self.record(self.compile("tasks.c"), ROUNDS, 40 * stretch_of_delays())
        self.analyze()
        said = re.findall(r"^tasks rank=(\d) (.*)$", done.stdout, re.M)
        self.assertEqual(len(said), 2, done.stdout)
        wrong = []
        for rank, line in said:
            measured = {name: float(value) for name, value in (pair.split("=") for pair in line.split())}
            for name, metrics in METRICS.items():
                found = self.sums(metrics, r"!\$omp task @" if name == "executed" else "")[int(rank)]
                if abs(found - measured[name]) > 0.05 * measured[name] + measured["late"]:
                    wrong.append(f"rank {rank}, {name}: {found}, measured {measured[name]}")
        return wrong

    def test_tasks_are_regions_of_the_team_that_executes_them(self):
        self.record(self.compile("tasks.c"), ROUNDS, 1)
        kinds, regions = self.entered()
        self.assertEqual(kinds["!$omp task"], 2 * ROUNDS * TASKS_OF_A_ROUND)
        for what, count in (("task", 10), ("parent", 2), ("child", 4), ("at once", 1)):
            self.assertEqual(regions["!$omp task @tasks.c:%d" % line_of(what, "tasks.c")], 2 * ROUNDS * count, regions)
        self.analyze()
        dump = mora("cube", "dump", "exp/analysis.cubex", cwd=self.dir).stdout
        self.assertNotRegex(dump, r"!\$omp (barrier|implicit barrier|taskwait) @[^/>\n]*(/| > )!\$omp task ")

    def test_all_kinds_of_tasks(self):
        done = self.record(self.compile("task_kinds.cpp", *self.kinds_left_out))
        tasks = sum(map(int, re.findall(r"^kinds tasks=(\d+)$", done.stdout, re.M)))
        self.assertGreater(tasks, 2 * 80)
        self.analyze()
        kinds, regions = self.entered()
        self.assertEqual(kinds["!$omp task"], tasks, regions)
        self.assertEqual(len([name for name in regions if re.fullmatch(r"!\$omp task @task_kinds.cpp:\d+", name)]),
                         len([name for name in regions if name.startswith("!$omp task ") or name == "!$omp task"]), regions)
        messages = mora("print", "--kinds", "ENTER", "exp", cwd=self.dir).stdout
        self.assertEqual(messages.count("region=MPI_Sendrecv"), 2 * 4)

    def test_nested_tasks_have_few_stacks_and_paths(self):
        """Which task is executed in which wait is chance: a stack, or a path, of each order would be hundreds."""
        self.record(self.compile("task_kinds.cpp", *self.kinds_left_out), 10, ranks=1, options=("--keep-journal",))
        stacks = self.records("DEFINE_STACK")
        self.assertGreater(stacks, 4)
        self.assertLess(stacks, 150)
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        paths = mora("cube", "dump", "--csv", "-p", "--metric", "visits", "exp/analysis.cubex", cwd=self.dir).stdout
        self.assertLess(len({line.split(",")[1] for line in paths.splitlines()}), 150)

    def test_samples_in_nested_tasks_have_few_paths(self):
        self.record(self.compile("task_kinds.cpp", *self.kinds_left_out), 10, 1000, ranks=1, options=("--keep-journal", "--sample", 1000))
        samples = self.records("SAMPLE")
        self.assertGreater(samples, 50)
        self.assertLess(self.records("DEFINE_PATH"), samples / 2)

    def test_results_are_those_of_an_unrecorded_program(self):
        """Big data, copied objects, dependences, detached tasks: the program ends itself if they are wrong."""
        for options in (("--openmp", "off"), ("--stats",), ("--stack", "off")):
            with self.subTest(options=options):
                done = mora("record", *options, "-o", "-".join(("exp", *options)), LAUNCHER, "-n", 1, self.compile("task_kinds.cpp", "-O2", *self.kinds_left_out), cwd=self.dir)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_waits_for_tasks_are_not_sampled_but_what_is_around_them(self):
        """Waiting is no computation: what is recorded of it would be thrown away."""
        self.record("--bind-to", "none", self.compile("waits_for_tasks.c"), 500, ranks=1, options=("--keep-journal",), env={"OMP_WAIT_POLICY": "active"})
        shown = mora("print", "--kinds", "SAMPLE", "exp", cwd=self.dir).stdout
        self.assertGreater(shown.count("computes_in_a_group"), 10)
        self.assertLess(self.records("SAMPLE"), 1.1 * shown.count(" SAMPLE ") + 3)

    def test_what_is_cancelled_and_locks_of_all_kinds(self):
        """The program ends itself if something does not do its work; a team of one executes the same tasks as unrecorded."""
        program, cancellation = self.compile("cancelled.cpp", *self.cancelled_left_out), {"OMP_CANCELLATION": "true"}
        alone = subprocess.run([LAUNCHER, "-n", "1", program], cwd=self.dir, env=ENVIRONMENT | cancellation, capture_output=True, text=True, timeout=120)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        done = self.record(program, ranks=1, env=cancellation)
        said = [re.search(r"^cancelled tasks=(\d+) of_one=(\d+)$", text, re.M) for text in (alone.stdout, done.stdout)]
        self.assertEqual(said[0][2], said[1][2])
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        kinds, regions = self.entered()
        self.assertEqual(kinds["!$omp task"], int(said[1][1]))
        self.assertEqual((kinds["!$omp for"], kinds["!$omp sections"]), (ROUNDS * 2 * THREADS, ROUNDS * 2 * THREADS))
        barrier = "!$omp barrier @cancelled.cpp:%d" % line_of("barrier", "cancelled.cpp")
        self.assertEqual(regions[barrier], self.of_cancelled_barrier * ROUNDS * (THREADS - 1), regions)
        events = Counter(line.split()[3] for line in mora("print", "exp", cwd=self.dir).stdout.splitlines())
        self.assertEqual(events["ENTER"], events["EXIT"] + events["OMPCEXIT"])
        self.assertEqual((events["ALOCK"], events["RLOCK"]), (self.takings * 100 * THREADS * ROUNDS,) * 2)

    def test_work_that_is_shared_out(self):
        self.record(self.compile("work_kinds.c"), ROUNDS, 1)
        self.analyze()
        kinds, _ = self.entered()
        self.assertEqual({kind: kinds[f"!$omp {kind}"] for kind in ("for", "sections", "single", "master")},
                         {kind: 2 * ROUNDS * self.work.get(kind, 0) for kind in ("for", "sections", "single", "master")})

    @up_to_three_times
    def test_its_times_are_what_the_program_measured(self):
        done = self.record(self.compile("work_kinds.c"), ROUNDS, 40 * stretch_of_delays())
        self.analyze()
        said = re.findall(r"^work rank=(\d) parts=(\S+) value=(\S+) late=(\S+)$", done.stdout, re.M)
        self.assertEqual(len(said), 2, done.stdout)
        others = "".join(rf"(?!{line_of(what, 'work_kinds.c')}$)" for what in self.without_work)
        of_parts = self.sums({"computation"}, rf"!\$omp (for|sections) @work_kinds.c:{others}")
        begin = line_of("value", "work_kinds.c")  # LLVM: where the block ends
        of_value = self.sums(METRICS["barrier"], ".*:(%s)$" % "|".join(map(str, range(begin, begin + 6))))
        for rank, parts, value, late in said:
            self.assertLess(abs(of_parts[int(rank)] - float(parts)), 0.05 * float(parts) + float(late), (of_parts, parts))
            self.assertLess(abs(of_value[int(rank)] - float(value)), 0.05 * float(value) + float(late), (of_value, value))


class TasksOfLlvm(Tasks):
    compiler, compiler_of_cpp = "clang", "clang++"
    kinds_left_out = ("-DUNTIED=",)  # the library does not tell when a thread leaves one
    cancelled_left_out = ("-DSCHEDULE=static",)
    # The library waits once more until all have seen it; of a nestable lock it tells the first taking only.
    of_cancelled_barrier, takings = 2, 2
    work = {"for": 4 + 4 + 4 + 4 + 2 + 2 * 2, "sections": 4 + 4 + 4, "single": 2, "master": 1}
    without_work = ("static", "inner", "inner sections")


if __name__ == "__main__":
    unittest.main(verbosity=2)
