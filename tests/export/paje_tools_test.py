#!/usr/bin/python3
"""pajeng's pj_dump and ViTE load Pajé exports; what they find is what `mora print` shows."""
import os
import re
import subprocess

import traces
from traces import TestCase, golden_traces, run


class Paje(TestCase):
    def convert(self, path, *more):
        out = path + ".paje"
        run("convert", path, "--to", "paje", "-o", out, "--force", "--quiet", *more)
        return out

    def dump(self, paje):
        done = subprocess.run(["pj_dump", paje], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return [[word.strip() for word in line.split(",")] for line in done.stdout.splitlines()]

    def test_states_and_links_are_all_there(self):
        for name, path in golden_traces(self.directory):
            rows = self.dump(self.convert(path))
            view = run("print", path).stdout
            states = [row for row in rows if row[0] == "State"]
            links = [row for row in rows if row[0] == "Link"]
            self.assertEqual(len(states), len(re.findall(r"^\d+ -?\d+ P\S+ ENTER", view, re.M)), name)
            received = re.findall(r"^\d+ -?\d+ P\S+ RECV .* send=", view, re.M)
            transfers = re.findall(r"^\d+ -?\d+ P\S+ (?:PUT|GET)_1TE .* start=", view, re.M)
            self.assertEqual(len(links), len(received) + len(transfers), name)

    def test_values_of_tc_10(self):
        path = self.file("fence.trace", traces.FENCE.replace("mora-trace 1", "mora-trace 1\nunit ms"))
        rows = self.dump(self.convert(path, "--show-transfers", "closed"))
        links = sorted((row[7], row[8], float(row[3]), float(row[4]), row[6]) for row in rows if row[0] == "Link")
        self.assertEqual(links, [("rank 0", "rank 1", 0.011, 0.043, "put"), ("rank 0", "rank 1", 0.021, 0.021, "request"),
                                 ("rank 1", "rank 0", 0.021, 0.042, "get")])
        put = [row for row in rows if row[0] == "State" and row[-1] == "MPI_Put"]
        self.assertEqual([(row[1], float(row[3]), float(row[4])) for row in put], [("rank 0", 0.010, 0.015)])

    def test_window_is_cut(self):
        path = self.file("messages.trace", traces.MESSAGES.replace("mora-trace 1", "mora-trace 1\nunit us"))
        rows = self.dump(self.convert(path, "--from", "15us", "--until", "35us", "--ranks", "0,1"))
        self.assertEqual(sorted(row[6] for row in rows if row[0] == "Container" and row[2] == "Location"), ["rank 0", "rank 1"])
        spans = {(row[1], row[-1]): (float(row[3]), float(row[4])) for row in rows if row[0] == "State"}
        self.assertEqual(spans[("rank 0", "MPI_Send")], (0.000015, 0.00002))
        self.assertEqual(spans[("rank 0", "main")], (0.000015, 0.000035))

    def test_vite_draws_it(self):
        path = self.file("fence.trace", traces.FENCE.replace("mora-trace 1", "mora-trace 1\nunit ms"))
        picture = self.place("picture.svg")
        done = subprocess.run(["vite", "-e", picture, self.convert(path)], capture_output=True, text=True, timeout=120, check=False,
                              cwd=self.directory,
                              env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": self.directory, "XDG_RUNTIME_DIR": self.directory})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 errors and 0 warnings", done.stdout + done.stderr)
        self.assertNotIn("define_entity_value", done.stdout + done.stderr)
        with open(picture, encoding="utf-8") as file:
            svg = file.read()
        states = svg.split("stateArea)\"><rect")[-1]
        self.assertEqual(states.count("<rect") + 1, 6)  # the regions of trace/tc-10-fence
        self.assertEqual(svg.count("<line"), 2)         # its Put and its Get
        for rank in ("rank 0", "rank 1"):
            self.assertIn(rank, svg)


if __name__ == "__main__":
    traces.main()
