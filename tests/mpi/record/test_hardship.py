"""What programs do to a recorder: many handles, no descriptors left, children, deaths, two of Mora at once, many ranks."""
import collections
import json
import pathlib
import signal
import subprocess
import unittest

from run_mora import ENVIRONMENT, FLAVOUR, LAUNCHER, MORA, Case, compile_c, manifest, mora, quality_kinds

SOURCE = pathlib.Path(__file__).with_name("hardship.c")
# Open MPI makes no window of a single process, and two that wait for each other ten thousand times are slow on a loaded machine.
MANY, RANKS = {"mpich": (10000, 1), "openmpi": (40, 2)}[FLAVOUR]


class Hardship(Case):
    def record(self, *words, ranks=1, options=(), code=0):
        program = compile_c([SOURCE], self.dir / "hardship", "-O1")
        done = mora("record", *options, "-o", "exp", LAUNCHER, "-n", ranks, program, *words, cwd=self.dir, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done, manifest(self.dir / "exp")

    def calls(self):
        events = mora("print", "--kinds", "ENTER", "exp", cwd=self.dir).stdout
        return collections.Counter(line.split("region=")[1].split()[0] for line in events.splitlines())

    def test_many_communicators_groups_and_windows(self):
        # Definitions of calls fill many a chunk of 64 KiB between a call's end and its record.
        _, facts = self.record("handles", MANY, ranks=RANKS, options=("--chunk-bytes", "64K"))
        self.assertEqual(facts["data_quality"], [])
        found = self.calls()
        self.assertEqual({found[name] for name in ("MPI_Comm_dup", "MPI_Comm_free", "MPI_Win_create", "MPI_Win_free")}, {RANKS * MANY})
        self.assertEqual(found["MPI_Win_fence"], 2 * RANKS * MANY)

    def test_many_communicators_at_once(self):
        _, facts = self.record("communicators", 1000 if FLAVOUR == "mpich" else 100)
        self.assertEqual(facts["data_quality"], [])

    def test_a_program_without_descriptors_left(self):
        _, facts = self.record("descriptors")
        self.assertEqual(facts["data_quality"], [])
        self.assertEqual(self.calls()["MPI_Barrier"], 5003)

    def test_a_program_that_closes_descriptors_and_takes_their_numbers(self):
        _, facts = self.record("takes high numbers", options=("--chunk-bytes", "64K"))
        self.assertEqual(quality_kinds(self.dir / "exp"), {"forked": 1})
        self.assertEqual(self.calls()["MPI_Barrier"], 40003)
        self.assertEqual(facts["launcher_exit"], 0)

    def test_children_are_the_programs_own(self):
        self.record("forks", ranks=2)
        self.assertEqual(quality_kinds(self.dir / "exp"), {"forked": 2})
        self.assertEqual(self.calls()["MPI_Barrier"], 2 * 203)

    def test_a_death_in_a_handler_of_the_program(self):
        program = compile_c([SOURCE], self.dir / "hardship", "-O1")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 2, program, "dies in a handler", cwd=self.dir)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 0 was the first to end: it was killed by signal 11", " ".join(done.stderr.split()))
        self.assertGreaterEqual(self.calls()["MPI_Barrier"], 6)

    def assert_death_is_the_programs(self, *words):
        """The job ends as it does by itself, and what was recorded until then is whole."""
        program = compile_c([SOURCE], self.dir / "hardship", "-O1")
        job = [LAUNCHER, "-n", "1", program, *map(str, words)]
        bare = subprocess.run(job, cwd=self.dir, env=ENVIRONMENT, capture_output=True, timeout=120)
        name = f"exp{len(list(self.dir.glob('exp*')))}"
        done = mora("record", "--sample", 2000, "--chunk-bytes", "64K", "-o", name, *job, cwd=self.dir)
        self.assertNotEqual(bare.returncode, 0)
        self.assertEqual(done.returncode, bare.returncode, done.stderr)
        self.assertEqual(manifest(self.dir / name)["launcher_exit"], bare.returncode)
        self.assert_sound(self.dir / name)
        events = mora("print", name, cwd=self.dir).stdout
        self.assertGreater(events.count("region=MPI_Sendrecv"), 100)
        self.assertIn("SAMPLE", events)
        return done.stderr

    def test_a_death_while_samples_and_records_are_written(self):
        said = self.assert_death_is_the_programs("dies in a profiler")
        self.assertIn("was killed by signal 11", " ".join(said.split()))

    def test_a_death_anywhere(self):
        for us, number in ((60_000, signal.SIGSEGV), (83_000, signal.SIGKILL)):
            self.assertIn(f"was killed by signal {number:d}", " ".join(self.assert_death_is_the_programs("is killed", us, number).split()))

    def test_two_recordings_at_once(self):
        program = compile_c([SOURCE], self.dir / "hardship", "-O1")
        jobs = [subprocess.Popen([MORA, "record", "--quiet", LAUNCHER, "-n", "2", program], cwd=self.dir, env=ENVIRONMENT,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
        for job in jobs:
            self.assertEqual(job.wait(timeout=120), 0, job.stderr.read())
            job.stderr.close()
        found = sorted(path.name for path in self.dir.glob("mora-hardship-*"))
        self.assertEqual(len(found), 2, found)
        for name in found:
            facts = json.loads((self.dir / name / "manifest.json").read_text())
            self.assertEqual((len(facts["ranks"]), facts["data_quality"]), (2, []))

    def test_a_mora_within_a_mora(self):
        program = compile_c([SOURCE], self.dir / "hardship", "-O1")
        for words in ((MORA, "record", LAUNCHER, "-n", 2, program), (LAUNCHER, "-n", 2, MORA, "record", program)):
            self.assert_error(mora("record", *words, cwd=self.dir), 2, "Mora cannot record a recording", "write mora once, before the launcher")
        script = self.dir / "job"
        script.write_text(f'#!/bin/sh\nexec "{MORA}" record -o inner {LAUNCHER} -n 2 "{program}"\n')
        script.chmod(0o755)
        done = mora("record", "--mpi", FLAVOUR, "-o", "outer", script, cwd=self.dir)
        self.assertIn(f"runs inside another recording, which gets nothing of this job: {self.dir.resolve()}/outer", done.stderr)
        self.assert_error(done, 2, "nothing was recorded")
        facts = self.assert_sound(self.dir / "inner", is_whole=True)
        self.assertEqual((len(facts["ranks"]), facts["data_quality"]), (2, []))

    def test_many_ranks_on_few_processors(self):
        _, facts = self.record(ranks=64)
        self.assertEqual(len(facts["ranks"]), 64)
        self.assertEqual([row["kind"] for row in facts["data_quality"]], [])
        self.assertEqual(self.calls()["MPI_Barrier"], 3 * 64)


if __name__ == "__main__":
    unittest.main()
