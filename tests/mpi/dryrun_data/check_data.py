"""What MPI calls answer in a dry run, and which programs do the same as in a real run."""

import argparse
import concurrent.futures
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
NETPIPE = {"openmpi": "NPopenmpi", "mpich": "NPmpich2"}


def program(name):
    return os.path.join(OPTIONS.programs, name)


class DryData(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="mora-dryrun-")

    def tearDown(self):
        shutil.rmtree(self.place)

    def run_in(self, command, more=None):
        return subprocess.run(command, env={**ENVIRONMENT, **(more or {})}, cwd=self.place, capture_output=True, text=True, timeout=900, check=False)

    def dry(self, size, ranks, *words, place=None):
        """Output of the first rank."""
        directory = os.path.join(self.place, place or f"dry{len(os.listdir(self.place))}")
        done = self.run_in([OPTIONS.mora, "pattern", "dryrun", "-n", str(size), "--ranks", ranks, "--quiet", "-o", directory, "--mpi", OPTIONS.flavour,
                            *words])
        outputs = [done.stdout + done.stderr]
        for name in sorted(os.listdir(os.path.join(directory, "output"))):
            with open(os.path.join(directory, "output", name), encoding="utf-8", errors="replace") as file:
                outputs.append(file.read())
        return done.returncode, outputs

    def expect_checks(self, size, ranks, least, *words, divergence=None):
        code, outputs = self.dry(size, ranks, *words)
        self.assertEqual(code, 1 if divergence else 0, "\n".join(outputs)[-3000:])
        if divergence:
            self.assertIn(divergence, outputs[0])
            self.assertEqual([line for line in outputs[0].splitlines() if "not " in line and "line " in line], [])
        numbers = [int(line.split()[0]) for text in outputs for line in text.splitlines() if line.endswith(" checks")]
        self.assertTrue(numbers and min(numbers) >= least, outputs)

    def verify(self, size, *words, place=None):
        directory = os.path.join(self.place, place or f"verified{len(os.listdir(self.place))}")
        done = self.run_in([OPTIONS.mora, "pattern", "dryrun", "--verify", str(size), "--quiet", "-o", directory, "--mpi", OPTIONS.flavour, *words],
                           {"OMPI_MCA_orte_tmpdir_base": directory + ".ompi"})  # not shared: it goes when the first job beside ends
        return done.returncode, done.stdout + done.stderr

    def test_what_is_sent_to_oneself_is_exact(self):
        """The program receives one message into too small a buffer, on purpose: that is told."""
        self.expect_checks(2, "all", 50, program("oneself"), divergence="has 16 bytes when sent")
        self.expect_checks(4096, "77", 50, program("oneself"), divergence="has 16 bytes when sent")

    def test_a_real_run_passes_the_same_checks(self):
        """MPICH 4.0 fails two of them, which oneself.c names."""
        done = self.run_in([OPTIONS.mpirun, "-n", "2", program("oneself")])
        failed = {line.split(": not ", 1)[1] for line in done.stdout.splitlines() if ": not " in line}
        known = {"count_of(&s, MPI_INT) == 0 && s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG && in[0] == 77",
                 "got[0] == 11 && got[1] == 10 && got[2] == 13 && got[3] == 12"} if OPTIONS.flavour == "mpich" else set()
        self.assertEqual(failed - known, set())
        self.assertEqual(done.returncode, 1 if failed else 0, done.stdout)
        numbers = [int(line.split()[0]) for line in done.stdout.splitlines() if line.endswith(" checks")]
        self.assertTrue(len(numbers) == 2 and min(numbers) >= 50, done.stdout)

    def test_what_comes_from_others_is_as_documented(self):
        for size, rank in ((4, 0), (4, 2), (17, 5), (60, 58)):  # whose neighbours are not rank 0
            self.expect_checks(size, str(rank), 60, program("others"))

    def test_ranks_that_do_not_fit_together_are_named(self):
        """others.c receives what nobody sends."""
        code, outputs = self.dry(4, "all", program("others"))
        self.assertEqual(code, 1, outputs)
        self.assertIn("with tag 77 on MPI_COMM_WORLD are received, 0 are sent", outputs[0])

    def test_windows(self):
        self.expect_checks(4, "all", 20, program("windows"))
        self.expect_checks(300, "299", 20, program("windows"))

    def test_files_are_read_and_never_written(self):
        name = os.path.join(self.place, "data.txt")
        text = "".join(4 * chr(97 + i) for i in range(5))
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        self.expect_checks(5, "all", 20, program("files"), name, os.path.join(self.place, "never-made"))
        with open(name, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)
        self.assertFalse(os.path.exists(os.path.join(self.place, "never-made")))

    def test_masters_hear_their_workers_in_turn(self):
        for way in "123":
            code, outputs = self.dry(7, "0", program("farm"), way)
            self.assertEqual(code, 0, outputs)
            self.assertIn("10 10 10 10 10 10 tasks", outputs[0])

    def test_iterative_programs_do_the_same_as_in_a_real_run(self):
        for name in ("halo", "cg", "fft", "amr"):
            with self.subTest(program=name):
                code, text = self.verify(6, program(name), "-n", "4")
                self.assertEqual(code, 0, text)

    def test_what_a_root_told_is_known(self):
        for size in (2, 5):
            code, text = self.verify(size, program("ask"), "4")
            self.assertEqual(code, 0, text)

    def test_what_others_say_in_an_alltoall_is_not_known(self):
        """Counts differ between neighbours: the first receive that depends on one is named."""
        code, text = self.verify(4, program("sparse"), "-n", "5")
        self.assertEqual(code, 1, text)
        self.assertIn("Irecv", text)

    def test_examples_do_the_same_as_in_a_real_run(self):
        """All of examples/, with as many ranks as each says. In atomic_retry time says who wins a race: only its dry run is looked at."""
        ranks = {}
        for name in sorted(os.listdir(OPTIONS.examples)):
            if name.endswith(".c"):
                with open(os.path.join(OPTIONS.examples, name), encoding="utf-8") as file:
                    ranks[name[:-2]] = int(re.search(r"Mora must find, with (\d+) ranks", file.read())[1])
        self.assertGreater(len(ranks), 40)

        def try_one(name):
            example = os.path.join(OPTIONS.example_programs, name)
            if name == "atomic_retry":
                code, outputs = self.dry(ranks[name], "all", example, place=name)
                return name, code, "\n".join(outputs)
            return name, *self.verify(ranks[name], example, place=name)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:  # they sleep most of the time
            results = list(pool.map(try_one, ranks))
        for name, code, text in results:
            with self.subTest(example=name):
                self.assertEqual(code, 0, text[-2000:])

    def test_netpipe(self):
        """With fixed repetitions: without, NetPIPE measures how often it repeats."""
        netpipe = shutil.which(NETPIPE[OPTIONS.flavour])
        if netpipe is None:
            self.fail("netpipe is not installed")
        code, text = self.verify(2, netpipe, "-n", "3", "-u", "3000", "-o", os.path.join(self.place, "np.out"))
        self.assertEqual(code, 0, text)

    def test_the_parts_of_hpcc_that_do_not_depend_on_time_are_equal(self):
        """Debian's hpcc is one of Open MPI. RandomAccess polls, LatencyBandwidth repeats by time, HPL comes after it; what lies between is one
        stretch of equal calls: PTRANS (five times three communicators and an exchange), DGEMM, STREAM (gather), FFT (six of the all-to-alls)."""
        if OPTIONS.flavour != "openmpi":
            return
        here = os.path.dirname(os.path.abspath(__file__))
        shutil.copy(os.path.join(here, "hpccinf.txt"), self.place)
        clock = os.path.join(self.place, "fixed_clock.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", clock, os.path.join(here, "fixed_clock.c")], check=True)
        done = self.run_in([OPTIONS.mora, "pattern", "dryrun", "--verify", "2", "-o", "hpcc", "--mpi", "openmpi", shutil.which("hpcc") or "hpcc"],
                           {"LD_PRELOAD": clock})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        least = {"Comm_split": 15, "Comm_free": 15, "Sendrecv": 5, "Barrier": 90, "Gather": 1, "Alltoall": 6, "Allreduce": 42, "Reduce": 28, "Bcast": 28}
        for rank in (0, 1):
            part = done.stdout.split(f"\nrank {rank}: ")[-1].split("\nrank ")[0]
            stretches = [{name: int(number) for number, name in re.findall(r"(\d+) (\w+)", line)} for line in part.splitlines() if line.startswith("    ")]
            whole = [found for found in stretches if all(found.get(name, 0) >= number for name, number in least.items())]
            self.assertEqual(len(whole), 1, f"rank {rank}: " + part)
            self.assertEqual(whole[0]["Comm_split"], 15)
        self.assertNotIn("rest was not looked at", done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("mora", "flavour", "mpirun", "programs", "examples", "example-programs"):
        parser.add_argument(f"--{option}", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
