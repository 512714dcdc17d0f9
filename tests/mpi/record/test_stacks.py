"""Call paths of a program without frame pointers, with the MPI that MORA_TEST_FLAVOUR names."""
import collections
import ctypes
import json
import pathlib
import re
import subprocess
import unittest

from run_mora import LAUNCHER, Case, compile_c, mora

SOURCE = pathlib.Path(__file__).with_name("stacks.c")
PATHS = {
    ("MPI_Init", "main"): 1, ("MPI_Allreduce", "main > relax > halo > exchange"): 500, ("MPI_Allreduce", "main > residual > exchange"): 500,
    ("MPI_Barrier", "main > down"): 1, ("MPI_Finalize", "main"): 1,
}



class Stacks(Case):
    def record(self, name, *options, flags=("-g", "-O2", "-fomit-frame-pointer"), strip=False):
        program = compile_c([SOURCE], self.dir / "stacks", *flags)
        if strip:
            subprocess.run(["strip", program], check=True)
        done = mora("record", *options, "-o", name, LAUNCHER, "-n", "2", program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.dir / name

    def paths(self, name):
        events = mora("print", "--kinds", "ENTER", "--ranks", "0", name, cwd=self.dir).stdout
        counted = collections.Counter()
        for line in events.splitlines():
            region, path = re.search(r"region=(\S+)", line)[1], re.search(r'path=("([^"]*)"|(\S+))', line)
            counted[region, (path[2] or path[3]) if path else ""] += 1
        return counted

    def test_every_call_has_its_path(self):
        experiment = self.record("exp")
        facts = self.assert_sound(experiment)
        self.assertEqual([r["kind"] for r in facts["data_quality"]], [])
        found = self.paths("exp")
        callbacks = [path for region, path in found if region == "MPI_Bcast"]
        self.assertEqual(len(callbacks), 1)
        self.assertRegex(callbacks[0], "^main > .*qsort.* > compare$")
        self.assertEqual({key: n for key, n in found.items() if key[0] != "MPI_Bcast"}, PATHS)

    def test_programs_optimised_when_linked_have_their_inlined_functions(self):
        program = compile_c([SOURCE], self.dir / "linked", "-O2", "-flto")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        inlined = {path for region, path in self.paths("exp") if region == "MPI_Allreduce" and "residual" not in path}
        self.assertEqual(inlined, {"main > relax > halo > exchange"})

    def test_contained_procedures_of_fortran_have_their_names(self):
        program = compile_c([SOURCE.with_name("contained.f90")], self.dir / "contained", "-O0", compiler="mpifort")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({path for region, path in self.paths("exp") if region == "MPI_Allreduce"}, {"main > app > outer > inner"})

    def test_an_openmp_library_within_the_program_ends_no_stack(self):
        program = compile_c([SOURCE.with_name("linked_runtime.c")], self.dir / "linked_runtime", "-O1", "-w")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", "2", program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {path: n for (region, path), n in self.paths("exp").items() if region == "MPI_Barrier"}
        self.assertEqual(found, {"main > outer > inner": 1, "inner": 1}, "outside and inside of the parallel region")

    def kinds(self, name):
        """How many events of which kind; readings of the core and samples apart: when they are made is random."""
        return collections.Counter(line.split()[3] for line in mora("print", name, cwd=self.dir).stdout.splitlines())

    def test_without_stacks_nothing_changes(self):
        without = self.record("off", "--stack", "off")
        self.assertEqual({path for _, path in self.paths("off")}, {""})
        with_stacks = self.record("on")
        on, off = self.kinds("on"), self.kinds("off")
        readings = sum(counts.pop(kind, 0) for counts in (on, off) for kind in ("METRIC", "SAMPLE"))
        self.assertEqual(on, off)
        self.assertGreater(on["ENTER"], 2000)
        # Definitions: events grow only as far as there are more regions, whose numbers take two bytes from the second on.
        for rank in (0, 1):
            grown = (with_stacks / f"traces/{rank}.evt").stat().st_size - (without / f"traces/{rank}.evt").stat().st_size
            self.assertLess(grown, 0.5 * on.total() / 2 + 64 * readings)

    def test_names_that_would_be_types_of_cpp(self):
        self.record("exp", flags=("-g", "-O2", "-Ddown=d", "-Dhalo=h"))  # double, unsigned char
        self.assertEqual(self.paths("exp")["MPI_Barrier", "main > d"], 1)
        self.assertEqual(self.paths("exp")["MPI_Allreduce", "main > relax > h > exchange"], 500)

    def test_a_stripped_program_has_its_functions_by_place(self):
        self.record("exp", strip=True)
        depths = collections.Counter((region, path.count(" > ") + 1) for (region, path), n in self.paths("exp").items() for _ in range(n))
        self.assertEqual(depths["MPI_Init", 1], 1)
        self.assertEqual(depths["MPI_Allreduce", 3], 1000)
        self.assertEqual(depths["MPI_Barrier", 2], 1, "recursion is folded")

    def test_outer_functions_beyond_the_limit_are_said_to_be_unknown(self):
        experiment = self.record("exp", "--stack", "2")
        found = self.paths("exp")
        self.assertIn(("MPI_Allreduce", "(outer functions not known) > residual > exchange"), found)
        facts = json.loads((experiment / "manifest.json").read_text())
        self.assertIn("call-path-cut", {r["kind"] for r in facts["data_quality"]})

    def unwinders(self):
        """Those of this machine: GCC's is everywhere, libunwind where its package is."""
        for library in ("libgcc_s.so.1", "libunwind.so.8"):
            try:
                yield library, ctypes.CDLL(library)
            except OSError:
                self.assertNotEqual(library, "libgcc_s.so.1")

    def test_every_stack_is_that_of_another_unwinder(self):
        library = self.dir / "libthrough.so"
        compile_c([SOURCE.with_name("stack_library.c")], library, "-O2", "-fomit-frame-pointer", "-shared", "-fPIC")
        variants = (("-O2", "-fomit-frame-pointer"), ("-O0",), ("-O3", "-fno-omit-frame-pointer", "-march=native"))
        for number, flags in enumerate(variants):
            program = compile_c([SOURCE.with_name("shapes.cpp")], self.dir / f"shapes-{number}", "-std=c++17", *flags, "-w", library,
                                f"-Wl,-rpath,{self.dir}", compiler="mpicxx")
            for unwinder, _ in self.unwinders():
                for words in ((), ("thread",)) if number == 0 else ((),):
                    with self.subTest(flags=flags, unwinder=unwinder, words=words):
                        name = f"exp-{number}-{unwinder}-{len(words)}"
                        done = mora("record", "-o", name, LAUNCHER, "-n", "1", program, *words, cwd=self.dir, env={"MORA_STACK_CHECK": unwinder})
                        self.assertEqual(done.returncode, 0, done.stderr)
                        counts = collections.Counter()
                        for row in json.loads((self.dir / name / "manifest.json").read_text())["data_quality"]:
                            counts[row["kind"]] += row["count"]
                        self.assertGreater(counts["call-paths-checked"], 600, done.stderr)
                        self.assertEqual(counts["call-paths-differ"], 0, done.stderr)

    def test_wrong_numbers_are_refused(self):
        for wrong in ("0", "-3", "many", "100000"):
            done = mora("record", "--stack", wrong, "-o", "exp", LAUNCHER, "-n", "2", "true", cwd=self.dir)
            self.assertEqual(done.returncode, 2, wrong)


if __name__ == "__main__":
    unittest.main()
