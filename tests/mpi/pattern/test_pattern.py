"""`mora pattern record` end to end: the examples of Kotomatas 2018 to the byte, checks of a tracer (T-TRACE), and what MinI does not record.

MORA_TEST_FLAVOUR: openmpi or mpich. Expected lines were worked out from the programs beside this file; {r} is the rank, {p} and {n} its
neighbours in the ring.
"""
import contextlib
import ctypes
import os
import re
import signal
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "record"))

from run_mora import ENVIRONMENT, FLAVOUR, LAUNCHER, MORA, Case, checked_json, compile_c, mora  # noqa: E402

SOURCES = Path(__file__).resolve().parent
WORLD = "on comm MPI_COMM_WORLD"


def lines(text, rank, size):
    text = text.format(r=rank, p=(rank - 1) % size, n=(rank + 1) % size, W=WORLD, l=rank % 2, h=rank // 2, one=rank + 1)
    return [line.strip() for line in text.strip().splitlines()] if text.strip() else []


def compressed(data):
    """Bytes that zstd -3 makes of them."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compress.restype = zstd.ZSTD_compressBound.restype = ctypes.c_size_t
    room = zstd.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    return zstd.ZSTD_compress(ctypes.create_string_buffer(room), ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), 3)


class Pattern(Case):
    def build(self, source):
        program = self.dir / Path(source).stem
        if source.endswith(".F90"):
            subprocess.run([f"mpifort.{FLAVOUR}", "-g", "-w", "-o", str(program), str(SOURCES / source)], check=True, capture_output=True, timeout=120)
            return str(program)
        return compile_c([SOURCES / source], program, "-w", f"-I{SOURCES.parents[2] / 'include'}")

    def record(self, program, ranks, *arguments, options=("--text",), code=0, name="out"):
        done = mora("pattern", "record", *options, "-o", name, "--", LAUNCHER, "-n", ranks, program, *arguments, cwd=self.dir)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        self.out = self.dir / name
        return done

    def manifest(self):
        return checked_json((self.out / "manifest.json").read_text())

    def text(self, rank):
        return (self.out / "ti_traces" / f"ti_trace{rank}.txt").read_text()

    def phases(self, rank):
        """{phase: its lines}; lines outside of phases under ""."""
        found, inside = {"": []}, [""]
        for line in self.text(rank).splitlines():
            begin, end = re.fullmatch(r"Phase (.*) start\.", line), re.fullmatch(r"Phase (.*) end\.", line)
            if begin:
                inside.append(begin[1])
                found.setdefault(begin[1], [])
            elif end:
                self.assertEqual(inside.pop(), end[1])
            else:
                found[inside[-1]].append(line)
        self.assertEqual(inside, [""])
        return found

    def check_phases(self, ranks, expected, special):
        """`special`: {(phase, rank): text} where a rank differs."""
        for rank in range(ranks):
            found = self.phases(rank)
            self.assertEqual(set(found) - {""}, set(expected))
            for phase, text in expected.items():
                with self.subTest(phase=phase, rank=rank):
                    self.assertEqual(found[phase], lines(special.get((phase, rank), text), rank, ranks))

    def assert_no_larger_than_text(self):
        """What trace.mpt tells of the calls takes no more than the text traces compressed, which have no definitions (docs/formats/pattern-trace.md)."""
        text = b"".join(p.read_bytes() for p in sorted((self.out / "ti_traces").iterdir(), key=lambda p: int(re.findall(r"\d+", p.name)[-1])))
        file, at, calls, definitions = (self.out / "trace.mpt").read_bytes(), 12, 0, 0
        while at < len(file):
            kind, _, _, _, _, packed = struct.unpack_from("<IIIIQQ", file, at)
            calls += packed if kind in (2, 4) else 0
            definitions += packed if kind == 1 else 0
            at += 40 + packed
        self.assertLessEqual(calls, compressed(text))
        self.assertLessEqual(len(file), compressed(text) + definitions + 141)

    def assert_clean(self, threads=1):
        if threads == 1:  # no text trace tells which thread made a call
            self.assert_no_larger_than_text()
        self.assertEqual([row for row in self.manifest()["data_quality"]], [])
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), ["manifest.json", "ti_traces", "trace.mpt"])


class Kotomatas(Pattern):
    def test_ring(self):
        """T-RING: files, all 22 lines of every rank, and what the application prints."""
        done = self.record(self.build("ring.c"), 4)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         sorted(f"{p} sent {p + k}, received {(p - 1) % 4 + k} on round {k}" for p in range(4) for k in range(4)))
        self.assertEqual(sorted(p.name for p in (self.out / "ti_traces").iterdir()), [f"ti_trace{r}.txt" for r in range(4)])
        for r in range(4):
            rounds = "".join(f"Phase round{k} start.\n{r} Irecv {(r - 1) % 4} 1 (of 4 bytes) 1 {WORLD}\n{r} send {(r + 1) % 4} 1 (of 4 bytes) 1 {WORLD}\n"
                             f"{r} wait\nPhase round{k} end.\n" for k in range(4))
            self.assertEqual(self.text(r), f"{r} init 1\n{rounds}{r} finalize\n")
        self.assert_clean()
        facts = self.manifest()["totals"]
        self.assertEqual((facts["world_size"], facts["calls"], facts["messages"], facts["message_bytes"]), (4, 56, 16, 64))
        self.assertEqual(self.manifest()["phases"], ["round0", "round1", "round2", "round3"])

    def test_collective(self):
        """T-COLL, and the banner."""
        done = self.record(self.build("coll.c"), 8)
        self.assertEqual(sorted(done.stdout.splitlines()), ["Local rank 0, global rank 0. Max id in set is 6.",
                                                            "Local rank 0, global rank 1. Max id in set is 7."])
        for r in range(8):
            comm = f"mini_comm_0_{r % 2}"
            self.assertEqual(self.text(r), f"{r} init 1\n{r} Comm split. color={r % 2}, key={r}.New comm {comm} of size 4\n"
                             f"{r} allReduce 1 (of 4 bytes) of type 1 on comm {comm} 1\nComm {comm} free.\n{r} finalize\n")
        self.assert_clean()
        self.assertIn("coll with 8 ranks", done.stderr)
        self.assertIn("40 calls, 0 messages", done.stderr)
        self.assertIn("nothing recorded was lost", done.stderr)

    def test_rows(self):
        """T-TRACE, all of it that one program can show."""
        message = "{r} send {n} 1 (of 4 bytes) 1 {W}"
        irecv, isend, recv = "{r} Irecv {p} 1 (of 4 bytes) 1 {W}", message.replace("send", "Isend"), "{r} recv {p} 1 (of 4 bytes) 1 {W}"

        def split(color, key, name, members):
            return f"{{r}} Comm split. color={color}, key={key}.New comm {name} of size {members}"

        def allreduce(name, number=1):
            return f"{{r}} allReduce 1 (of 4 bytes) of type 1 on comm {name} {number}"

        expected = {
            "alltoallv": "{r} alltoAllv min=1 median=2.500000 max=4 (of 4 bytes) of type 1 {W} 1",
            "gatherv": "{r} gatherv min={one} median={one}.000000 max={one} (of 4 bytes) 1 of type 1 {W}",
            "waitany": f"{irecv}\n{message}\n{{r}} Waitany",
            "test": f"{irecv}\n{message}\nTested 1.\n{message}\n{recv}",
            "ignore": f"{irecv}\n{message}\n{{r}} wait",
            "isend-first": f"{irecv}\n{isend}\n{{r}} wait\n{{r}} wait",
            "waitall": f"{irecv}\n{isend}\n{{r}} waitall\n{message}\n{recv}",
            "self": "{r} Irecv {r} 1 (of 4 bytes) 1 {W}\n{r} Isend {r} 1 (of 4 bytes) 1 {W}\n{r} waitall",
            "proc-null": "{r} waitall\n{r} Sendrecv(s) {n} 1 (of 4 bytes) 1 {W}\n{r} Sendrecv(r) {p} 1 (of 4 bytes) 1 {W}",
            "any-source": "{r} send 0 1 (of 4 bytes) 1 {W}",
            "types": "",
            # Four different inner communicators; 0 meets all of its own before rank 2 meets the other half's.
            "halves": None,
            "undefined": f"{split(7, 0, 'mini_comm_2_7', 2)}\n{split(0, 0, 'mini_comm_3_0', 4)}\n{allreduce('mini_comm_3_0')}\n"
                         "Comm mini_comm_3_0 free.\nComm mini_comm_2_7 free.",
            "colours": "\n".join(f"{split(12345, 0, f'mini_comm_{e}_12345', 4)}\nComm mini_comm_{e}_12345 free." for e in range(4, 16)),
            "again": f"{split(0, 0, 'mini_comm_16_0', 4)}\n{allreduce('mini_comm_16_0')}\nComm mini_comm_16_0 free.\n"
                     f"{split(0, 0, 'mini_comm_17_0', 4)}\n{allreduce('mini_comm_17_0')}\n{allreduce('mini_comm_17_0', 2)}\nComm mini_comm_17_0 free.",
            "dup": "{r} Comm dup. color=0, key={r}.New comm mini_comm_18_0 of size 4\n" + allreduce("mini_comm_18_0") + "\nComm mini_comm_18_0 free.",
        }
        special = {("gatherv", 1): "{r} gatherv min=1 median=2.500000 max=4 (of 4 bytes) 1 of type 1 {W}",
                   ("proc-null", 0): "{r} waitall\n{r} Sendrecv(s) 1 1 (of 4 bytes) 1 {W}",
                   ("proc-null", 3): "{r} waitall\n{r} Sendrecv(r) 2 1 (of 4 bytes) 1 {W}",
                   ("any-source", 0): "0 Irecv 2 1 (of 4 bytes) 1 {W}\n0 Irecv 1 1 (of 4 bytes) 1 {W}\n0 recv 3 1 (of 4 bytes) 1 {W}\n0 waitall"}
        types = [(8, 0), (4, 1), (1, 2), (2, 3), (8, 4), (4, 5), (1, 6), (8, 100), (4, 100), (12, 100), (8, 101)]
        for rank, word, other in ((0, "send", 1), (1, "recv", 0)):
            special["types", rank] = "\n".join(f"{rank} {word} {other} 1 (of {size} bytes) {code} {{W}}" for size, code in types)
        for rank in range(4):
            inner = f"mini_comm_{1 if rank < 2 else 19}_0"
            special["halves", rank] = (f"{split(rank // 2, 0, f'mini_comm_0_{rank // 2}', 2)}\n{split(0, -rank, inner, 2)}\n{allreduce(inner)}\n"
                                       f"{{r}} bcast 1 (of 4 bytes) 1 of type 1 on comm {inner} {1 - rank % 2}\n"
                                       f"Comm {inner} free.\nComm mini_comm_0_{rank // 2} free.")
            if rank % 2 == 0:
                special["undefined", rank] = ("Comm split invoked by process but with color=MPI_UNDEFINED\n" + split(0, 0, "mini_comm_3_0", 4) + "\n"
                                              + allreduce("mini_comm_3_0") + "\nComm mini_comm_3_0 free.")
        done = self.record(self.build("rows.c"), 4)
        self.assertEqual(done.stdout, "")
        self.check_phases(4, expected, special)
        self.assert_clean()

    def test_fortran(self):
        done = self.record(self.build("rows.F90"), 2)
        self.assertEqual(done.stdout.strip(), "")
        for r in range(2):
            o = 1 - r
            self.assertEqual(self.text(r).splitlines(), [
                f"{r} init 1", f"{r} Irecv {o} 3 (of 4 bytes) 1 {WORLD}", f"{r} Isend {o} 3 (of 4 bytes) 1 {WORLD}", f"{r} waitall",
                f"{r} Sendrecv(s) {o} 5 (of 1 bytes) 2 {WORLD}", f"{r} Sendrecv(r) {o} 5 (of 1 bytes) 2 {WORLD}",
                f"{r} allReduce 4 (of 8 bytes) of type 0 {WORLD} 1", f"{r} Comm split. color={r}, key=0.New comm mini_comm_0_{r} of size 1",
                f"{r} bcast 4 (of 8 bytes) 0 of type 0 on comm mini_comm_0_{r} 0", f"Comm mini_comm_0_{r} free.", f"{r} finalize"])
        self.assert_clean()


class Beyond(Pattern):
    def test_all(self):
        """All forms of messages, collectives, topologies, inter-communicators, windows and files; phases in phases."""
        sixes = "{r} Isend {n} 6 (of 2 bytes) 3 {W}", "{r} Irecv {p} 6 (of 2 bytes) 3 {W}"
        ring = "{r} Irecv {p} 1 (of 4 bytes) 1 {W}"
        expected = {
            "sends": f"{ring}\n{ring}\n{{r}} Bsend {{n}} 1 (of 4 bytes) 1 {{W}}\n{{r}} Issend {{n}} 1 (of 4 bytes) 1 {{W}}\n{{r}} waitall\n"
                     f"{{r}} barrier {{W}}\n{ring}\n{ring}\n{{r}} barrier {{W}}\n{{r}} Rsend {{n}} 1 (of 4 bytes) 1 {{W}}\n"
                     "{r} Irsend {n} 1 (of 4 bytes) 1 {W}\n{r} waitall\n{r} Sendrecv_replace(s) {n} 2 (of 4 bytes) 1 {W}\n"
                     "{r} Sendrecv_replace(r) {p} 2 (of 4 bytes) 1 {W}",
            "probes": "{r} Isend {n} 2 (of 4 bytes) 1 {W}\n{r} Mrecv {p} 2 (of 4 bytes) 1 {W}\n{r} waitall\n"
                      "{r} Isend {n} 3 (of 4 bytes) 1 {W}\n{r} Imrecv {p} 3 (of 4 bytes) 1 {W}\n{r} waitall",
            "persistent": "\n".join([*sixes, "{r} waitall", *sixes, "{r} waitall", sixes[1], sixes[0], "{r} waitall"]),
            "rooted": """{r} bcast 3 (of 8 bytes) 2 of type 0 {W}
                         {r} reduce 2 (of 4 bytes) 1 of type 1 {W}
                         {r} gather 2 (of 4 bytes) 0 of type 1 {W}
                         {r} scatter 2 (of 4 bytes) 3 of type 1 {W}
                         {r} scatterv min={one} median={one}.000000 max={one} (of 4 bytes) 0 of type 1 {W}""",
            "rootless": """{r} allGather 2 (of 4 bytes) of types 1, 6 8 (of 1 bytes) {W} 1
                           {r} allgatherv min=1 median=2.500000 max=4 (of 4 bytes) of type 1 {W} 2
                           {r} allToAll 1 (of 4 bytes) of type 1 {W} 3
                           {r} Alltoallw min=4 median=4.000000 max=4 (of 1 bytes) of type 6 {W} 4
                           {r} reduceScatter min=1 median=2.500000 max=4 (of 4 bytes) of type 1 {W} 5
                           {r} Reduce_scatter_block 2 (of 4 bytes) of type 1 {W} 6
                           {r} Scan 1 (of 4 bytes) of type 1 {W} 7
                           {r} Exscan 1 (of 4 bytes) of type 1 {W} 8
                           {r} allgatherv min=1 median=2.500000 max=4 (of 4 bytes) of type 1 {W} 9
                           {r} allReduce 5 (of 4 bytes) of type 5 {W} 10""",
            "nonblocking": """{r} Ibarrier {W}
                              {r} waitall
                              {r} Ibcast 4 (of 4 bytes) 1 of type 1 {W}
                              {r} Iallreduce 1 (of 4 bytes) of type 1 {W} 11
                              {r} Ialltoallv min=1 median=1.000000 max=1 (of 4 bytes) of type 1 {W} 12
                              {r} Iallgather 1 (of 4 bytes) of type 1 1 (of 4 bytes) {W} 13
                              {r} waitall""",
            "neighbours": """{r} Comm Dist_graph_create_adjacent. color=0, key={r}.New comm mini_comm_0_0 of size 4
                             {r} Neighbor_allgather 2 (of 4 bytes) of type 1 on comm mini_comm_0_0 1
                             {r} Neighbor_alltoallv min={one} median={one}.000000 max={one} (of 4 bytes) of type 1 on comm mini_comm_0_0 2
                             {r} Ineighbor_alltoall 1 (of 4 bytes) of type 1 on comm mini_comm_0_0 3
                             {r} waitall
                             Comm mini_comm_0_0 free.""",
            "cartesian": """{r} Comm Cart_create. color=0, key={r}.New comm mini_comm_1_0 of size 4
                            {r} Comm Cart_sub. color={h}, key={l}.New comm mini_comm_2_{h} of size 2
                            {r} bcast 1 (of 4 bytes) 0 of type 1 on comm mini_comm_2_{h} {l}
                            Comm mini_comm_2_{h} free.
                            Comm mini_comm_1_0 free.""",
            "groups": """Comm create invoked by process but with color=MPI_UNDEFINED
                         {r} Comm idup. color=0, key={r}.New comm mini_comm_5_0 of size 4
                         {r} waitall
                         Comm mini_comm_5_0 free.""",
            "inter": """{r} Comm split. color={h}, key=0.New comm mini_comm_6_{h} of size 2
                        {r} Comm Intercomm_create. color={h}, key={l}.New comm mini_comm_7_0 of size 4
                        {r} allReduce 1 (of 4 bytes) of type 1 on comm mini_comm_7_0 1
                        EXTRA{r} Comm Intercomm_merge. color=0, key=KEY.New comm mini_comm_8_0 of size 4
                        Comm mini_comm_8_0 free.
                        Comm mini_comm_7_0 free.
                        Comm mini_comm_6_{h} free.""",
            "windows": """{r} Win_create {W}
                          {r} Win_fence {W}
                          {r} Put {n} 2 (of 4 bytes) 1 {W}
                          {r} Get {p} 3 (of 4 bytes) 1 {W}
                          {r} Accumulate {n} 1 (of 4 bytes) 1 {W}
                          {r} Win_fence {W}
                          {r} Win_lock {W}
                          {r} Rput {n} 1 (of 4 bytes) 1 {W}
                          {r} waitall
                          {r} Fetch_and_op {n} 1 (of 4 bytes) 1 {W}
                          {r} Win_flush {W}
                          {r} Win_unlock {W}
                          {r} Win_free {W}""",
            "files": """{r} File_open {W}
                        {r} File_write 2 (of 4 bytes) of type 1 {W}
                        {r} File_read 1 (of 4 bytes) of type 1 {W}
                        {r} waitall
                        {r} File_close {W}""",
            "outer": "",
            "inner": "{r} barrier {W}",
        }
        special = {("sends", 0): expected["sends"] + "\n0 Ssend 1 3 (of 4 bytes) 1 {W}",
                   ("sends", 1): expected["sends"] + "\n1 recv 0 5 (of 4 bytes) 1 {W}",
                   ("rooted", 0): expected["rooted"].replace("0 of type 1 {W}\n", "0 of types 1, 6 {W}\n")
                   .replace("min={one} median={one}.000000 max={one}", "min=1 median=2.500000 max=4")}
        extra = {0: "0 send 1 1 (of 4 bytes) 1 on comm mini_comm_7_0\n", 1: "", 2: "", 3: "3 recv 0 1 (of 4 bytes) 1 on comm mini_comm_7_0\n"}
        for rank in range(4):
            inter = expected["inter"].replace("EXTRA", extra[rank]).replace("KEY", str((rank + 2) % 4))  # high: ranks 0 and 1 come last
            if rank == 1:
                inter = inter.replace("{r} allReduce", "1 bcast 3 (of 4 bytes) 1 of type 1 on comm mini_comm_7_0 1\n{r} allReduce")
            special["inter", rank] = inter
            if rank % 2 == 0:  # the group is (2, 0): 2 is its local rank 0
                local = 1 - rank // 2
                special["groups", rank] = f"""{{r}} Comm create. color=0, key={local}.New comm mini_comm_3_0 of size 2
                    {{r}} bcast 1 (of 4 bytes) 0 of type 1 on comm mini_comm_3_0 {local}
                    Comm mini_comm_3_0 free.
                    {{r}} Comm create_group. color=0, key={local}.New comm mini_comm_4_0 of size 2
                    Comm mini_comm_4_0 free.
                    {expected['groups'].split(chr(10), 1)[1]}"""
        self.record(self.build("all.c"), 4, self.dir / "data")
        self.check_phases(4, expected, special)
        self.assert_clean()
        parsed = {}
        for form in ("out", "out/ti_traces"):  # one content in two forms
            done = mora("pattern", "parse", "--quiet", form, "-o", "parsed", cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            parsed[form] = {p.name: p.read_text() for p in (self.dir / "parsed").iterdir()}
        self.assertEqual(parsed["out"], parsed["out/ti_traces"])
        self.assertIn("mini_comm_3_0 {'members': ['2', '0'], 'size': 2}\n", parsed["out"]["communicators.txt"])
        calls = self.manifest()["calls"]
        self.assertEqual([calls[name] for name in ("Mprobe", "Improbe", "Start_send", "Start_recv", "Rput", "Fetch_and_op", "Probe")],
                         [4, 4, 12, 12, 4, 4, 4])

    def test_threads(self):
        """Every call of every thread, in whatever order; each thread's own order kept."""
        done = self.record(compile_c([SOURCES / "threads.c"], self.dir / "threads", "-w", "-pthread"), 2)
        if "no threads" in done.stdout:
            self.fail("this MPI gives no MPI_THREAD_MULTIPLE")
        self.assertEqual(done.stdout, "")
        for r in range(2):
            text = self.text(r).splitlines()
            counts = {word: sum(line.split()[1] == word for line in text) for word in ("Irecv", "send", "wait")}
            self.assertEqual((counts, len(text)), ({"Irecv": 300, "send": 300, "wait": 300}, 902))
        self.assert_clean(threads=4)
        totals = self.manifest()["totals"]
        self.assertEqual((totals["calls"], totals["messages"]), (1804, 600))

    def test_what_does_not_fit(self):
        done = self.record(self.build("wrong.c"), 2)
        rows = [(row["kind"], row["where"], row["count"]) for row in self.manifest()["data_quality"]]
        self.assertEqual(rows, [("pattern-phase-count", "rank 1", 1), ("pattern-phase-crossing", "rank 0", 1), ("pattern-phase-crossing", "rank 1", 1),
                                ("pattern-unmatched-send", "rank 0", 1)])
        self.assertIn("1 messages from rank 0 to rank 1 with tag 3 on MPI_COMM_WORLD are sent, 0 are received", done.stderr)
        self.record(self.dir / "wrong", 2, options=("--text", "--no-check"), name="unchecked")
        self.assert_clean()

    def test_formats_and_names(self):
        ring = self.build("ring.c")
        done = mora("pattern", "record", LAUNCHER, "-n", 2, ring, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.out = self.dir / "mora-pattern-ring-2"
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), ["manifest.json", "trace.mpt"])
        self.assertIn("mora: pattern: mora-pattern-ring-2\n", done.stderr)
        done = self.record(ring, 2, options=("--format", "text", "--json", "--chunk-bytes", "32K"), name="texts")
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), ["manifest.json", "ti_traces"])
        facts = checked_json(done.stderr)
        self.assertEqual((facts["launcher_exit"], facts["patterns"][0]["pattern"], facts["patterns"][0]["messages"]), (0, "texts", 8))
        self.assertEqual(self.manifest()["configuration"]["MORA_CHUNK_BYTES"], "32768")
        self.assert_error(mora("pattern", "record", "--format", "xml", LAUNCHER, ring, cwd=self.dir), 2, 'no format "xml"', "compact, text or both")
        self.assert_error(mora("pattern", "record", "-o", "texts", LAUNCHER, ring, cwd=self.dir), 2, "exists already")
        self.assert_error(mora("pattern", "record", "-o", "none", LAUNCHER, "-n", 1, "/bin/true", cwd=self.dir), 2, "not an MPI program")
        self.assertFalse((self.dir / "none").exists())

    def test_beside_experiments_in_a_history(self):
        """A directory of runs may hold patterns, too: they have no times and are left out, by name."""
        runs = self.dir / "runs"
        runs.mkdir()
        self.record(self.build("ring.c"), 2, name="runs/ring")
        done = mora("compare", "--history", "runs", cwd=self.dir)
        self.assert_error(done, 3, "there is no experiment in this directory", "ring is left out: it is a pattern, which has no times")
        (self.dir / "run.trace").write_text("mora-trace 1\nP0 0-10 MPI_Send to 1\nP1 0-10 MPI_Recv from 0\n")
        done = mora("analyze", "--quiet", "-o", runs / "measured", "run.trace", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = mora("compare", "--history", "--csv", "runs", cwd=self.dir)
        self.assertEqual((done.returncode, done.stderr), (0, "mora: note: ring is left out: it is a pattern, which has no times\n"))
        self.assertIn("measured", done.stdout)
        self.assertNotIn("ring", done.stdout)

    def test_script_of_two_jobs(self):
        ring, coll = self.build("ring.c"), self.build("coll.c")
        (self.dir / "both.sh").write_text(f"#!/bin/sh\n{LAUNCHER} -n 2 {ring} && {LAUNCHER} -n 3 {coll}\n")
        done = mora("pattern", "record", "--mpi", FLAVOUR, "-o", "jobs", "sh", "both.sh", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, program, ranks in (("jobs", "ring", 2), ("jobs-2", "coll", 3)):
            self.out = self.dir / name
            self.assertEqual((self.manifest()["program"], self.manifest()["totals"]["ranks"]), (program, ranks))
            self.assertEqual(sorted(p.name for p in self.out.iterdir()), ["manifest.json", "trace.mpt"])

    def test_killed_job(self):
        """A rank that is killed leaves all it did; the rows say so. When mora is killed too, mora recover finishes the work."""
        program = compile_c([SOURCES / "endless.c"], self.dir / "endless", "-w", f"-I{SOURCES.parents[2] / 'include'}")
        done = self.record(program, 2, "die", code=None)
        self.assertNotEqual(done.returncode, 0)
        self.check_killed()
        self.assertFalse((self.out / "journal").exists())

        job = subprocess.Popen([MORA, "pattern", "record", "--text", "-o", "left", LAUNCHER, "-n", "2", program], cwd=self.dir, env=ENVIRONMENT,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, start_new_session=True)
        pids = [int(job.stdout.readline().split()[1]) for _ in range(2)]  # "pid 4711", when a rank has done its part
        job.kill()  # mora first: nobody converts
        job.wait()
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):  # the launcher was quicker
                os.kill(pid, signal.SIGKILL)
        job.stdout.read()  # until the launcher is gone, too
        job.stdout.close()
        self.out = self.dir / "left"
        self.assertFalse((self.out / "trace.mpt").exists())
        done = mora("recover", "--json", "left", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(checked_json(done.stdout)["schema"], "mora-pattern-record")
        self.check_killed()
        self.assertTrue(self.manifest()["recovered"])
        self.assertTrue((self.out / "trace.mpt").exists())
        self.assertFalse((self.out / "journal").exists())
        self.assert_error(mora("recover", "left", cwd=self.dir), 2, "a complete pattern", "mora pattern matrix left")

    def check_killed(self):
        for rank in range(2):
            text = self.text(rank).splitlines()
            self.assertEqual(text[0], f"{rank} init 1")
            self.assertEqual(text[1:2001], [f"{rank} Sendrecv({way}) {1 - rank} 1 (of 4 bytes) 1 {WORLD}" for way in "sr"] * 1000)
            self.assertNotIn("finalize", text[-1])
        kinds = {row["kind"] for row in self.manifest()["data_quality"]}
        self.assertIn("process-killed", kinds)
        self.assertEqual(self.manifest()["totals"]["incomplete_ranks"], 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
