"""What MPI-3 (and MPICH's MPI-4) calls leave in an archive, read back by `mora print` and by python3-otf2.

MORA_TEST_FLAVOUR: openmpi, openmpi-pt2pt (Open MPI with OMPI_MCA_osc=pt2pt: only one-sided communication), mpich.
"""
import os
import re
import struct
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

FLAVOUR = os.environ["MORA_TEST_FLAVOUR"]
MPI = FLAVOUR.split("-")[0]
os.environ["MORA_TEST_FLAVOUR"] = MPI
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "record"))

from run_mora import Archive, Case, compile_c, mora, quality_kinds  # noqa: E402

SOURCES = Path(__file__).resolve().parent
ENVIRONMENT = {"OMPI_MCA_osc": "pt2pt"} if FLAVOUR.endswith("pt2pt") else {}
NBC = "NBC_START,NBC_END"


def vectors(experiment, rank):
    data = (Path(experiment) / f"vectors.{rank}").read_bytes()
    words = struct.unpack(f"<{(len(data) - 8) // 8}Q", data[8:])
    found, at = [], 1
    while at < len(words):
        found.append(list(words[at + 1:at + 1 + words[at]]))
        at += 1 + words[at]
    return found


class Events(Case):
    def record(self, source, processes, *arguments):
        program = self.dir / Path(source).stem
        if source.endswith(".F90"):
            subprocess.run([f"mpifort.{MPI}", "-g", "-w", "-fallow-argument-mismatch", "-o", str(program), str(SOURCES / source)],
                           check=True, capture_output=True, timeout=120)
        else:
            compile_c([SOURCES / source], program, "-w")
        done = mora("record", "-o", "exp", f"mpirun.{MPI}", "-n", processes, program, *arguments, cwd=self.dir, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.experiment = self.dir / "exp"
        self.assert_sound(self.experiment, is_whole=True)
        bad = {k: n for k, n in quality_kinds(self.experiment).items() if k not in ("call-site-unknown", "request-freed")}
        self.assertEqual(bad, {})
        self.archive = Archive(self.experiment)

    def print(self, rank, kinds, model="basic"):
        """[(type, {attribute: text})] of one rank's lines."""
        done = mora("print", "exp", "--ranks", rank, "--kinds", kinds, "--rma-model", model, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines() if not line.startswith("!")]
        return [(words[3], dict(w.split("=", 1) for w in reversed(words[4:]))) for words in lines]  # of two locks the first

    def inside(self, rank, *functions):
        """[(function, [records])] of the calls of these functions."""
        return [(name, [type(e).__name__ for e in inner]) for name, _, inner, _, _ in self.archive.calls(rank) if name in functions]


class NonBlocking(Events):
    def test_starts_and_completions(self):
        self.record("nbc.c", 3)
        found = {}
        for rank in range(3):
            starts, ends = {}, []
            for kind, a in self.print(rank, NBC):
                if kind == "NBC_START":
                    starts[a["request"]] = a["operation"]
                else:
                    self.assertEqual(starts.pop(a["request"]), a["operation"])
                    self.assertIn("start", a)
                    ends.append((a["operation"], a["comm"], a.get("root"), int(a["sent"]), int(a["recvd"])))
            self.assertEqual(starts, {})
            found[rank] = sorted(ends)
        world, half = "MPI_COMM_WORLD", next(e[1] for e in found[0] if e[0] == "reduce")
        self_ = "MPI_COMM_SELF"
        # bytes as docs/formats/journal.md: rank 1 of three; 1 + 2 + 3 integers of the vectors
        self.assertEqual(found[1], sorted([
            ("barrier", world, None, 0, 0), ("barrier", world, None, 0, 0), ("bcast", world, "1", 36, 12),
            ("allreduce", world, None, 24, 24), ("reduce", next(e[1] for e in found[1] if e[0] == "reduce"), "1", 16, 16),
            ("gatherv", world, "0", 8, 0), ("alltoall", world, None, 12, 12), ("exscan", world, None, 8, 8),
            ("alltoallv", self_, None, 4, 4)]))
        self.assertEqual([e for e in found[0] if e[0] in ("bcast", "gatherv", "reduce")],
                         [("bcast", world, "1", 0, 12), ("gatherv", world, "0", 4, 24), ("reduce", half, "0", 16, 32)])
        lists = self.inside(1, "MPI_Waitall")
        self.assertEqual(lists, [("MPI_Waitall", ["NonBlockingCollectiveComplete", "MpiIrecv", "MpiIsendComplete",
                                                  "NonBlockingCollectiveComplete"])])
        self.assertEqual(self.inside(0, "MPI_Ibcast"), [("MPI_Ibcast", ["NonBlockingCollectiveRequest"])])
        self.assertEqual([r for _, r in self.inside(2, "MPI_Waitany")], [["NonBlockingCollectiveComplete"]] * 2)
        self.assertEqual([x for _, r in self.inside(2, "MPI_Waitsome") for x in r], ["NonBlockingCollectiveComplete"] * 2)
        tests = [r for _, r in self.inside(1, "MPI_Test")]
        self.assertEqual(tests, [[]] * (len(tests) - 1) + [["NonBlockingCollectiveComplete"]])
        self.assertIn([4, 8, 12], vectors(self.experiment, 0))  # what the root of MPI_Igatherv gets

    def test_a_merged_archive_says_the_same(self):
        self.record("nbc.c", 2)
        before = self.print(0, NBC)
        done = mora("convert", "exp", "--to", "otf2", "-o", "merged", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.dir / "exp").rename(self.dir / "first")
        (self.dir / "merged").rename(self.dir / "exp")
        self.assertEqual([(k, a["operation"], a["sent"], a["request"]) for k, a in self.print(0, NBC)],
                         [(k, a["operation"], a["sent"], a["request"]) for k, a in before])

    def test_fortran(self):
        self.record("nbc.F90", 2, self.dir / "file")
        ends = [(a["operation"], int(a["sent"]), int(a["recvd"])) for k, a in self.print(1, NBC) if k == "NBC_END"]
        self.assertEqual(ends, [("barrier", 0, 0), ("bcast", 24, 12), ("allreduce", 8, 8), ("neighbor_alltoallw", 16, 16)])
        self.assertIn([2, 0, 8, 0, 8, 2, 0, 8, 0, 8], vectors(self.experiment, 1))
        self.assertEqual([(k, a["bytes"]) for k, a in self.print(1, "IO_START,IO_END")],
                         [("IO_START", "32"), ("IO_END", "32")] * 2)
        self.assertEqual(self.print(1, "IO_START")[0][1]["file"], str(self.dir / "file"))


class Neighbors(Events):
    def test_vectors_follow_the_topologies(self):
        self.record("neighbors.c", 4)
        # 2×2 grid, rank 0 = (0,0): below open, above rank 2, then rank 1 on both sides of the periodic dimension
        grid_8, grid_4 = [3, 2, 8, 1, 8, 1, 8], [3, 2, 4, 1, 4, 1, 4]
        self.assertEqual(vectors(self.experiment, 0),
                         [grid_8 * 2, grid_4 * 2,
                          [1, 1, 8, 1, 1, 4],                        # line: only the higher neighbour: 2 ints to it, 1 from it
                          [3, 1, 16, 2, 16, 3, 16] * 2,              # star: its centre
                          [1, 1, 12, 1, 3, 12], [1, 1, 20, 1, 3, 20]])  # ring
        self.assertEqual(vectors(self.experiment, 2)[2:4], [[2, 1, 4, 3, 8, 2, 1, 8, 3, 4], [1, 0, 16, 1, 0, 16]])
        blocking = [(a["region"].split("@")[0], a["sent"], a["recvd"]) for _, a in self.print(1, "MPICEXIT")]
        self.assertEqual(blocking, [("MPI_Neighbor_allgather", "24", "24"), ("MPI_Neighbor_alltoall", "12", "12"),
                                    ("MPI_Neighbor_allgatherv", "16", "16"), ("MPI_Neighbor_alltoallw", "12", "12")])
        self.assertEqual([(a["operation"], a["sent"], a["recvd"]) for k, a in self.print(1, NBC) if k == "NBC_END"],
                         [("neighbor_alltoallv", "12", "12"), ("neighbor_allgather", "20", "20")])
        ends = [e for _, _, inner, _, _ in self.archive.calls(0) for e in inner if type(e).__name__ == "MpiCollectiveEnd"]
        self.assertEqual([str(e.collective_op).split(".")[-1] for e in ends], ["ALLGATHER", "ALLTOALL", "ALLGATHERV", "ALLTOALLW"])
        self.assertTrue(all({k.name: v for k, v in e.attributes.items()}["mora:neighborhood"] == 1 for e in ends))


if MPI == "mpich":  # Open MPI 4.1 has no MPI_Barrier_init

    class Persistent(Events):
        def test_each_start_is_a_collective(self):
            self.record("persistent.c", 2)
            ends = [(a["operation"], a.get("root"), a["sent"], a["recvd"]) for k, a in self.print(1, NBC) if k == "NBC_END"]
            self.assertEqual(ends, [("barrier", None, "0", "0"), ("bcast", "1", "24", "12"), ("neighbor_alltoall", None, "8", "8")] * 2)
            self.assertEqual(self.inside(0, "MPI_Barrier_init", "MPI_Start", "MPI_Startall"),
                             [("MPI_Barrier_init", []), *[("MPI_Start", ["NonBlockingCollectiveRequest"]),
                                                          ("MPI_Startall", ["NonBlockingCollectiveRequest"] * 2)] * 2])
            self.assertEqual(vectors(self.experiment, 0), [[2, 1, 4, 1, 4, 2, 1, 4, 1, 4]])


class OneSided(Events):
    def test_passive_target_requests_atomics_ranges(self):
        swap = FLAVOUR != "openmpi"  # Open MPI's default component crashes in MPI_Compare_and_swap
        self.record("rma3.c", 2, *([] if swap else ["no-swap"]))
        for rank in range(2):
            locks = self.print(rank, "WLOCK,WUNLOCK,WFLUSH")
            self.assertEqual([(k, a.get("target"), a.get("local"), a.get("assert"), a.get("lock")) for k, a in locks],
                             [("WLOCK", None, None, "nocheck", "shared"), ("WFLUSH", str(1 - rank), "1", None, None),
                              ("WFLUSH", None, "1", None, None), ("WFLUSH", str(1 - rank), None, None, None),
                              ("WFLUSH", None, None, None, None), ("WUNLOCK", None, None, None, locks[-1][1]["lock"])])
            starts = self.print(rank, "PUT_1TS,ATOMIC_1TS")
            self.assertEqual([(k, a["sent"], a["offset"], a["extent"]) for k, a in starts],
                             [("PUT_1TS", "16", "8", "32"), ("PUT_1TS", "8", "0", "8"), ("PUT_1TS", "8", "0", "8"),
                              ("ATOMIC_1TS", "8", "0", "8"), ("ATOMIC_1TS", "8", "8", "8"), ("ATOMIC_1TS", "8", "8", "8")]
                             + [("ATOMIC_1TS", "8", "8", "8")] * swap)
            gets = self.print(1 - rank, "GET_1TS")  # stand at their target
            self.assertEqual([(a["sent"], a["offset"], a["extent"]) for _, a in gets], [("8", "16", "8"), ("16", "0", "16")])
            complete, remote = "RmaOpCompleteNonBlocking", "RmaOpCompleteRemote"
            self.assertEqual(self.inside(rank, "MPI_Waitall", "MPI_Wait"),
                             [("MPI_Waitall", [complete, complete, "NonBlockingCollectiveComplete"]),
                              ("MPI_Wait", [complete]), ("MPI_Wait", [complete])])
            self.assertEqual(self.inside(rank, "MPI_Win_flush", "MPI_Win_flush_all", "MPI_Win_flush_local"),
                             [("MPI_Win_flush_local", ["RmaSync"]), ("MPI_Win_flush", [remote, remote, "RmaSync"]),
                              ("MPI_Win_flush_all", [remote] * (6 + swap) + ["RmaSync"])])

    if FLAVOUR != "openmpi-pt2pt":  # this component has no shared windows

        def test_shared_window(self):
            self.record("rma3.c", 2, "shared")
            self.assertEqual([(a["offset"], a["extent"]) for _, a in self.print(0, "PUT_1TS")], [("8", "16")])
            self.assertEqual(self.inside(0, "MPI_Win_sync"), [("MPI_Win_sync", [])])

    if FLAVOUR != "openmpi":  # its default component refuses dynamic windows within one node

        def test_dynamic_window(self):
            self.record("rma3.c", 2, "dynamic")
            puts = self.print(0, "PUT_1TS")
            self.assertEqual([a["extent"] for _, a in puts], ["8"])
            self.assertGreater(int(puts[0][1]["offset"]), 1 << 20)  # an address


class Files(Events):
    def test_every_form(self):
        self.record("files.c", 2, self.dir / "data")
        found = []
        for name, _, inner, _, _ in self.archive.calls(1):
            for e in inner:
                kind = type(e).__name__
                if kind == "IoOperationBegin":
                    mode = re.sub(r".*\.", "", str(e.mode))
                    found.append((name[9:], mode, int(e.operation_flags.value if hasattr(e.operation_flags, "value") else e.operation_flags),
                                  e.bytes_request))
                elif kind == "IoOperationComplete":
                    found.append((name[4:], e.bytes_result))
                elif kind in ("IoCreateHandle", "IoDestroyHandle", "IoChangeStatusFlags"):
                    found.append((name[9:], kind))
        self.assertEqual(found, [
            ("open", "IoCreateHandle"), ("set_size", "IoChangeStatusFlags"), ("set_view", "IoChangeStatusFlags"),
            ("write_at_all", "WRITE", 2, 64), ("File_write_at_all", 64), ("write_at", "WRITE", 0, 16), ("File_write_at", 16),
            ("sync", "IoChangeStatusFlags"), ("read_at", "READ", 0, 64), ("File_read_at", 32), ("read_all", "READ", 2, 8), ("File_read_all", 8),
            ("read", "READ", 0, 4), ("File_read", 4), ("write_ordered", "WRITE", 2, 12), ("File_write_ordered", 12),
            ("iwrite_at", "WRITE", 1, 32), ("Wait", 32), ("iread_at", "READ", 1, 32), ("Wait", 32),
            ("write_at_all_begin", "WRITE", 3, 20), ("File_write_at_all_end", 20), ("close", "IoDestroyHandle")])
        lines = self.print(0, "IO_START,IO_END")
        self.assertEqual([k for k, _ in lines], ["IO_START", "IO_END"] * 9)
        self.assertTrue(all(a["file"] == str(self.dir / "data") for _, a in lines))
        self.assertTrue(all("start" in a for k, a in lines if k == "IO_END"))

    def test_every_call_that_waits_is_a_wait(self):
        """Whoever is in a call of all processes on a file before the last one enters waits for it, if nobody left before that."""
        self.record("file_waits.c", 2, self.dir / "data")
        self.assertEqual(mora("analyze", "--quiet", "exp", cwd=self.dir).returncode, 0)
        waited = Counter()
        for metric in ("file-collective-wait", "io-collective-wait"):
            rows = mora("cube", "stat", "--metric", metric, "-p", "--csv", "exp/analysis.cubex", cwd=self.dir).stdout.splitlines()[1:]
            for _, region, location, value in (row.rsplit(",", 3) for row in rows):
                waited[region.split("@")[0], int(location.removeprefix("rank "))] += float(value)
        expected, blocking = Counter(), set()
        calls = [[call for call in self.archive.calls(rank) if call[0].startswith("MPI_File_")] for rank in range(2)]
        for pair in zip(*calls):
            self.assertEqual(pair[0][0], pair[1][0])
            last = max(call[3].time for call in pair)
            if min(call[4].time for call in pair) > last:
                for rank, call in enumerate(pair):
                    expected[call[0], rank] += (last - call[3].time) / 1e9
                    if last - call[3].time > 30_000_000:
                        blocking.add(call[0])
        for key in expected:
            self.assertAlmostEqual(waited[key], expected[key], delta=1e-6, msg=str(key))
        self.assertEqual(sum(waited[key] for key in waited.keys() - expected.keys()), 0)
        self.assertLessEqual({"MPI_File_open", "MPI_File_close", "MPI_File_set_size", "MPI_File_set_view"}, blocking)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=[sys.argv[0], "OneSided"] if FLAVOUR.endswith("pt2pt") else sys.argv)
