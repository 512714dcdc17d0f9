#!/usr/bin/python3
"""Files of an archive get lost: reports say which, and what cannot be computed is not 0."""
import json
import os
import shutil

import traces
from traces import TestCase, run

TRACE = """mora-trace 1
unit ms
P0 0-100 main
P1 0-101 main
P2 0-101 main
P0 30-40 MPI_Send to 1 bytes 80 tag 3
P1 5-45 MPI_Recv from 0 tag 3 bytes 80
P0 60-70 MPI_Barrier
P1 50-70 MPI_Barrier
P2 55-70 MPI_Barrier
"""


class LostFiles(TestCase):
    def setUp(self):
        super().setUp()
        self.whole = self.place("whole")
        run("convert", self.file("a.trace", TRACE), "--to", "otf2", "-o", self.whole, "--quiet")

    def without(self, *names):
        """The archive without files: everyone's (no manifest that tells) or ours."""
        place = self.place("damaged")
        shutil.copytree(self.whole, place)
        for name in names:
            os.remove(os.path.join(place, name))
        return place

    def report(self, place):
        run("analyze", place, "--quiet")
        text = run("report", place).stdout
        data = json.loads(run("report", place, "--json").stdout)
        return " ".join(text.split()), {m["id"]: m for m in data["metrics"]}, data["data_quality"]

    def check(self, lost, *names):
        text, metrics, quality = self.report(self.without(*names))
        rows = [r for r in quality if r["kind"] == "unreadable-location"]
        self.assertEqual([(r["where"], r["severity"]) for r in rows], [("rank 0", "loss")])
        self.assertIn("traces/" + lost if lost.endswith(".def") else "event file", rows[0]["what"])
        self.assertIn("cannot be computed: events of rank 0 are missing.", text)
        self.assertIn("not computable Wait at Barrier", text)
        self.assertNotIn("no wait state was found", text)
        for metric in ("late-sender", "wait-at-barrier"):
            self.assertEqual((metrics[metric]["inclusive"], metrics[metric]["by_rank"]), (None, [None] * 3))
            self.assertEqual(metrics[metric]["reason"], "events of rank 0 are missing")
        self.assertEqual((metrics["late-broadcast"]["inclusive"], metrics["late-broadcast"]["by_rank"]), (0, [None, 0, 0]))  # no broadcast was made
        self.assertEqual((metrics["time"]["inclusive"], metrics["time"]["by_rank"]), (0.202, [None, 0.101, 0.101]))

    def test_definitions_of_a_location(self):
        self.check("0.def", "traces/0.def")

    def test_definitions_without_a_manifest(self):
        self.check("0.def", "traces/0.def", "manifest.json")

    def test_events_of_a_location(self):
        self.check("0.evt", "traces/0.evt")

    def test_no_location_has_definitions(self):
        """Other tools write such archives: nothing is missing."""
        _, metrics, quality = self.report(self.without("manifest.json", *(f"traces/{n}.def" for n in range(3))))
        self.assertEqual([r for r in quality if r["severity"] == "loss"], [])
        self.assertEqual(metrics["late-sender"]["inclusive"], 0.025)


if __name__ == "__main__":
    traces.main()
