"""Dry runs against real runs of the same programs, and dry runs of programs that end badly."""

import argparse
import json
import os
import re
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


def run(command, **more):
    return subprocess.run(command, env={**ENVIRONMENT, **more.pop("env", {})}, capture_output=True, text=True, timeout=240, check=False, **more)


class DryRun(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="mora-dryrun-")

    def tearDown(self):
        shutil.rmtree(self.place)

    def dry(self, size, *words, options=(), expect=0, **more):
        directory = os.path.join(self.place, f"dry{len(os.listdir(self.place))}")
        done = run([OPTIONS.mora, "pattern", "dryrun", "-n", str(size), "-o", directory, "--mpi", OPTIONS.flavour, *options, *words], **more)
        self.assertEqual(done.returncode, expect, done.stderr[-3000:])
        return directory, done

    def lines(self, directory, rank):
        with open(os.path.join(directory, "output", f"{rank}.txt"), encoding="utf-8") as file:
            return file.read().splitlines()

    def real_lines(self, name, size):
        directory = os.path.join(self.place, f"real{size}")
        os.mkdir(directory)
        done = run([OPTIONS.mpirun, "-n", str(size), program(name)], env={"EVERYTHING_DIR": directory})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        texts = []
        for rank in range(size):
            with open(os.path.join(directory, f"{rank}.txt"), encoding="utf-8") as file:
                texts.append(file.read().splitlines())
        return texts

    def compare(self, name, sizes):
        for size in sizes:
            real = self.real_lines(name, size)
            directory, _ = self.dry(size, program(name), options=("--output", "none"))
            for rank in range(size):
                with self.subTest(size=size, rank=rank):
                    self.assertGreater(len(real[rank]), 10)
                    self.assertEqual(self.lines(directory, rank), real[rank])

    def test_everything_is_as_in_a_real_run(self):
        self.compare("everything", (1, 2, 3, 4, 7, 12, 16))

    def test_auxiliary_processes_that_may_not_wait(self):
        real = self.real_lines("everything", 6)
        directory, _ = self.dry(6, program("everything"), options=("--output", "none"), env={"MORA_DRYRUN_PARKED": "0"})
        for rank in range(6):
            self.assertEqual(self.lines(directory, rank), real[rank])

    def test_a_script_with_two_programs(self):
        script = os.path.join(self.place, "both.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{program('nested')}\n{program('nested')}\n")
        os.chmod(script, 0o755)
        directory, done = self.dry(8, script, options=("--ranks", "3"))
        self.assertEqual(done.stdout, 2 * "rank 3: plane 3 of 4, row 1 of 2, column 0 of 2, line 0 of 2\n")
        self.assertTrue(os.path.exists(directory + "-2/trace.mpt"))

    def test_python(self):
        if OPTIONS.flavour != "openmpi":
            self.skipTest("Debian's mpi4py is Open MPI's: there is none for MPICH")
        script = os.path.join(self.place, "program.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("from mpi4py import MPI\nc = MPI.COMM_WORLD\nh = c.Split(c.rank % 2, -c.rank)\n"
                       "x = c.bcast({'a': 7} if c.rank == 0 else None, root=0)\nprint(c.rank, c.size, h.rank, h.size, x, flush=True)\n")
        _, done = self.dry(8, "/usr/bin/python3", script, options=("--ranks", "5"))
        self.assertEqual(done.stdout, "5 8 1 4 {'a': 7}\n")

    def test_fortran_is_as_in_a_real_run(self):
        self.compare("fortran", (1, 2, 5, 8))

    def test_members_agree_in_a_job_of_64(self):
        """All members of a communicator have the same list of its members."""
        ranks = [0, 1, 17, 31, 32, 62, 63]
        directory, _ = self.dry(64, program("everything"), options=("--output", "none", "--ranks", ",".join(map(str, ranks))))
        members_of = {}
        for rank in ranks:
            seen = {}
            for line in self.lines(directory, rank):
                match = re.fullmatch(r"(.*): size (\d+) rank (-?\d+) members(.*)", line)
                if not match:
                    continue
                key = (match[1], seen.setdefault(match[1], 0))
                seen[match[1]] += 1
                members = [int(word) for word in match[4].split()]
                self.assertEqual(len(members), int(match[2]))
                if int(match[3]) >= 0:
                    self.assertEqual(members[int(match[3])], rank, line)
                    members_of[(key, rank)] = members
        compared = 0
        for (key, rank), members in members_of.items():
            if key[0].startswith(("split by", "nested", "create", "dup", "node", "merged", "graph", "adjacent")):
                for other in members:
                    if other in ranks and (key, other) in members_of and key[0] != "nested":
                        compared += 1
                        self.assertEqual(members, members_of[(key, other)], (key, rank, other))
        self.assertGreater(compared, 100)

    def test_ranks_with_nested_splits(self):
        """Every other rank runs in an auxiliary process; 4096 of them cost 23 s of processor time: under one MPI."""
        side = 16 if OPTIONS.flavour == "openmpi" else 8
        last = side ** 3 - 1
        _, done = self.dry(side ** 3, program("nested"), options=("--ranks", str(last)))
        self.assertEqual(done.stdout, f"rank {last}: plane {side * side - 1} of {side * side}, row {side - 1} of {side}, "
                                      f"column 0 of {side}, line {side - 1} of {side}\n")

    def test_nodes(self):
        directory, _ = self.dry(12, program("everything"), options=("--ranks-per-node", "5", "--output", "none", "--ranks", "0,7,11"))
        for rank, members in ((0, "4 3 2 1 0"), (7, "9 8 7 6 5"), (11, "11 10")):
            self.assertTrue(any(line.startswith("node: size") and line.endswith("members " + members) for line in self.lines(directory, rank)))

    def test_input_arguments_and_output(self):
        directory, done = self.dry(4, program("input"), "an argument", options=("--ranks", "0-2"), input="11 12\n")
        self.assertEqual(done.stdout, "rank 0 read 11 12; an argument\n")
        self.assertEqual(self.lines(directory, 2), ["rank 2 read 0 0; an argument"])
        with tempfile.TemporaryFile("w+") as file:
            file.write("21 22\n")
            file.seek(0)
            _, done = self.dry(4, program("input"), options=("--ranks", "1,0", "--output", "all", "-j", "1"), stdin=file)
        self.assertEqual(done.stdout, "rank 0 read 21 22; no argument\nrank 1 read 0 0; no argument\n")

    def test_verify(self):
        directory = os.path.join(self.place, "verified")
        done = run([OPTIONS.mora, "pattern", "dryrun", "--verify", "3", "-o", directory, "--mpi", OPTIONS.flavour, program("everything")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 ranks: the dry run makes the same calls as the real run", done.stdout)

    def verify_script(self, text):
        script = os.path.join(self.place, "program.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(script, 0o755)
        return run([OPTIONS.mora, "pattern", "dryrun", "--verify", "2", "-o", os.path.join(self.place, "verified"), "--mpi", OPTIONS.flavour, script])

    def test_a_real_run_that_fails_is_no_difference(self):
        done = self.verify_script(f'[ -n "$MORA_DRYRUN" ] && exec {program("nested")}\nexec {program("misbehave")} exit 1')
        self.assertRegex(done.stderr, "the real run ended with [1-9][0-9]*; no comparison")
        self.assertEqual(done.returncode, int(re.search("the real run ended with ([0-9]+)", done.stderr)[1]))
        self.assertNotIn("differ", done.stdout)
        self.assertNotIn("the same calls", done.stdout)
        # and a dry run that fails is
        shutil.rmtree(os.path.join(self.place, "verified"))
        done = self.verify_script(f'[ -z "$MORA_DRYRUN" ] && exec {program("nested")}\nexec {program("misbehave")} exit 1')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("of 2 ranks differ", done.stdout)

    def test_marks_and_what_is_skipped(self):
        """The same programs as tests/mpi/pattern_recorder: really 12 is counted and nothing skipped."""
        for name, phases in (("phases", ["inner", "mini", "round0", "round1"]), ("phases-fixed", ["inner", "round0", "round1"])):
            with self.subTest(name=name):
                done = run([program(name)])
                self.assertEqual((done.returncode, done.stdout), (0, "ran 12, dry run 0\n"), done.stderr)
                directory, done = self.dry(3, program(name), options=("--ranks", "2"))
                self.assertEqual(done.stdout, "ran 2, dry run 1\n")
                self.assertEqual(self.phases(directory), phases)
        done = run([program("phases-fortran")])
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "ran"), done.stderr)
        directory, done = self.dry(3, program("phases-fortran"), options=("--ranks", "2"))
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.phases(directory), ["macro", "round0", "round1"])

    def phases(self, directory):
        with open(os.path.join(directory, "manifest.json"), encoding="utf-8") as file:
            return sorted(phase["name"] if isinstance(phase, dict) else phase for phase in json.load(file)["phases"])

    def test_marks_cost_nothing_without_mora(self):
        done = run([program("marks")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(float(done.stdout.split()[0]), 20, "ns for a phase and a block that is not skipped")

    def test_limits(self):
        """docs/user/dryrun.md: what is known of roots' and of rank 0's data ends somewhere, and that is told."""
        done = run([OPTIONS.mpirun, "-n", "2", program("limits"), "66000", "4100"])
        self.assertEqual(sorted(done.stdout.splitlines()), ["0: 66000 broadcasts, 0 messages, 100 attributes",
                                                            "1: 66000 broadcasts, 4100 messages, 100 attributes"])
        directory, done = self.dry(2, program("limits"), "66000", "4100", options=("--output", "none"))
        self.assertEqual(self.lines(directory, 0), ["0: 66000 broadcasts, 0 messages, 100 attributes"])
        self.assertEqual(self.lines(directory, 1), ["1: 65536 broadcasts, 4096 messages, 100 attributes"])
        self.assertIn("broadcasts that are too large or too many to be known: buffers stay as they are (464 times)", done.stderr)
        self.assertIn("messages of rank 0 after the first 4096 to a rank: it does not know them (4 times)", done.stderr)
        self.assertRegex(done.stderr, r"receives from rank 0 of what .*: data are unknown \(4 times\)")
        directory, done = self.dry(18, program("limits"), "0", "4096", options=("--output", "none", "--ranks", "0,1,17"))
        self.assertEqual(self.lines(directory, 1), ["1: 0 broadcasts, 4096 messages, 100 attributes"])
        self.assertEqual(self.lines(directory, 17), ["17: 0 broadcasts, 0 messages, 100 attributes"])
        self.assertIn("messages of rank 0 after the first 65536: other ranks do not know them (4096 times)", done.stderr)

    def test_data_that_steer_the_program(self):
        directory = os.path.join(self.place, "verified")
        done = run([OPTIONS.mora, "pattern", "dryrun", "--verify", "2", "-o", directory, "--mpi", OPTIONS.flavour, program("steered")])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"rank 0, call 3: really: Send 1 x MPI_INT to 1, tag 2.*; in the dry run: Finalize")
        self.assertIn("1 of 2 ranks differ", done.stdout)
        _, done = self.dry(2, program("steered"), expect=1)
        self.assertIn("first divergence: rank ", done.stderr)
        self.assertIn("rank 0 may have needed the data of call 2: Recv 1 x MPI_INT from 1, tag 1, on MPI_COMM_WORLD", done.stderr)
        self.assertIn("let all ranks run at once: mora pattern dryrun --together -n 2", done.stderr)

    def test_data_that_say_which_request_is_waited_for(self):
        directory = os.path.join(self.place, "verified")
        done = run([OPTIONS.mora, "pattern", "dryrun", "--verify", "2", "-o", directory, "--mpi", OPTIONS.flavour, program("decided")])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"rank 0, call .*: really: Wait .*\(other requests are completed\)")
        self.assertIn("1 of 2 ranks differ", done.stdout)  # what rank 0 says is known

    def bad(self, how, sentence, code, who=1, ranks="1", size=4, limit=60):
        _, done = self.dry(size, program("misbehave"), how, str(who), options=("--ranks", ranks, "--timeout", str(limit)), expect=code)
        self.assertRegex(done.stderr, sentence)

    def test_bad_ends(self):
        for how, sentence, code in (
                ("hang", "rank 1 did not end within 5 s; outside MPI, after 1 recorded call, the last one Init", 124),
                ("spin", "rank 1 did not end within 3 s; (outside MPI|in MPI_Comm_rank)", 124),
                ("abort", r"rank 1 aborted the job: MPI_Abort\(7\); in MPI_Abort", 7),
                ("exit", "rank 1 ended with exit code 3; outside MPI", 3),
                ("leave", "rank 1 ended without MPI_Finalize", 0),
                ("crash", "rank 1 was killed by signal 11; outside MPI", 139),
                ("type", "rank 1 ended with exit code 3", 3),
                ("spawn", "rank 1 cannot go on: MPI_Comm_spawn: a dry run cannot do this", 86)):
            with self.subTest(how=how):
                # a limit that is reached: enough for a loaded machine to get to where it hangs
                self.bad(how, sentence, code, limit={"hang": 5, "spin": 3}.get(how, 60))

    def test_an_auxiliary_process_that_ends_too_early(self):
        for how, why in (("hang", "ran into the time limit of 5 s"), ("exit", "ended with exit code 3"), ("crash", "was killed by signal 11"),
                         ("skip", "ended before it made this call: its last MPI call was MPI_Finalize")):
            with self.subTest(how=how):
                self.bad(how, f"rank 0 cannot go on: MPI_Comm_split: it needs the arguments of rank 1, which {why}", 86, ranks="0,2", limit=5 if how == "hang" else 60)
        # whichever sees the circle first: ranks 2 and 3 wait for the two that make it
        self.bad("cycle", "rank 0 cannot go on: MPI_Comm_split: it needs the arguments of rank [123], which (waits for this one|ended with exit code 86)",
                 86, ranks="0,1")

    def test_wrong_command_lines(self):
        for words, why in ((("-n", "4", "--ranks", "1-4"), "there is no such rank"), (("-n", "4", "--ranks", "2-1"), "no list of ranks"),
                           (("-n", "4", "--ranks", "x"), "no list of ranks"), ((), "the number of processes"),
                           (("-n", "4", "--output", "some"), "not a choice of output")):
            done = run([OPTIONS.mora, "pattern", "dryrun", *words, program("nested")], cwd=self.place)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)
        done = run([OPTIONS.mora, "pattern", "dryrun", "-n", "4", OPTIONS.mpirun, "-n", "4", program("nested")], cwd=self.place)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a dry run needs no launcher", done.stderr)
        self.assertEqual(os.listdir(self.place), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("mora", "flavour", "mpirun", "programs"):
        parser.add_argument("--" + name, required=True)
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.mora = os.path.abspath(OPTIONS.mora)
    OPTIONS.programs = os.path.abspath(OPTIONS.programs)
    unittest.main(argv=[sys.argv[0], *rest])
