#!/usr/bin/python3
"""CubeLib's own tools read what Mora writes, and Mora reads what they write: the same numbers in every cell.

    cubelib_test.py MORA SAMPLE_EXPERIMENT

CubeLib is not in Debian; without its tools on the path there is nothing to compare with (exit code 77, skipped).
"""
import collections
import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MORA, SAMPLE = sys.argv[1:3]


def run(*words, directory):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120, cwd=directory, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def cells_of_mora(file, directory):
    """How often each value stands in a metric; values to the nanosecond, none for 0."""
    found = collections.Counter()
    for row in csv.DictReader(io.StringIO(run(MORA, "cube", "dump", "-p", "--csv", file, directory=directory))):
        if value := round(float(row["own"]), 6):
            found[row["metric"], value] += 1
    return found


def cells_of_cubelib(file, directory):
    found = collections.Counter()
    table = csv.DictReader(io.StringIO(run("cube_dump", "-m", "all", "-x", "incl", "-z", "excl", "-s", "csv2", file, directory=directory)))
    for row in table:
        for metric, text in row.items():
            if metric not in ("Cnode ID", " Thread ID") and (value := round(float(text), 6)):
                found[metric, value] += 1
    return found


class Tools(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="mora-cubelib-")
        self.addCleanup(holder.cleanup)
        self.directory = pathlib.Path(holder.name)
        run(SAMPLE, self.directory / "exp", directory=self.directory)
        shutil.copy(self.directory / "exp/analysis.cubex", self.directory / "ours.cubex")
        run(MORA, "cube", "mean", "-o", "half.cubex", "ours.cubex", "ours.cubex", directory=self.directory)

    def names(self):
        """Our ids of metrics by their names in the file."""
        out = run(MORA, "cube", "info", "--json", "ours.cubex", directory=self.directory)
        return {m["id"]: m["unique_name"] for m in json.loads(out)["metrics"]}

    def compare(self, file):
        names = self.names()
        ours = collections.Counter({(names.get(metric, metric), value): n for (metric, value), n in cells_of_mora(file, self.directory).items()})
        self.assertEqual(ours, cells_of_cubelib(file, self.directory), file)
        return sum(ours.values())

    def test_cubelib_reads_ours(self):
        self.assertGreater(self.compare("ours.cubex"), 60)

    def test_what_cubelibs_tools_write(self):
        for words, file in (("cube_mean ours.cubex half.cubex", "mean.cubex"), ("cube_merge ours.cubex half.cubex", "merge.cubex"),
                            ("cube_clean ours.cubex", "clean.cubex"), ("cube_canonize ours.cubex canonized.cubex", "canonized.cubex"),
                            ("cube_exclusify ours.cubex", "ours_excl.cubex"), ("cube_cut -r main ours.cubex", "cut.cubex"),
                            ("cube_inclusify ours.cubex", "ours_incl.cubex")):
            with self.subTest(words):
                run(*words.split(), directory=self.directory)
                self.assertGreater(self.compare(file), 50)

    def test_a_difference_of_nothing(self):
        run("cube_diff", "ours.cubex", "ours.cubex", directory=self.directory)
        self.assertEqual(self.compare("diff.cubex"), 0)


if __name__ == "__main__":
    if shutil.which("cube_dump") is None:
        print("no CubeLib here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
