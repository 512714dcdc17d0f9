"""Functions of a program that was built with -finstrument-functions, with the MPI that MORA_TEST_FLAVOUR names."""
import pathlib
import subprocess
import unittest

from run_mora import FLAVOUR, LAUNCHER, Archive, Case, manifest, mora

SOURCE = pathlib.Path(__file__).with_name("functions.cpp")
# As the program runs. What was entered before MPI_Init (main, starts) has no begin; jumper is left by longjmp.
TREE = """\
MPI_Init
work::depth(int)
  work::depth(int)
    work::depth(int)
work::catcher()
  work::thrower()
work::lander()
  work::jumper()
work::exchange()
  work::tiny(int)
  work::tiny(int)
  work::tiny(int)
  MPI_Barrier
work::off()
  work::tiny(int)
ends
  MPI_Finalize
""".splitlines()


class Functions(Case):
    def setUp(self):
        super().setUp()
        self.program = self.dir / "functions"
        subprocess.run([f"mpicxx.{FLAVOUR}", "-g", "-O1", "-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include",
                        "-pthread", "-o", self.program, SOURCE], check=True, capture_output=True, timeout=120)

    def record(self, name, *options):
        done = mora("record", *options, "-o", name, LAUNCHER, "-n", "2", self.program, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.dir / name

    def tree(self, experiment, rank=0):
        """The calls of a rank as python3-otf2 reads them, without the thread's creation."""
        lines, depth = [], 0
        for event in Archive(experiment).events[rank]:
            if type(event).__name__ == "Enter":
                lines.append("  " * depth + event.region.name)
                depth += 1
            elif type(event).__name__ == "Leave":
                depth -= 1
        self.assertEqual(depth, 0)
        return [line for line in lines if "thread" not in line and "lambda" not in line]

    def test_begins_and_ends_are_in_pairs(self):
        experiment = self.record("exp", "--sample", "off")  # a sample may be taken where no unwind table fits
        kinds = {row["kind"]: row["count"] for row in self.assert_sound(experiment)["data_quality"]}
        self.assertEqual(set(kinds), {"functions-of-threads"}, "nothing is a mistake of the program")
        for rank in (0, 1):
            self.assertEqual([line for line in self.tree(experiment, rank) if "Pcontrol" not in line], TREE)
        (exchange,) = {r for r in Archive(experiment).regions if r.name == "work::exchange()"}
        self.assertEqual(pathlib.Path(exchange.source_file).name, SOURCE.name)
        line = 1 + next(i for i, text in enumerate(SOURCE.read_text().splitlines()) if "void exchange()" in text)
        self.assertEqual(exchange.begin_line_number, line)

    def test_a_filter_keeps_what_its_last_rule_says(self):
        (self.dir / "rules").write_text("exclude *  # all\ninclude work::*\nexclude work::tiny\n")
        tree = self.tree(self.record("exp", "--functions", "rules"))
        self.assertEqual([line for line in tree if "Pcontrol" not in line],
                         ["MPI_Finalize" if "Finalize" in line else line for line in TREE if "tiny" not in line and "ends" not in line])

    def test_off(self):
        experiment = self.record("exp", "--functions", "off")
        self.assertEqual({line.split("_")[0].strip() for line in self.tree(experiment)}, {"MPI"})
        self.assertEqual(manifest(experiment)["data_quality"], [])

    def test_they_are_the_call_path_also_with_stacks(self):
        experiment = self.record("exp", "--stack", "64")
        shown = mora("print", "--kinds", "ENTER", "--ranks", "0", experiment, cwd=self.dir).stdout
        self.assertNotIn("path=", shown)

    def test_a_filter_that_is_none_is_refused_before_the_job(self):
        (self.dir / "rules").write_text("exclude *\nmain\n")
        self.assert_error(mora("record", "--functions", "rules", LAUNCHER, "-n", "2", self.program, cwd=self.dir), 2, "rules:2", "write: include PATTERN")
        self.assert_error(mora("record", "--functions", "none", LAUNCHER, "-n", "2", self.program, cwd=self.dir), 3, "none")
        self.assertEqual([p for p in self.dir.iterdir() if p.is_dir()], [])


if __name__ == "__main__":
    unittest.main()
