"""mora record --stats: sums of calls, which are those of a trace of the same program."""
import csv
import re
import shutil
import unittest
from collections import Counter

from run_mora import LAUNCHER, SOURCES, Case, compile_c, manifest, mora, quality_kinds, up_to_three_times

COUNTS = ("visits", "messages-sent", "messages-received", "bytes-sent", "bytes-received")
HEADER_BYTES, PROFILE_BYTES = 1024, 65536


class Stats(Case):
    def record(self, name, *words, options=("--stats",), ranks=3, code=0):
        program = compile_c([SOURCES / "stats.c"], self.dir / "stats")
        done = mora("record", *options, "-o", name, LAUNCHER, "-n", ranks, program, *words, cwd=self.dir)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return done

    def values(self, name):
        """{(metric, call path, rank): value} of MPI calls; a trace's iterations, which are found and no part of the path, are left out of it."""
        done = mora("report", "--csv", name, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.reader(done.stdout.splitlines()))[1:]
        values = Counter()
        for metric, path, rank, value in rows:
            labels = [label for label in path.split(" > ") if not label.startswith("iteration@")]
            if labels[-1].startswith("MPI_"):
                values[metric, " > ".join(labels), int(rank)] += float(value)
        return values

    @staticmethod
    def completed_where_started(values):
        """Bytes of a non-blocking collective are counted where it is started; in a trace, where it is completed."""
        moved = Counter()
        for (metric, path, rank), value in values.items():
            before, label = path.rsplit(" > ", 1)
            if metric.startswith("bytes") and label.startswith(("MPI_Ibcast@", "MPI_Wait@")):
                label = "MPI_Ibcast and MPI_Wait"
            moved[metric, f"{before} > {label}", rank] += value
        return moved

    def visits(self, name, function, rank):
        return sum(v for (m, path, r), v in self.values(name).items() if m == "visits" and r == rank and function in path.split(" > ")[-1])

    def test_sums_are_those_of_a_trace(self):
        self.record("exp", "all", 30, 0)
        self.record("trace", "all", 30, 0, options=())
        self.assertEqual(mora("analyze", "trace", cwd=self.dir).returncode, 0)
        found, expected = self.completed_where_started(self.values("exp")), self.completed_where_started(self.values("trace"))
        for metric in COUNTS:
            ours = {key: value for key, value in found.items() if key[0] == metric}
            self.assertGreaterEqual(len(ours), 3 * 3, "three kinds of calls send, three receive, on three ranks")
            self.assertEqual(ours, {key: value for key, value in expected.items() if key[0] == metric})

    def test_sums_of_one_sided_transfers_are_those_of_a_trace(self):
        self.record("exp", "windows", 20)
        self.record("trace", "windows", 20, options=())
        self.assertEqual(mora("analyze", "trace", cwd=self.dir).returncode, 0)
        found, expected = self.values("exp"), self.values("trace")
        for metric, of_round in (("rma-transfers", 6), ("rma-bytes", 20 + 28 + 12 + 2 * 8 + 2 * 8 + 16), ("visits", None), ("bytes-sent", 0), ("bytes-received", 0)):
            ours = {key: value for key, value in found.items() if key[0] == metric}
            self.assertEqual(ours, {key: value for key, value in expected.items() if key[0] == metric})
            if of_round is not None:
                self.assertEqual(sum(ours.values()), 3 * 20 * of_round, metric)

    @up_to_three_times
    def test_times_are_those_that_the_program_measured(self):
        done = self.record("exp", "all", 2, 1500)
        measured = float(re.search(r"^waited (.*)$", done.stdout, re.M).group(1))
        self.assertGreater(measured, 1)
        values = self.values("exp")
        for metric in ("barrier", "longest-call", "shortest-call"):
            times = [v for (m, path, r), v in values.items() if m == metric and r == 0 and " > all > MPI_Barrier" in path]
            self.assertEqual(len(times), 1)
            self.assertLess(abs(times[0] - measured), 0.02 * measured, metric)

    @up_to_three_times
    def test_times_are_those_of_a_trace(self):
        """Rank 1 computes until a time, so that a loaded machine lets no wait last longer."""
        wait_s = 1.5
        for name, options in (("exp", ("--stats",)), ("trace", ())):
            shutil.rmtree(self.dir / name, ignore_errors=True)
            self.record(name, "waits", round(1000 * wait_s), options=options, ranks=2)
        self.assertEqual(mora("analyze", "trace", cwd=self.dir).returncode, 0)
        found, expected = self.values("exp"), self.values("trace")
        waits = [key for key, value in expected.items() if key[0] == "mpi" and key[2] == 0 and " > waits > " in key[1] and value > wait_s / 2]
        self.assertEqual({path.split(" > ")[-1].split("@")[0] for _, path, _ in waits},
                         {"MPI_Recv", "MPI_Wait", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Barrier"})
        for key in waits:
            self.assertLess(abs(found[key] - expected[key]), 0.02 * expected[key], key)
        for metric in ("time", "mpi", "computation"):
            sums, of_trace = self.total("exp", metric), self.total("trace", metric)
            self.assertGreater(of_trace, 4 * wait_s)
            self.assertLess(abs(sums - of_trace), 0.02 * of_trace, metric)

    def total(self, name, metric):
        """In s, without what the job needs to start and end."""
        rows = list(csv.reader(mora("cube", "stat", "--metric", metric, "-p", "--csv", f"{name}/analysis.cubex", cwd=self.dir).stdout.splitlines()))[1:]
        return sum(float(row[3]) for row in rows if "MPI_Init" not in row[1] and "MPI_Finalize" not in row[1])

    def test_call_paths_and_single_calls(self):
        self.record("exp", "all", 5, 300)
        values = self.values("exp")
        by_path = Counter()
        for (metric, path, rank), value in values.items():
            if metric == "visits" and "MPI_Bcast" in path and rank == 2:
                by_path["once" if "once" in path else "twice"] += value
        self.assertEqual(by_path, {"once": 5, "twice": 10})
        last = {m: max(v for (metric, path, r), v in values.items() if metric == m and r == 0 and "MPI_Barrier" in path)
                for m in ("longest-call", "mpi")}
        self.assertGreater(last["longest-call"], 0.28)
        self.assertLessEqual(last["longest-call"], last["mpi"])

    def test_what_the_reports_say(self):
        done = self.record("exp", "all", 5, 0)
        self.assertIn("MPI calls added up", done.stderr)
        self.assertIn("next: mora report", done.stderr)
        self.assertFalse((self.dir / "exp/traces.otf2").exists())
        self.assertFalse((self.dir / "exp/journal").exists())
        self.assertEqual({f["path"] for f in manifest(self.dir / "exp")["archive"]["files"]}, {"analysis.cubex", "findings.json"})
        report = mora("report", "exp", cwd=self.dir)
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn("wait states, their causes and the timeline need a trace", report.stdout)
        self.assertNotIn("No wait state was found", report.stdout)
        self.assertEqual(mora("cube", "info", "exp/analysis.cubex", cwd=self.dir).returncode, 0)
        self.assert_error(mora("analyze", "exp", cwd=self.dir), 2, "sums", "--stats")

    def test_memory_and_files_are_bounded(self):
        calls = 500_000
        self.record("exp", "many", calls, options=("--stats", "--keep-journal"), ranks=2)
        self.assertEqual(self.visits("exp", "MPI_Send", 1), calls)
        for journal in (self.dir / "exp/journal").glob("*.journal"):
            self.assertLessEqual(journal.stat().st_size, HEADER_BYTES + PROFILE_BYTES)

    def test_more_places_than_fit(self):
        self.record("exp", "places", options=("--stats", "--keep-journal"), ranks=1)
        self.assertEqual(self.visits("exp", "MPI_Send", 0), 2 * 8192)
        self.assertEqual(quality_kinds(self.dir / "exp")["profile-full"], 1)
        journal, = (self.dir / "exp/journal").glob("*.journal")
        self.assertLess(journal.stat().st_size, 18 * PROFILE_BYTES)

    def test_a_killed_process_keeps_its_sums(self):
        for calls in (1, 700, 5000):
            self.record(f"exp{calls}", "kill", calls, code=None)
            self.assertEqual(self.visits(f"exp{calls}", "MPI_Barrier", 1), calls)
            self.assertIn("process-killed", quality_kinds(self.dir / f"exp{calls}"))

    def test_while_recording_is_off_nothing_is_counted(self):
        self.record("exp", "off", 1000, ranks=1)
        self.assertEqual(self.visits("exp", "MPI_Send", 0), 1000)
        rows = csv.reader(mora("report", "--csv", "exp", cwd=self.dir).stdout.splitlines())
        self.assertGreater(sum(float(row[3]) for row in rows if row[0] == "unrecorded"), 0.2)

    def test_threads_have_sums_of_their_own(self):
        program = compile_c([SOURCES / "many_threads.c"], self.dir / "many_threads", "-pthread")
        done = mora("record", "--stats", "-o", "exp", LAUNCHER, "-n", 2, program, 50, 1, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.visits("exp", "MPI_Sendrecv", 0), 4 * 50)

    def test_recover_adds_up_what_is_left(self):
        self.record("exp", "all", 5, 0, options=("--stats", "--keep-journal"))
        before = {key: value for key, value in self.values("exp").items() if key[0] in COUNTS}
        for name in ("manifest.json", "analysis.cubex", "findings.json"):
            (self.dir / "exp" / name).unlink()
        done = mora("recover", "exp", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({key: value for key, value in self.values("exp").items() if key[0] in COUNTS}, before)


if __name__ == "__main__":
    unittest.main()
