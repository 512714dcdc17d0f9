#!/usr/bin/python3
"""Any trace, written as OTF2 in either RMA model, prints and analyses like the original."""
import json
import os
import re

import traces
from traces import TestCase, golden_traces, run

# What OTF2 has no place for (docs/formats/otf2.md, "What a merged archive cannot hold").
def without_what_otf2_cannot_hold(name, text):
    if name == UNNAMED_ROOT:
        text = text.replace(" P1 MPICEXIT region=MPI_Bcast comm=BRIDGE root=0", " P1 MPICEXIT region=MPI_Bcast comm=BRIDGE")
    text = re.sub(r"( NBC_START operation=\S+)(?: comm=\S+)?(?: root=\d+)? sent=\d+ recvd=\d+", r"\1", text)
    if name == "trace/raw-records-of-mpi-3.test":  # a flush outside any call
        text = re.sub(r"(P0) (?:WFLUSH target=1 win=w0 local=1|USER name=RmaSync data=w0)", r"\1", text)
    return text


# OTF2 cannot name the root of an inter-communicator's collective for those on the root's side (docs/formats/otf2.md).
UNNAMED_ROOT = "patterns/late-broadcast-inter.test"


def printed(path, model):
    return run("print", path, "--rma-model", model).stdout


class RoundTrip(TestCase):
    def test_prints_are_equal(self):
        compared = 0
        for name, path in golden_traces(self.directory):
            for written in ("basic", "extended"):
                archive = f"{path}.{written}"
                run("convert", path, "--to", "otf2", "--rma-model", written, "-o", archive, "--quiet")
                for model in ("basic", "extended"):
                    before, after = printed(path, model), printed(archive, model)
                    before, after = (without_what_otf2_cannot_hold(name, text) for text in (before, after))
                    self.assertEqual(before, after, f"{name}: written {written}, printed {model}")
                    compared += 1
        self.assertGreater(compared, 200)

    def test_ways_to_show_transfers_change_nothing_for_mora(self):
        path = self.file("fence.trace", traces.FENCE)
        for how in ("model", "closed", "logical"):
            archive = self.place(how)
            run("convert", path, "--to", "otf2", "--show-transfers", how, "-o", archive, "--quiet")
            for model in ("basic", "extended"):
                self.assertEqual(printed(path, model), printed(archive, model), how)

    def analysed(self, path):
        result = path + ".result"
        run("analyze", path, "-o", result, "--quiet")
        with open(os.path.join(result, "findings.json"), encoding="utf-8") as file:
            findings = json.load(file)
        # What is about the file, not about the program.
        for key in ("trace", "trace_format", "events"):
            for part in (findings, findings.get("run", {}), findings.get("experiment", {})):
                part.pop(key, None)
        return findings

    def test_analyses_are_equal(self):
        compared = 0
        for name, path in golden_traces(self.directory):
            if name.startswith("trace/report"):
                continue
            if name == "trace/raw-records-of-mpi-3.test":
                continue  # its flush outside any call, which OTF2 cannot hold, is counted before and not after
            archive = path + ".otf2"
            run("convert", path, "--to", "otf2", "-o", archive, "--quiet")
            self.assertEqual(self.analysed(path), self.analysed(archive), name)
            compared += 1
        self.assertGreater(compared, 50)

    def test_plain_merges_call_sites(self):
        path = self.file("sites.trace", "mora-trace 1\nP0 0-5 MPI_Barrier@a.c:1; 6-9 MPI_Barrier@b.c:2\nP1 0-5 MPI_Barrier@a.c:1; 6-9 MPI_Barrier@b.c:2\n")
        kept, merged = self.place("kept"), self.place("merged")
        run("convert", path, "--to", "otf2", "-o", kept, "--quiet")
        run("convert", path, "--to", "otf2", "--plain", "-o", merged, "--quiet")
        self.assertIn("site=a.c:1", printed(kept, "basic"))
        self.assertNotIn("site=", printed(merged, "basic"))
        self.assertEqual(printed(path, "basic").replace(" site=a.c:1", "").replace(" site=b.c:2", ""), printed(merged, "basic"))

    def test_times_start_at_zero(self):
        path = self.file("late.trace", "mora-trace 1\nunit s\nP0 100 ENTER main; 101 EXIT\nP1 99 ENTER main; 103 EXIT\n")
        archive = self.place("late")
        run("convert", path, "--to", "otf2", "-o", archive, "--quiet")
        first = printed(archive, "basic").splitlines()[0]
        self.assertEqual(first, "1 0 P1 ENTER region=main")

    def test_second_conversion_changes_nothing(self):
        path = self.file("messages.trace", traces.MESSAGES)
        one, two = self.place("one"), self.place("two")
        run("convert", path, "--to", "otf2", "-o", one, "--quiet")
        run("convert", one, "--to", "otf2", "-o", two, "--quiet")
        self.assertEqual(printed(path, "extended"), printed(two, "extended"))
        self.assertEqual(self.analysed(one), self.analysed(two))


if __name__ == "__main__":
    traces.main()
