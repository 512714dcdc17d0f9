"""Real programs: no conflicting access is claimed of valid ones, and those of invalid ones are found."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

MORA = os.environ["MORA_BINARY"]
FLAVOUR = os.environ["MORA_TEST_FLAVOUR"]
HERE = Path(__file__).resolve().parent
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")


def run(*words):
    done = subprocess.run([str(word) for word in words], env=ENVIRONMENT, capture_output=True, text=True, timeout=240,
                          errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class AccessOrder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="mora-access-order-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.program = cls.folder / "programs"
        run("mpicc." + FLAVOUR, "-g", "-O1", "-o", cls.program, *HERE.glob("*.c"))

    def conflicts(self, name):
        experiment = self.folder / name
        run(MORA, "record", "-o", experiment, "mpirun." + FLAVOUR, "-n", 4, self.program, name)
        run(MORA, "analyze", "--quiet", experiment)
        findings = json.loads((experiment / "findings.json").read_text())
        self.assertEqual([c for c in findings["checks"] if c["rule"] != "conflicting-access"], [])
        return findings["checks"]

    def test_valid_programs_have_none(self):
        self.assertGreaterEqual(int(run(self.program).split()[0]), 40)
        self.assertEqual(self.conflicts("valid"), [])

    def test_conflicts_are_found(self):
        names = run(self.program).split()[2:]
        self.assertGreaterEqual(len(names), 8)
        for name in names:
            with self.subTest(name):
                self.assertNotEqual(self.conflicts(name), [])


if __name__ == "__main__":
    unittest.main()
