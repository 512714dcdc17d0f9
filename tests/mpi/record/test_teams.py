"""Teams of OpenMP's threads, of GCC's library and of LLVM's: what they wait for is what the program measures by its own clock."""
import csv
import os
import re
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "idle"))

from run_mora import ENVIRONMENT, FLAVOUR, LAUNCHER, MORA, SOURCES, Case, checked_json, compile_c, manifest, mora, up_to_three_times  # noqa: E402
from stretch import stretch_of_delays  # noqa: E402

ROUNDS, THREADS, REGIONS = 5, 4, 5
METRICS = {"implicit": "omp-wait-at-implicit-barrier", "explicit": "omp-wait-at-explicit-barrier", "critical": "omp-critical-contention",
           "lock": "omp-lock-contention"}


def line_of(what, source="teams.c"):
    """The line below the comment "line: WHAT" or that with it."""
    return next(n for n, line in enumerate((SOURCES / source).read_text().splitlines(), 1) if f"/* line: {what} */" in line)


class Teams(Case):
    compiler = "gcc"
    runtime = "libgomp.so.1"
    ends_of_single = 0  # GCC makes a barrier of it
    alone = 1  # barriers of a team of one

    def compile(self, source, *options):
        os.environ["OMPI_CC"] = os.environ["MPICH_CC"] = self.compiler
        return compile_c([SOURCES / f"{source}.c"], self.dir / source, "-fopenmp", *options)

    def record(self, *options, ms=40):
        program = self.compile("teams")
        done = mora("record", *options, "-o", "exp", LAUNCHER, "-n", 2, program, ROUNDS, ms * stretch_of_delays(), cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall("^teams ", done.stdout, re.M)), 2, done.stdout)
        return done

    def sums(self, metric):
        """{rank: sum over its threads and all call paths}"""
        table = mora("cube", "stat", "--metric", metric, "-p", "--csv", "exp/analysis.cubex", cwd=self.dir).stdout
        sums = Counter()
        for _, _, location, value in list(csv.reader(table.splitlines()))[1:]:
            sums[int(location.split()[1])] += float(value)
        return sums

    @up_to_three_times
    def test_waits_are_what_the_program_measured(self):
        self.assertEqual(self.wrong_waits(), [])

    def wrong_waits(self):
        done = self.record()
        self.assertEqual([r for r in manifest(self.dir / "exp")["data_quality"] if r["severity"] != "info"], [])
        self.assert_sound(self.dir / "exp")
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        wrong = []
        for rank, line in re.findall(r"^teams rank=(\d) (.*)$", done.stdout, re.M):
            measured = {name: float(value) for name, value in (pair.split("=") for pair in line.split())}
            for name, metric in METRICS.items():
                found = self.sums(metric)[int(rank)]
                if abs(found - measured[name]) > 0.05 * measured[name] + measured["late"]:
                    wrong.append(f"rank {rank}, {metric}: {found}, measured {measured[name]}")
            if self.sums("omp-idle-threads")[int(rank)] < 0.95 * measured["idle"]:
                wrong.append(f"rank {rank}: idle {self.sums('omp-idle-threads')[int(rank)]}, at least {measured['idle']}")
        return wrong

    def test_regions_stand_on_the_path_of_the_program(self):
        self.record()
        import otf2
        entered, kinds = {}, Counter()
        with otf2.reader.open(str(self.dir / "exp/traces.otf2")) as trace:
            for location, event in trace.events:
                kinds[type(event).__name__] += 1
                if type(event).__name__ == "Enter" and event.region.name.startswith(("!$omp", "omp_")):
                    entered.setdefault((location.group.name, location.name), Counter())[event.region.name] += 1
        self.assertEqual(len(entered), 2 * THREADS)
        expected = {"!$omp parallel @teams.c:%d" % line_of("parallel"): ROUNDS, "!$omp implicit barrier @teams.c:%d" % line_of("parallel"): ROUNDS,
                    "!$omp barrier @teams.c:%d" % line_of("barrier"): ROUNDS, "!$omp critical @teams.c:%d" % line_of("critical"): ROUNDS,
                    "omp_set_lock @teams.c:%d" % line_of("lock"): ROUNDS, "omp_unset_lock @teams.c:%d" % (line_of("lock") + 3): ROUNDS,
                    "!$omp parallel @teams.c:%d" % line_of("loop"): ROUNDS}
        for place, regions in entered.items():
            self.assertEqual({name: regions[name] for name in expected}, expected, place)
            self.assertEqual(sum(n for name, n in regions.items() if name.startswith("!$omp parallel")), REGIONS * ROUNDS)
        self.assertEqual(kinds["ThreadFork"], 2 * REGIONS * ROUNDS)
        self.assertEqual(kinds["ThreadJoin"], kinds["ThreadFork"])
        self.assertEqual(kinds["ThreadAcquireLock"], 2 * 2 * THREADS * ROUNDS)
        self.assertEqual(kinds["ThreadReleaseLock"], kinds["ThreadAcquireLock"])
        self.assertEqual(kinds["Enter"], kinds["Leave"])

        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        dump = mora("cube", "dump", "exp/analysis.cubex", cwd=self.dir).stdout
        paths = [line for line in dump.splitlines() if "!$omp barrier" in line]
        self.assertTrue(paths, dump[:2000])

    def test_calls_in_the_last_place_of_a_region(self):
        """They have no place, rather than one in the recorder, and their waiting is known."""
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 1, self.compile("last_places", "-O2"), ROUNDS, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["kind"] for row in manifest(self.dir / "exp")["data_quality"]}
        self.assertEqual("call-in-last-place" in rows, self.compiler == "gcc", rows)
        print_of = mora("print", "exp", cwd=self.dir).stdout
        self.assertEqual(len(re.findall(r"^\d+ \d+ P0\S* ENTER .*!\$omp parallel @last_places.c:%d" % line_of("parallel", "last_places.c"), print_of, re.M)), 2 * ROUNDS)
        self.assertNotIn("libgomp.c", print_of)
        done = mora("analyze", "exp", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("mismatched-team", done.stdout + done.stderr)

    def test_writing_a_chunk_that_a_reading_filled_is_behind_the_record(self):
        """What stands before a team's record is written first, but the record's time is older than the writing."""
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 2, self.compile("last_places", "-O2"), 20000, cwd=self.dir, env={"MORA_CHUNK_BYTES": "4096"},
                    timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["kind"] for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])

    def lives(self, what, returncode=0, exp="exp", env=None):
        """locations, {region: calls} and {kind: events} of team_lives.c"""
        program = self.compile("team_lives")
        done = mora("record", "-o", exp, LAUNCHER, "-n", 1, program, what, cwd=self.dir, env=env)
        self.assertEqual(done.returncode, returncode, done.stderr)
        self.assertEqual(mora("analyze", exp, cwd=self.dir).returncode, 0)
        import otf2
        regions, kinds, self.asked_for = Counter(), Counter(), []
        with otf2.reader.open(str(self.dir / exp / "traces.otf2")) as trace:
            for _, event in trace.events:
                kinds[type(event).__name__] += 1
                if type(event).__name__ == "Enter":
                    regions[event.region.name.split(" @")[0]] += 1
                if type(event).__name__ == "ThreadFork":
                    self.asked_for.append(event.number_of_requested_threads)
            locations = len(list(trace.definitions.locations))
        self.assertEqual(kinds["Enter"], kinds["Leave"])
        return locations, regions, kinds

    def assert_teams(self, what, parts, locations, returncode=0, **more):
        there, regions, _ = self.lives(what, returncode)
        self.assertEqual(regions["!$omp parallel"], parts)
        self.assertEqual(regions["!$omp implicit barrier"], more.get("ends", parts))
        self.assertEqual(there, locations)
        return regions

    def test_nested_teams(self):
        there, regions, _ = self.lives("nested")
        self.assertEqual(regions["!$omp parallel"], 2 + 2 * 3)
        self.assertLessEqual(4, there)  # threads of the one inner team may have the places of the other's
        self.assertLessEqual(there, 6)

    @up_to_three_times
    def test_nested_teams_of_one_region_are_told_apart(self):
        self.assertEqual(self.wrong_waits_of_nested_teams(), [])

    def wrong_waits_of_nested_teams(self):
        program = self.compile("nested_teams")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 2, program, 2 * ROUNDS, 30 * stretch_of_delays(), cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_sound(self.dir / "exp")
        said = mora("analyze", "exp", cwd=self.dir)
        self.assertEqual((said.returncode, re.findall("[a-z]+-team", said.stdout + said.stderr)), (0, []))
        place = "!$omp parallel @nested_teams.c:%d" % line_of("inner", "nested_teams.c")
        parts = Counter()
        for line in mora("print", "--kinds", "ENTER", "--ranks", "0", "exp", cwd=self.dir).stdout.splitlines():
            if place in line:
                parts[re.search(r"team=(\d+)", line)[1]] += 1
        self.assertEqual((len(parts), set(parts.values())), (2 * 2 * ROUNDS, {3}))
        wrong = []
        for rank, waits, late in re.findall(r"^nested rank=(\d) waits=(\S+) late=(\S+)$", done.stdout, re.M):
            found = self.sums("omp-wait-at-implicit-barrier")[int(rank)]
            if abs(found - float(waits)) > 0.05 * float(waits) + float(late):
                wrong.append(f"rank {rank}: {found}, measured {waits}")
        return wrong

    def test_teams_of_a_library_that_is_unloaded(self):
        self.teams_of_a_library_that_is_unloaded()

    def test_openmp_is_unloaded_that_the_whole_program_sees(self):
        self.teams_of_a_library_that_is_unloaded("global")

    def teams_of_a_library_that_is_unloaded(self, *how):
        library = self.dir / "libteams.so"
        subprocess.run([self.compiler, "-shared", "-fPIC", "-g", "-fopenmp", "-DLIBRARY", "-o", library, SOURCES / "unloaded_teams.c"], check=True, timeout=60)
        program = compile_c([SOURCES / "unloaded_teams.c"], self.dir / "unloaded_teams")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 2, program, library, self.runtime, *how, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([r for r in manifest(self.dir / "exp")["data_quality"] if r["severity"] != "info"], [])
        entered = mora("print", "--kinds", "ENTER", "exp", cwd=self.dir).stdout
        self.assertEqual(entered.count("!$omp parallel @unloaded_teams.c:"), 2 * 4 * 3)
        self.assertEqual(entered.count("!$omp critical @unloaded_teams.c:"), 2 * 4 * 3)
        self.assertEqual(entered.count("region=MPI_Barrier "), 2 * 4)

    def test_tasks(self):
        self.assert_teams("tasks", 3, 3, ends=3 + self.ends_of_single)

    def test_teams_of_several_sizes(self):
        self.assert_teams("sizes", 1 + 2 + 3 + 4, 4, ends=self.alone + 2 + 3 + 4)

    def test_teams_as_large_as_the_environment_says(self):
        for threads in (3, 5):
            there, regions, _ = self.lives("environment", exp=f"exp{threads}", env={"OMP_NUM_THREADS": str(threads)})
            self.assertEqual(self.asked_for, [threads, 2, threads])
            self.assertEqual(regions["!$omp parallel"], 2 * threads + 2)
            self.assertEqual(regions["!$omp implicit barrier"], 2 * threads + 2)
            # libgomp's team of two ends the other threads: new ones may come before these have given up their places.
            self.assertIn(there, range(threads, 2 * threads - 1))

    @up_to_three_times
    def test_the_uneven_loop_of_a_hybrid_program_is_the_verdict(self):
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 3, self.compile("hybrid"), 8, 10 * stretch_of_delays(), cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        place = "!$omp parallel @hybrid.c:%d" % line_of("uneven", "hybrid.c")
        report = checked_json(mora("report", "--json", "exp", cwd=self.dir).stdout)
        first = report["losses"]["causes"][0]
        self.assertEqual(first["kind"], "thread-imbalance", first)
        self.assertIn("calc_elements", " ".join(first["call_path"]), first)
        self.assertIn(place, " ".join(first["call_path"]), first)
        self.assertEqual(sorted(first["ranks"]), [0, 1, 2])
        text = " ".join(mora("report", "exp", cwd=self.dir).stdout.split("@--- VERDICT")[1].split("@---")[0].split())
        for part in ("The work of a team is divided unevenly", "calc_elements", "thread 0 of each process has most of it"):
            self.assertIn(part, text)
        measured = dict(re.findall(r"^hybrid rank=(\d) waited=(\S+)$", done.stdout, re.M))
        self.assertEqual(len(measured), 3)
        table = mora("cube", "stat", "--metric", "omp-wait-at-implicit-barrier", "-p", "--csv", "exp/analysis.cubex", cwd=self.dir).stdout
        found = Counter()
        for _, region, location, value in list(csv.reader(table.splitlines()))[1:]:
            found[location.split()[1]] += float(value) * (str(line_of("uneven", "hybrid.c")) in region)
        for rank, waited in measured.items():
            self.assertLess(abs(found[rank] - float(waited)), 0.05 * float(waited) + 0.003, f"rank {rank}: {found}, measured {measured}")

    def test_threads_of_a_team_that_call_mpi(self):
        self.assertEqual(self.assert_teams("calling", 3, 3)["MPI_Sendrecv"], 3)

    def test_recording_switched_off_and_on(self):
        self.assert_teams("switched", 2 * 3, 3)

    def test_a_process_that_forks(self):
        self.assert_teams("forking", 2 * 3, 3)
        self.assertEqual([row["kind"] for row in manifest(self.dir / "exp")["data_quality"]], ["forked"])

    def test_mpi_ends_within_a_region(self):
        self.lives("finalizing")
        self.assertTrue(manifest(self.dir / "exp")["ranks"][0]["finalized"])

    def test_a_process_killed_within_a_region(self):
        self.assert_teams("killed", 3, 3, returncode={"openmpi": 137, "mpich": 9}[FLAVOUR], ends=0)

    def test_switched_off_there_is_one_thread(self):
        self.record("--openmp", "off", ms=2)
        self.assertEqual(self.locations(), ["Master thread"] * 2)

    def locations(self):
        import otf2
        with otf2.reader.open(str(self.dir / "exp/traces.otf2")) as trace:
            return [location.name for location in trace.definitions.locations]

    def test_a_program_without_mpi_runs_as_before(self):
        source = self.dir / "plain.c"
        source.write_text('#include <omp.h>\n#include <stdio.h>\nint main(void) { int n = 0;\n#pragma omp parallel num_threads(3)\n'
                          '{\n#pragma omp critical\nn++;\n}\nprintf("%d\\n", n); return 0; }\n')
        subprocess.run([self.compiler, "-fopenmp", "-o", str(self.dir / "plain"), str(source)], check=True)
        library = Path(MORA).parent.parent / f"lib/libmora_mpi-{FLAVOUR}.so"
        self.assertTrue(library.exists())
        done = subprocess.run([self.dir / "plain"], env=dict(ENVIRONMENT, LD_PRELOAD=str(library), MORA_DIR=str(self.dir)), capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("3\n", "", 0))


class TeamsOfLlvm(Teams):
    compiler = "clang"
    runtime = "libomp.so.5"
    ends_of_single = 3
    alone = 0


if __name__ == "__main__":
    unittest.main(verbosity=2)
