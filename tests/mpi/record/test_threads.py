"""Programs whose threads all call MPI: every call is recorded, on the location of its thread."""
import csv
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "idle"))

from run_mora import LAUNCHER, SOURCES, Case, checked_json, compile_c, manifest, mora, quality_kinds, up_to_three_times  # noqa: E402
from stretch import stretch_of_delays  # noqa: E402

# Calls of one thread in one round of many_threads.c.
A_ROUND = {"MPI_Sendrecv": 1, "MPI_Irecv": 2, "MPI_Isend": 2, "MPI_Waitall": 2, "MPI_Barrier": 1, "MPI_Bcast": 1, "MPI_Allreduce": 1,
           "MPI_Win_lock": 1, "MPI_Put": 1, "MPI_Win_unlock": 1, "MPI_Get": 1, "MPI_Win_fence": 1, "MPI_Ibcast": 1, "MPI_Wait": 1}


def by_the_first(threads):
    return {"MPI_Comm_dup": threads, "MPI_Win_create": 2 * threads, "MPI_Barrier": 1, "MPI_Win_free": 2 * threads, "MPI_Comm_free": threads, "MPI_Finalize": 1}


def locations(experiment):
    """[(rank, name, [event], {function: calls})] in the order of definition."""
    import otf2
    found = {}
    with otf2.reader.open(str(experiment / "traces.otf2")) as trace:
        for location in trace.definitions.locations:
            found[location] = (int(location.group.name.split()[-1]), location.name, [], Counter())
        for location, event in trace.events:
            found[location][2].append(event)
            if type(event).__name__ == "Enter":
                found[location][3][event.region.name] += 1
    return list(found.values())


