"""Waits of POSIX threads: what the program measures by its own clock; nothing is recorded of what does not wait."""
import csv
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("record", "idle")]

from run_mora import LAUNCHER, Archive, Case, compile_c, manifest, mora, up_to_three_times  # noqa: E402
from stretch import stretch_of_delays  # noqa: E402

ROUNDS, THREADS = 6, 3
SHARED = {"readers": ("pthread-mutex-contention", "pthread_rwlock_rdlock"), "writer": ("pthread-mutex-contention", "pthread_rwlock_wrlock"),
          "semaphore": ("pthread-condition-contention", "sem_wait"), "barrier": ("pthread-wait-at-barrier", "pthread_barrier_wait"),
          "spin": ("pthread-mutex-contention", "pthread_spin_lock")}


def line_of(what, source="waits.c"):
    return next(n for n, line in enumerate((HERE / source).read_text().splitlines(), 1) if f"site:{what} " in line)


class Pthreads(Case):
    def record(self, source, *arguments, ranks=1, options=()):
        program = compile_c([HERE / f"{source}.c"], self.dir / source, "-O1", "-pthread")
        done = mora("record", *options, "-o", "exp", LAUNCHER, "-n", ranks, program, *arguments, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def analyze(self):
        done = mora("analyze", "exp", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def sums(self, metric, region=""):
        """{rank: sum over its threads}"""
        text = mora("cube", "stat", "--metric", metric, "-p", "--csv", "exp/analysis.cubex", cwd=self.dir).stdout
        sums = Counter()
        for _, name, location, value in list(csv.reader(text.splitlines()))[1:]:
            sums[int(location.split()[1])] += float(value) * name.startswith(region)
        return sums

    def regions(self):
        """[calls by function, over all threads], and kinds of events"""
        regions, kinds = Counter(), Counter()
        for events in Archive(self.dir / "exp").events.values():
            for e in events:
                kinds[type(e).__name__] += 1
                if type(e).__name__ == "Enter":
                    regions[e.region.name.split("@")[0]] += 1
        self.assertEqual(kinds["Enter"], kinds["Leave"])
        return regions, kinds

    @up_to_three_times
    def test_waits_are_what_the_program_measured(self):
        done = self.record("waits", ROUNDS, 20 * stretch_of_delays(), ranks=2)
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])
        self.analyze()
        told = re.findall(r"^waits rank=(\d) (.*)$", done.stdout, re.M)
        self.assertEqual(len(told), 2)
        for rank, line in told:
            rank, measured = int(rank), {name: float(value) for name, value in (pair.split("=") for pair in line.split())}
            for metric, region, name in (("pthread-mutex-contention", "pthread_mutex_lock", "mutex"), ("pthread-condition-contention", "pthread_cond_wait", "condition"),
                                         ("pthread-management", "pthread_join", "join")):
                found = self.sums(metric, region)[rank]
                self.assertLess(abs(found - measured[name]), 0.05 * measured[name] + 0.003, f"rank {rank}, {metric}: {found}, measured {measured[name]}")
        regions, kinds = self.regions()
        self.assertEqual(regions["pthread_create"], 2 * (THREADS + 2))
        self.assertLess(regions["pthread_mutex_lock"], 2 * (THREADS + 2) * (ROUNDS + 2))  # of 300000
        self.assertGreaterEqual(kinds["ThreadReleaseLock"], 2 * ROUNDS * (THREADS - 1))
        names = {e.region.name for events in Archive(self.dir / "exp").events.values() for e in events if type(e).__name__ == "Enter"}
        for name in ("pthread_mutex_lock", "pthread_cond_wait", "pthread_cond_signal", "pthread_create", "pthread_join"):
            self.assertIn(f"{name}@waits.c:{line_of(name)}", names)

    def wrong_shared_waits(self, *how):
        done = self.record("shared", ROUNDS, 20 * stretch_of_delays(), *how, ranks=2)
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])
        self.analyze()
        told = re.findall(r"^shared rank=(\d) (.*)$", done.stdout, re.M)
        self.assertEqual(len(told), 2)
        wrong = []
        for rank, line in told:
            rank, measured = int(rank), {name: float(value) for name, value in (pair.split("=") for pair in line.split())}
            for name, (metric, region) in SHARED.items():
                found = self.sums(metric, region)[rank]
                if abs(found - measured[name]) > 0.05 * measured[name] + 0.003:
                    wrong.append(f"rank {rank}, {region}: {found}, measured {measured[name]}")
        return wrong

    @up_to_three_times
    def test_waits_for_what_is_shared(self):
        self.assertEqual(self.wrong_shared_waits(), [])
        regions, _ = self.regions()
        for region in (region for _, region in SHARED.values()):  # of 100000 that were free
            self.assertLess(0, regions[region])
            self.assertLess(regions[region], 2 * 3 * (ROUNDS + 2))
        names = {e.region.name for events in Archive(self.dir / "exp").events.values() for e in events if type(e).__name__ == "Enter"}
        for name in ("pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "sem_wait", "sem_post", "pthread_barrier_wait", "pthread_spin_lock"):
            self.assertIn(f"{name}@shared.c:{line_of(name, 'shared.c')}", names)

    def test_not_if_not_wanted(self):
        self.record("waits", ROUNDS, 5, options=["--pthreads", "off"])
        self.assertEqual([name for name in self.regions()[0] if name.startswith("pthread")], [])

    def test_thousands_of_threads(self):
        self.record("lives", "thousands")
        self.assertEqual(self.regions()[0]["pthread_create"], 2000)
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])
        self.analyze()

    def test_cancelled_in_a_wait(self):
        self.record("lives", "cancelled")
        self.assertEqual(self.regions()[0]["pthread_create"], 20)
        self.analyze()

    def test_cancelled_at_a_semaphore(self):
        self.record("lives", "cancelled-at-semaphore")
        regions, _ = self.regions()
        self.assertEqual((regions["pthread_create"], regions["sem_post"], regions["sem_wait"]), (20, 0, 0))
        self.analyze()

    def test_outlives_mpi(self):
        self.record("lives", "outlives")
        self.assertEqual(self.regions()[0]["MPI_Finalize"], 1)
        self.analyze()

    def test_mpi_lets_one_thread_call_it(self):
        """What the first thread waits for, and for whom: the others are recorded, too."""
        self.record("lives", "funneled")
        regions, _ = self.regions()
        self.assertEqual((regions["pthread_mutex_lock"], regions["pthread_mutex_unlock"], regions["pthread_create"]), (1, 2, 1))
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])
        self.analyze()
        self.assertGreater(self.sums("pthread-mutex-contention")[0], 0.02)

    @up_to_three_times
    def test_waits_for_what_is_shared_where_mpi_lets_one_thread_call_it(self):
        self.assertEqual(self.wrong_shared_waits("funneled"), [])

    def test_mutexes_keep_their_meaning(self):
        self.record("lives", "kinds")


if __name__ == "__main__":
    unittest.main()
