#!/usr/bin/python3
"""otf2-print and python3-otf2, which are not ours, read merged archives; their counts are those of `mora print`."""
import collections
import os
import re
import subprocess

import _otf2
import otf2
from otf2.events import Enter, Leave, MpiIrecv, MpiIsend, MpiRecv, MpiSend, RmaGet, RmaPut

import traces
from traces import TestCase, golden_traces, run


def counts_of_view(path, model):
    counts = collections.Counter()
    for line in run("print", path, "--rma-model", model).stdout.splitlines():
        if line and line[0] != "!":
            counts[line.split()[3]] += 1
    return counts


class Tools(TestCase):
    def convert(self, path, *more):
        archive = path + ".archive"
        run("convert", path, "--to", "otf2", "-o", archive, "--force", "--quiet", *more)
        return archive + "/traces.otf2"

    def otf2_print(self, anchor):
        done = subprocess.run(["otf2-print", anchor], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("error", done.stderr.lower())
        return done.stdout

    def test_otf2_print_accepts_all(self):
        accepted = 0
        for name, path in golden_traces(self.directory):
            for model in ("basic", "extended"):
                events = self.otf2_print(self.convert(path, "--rma-model", model))
                seen = collections.Counter(re.findall(r"^([A-Z][A-Z_0-9]+)  ", events, re.M))
                view = counts_of_view(path, model)
                self.assertEqual(seen["ENTER"], view["ENTER"], name)
                self.assertEqual(seen["RMA_PUT"], view["PUT_1TS"], name)
                self.assertEqual(seen["RMA_GET"], view["GET_1TO"], name)
                accepted += 1
        self.assertGreater(accepted, 100)

    def test_gaps_in_rank_numbers(self):
        """Ranks 0 to 2 and 4 to 8 have no records, in a format that says so."""
        path = self.file("gap.csv", "time,node,type,name,tag,bytes\n0,3,enter,f,,\n1,9,enter,MPI_Send,,\n1,9,send,3,1,8\n"
                         "2,9,exit,MPI_Send,,\n3,3,exit,f,,\n")
        anchor = self.convert(path)
        self.assertEqual(self.otf2_print(anchor).count("\nENTER "), 2)
        self.assertEqual(run("print", path).stdout, run("print", os.path.dirname(anchor)).stdout.replace(" comm=WORLD", ""))

    def chunks(self, text):
        reader = _otf2.Reader_Open(self.convert(self.file("many.trace", "mora-trace 1\nranks 100\n" + text)))
        return _otf2.Reader_GetChunkSize(reader)

    def test_many_locations_have_small_buffers(self):
        """libotf2 clears both buffers for each location: 5 MiB by default, 4.2 ms."""
        self.assertEqual(self.chunks("P0 1-2 f\n"), (256 << 10, 256 << 10))
        long_name = "f" * (300 << 10)
        self.assertEqual(self.chunks(f"P0 1-2 {long_name}\n"), (256 << 10, 4 << 20))
        self.assertIn(long_name, run("print", self.place("many.trace.archive")).stdout)

    def test_extended_shows_transfers_as_messages(self):
        path = self.file("fence.trace", traces.FENCE)
        anchor = self.convert(path)
        found = []
        with otf2.reader.open(anchor) as archive:
            for location, event in archive.events:
                if isinstance(event, (MpiSend, MpiRecv)):
                    marks = {a.name: v for a, v in event.attributes.items()}
                    found.append((type(event).__name__, location.group.name, event.time, event.msg_length, event.msg_tag,
                                  event.communicator.name, marks["mora:transfer"]))
        comm = "mora:transfers w0"
        self.assertEqual(sorted(found), sorted([
            ("MpiSend", "MPI Rank 0", 11, 80, 1, comm, 1), ("MpiRecv", "MPI Rank 1", 43, 80, 1, comm, 1),
            ("MpiSend", "MPI Rank 1", 21, 40, 2, comm, 2), ("MpiRecv", "MPI Rank 0", 42, 40, 2, comm, 2)]))

    def test_closed_get_is_a_request_and_data(self):
        path = self.file("fence.trace", traces.FENCE)
        anchor = self.convert(path, "--show-transfers", "closed")
        found = []
        with otf2.reader.open(anchor) as archive:
            for location, event in archive.events:
                if isinstance(event, (MpiSend, MpiRecv)) and event.msg_tag == 3:
                    found.append((type(event).__name__, location.group.name, event.time, event.msg_length))
        self.assertEqual(sorted(found), [("MpiRecv", "MPI Rank 1", 21, 0), ("MpiSend", "MPI Rank 0", 21, 0)])

    def test_logical_get_leaves_late(self):
        path = self.file("fence.trace", traces.FENCE.replace("mora-trace 1", "mora-trace 1\nunit us"))
        anchor = self.convert(path, "--show-transfers", "logical", "--epsilon", "500ns")
        with otf2.reader.open(anchor) as archive:
            times = [(type(e).__name__, e.time) for _, e in archive.events if isinstance(e, (MpiSend, MpiRecv)) and e.msg_tag == 2]
        self.assertEqual(times, [("MpiSend", 41500), ("MpiRecv", 42000)])

    def test_counts_agree(self):
        path = self.file("messages.trace", traces.MESSAGES)
        anchor = self.convert(path)
        view = counts_of_view(path, "extended")
        counts = collections.Counter()
        with otf2.reader.open(anchor) as archive:
            for _, event in archive.events:
                counts[type(event)] += 1
            self.assertEqual(len(archive.definitions.locations), 3)
        exits = sum(n for kind, n in view.items() if kind.endswith("EXIT"))
        self.assertEqual((counts[Enter], counts[Leave]), (view["ENTER"], exits))
        self.assertEqual(counts[MpiSend] + counts[MpiIsend], view["SEND"])
        self.assertEqual(counts[MpiRecv] + counts[MpiIrecv], view["RECV"])
        self.assertEqual((counts[RmaPut], counts[RmaGet]), (0, 0))

    def test_basic_has_no_messages_for_transfers(self):
        path = self.file("fence.trace", traces.FENCE)
        anchor = self.convert(path, "--rma-model", "basic")
        with otf2.reader.open(anchor) as archive:
            self.assertFalse([c for c in archive.definitions.comms if c.name.startswith("mora:transfers")])
            self.assertFalse([e for _, e in archive.events if isinstance(e, (MpiSend, MpiRecv))])


if __name__ == "__main__":
    traces.main()