class AllThreads(Case):
    def record(self, program, *arguments, ranks=2, env=None, options=()):
        done = mora("record", *options, "-o", "exp", LAUNCHER, "-n", ranks, program, *arguments, cwd=self.dir, env=env)
        self.assertNotIn("no threads", done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.dir / "exp/journal").exists())
        return done

    def messages_collectives_and_windows(self, threads, rounds, late_s, options=()):
        """Everything is recorded and has its other half. Returns the report."""
        program = compile_c([SOURCES / "many_threads.c"], self.dir / "many_threads", "-pthread", f"-DTHREADS={threads}")
        done = self.record(program, rounds, round(late_s * 1000), options=options)
        self.assertIn("nothing recorded was lost", done.stderr)
        experiment = self.dir / "exp"
        self.assertEqual([r for r in manifest(experiment)["data_quality"] if r["severity"] != "info"], [])
        self.assertEqual(quality_kinds(experiment)["handed-request"], 2, "a row for each rank")

        found = locations(experiment)
        self.assertEqual([(rank, name) for rank, name, _, _ in found],
                         [(0, "Master thread"), (1, "Master thread")] +
                         [(rank, f"Thread {t}") for rank in (0, 1) for t in range(1, threads + 1)])
        for rank, name, events, calls in found:
            if name == "Master thread":
                for function, times in by_the_first(threads).items():
                    self.assertEqual(calls[function], times, function)
                continue
            expected = Counter({function: times * rounds for function, times in A_ROUND.items()})
            expected["MPI_Recv" if rank == 0 else "MPI_Send"] = rounds
            expected["MPI_Win_fence"] += 1
            calls = Counter({function: times for function, times in calls.items() if function.startswith("MPI_")})
            self.assertEqual(calls, expected, f"rank {rank}, {name}")
            kinds = Counter(type(event).__name__ for event in events)
            self.assertEqual(kinds["Enter"], kinds["Leave"])
            times = [event.time for event in events]
            self.assertEqual(times, sorted(times))
        # Whoever completed it: each message has both ends, each collective all members.
        everything = Counter(type(event).__name__ for _, _, events, _ in found for event in events)
        messages = rounds * threads * (1 + 2 * 3)
        self.assertEqual(everything["MpiSend"] + everything["MpiIsend"], messages)
        self.assertEqual(everything["MpiRecv"] + everything["MpiIrecv"], messages)
        self.assertEqual(everything["NonBlockingCollectiveRequest"], 2 * threads * rounds)
        self.assertEqual(everything["NonBlockingCollectiveComplete"], 2 * threads * rounds)

        done = mora("analyze", "exp", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = checked_json(mora("report", "--json", "exp", cwd=self.dir).stdout)
        rows = {row["kind"]: row for row in report["data_quality"]}
        self.assertEqual({kind for kind, row in rows.items() if row["severity"] == "loss"}, set(), rows)
        for kind in ("unmatched-send", "unmatched-receive", "incomplete-collective", "mismatched-collective", "clock-violation",
                     "event-outside-call", "unknown-request"):
            self.assertNotIn(kind, rows)

        self.assertEqual(sum(self.of_locations("messages-sent").values()), messages)
        self.assertEqual(sum(self.of_locations("messages-received").values()), messages)
        return report

    def test_messages_collectives_and_windows_of_four_threads(self):
        stretch = stretch_of_delays()
        late_s = 0.4 * stretch
        report = self.messages_collectives_and_windows(4, 50, late_s)
        # One thread of rank 0 waits for the one that comes late, in MPI_Recv.
        late = [value for location, value in self.of_locations("late-sender").items() if location.startswith("rank 0 thread")]
        self.assertGreater(max(late), late_s - 0.1 * stretch)
        instances = [f["worst_instance"] for f in report["findings"] if f["metric"] == "late-sender"]
        of_recv = [i for i in instances if (i["rank"], i["cause_rank"]) == (0, 1) and i["cause_call_path"][-1].startswith("MPI_Send@")]
        self.assertEqual(len(of_recv), 1, instances)
        self.assertGreater(of_recv[0]["thread"], 0)
        self.assertGreater(of_recv[0]["end_s"] - of_recv[0]["begin_s"], late_s - 0.1 * stretch)
        self.assertEqual(of_recv[0]["cause_call_path"][-2], "work")

    def test_messages_collectives_and_windows_of_sixteen_threads(self):
        """What each waits for is not told: sixteen threads of a process that share two processors and MPI's own lock wait for these."""
        self.messages_collectives_and_windows(16, 3, 0)

    def of_locations(self, metric):
        """{location: sum over all call paths}"""
        table = mora("cube", "stat", "--metric", metric, "-p", "--csv", "exp/analysis.cubex", cwd=self.dir).stdout
        sums = Counter()
        for _, _, location, value in list(csv.reader(table.splitlines()))[1:]:
            sums[location] += float(value)
        return sums

    @up_to_three_times
    def test_each_of_sixteen_threads_has_its_own_waits(self):
        program = compile_c([SOURCES / "late_threads.c"], self.dir / "late_threads", "-pthread")
        unit = 0.01 * stretch_of_delays()
        done = self.record(program, 5, round(1000 * unit))
        self.assertEqual(self.lost(), [])
        self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)
        threads = re.findall(r"^thread rank=(\d) number=(\d+) late-sender=(\S+) wait-at-nxn=(\S+)$", done.stdout, re.M)
        self.assertEqual(len(threads), 2 * 16)
        for column, metric in ((2, "late-sender"), (3, "wait-at-nxn")):
            found, waited = self.of_locations(metric), {}
            for thread in threads:
                waited[f"rank {thread[0]} thread {int(thread[1]) + 1}"] = float(thread[column])
            # Rank 0 waits for messages, rank 1 in the collective operation; the longest of four threads four times as long as the shortest.
            at = "rank 0" if metric == "late-sender" else "rank 1"
            self.assertTrue(all(seconds > unit for location, seconds in waited.items() if location.startswith(at)), waited)
            wrong = {location: (found[location], seconds) for location, seconds in waited.items()
                     if abs(found[location] - seconds) > 0.05 * seconds + unit / 2}
            self.assertEqual(wrong, {}, f"{metric}: found, measured")
            of_others = sum(seconds for location, seconds in found.items() if location not in waited)
            self.assertLess(of_others, unit, found)

    def test_counters_stand_in_the_order_of_time(self):
        """Those of a thread are opened and read before its first call."""
        self.messages_collectives_and_windows(4, 3, 0, options=["--counters", "page-faults"])

    def test_threads_for_which_a_ring_has_no_room(self):
        program = compile_c([SOURCES / "many_threads.c"], self.dir / "many_threads", "-pthread", "-DTHREADS=4")
        done = self.record(program, 3, 0, options=["--ring", "1M"])
        self.assertIn("could not have a journal of their own", done.stderr)
        self.assertIn("--ring", done.stderr)
        self.assertNotIn("MPI_THREAD_MULTIPLE", done.stderr)  # which the program has asked for

    def lives(self, what, ranks=1):
        program = compile_c([SOURCES / "thread_lives.c"], self.dir / "thread_lives", "-pthread")
        shared = self.dir / "shm"
        shared.mkdir()
        self.record(program, what, ranks=ranks, env={"MORA_SHM": str(shared)})
        self.assertEqual(list(shared.iterdir()), [], "live chunks")
        return [(name, calls["MPI_Barrier"]) for _, name, _, calls in locations(self.dir / "exp")]

    def lost(self):
        return [r for r in manifest(self.dir / "exp")["data_quality"] if r["severity"] != "info"]

    def test_thousands_of_brief_threads_share_a_place(self):
        found = dict(self.lives("brief"))
        self.assertEqual(found.pop("Master thread"), 0)
        self.assertEqual(sum(found.values()), 3000 + 8 * 2)
        self.assertGreaterEqual(found["Thread 1"], 3000)
        self.assertEqual(len(found), 8, "as many as there were at one time")
        self.assertEqual(self.lost(), [])

    def test_a_cancelled_thread_leaves_its_place(self):
        self.assertEqual(self.lives("cancelled"), [("Master thread", 0), ("Thread 1", 6)])
        self.assertEqual(self.lost(), [])

    def test_a_thread_that_outlives_finalize(self):
        self.assertEqual(self.lives("staying"), [("Master thread", 0), ("Thread 1", 5)])
        self.assertEqual(quality_kinds(self.dir / "exp")["journal-no-end"], 0)
        self.assertEqual(self.lost(), [])

    def test_a_thread_that_forks(self):
        self.assertEqual(self.lives("forking"), [("Master thread", 0), ("Thread 1", 4)])
        self.assertEqual(quality_kinds(self.dir / "exp")["forked"], 1)

    def test_a_thread_that_ends_the_process(self):
        self.assertEqual(self.lives("ending"), [("Master thread", 0), ("Thread 1", 2)])

    def test_switching_is_of_all_threads(self):
        self.assertEqual(self.lives("switching"), [("Master thread", 2), ("Thread 1", 2)])


if __name__ == "__main__":
    unittest.main()
