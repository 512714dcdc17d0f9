"""`mora pattern matrix` on a program whose traffic is known: recorded, from an experiment with times, and dry-run, equal to the byte.

MORA_TEST_FLAVOUR: openmpi or mpich. exchange.c is the program; what it sends is worked out here from its rules.
"""
import json
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "record"))

from run_mora import FLAVOUR, LAUNCHER, Case, checked_json, compile_c, mora  # noqa: E402

SOURCES = Path(__file__).resolve().parent
N = 6


class Traffic:
    """{(from, to): [messages, bytes]}"""

    def __init__(self):
        self.cells = {}

    def add(self, sender, receiver, size, times=1):
        cell = self.cells.setdefault((sender, receiver), [0, 0])
        cell[0] += times
        cell[1] += size * times


def stencil(traffic, steps, reductions):
    columns = N // 2
    for rank in range(N):
        row, column = divmod(rank, columns)
        if row > 0:
            traffic.add(rank, rank - columns, 128, steps)
        if row == 0:
            traffic.add(rank, rank + columns, 128, steps)
        traffic.add(rank, row * columns + (column - 1) % columns, 64, steps)
        traffic.add(rank, row * columns + (column + 1) % columns, 64, steps)
        if rank > 0 and reductions > 0:
            traffic.add(rank, 0, 8, steps * reductions)
            traffic.add(0, rank, 8, steps * reductions)


def expected():
    phases = {name: Traffic() for name in ("global", "ring", "stencil", "solver/step", "split", "irregular", "triangles")}
    for rank in range(N):
        phases["ring"].add(rank, (rank + 1) % N, 100, 10)
    stencil(phases["stencil"], 7, 0)
    stencil(phases["solver/step"], 5, 2)
    for colour in range(2):
        members = sorted((r for r in range(N) if r % 2 == colour), reverse=True)
        for member in members[1:]:
            phases["split"].add(members[0], member, 20)
        for a in members:
            for b in members:
                if a != b:
                    phases["split"].add(a, b, 12)
    state = 7

    def number():
        nonlocal state
        state = (state * 1103515245 + 12345) & 0xFFFFFFFF
        return state >> 16 & 0x7FFF

    for _ in range(5 * 12):
        sender, receiver, size = number() % N, number() % N, number() % 4096
        phases["irregular"].add(sender, receiver, size)
    for a in range(N):
        for b in range(N):
            if a != b:
                phases["triangles"].add(a, b, (a + 1) * (b + 1))
                if a > 0:
                    phases["triangles"].add(a, b, 4 * a)
                phases["global"].add(a, b, 8)
    return {name: traffic.cells for name, traffic in phases.items() if traffic.cells}


