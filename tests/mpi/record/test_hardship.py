"""What programs do to a recorder: many handles, no descriptors left, children, deaths, two of Mora at once, many ranks."""
import collections
import json
import pathlib
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

    def test_many_ranks_on_few_processors(self):
        _, facts = self.record(ranks=64)
        self.assertEqual(len(facts["ranks"]), 64)
        self.assertEqual([row["kind"] for row in facts["data_quality"]], [])
        self.assertEqual(self.calls()["MPI_Barrier"], 3 * 64)


if __name__ == "__main__":
    unittest.main()
