"""Programs in Python: their calls stand on the paths of their functions, at their lines (README.md)."""
import os
import pathlib
import re
import sys
import unittest
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "record"))
from run_mora import FLAVOUR, LAUNCHER, Case, manifest, mora, quality_kinds  # noqa: E402

DEBIANS = "/usr/bin/python3"
# Interpreters of other versions, where somebody has installed them with pyenv.
VERSIONS = sorted(pathlib.Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser().glob("versions/3.*/bin/python"))


class Python(Case):
    def record(self, name, script, *options, python=DEBIANS, binding=None, env=None):
        binding = binding or ("mpi4py" if FLAVOUR == "openmpi" else "ctypes")  # Debian's mpi4py is built with Open MPI
        done = mora("record", "--mpi", FLAVOUR, *options, "-o", name, LAUNCHER, "-n", 2, python, HERE / script, cwd=self.dir,
                    env={"MORA_TEST_FLAVOUR": FLAVOUR, "MORA_TEST_BINDING": binding, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def calls(self, name, function="MPI_Barrier"):
        """{"path @ file:line": how many} of rank 0."""
        found = Counter()
        for line in mora("print", "--kinds", "ENTER", "--ranks", "0", name, cwd=self.dir).stdout.splitlines():
            fields = {key: quoted or plain for key, quoted, plain in re.findall(r'(\w+)=(?:"([^"]*)"|(\S+))', line)}
            if fields["region"] == function:
                found[f"{fields.get('path')} @ {pathlib.Path(fields['site']).name}"] += 1
        return found

    def check(self, name, **how):
        said = Counter(line for line in self.record(name, "shapes.py", **how).splitlines() if " @ " in line)
        self.assertGreater(said.total(), 310)
        self.maxDiff = None
        found = self.calls(name)
        self.assertEqual((found - said, said - found), (Counter(), Counter()))
        self.assertEqual(quality_kinds(self.dir / name)["no-python-functions"], 0)
        self.assertEqual(quality_kinds(self.dir / name)["call-path-cut"], 0)

    def test_calls_stand_where_python_itself_says(self):
        self.check("exp")
        [init] = [path for path in self.calls("exp", "MPI_Init_thread")]
        self.assertRegex(init, r"^<module> > <module> @ mpi_here.py:\d+$")

    def test_mpi_is_initialised_by_a_thread_that_has_not_the_lock(self):
        self.check("exp", binding="ctypes", env={"MORA_TEST_UNLOCKED": "1"})

    def test_the_program_is_the_script(self):
        self.record("exp", "slow.py", binding="ctypes")
        self.assertEqual(manifest(self.dir / "exp")["program"], "slow.py")
        (self.dir / "module.py").write_text("import ctypes\nf = ctypes.PyDLL(None)\nf.MPI_Init(None, None)\nf.MPI_Finalize()\n")
        library = "libmpich.so.12" if FLAVOUR == "mpich" else "libmpi.so.40"
        for number, (words, name) in enumerate(((["-B", "-X", "dev", "-Wignore", "module.py"], "module.py"), (["-Bm", "module"], "module"),
                                                (["-c", "import module"], os.path.basename(os.path.realpath(DEBIANS))))):
            done = mora("record", "--mpi", FLAVOUR, "-o", f"exp{number}", LAUNCHER, "-n", 1, DEBIANS, *words, cwd=self.dir, env={"LD_PRELOAD": library})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(manifest(self.dir / f"exp{number}")["program"], name)

    def test_threads_at_once(self):
        self.record("exp", "threads.py")
        found = self.calls("exp", "MPI_Send")
        for number in range(4):
            path = f"Thread._bootstrap > Thread._bootstrap_inner > Thread.run > work_{number} > body"
            self.assertEqual(sum(n for call, n in found.items() if call.startswith(f"{path} > leaf @ threads.py:")), 300)
            for line in range(2, 7):
                self.assertEqual(found[f"{path} > <module> > made_{number} @ <string>:{line}"], 60)
        self.assertEqual(found.total(), 4 * 600 + 1)

    def test_deeper_than_paths_are(self):
        self.record("exp", "threads.py", "--stack", "100")
        [path] = [path for path in self.calls("exp", "MPI_Send") if " > deep @ " in path]
        self.assertTrue(path.startswith("(outer functions not known) > deep @ threads.py:"), path)
        self.assertGreater(quality_kinds(self.dir / "exp")["call-path-cut"], 0)

    def test_native_frames_are_those_of_another_unwinder(self):
        self.record("exp", "shapes.py", env={"MORA_STACK_CHECK": "libgcc_s.so.1"})
        kinds = quality_kinds(self.dir / "exp")
        self.assertEqual((kinds["call-paths-checked"], kinds["call-paths-differ"]), (2, 0))

    def test_versions_of_the_interpreter(self):
        for python in VERSIONS:
            minor = int(python.parts[-3].split(".")[1])
            with self.subTest(python=python):
                if 9 <= minor <= 13:
                    self.check(python.parts[-3], python=python, binding="ctypes")

    def test_an_interpreter_that_is_not_known_is_said_to_be_one(self):
        others = [python for python in VERSIONS if not 9 <= int(python.parts[-3].split(".")[1]) <= 13]
        if not others:
            self.skipTest("no other interpreter here")
        self.record("exp", "shapes.py", python=others[0], binding="ctypes")
        self.assertEqual({path.split(" @ ")[0].split(" > ")[0] for path in self.calls("exp")}, {"python"})
        self.assertEqual(quality_kinds(self.dir / "exp")["no-python-functions"], 2, "a row for each rank")

    def test_without_call_paths_calls_are_as_before(self):
        self.record("exp", "shapes.py", "--stack", "off", "--sample", "off")
        self.assertEqual({path.split(" @ ")[0] for path in self.calls("exp")}, {"None"})

    def test_sums_have_the_paths(self):
        self.record("exp", "shapes.py", "--stats")
        tree = mora("cube", "dump", self.dir / "exp/analysis.cubex", cwd=self.dir).stdout
        self.assertIn("größe", tree)


if __name__ == "__main__":
    unittest.main()
