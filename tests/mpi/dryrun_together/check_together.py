"""Dry runs of all ranks together: the same text traces as real recordings of the same programs; deadlocks."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1"}


def program(name):
    return os.path.join(OPTIONS.programs, name)


def line(statement):
    """Where a statement stands in deadlock.c, as calls are named."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "deadlock.c"), encoding="utf-8") as file:
        return f"(deadlock.c:{next(number for number, text in enumerate(file, 1) if statement in text)})"


def other(test, name):
    return os.path.join(OPTIONS.others, test, OPTIONS.flavour, name)


class Together(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="mora-together-")

    def tearDown(self):
        shutil.rmtree(self.place)

    def run_in(self, command, **more):
        return subprocess.run(command, env={**ENVIRONMENT, **more}, cwd=self.place, capture_output=True, text=True, timeout=300, check=False)

    def together(self, size, *words, options=(), expect=0, **more):
        directory = os.path.join(self.place, f"together{len(os.listdir(self.place))}")
        done = self.run_in([OPTIONS.mora, "pattern", "dryrun", "--together", "-n", str(size), "--text", "-o", directory, "--mpi", OPTIONS.flavour,
                            *options, *words], **more)
        self.assertEqual(done.returncode, expect, done.stderr[-3000:] + done.stdout[-3000:])
        return directory, done

    def record(self, size, *words):
        directory = os.path.join(self.place, f"real{len(os.listdir(self.place))}")
        done = self.run_in([OPTIONS.mora, "pattern", "record", "--text", "--quiet", "-o", directory, "--mpi", OPTIONS.flavour, OPTIONS.mpirun, "-n",
                            str(size), *words])
        self.assertEqual(done.returncode, 0, done.stderr[-3000:] + done.stdout[-3000:])
        return directory

    def calls(self, directory, rank):
        with open(os.path.join(directory, "ti_traces", f"ti_trace{rank}.txt"), encoding="utf-8") as file:
            return file.read().splitlines()

    def expect_equal(self, size, *words, any_order=False):
        """any_order: messages from MPI_ANY_SOURCE come in an order that time decides."""
        dry, _ = self.together(size, *words, options=("--output", "none"))
        real = self.record(size, *words)
        for rank in range(size):
            with self.subTest(program=words[0], size=size, rank=rank):
                one, two = self.calls(dry, rank), self.calls(real, rank)
                self.assertGreater(len(one), 2)
                self.assertEqual(*((sorted(one), sorted(two)) if any_order else (one, two)))

    def test_programs_whose_data_steer_them(self):
        for size in (2, 5, 16):
            self.expect_equal(size, program("steered"), any_order=True)
        self.expect_equal(2, other("dryrun", "steered"))

    def test_collectives(self):
        """The program checks all that arrives."""
        for size in (1, 2, 3, 8):
            self.expect_equal(size, program("collectives"))

    def test_windows(self):
        """The program checks all that arrives. Open MPI 4.1.4 crashes in MPI_Compare_and_swap between processes of one node: compared without locks."""
        for size in (1, 3, 8):
            self.together(size, program("windows"))
        for size in (2, 3):
            self.expect_equal(size, program("windows"), "no-locks")

    def test_many_ranks(self):
        for name in ("collectives", "steered", "windows"):
            directory, _ = self.together(64, program(name))
            self.assertEqual(len(os.listdir(os.path.join(directory, "ti_traces"))), 64)

    def test_the_programs_of_other_dry_runs(self):
        for name in ("halo", "cg", "fft", "amr", "sparse"):
            self.expect_equal(4, other("dryrun_data", name), any_order=name in ("amr", "sparse"))

    def test_communicators(self):
        """What the program prints about groups, communicators and topologies is as in a real run."""
        for size in (2, 7, 12):
            lines = os.path.join(self.place, f"lines{size}")
            os.mkdir(lines)
            done = self.run_in([OPTIONS.mpirun, "-n", str(size), other("dryrun", "everything")], EVERYTHING_DIR=lines)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            directory, _ = self.together(size, other("dryrun", "everything"), options=("--output", "none"))
            for rank in range(size):
                with open(os.path.join(lines, f"{rank}.txt"), encoding="utf-8") as file, \
                        open(os.path.join(directory, "output", f"{rank}.txt"), encoding="utf-8") as dry:
                    self.assertEqual(dry.read(), file.read())

    def test_the_first_duplicate(self):
        """Also in a dry run of single ranks."""
        real = self.run_in([OPTIONS.mpirun, "-n", "6", program("dup_first")])
        for options in (("--together",), ()):
            directory = os.path.join(self.place, f"dup{len(options)}")
            done = self.run_in([OPTIONS.mora, "pattern", "dryrun", *options, "-n", "6", "--output", "all", "--quiet", "-o", directory, "--mpi",
                                OPTIONS.flavour, program("dup_first")])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(done.stdout.splitlines()), sorted(real.stdout.splitlines()))

    def test_messages_to_oneself(self):
        """The program receives one message into too small a buffer, on purpose: that is told."""
        _, done = self.together(3, other("dryrun_data", "oneself"), options=("--output", "all"), expect=1)
        self.assertIn("has 16 bytes when sent (call 82 there), room for 8 when received", done.stderr)
        self.assertNotIn("substitute data", done.stderr)
        self.assertEqual(len([line for line in done.stdout.splitlines() if line.endswith(" checks")]), 3)
        self.assertNotIn("line ", done.stdout)

    def test_verify(self):
        done = self.run_in([OPTIONS.mora, "pattern", "dryrun", "--together", "--verify", "3", "-o", os.path.join(self.place, "verified"), "--mpi",
                            OPTIONS.flavour, program("steered"), "in-order"])
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertIn("3 ranks: the dry run makes the same calls as the real run", done.stdout)

    def test_deadlocks(self):
        recv, ssend, elsewhere, gone, split, any_rank = (
            "MPI_" + call + " " + line(statement) for call, statement in
            (("Recv", "next, 5"), ("Ssend", "MPI_Ssend"), ("Recv", "if (rank == 1) MPI_Recv"), ("Recv", "if (rank != 1) MPI_Recv"),
             ("Comm_split", "MPI_Comm_split"), ("Recv", "MPI_ANY_SOURCE, 6")))
        barrier, to_split = "MPI_Barrier " + line("  MPI_Barrier"), "MPI_Recv " + line("if (rank == 0) MPI_Recv")
        ring = "deadlock: rank 0 in {0} waits for rank 1, rank 1 in {0} waits for rank 2, rank 2 in {0} waits for rank 0"
        for how, sentences in (
                ("ring", (ring.format(recv), f"rank 0 waits for a message from rank 1, tag 5; in {recv}, after 1 recorded call")),
                ("ssend", (ring.format(ssend), f"rank 0 waits for a receive of its message by rank 1, tag 5; in {ssend}")),
                ("barrier", (f"deadlock: rank 0 in {barrier} waits for rank 1, rank 1 in {elsewhere} waits for rank 0",
                             f"rank 2 waits in a collective call for rank 1; in {barrier}")),
                ("gone", (f"deadlock: rank 0 in {gone} waits for rank 1, which has ended", "rank 2 waits for a message from rank 1, tag 6")),
                ("split", (f"deadlock: rank 0 in {to_split} waits for rank 1, rank 1 in {split} waits for rank 0",
                           f"rank 2 waits for the arguments of rank 0; in {split}")),
                ("any", (f"rank 0 waits for a message from any rank, tag 6; in {any_rank}", "rank 2 waits for a message from any rank"))):
            with self.subTest(how=how):
                _, done = self.together(3, program("deadlock"), how, expect=86)
                for sentence in sentences:
                    self.assertIn(sentence, done.stderr)

    def test_a_rank_that_fails_ends_the_job(self):
        for how, code, sentence in (("crash", 139, "rank 1 was killed by signal 11; outside MPI"),
                                    ("abort", 7, r"rank 1 aborted the job: MPI_Abort\(7\); in MPI_Abort \(deadlock.c:\d+\)"),
                                    ("leave", 1, "rank 1 ended without MPI_Finalize"),
                                    ("mixed", 86, r"rank \d cannot go on: MPI_(Bcast|Barrier): another rank \(\d, perhaps others\) calls MPI_(Barrier|Bcast)"
                                     r".*; in MPI_(Bcast|Barrier) \(deadlock.c:\d+\)")):
            with self.subTest(how=how):
                _, done = self.together(3, program("deadlock"), how, expect=code)
                self.assertRegex(done.stderr, sentence)
                self.assertNotIn("rank 2 was", done.stderr)
        _, done = self.together(3, program("deadlock"), "spin", expect=124, options=("--timeout", "3"))
        self.assertRegex(done.stderr, r"rank [0-2] did not end within 3 s; (outside MPI|in MPI_Iprobe \(deadlock.c:\d+\))")

    def test_wrong_command_lines(self):
        for words in (("-j", "2"), ("--ranks", "0-1")):
            done = self.run_in([OPTIONS.mora, "pattern", "dryrun", "--together", "-n", "4", *words, program("steered")])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--together runs all ranks at once", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("mora", "flavour", "mpirun", "programs", "others"):
        parser.add_argument("--" + option, required=True)
    OPTIONS, rest = parser.parse_known_args()
    for option in ("mora", "programs", "others"):
        setattr(OPTIONS, option, os.path.abspath(getattr(OPTIONS, option)))
    unittest.main(argv=[sys.argv[0], *rest])
