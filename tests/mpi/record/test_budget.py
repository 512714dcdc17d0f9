"""mora record --budget: what is recorded keeps to it, and ends at one point of all ranks, which is told."""
import json
import unittest

from run_mora import LAUNCHER, SOURCES, Archive, Case, compile_c, manifest, mora, quality_kinds

RANKS, MIB = 3, 1 << 20
OF_ROUND = (41, 21, 21)  # calls of each rank


class Budget(Case):
    def record(self, calls, *words, options=("--budget", "1M"), keep=False):
        program = compile_c([SOURCES / "budget.c"], self.dir / "budget")
        done = mora("record", *options, *["--keep-journal"][:keep], "-o", "exp", LAUNCHER, "-n", RANKS, program, calls, *words, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.facts = manifest(self.dir / "exp") if keep else self.assert_sound(self.dir / "exp")
        return done

    def row(self):
        row, = (r for r in self.facts["data_quality"] if r["kind"] == "budget-reached")
        return row

    def journals_bytes(self):
        return {path.name: path.stat().st_size for path in (self.dir / "exp/journal").glob("*.journal")}

    def assert_bounded(self):
        sizes = self.journals_bytes()
        self.assertEqual(len(sizes), RANKS)
        self.assertLessEqual(sum(sizes.values()), MIB)
        self.assertGreater(max(sizes.values()), MIB // RANKS * 3 // 4, "the first has used most of its share")

    def counts(self, function):
        return [sum(name == function for name, *_ in Archive(self.dir / "exp").calls(rank)) for rank in range(RANKS)]

    def test_ends_with_a_collective_call_of_all(self):
        done = self.record(400, "together")
        self.assertIn("budget: recording ends for all processes together", done.stderr)
        self.assertNotIn("nothing recorded was lost", done.stderr)
        row = self.row()
        self.assertEqual((row["severity"], row["where"]), ("warning", "rank 0"))  # it makes most calls
        barriers = self.counts("MPI_Barrier")
        self.assertGreater(barriers[0], 10)
        self.assertEqual(barriers, [barriers[0]] * RANKS)
        self.assertIn(f"MPI_Barrier returns, call {barriers[0]} of MPI_COMM_WORLD that waits for all", row["what"])
        rounds = 5 * (barriers[0] - 1)
        self.assertEqual(self.counts("MPI_Sendrecv"), [rounds * calls for calls in OF_ROUND])
        for rank in range(RANKS):
            self.assertEqual([name for name, *_ in Archive(self.dir / "exp").calls(rank)][-1], "MPI_Barrier")
        # every message, every wait before the end has all its parts: nothing is unmatched
        self.assertEqual(sum(r["lost_calls"] for r in self.facts["ranks"]), row["count"])
        whole = 400 * sum(OF_ROUND) + RANKS * (1 + 80 + 2)  # Sendrecvs, barriers, Init and Finalize
        self.assertEqual(sum(r["calls"] + r["lost_calls"] for r in self.facts["ranks"]), whole)
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        kinds = {r["kind"] for r in json.loads(mora("report", "--json", "exp", cwd=self.dir).stdout)["data_quality"]}
        self.assertIn("budget-reached", kinds)
        self.assertFalse({k for k in kinds if k.startswith(("unmatched", "incomplete"))}, kinds)

    def test_ends_at_a_time_where_no_collective_call_is_near(self):
        self.record(400)
        self.assertIn("between two calls of each process", self.row()["what"])
        calls = self.counts("MPI_Sendrecv")
        rounds = [done // of_round for done, of_round in zip(calls, OF_ROUND)]
        self.assertGreater(rounds[0], 50)
        self.assertLessEqual(max(rounds) - min(rounds), RANKS, "the ring lets nobody go further ahead")
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)

    def test_journals_keep_to_it(self):
        self.record(400, keep=True)
        self.assert_bounded()

    def test_recover_ends_at_the_same_point(self):
        self.record(400, "together", keep=True)
        before, barriers = self.row(), self.counts("MPI_Barrier")
        for name in ("manifest.json", "traces.otf2"):
            (self.dir / "exp" / name).unlink()
        self.assertEqual(mora("recover", "exp", cwd=self.dir).returncode, 0)
        after, = (r for r in manifest(self.dir / "exp")["data_quality"] if r["kind"] == "budget-reached")
        self.assertEqual((after["what"], after["count"], self.counts("MPI_Barrier")), (before["what"], before["count"], barriers))

    def test_a_run_that_needs_less_is_whole(self):
        self.assertIn("nothing recorded was lost", self.record(100, "together", options=("--budget", "100M")).stderr)
        self.assertNotIn("budget-reached", quality_kinds(self.dir / "exp"))
        self.assertEqual(self.counts("MPI_Sendrecv"), [100 * calls for calls in OF_ROUND])

    def test_what_is_refused(self):
        for words in (("--budget", "many"), ("--budget", "1K"), ("--budget", "1M", "--stats")):
            self.assert_error(mora("record", *words, LAUNCHER, "-n", 1, "true", cwd=self.dir), 2, "--budget")


if __name__ == "__main__":
    unittest.main()