class PatternMatrix(Case):
    def setUp(self):
        super().setUp()
        self.program = compile_c([SOURCES / "exchange.c"], self.dir / "exchange", "-w", f"-I{SOURCES.parents[2] / 'include'}")

    def run_mora(self, *arguments):
        done = mora(*arguments, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def matrix(self, pattern, *options):
        return json.loads(self.run_mora("pattern", "matrix", "--json", *options, pattern).stdout)

    def assert_known(self, pattern, told):
        matrix = self.matrix(pattern, "--collectives", "linear")
        found = {p["name"]: {(c[0], c[1]): [c[2], c[3]] for c in p["cells"]} for p in matrix["phases"] if p["cells"]}
        self.assertEqual(found, expected())
        self.assertEqual({row["kind"] for row in matrix["data_quality"]}, told)
        total = Counter()
        for cells in found.values():
            for cell in cells.values():
                total["messages"] += cell[0]
                total["bytes"] += cell[1]
        self.assertEqual(matrix["total"]["all"], dict(total))
        self.assertEqual({p["name"]: p["visits"] for p in matrix["phases"]},
                         dict.fromkeys(["global", "ring", "stencil", "solver", "solver/step", "split", "irregular", "triangles"], 1))

    def test_recorded_and_timed_and_dry(self):
        self.run_mora("pattern", "record", "-o", "pattern", "--", LAUNCHER, "-n", N, self.program)
        self.assert_known("pattern", set())
        self.run_mora("record", "-o", "timed", "--", LAUNCHER, "-n", N, self.program)
        self.assert_known("timed", {"pattern-of-times"})
        # Every model that does not count elements gives the same from both.
        for model in ("linear", "algorithms"):
            csv = [self.run_mora("pattern", "matrix", "--csv", "--collectives", model, p).stdout for p in ("pattern", "timed")]
            self.assertEqual(csv[0], csv[1])
        done = self.run_mora("pattern", "dryrun", "--json", "-n", N, "-o", "dry", "--", self.program)
        self.assertEqual(checked_json(done.stderr.splitlines()[-1])["schema"], "mora-pattern-record")
        self.assert_known("dry", {"dry-run-guess"})  # wildcards and reductions
        for pattern in ("pattern", "timed", "dry"):
            self.assertEqual(self.matrix(pattern)["collective_model"], FLAVOUR, "the model is that of the library that was recorded")

    def test_what_the_recorder_sends_itself_is_in_no_matrix(self):
        (self.dir / "empty.c").write_text("#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n")
        program = compile_c([self.dir / "empty.c"], self.dir / "empty")
        self.run_mora("pattern", "record", "-o", "pattern", "--", LAUNCHER, "-n", N, program)
        self.run_mora("record", "-o", "timed", "--", LAUNCHER, "-n", N, program)
        for pattern in ("pattern", "timed"):
            for model in ("linear", "algorithms", "openmpi", "mpich", "none"):
                self.assertEqual(self.matrix(pattern, "--collectives", model)["total"]["all"], {"messages": 0, "bytes": 0})

    def test_both_vectors_of_a_call_count_where_the_first_fills_a_chunk(self):
        program = compile_c([SOURCES / "chunks.c"], self.dir / "chunks")
        self.run_mora("record", "--chunk-bytes", "65536", "-o", "timed", "--", LAUNCHER, "-n", 3, program)
        total = self.matrix("timed", "--collectives", "linear")["total"]
        self.assertEqual([cell[:4] for cell in total["cells"]], [[a, b, 1500, 1500 * 4] for a in range(3) for b in range(3) if a != b])

    def test_nodes_pictures_and_features(self):
        self.run_mora("pattern", "record", "-o", "pattern", "--", LAUNCHER, "-n", N, self.program)
        (self.dir / "placed").write_text("".join(f"{r} c{r // 2}:s{r // 2}:n{r % 2}\n" for r in range(N)))
        (self.dir / "other").write_text("0 c0:s0:n0\n")
        matrix = self.matrix("pattern", "--placement", "placed", "--svg", "m.svg", "--png", "m.png")
        total = matrix["total"]
        self.assertEqual(sum(c[3] for c in total["node_cells"]), total["all"]["bytes"])
        inside = sum(c[3] for c in total["cells"] if c[0] % 2 == c[1] % 2)
        self.assertEqual(sum(n["inside"]["bytes"] for n in total["nodes"]), inside)
        self.assertEqual([n["out"]["bytes"] for n in total["nodes"]], [n["in"]["bytes"] for n in reversed(total["nodes"])])
        self.assertTrue((self.dir / "m.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n"))
        self.assertIn("rank 5 to 0: ", (self.dir / "m.svg").read_text())
        refused = mora("pattern", "matrix", "--placement", "other", "pattern", cwd=self.dir)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("it places 1 ranks, the pattern has 6", refused.stderr)
        rows = {r["phase"]: r for r in json.loads(self.run_mora("pattern", "features", "--json", "--placement", "placed", "pattern").stdout)["phases"]}
        self.assertEqual(rows["total"]["bytes"], total["all"]["bytes"])
        self.assertEqual(rows["total"]["intra_node_bytes"], inside)
        self.assertEqual(rows["stencil"]["noncontiguous_messages"], 2 * N * 7)
        self.assertEqual(rows["stencil"]["noncontiguous_bytes"], 64 * 2 * N * 7)
        self.assertEqual(rows["solver/step"]["allreduce_calls"], 10)
        self.assertEqual(rows["solver/step"]["allreduce_payload"], 80)
        self.assertEqual(rows["irregular"]["receives_any_source"], 60)
        self.assertEqual(rows["ring"]["asynchronous_share"], 0.5)
        self.assertEqual(rows["ring"]["partners_max"], 1)
        self.assertEqual(rows["ring"]["messages_to_512B"], 60)
        missing = mora("pattern", "matrix", "--phase", "rung", "pattern", cwd=self.dir)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("ring", missing.stderr)


if __name__ == "__main__":
    unittest.main()
