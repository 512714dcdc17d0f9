"""Programs of OpenSHMEM are recorded as they are: who waits for whom is what the programs measure by their own clocks, and every byte that
they move is in the trace once. Open MPI's library only; its osc component `rdma` crashes in shmem_finalize, with or without Mora."""
import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("record", "idle")]

from run_mora import Archive, Case, checked_json, manifest, mora, quality_kinds, up_to_three_times  # noqa: E402
from stretch import stretch_of_delays  # noqa: E402

os.environ["OMPI_MCA_osc"] = "^rdma"
ENVIRONMENT = {"OMPI_MCA_osc": "^rdma"}
LIBRARY = next(path for path in (Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64")) if (path / "liboshmem.so.40").exists()) / "liboshmem.so.40"
DELAY = 60


def line_of(what, source="meetings.c"):
    return next(n for n, line in enumerate((HERE / source).read_text().splitlines(), 1) if f"site:{what} " in line)


class Shmem(Case):
    def build(self, source):
        program = self.dir / source
        subprocess.run(["oshcc", "-g", "-O1", "-o", str(program), str(HERE / f"{source}.c"), "-lmpi", "-lpthread"], check=True, capture_output=True, timeout=120)
        return program

    def record(self, source, *arguments, pes=4, options=(), returncode=0, launcher="oshrun"):
        done = mora("record", *options, "-o", "exp", launcher, "-n", pes, self.build(source), *arguments, cwd=self.dir, env=ENVIRONMENT)
        self.assertEqual(done.returncode, returncode, done.stdout + done.stderr)
        return done

    def analyze(self):
        done = mora("analyze", "exp", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def table(self, metric):
        """[(region, rank, value)]"""
        text = mora("cube", "stat", "--metric", metric, "-p", "--csv", "exp/analysis.cubex", cwd=self.dir).stdout
        return [(region, int(location.split()[1]), float(value)) for _, region, location, value in list(csv.reader(text.splitlines()))[1:]]

    def sums(self, metric, region=""):
        sums = Counter()
        for name, rank, value in self.table(metric):
            sums[rank] += value * name.startswith(region)
        return sums

    def test_a_ring_keeps_the_newest_part_also_of_a_crash(self):
        rounds, pes = 40, 3
        for how, words in (("", ""), ("abort", "Aborted"), ("segv", "Segmentation fault")):
            shutil.rmtree(self.dir / "exp", ignore_errors=True)
            program = self.build("rounds")
            mora("record", "--ring", "1M", "-o", "exp", "oshrun", "-n", pes, program, rounds, *[how][:bool(how)], cwd=self.dir, env=ENVIRONMENT)
            facts, archive = manifest(self.dir / "exp"), Archive(self.dir / "exp")
            row, = (r for r in facts["data_quality"] if r["kind"] == "ring-begin")
            names = [[name.split("@")[0] for name, *_ in archive.calls(pe)] for pe in range(pes)]
            told = names[1].count("shmem_long_p")
            self.assertGreater(told, 1000)
            self.assertLess(told, 200 * rounds)
            inner = [name for name in names[1] if name in ("shmem_long_p", "shmem_long_atomic_add", "shmem_barrier_all")]
            whole = (["shmem_long_p"] * 200 + ["shmem_long_atomic_add", "shmem_barrier_all"]) * rounds + ["shmem_barrier_all"] * (not how)
            self.assertEqual(inner, whole[-len(inner):], how)
            self.assertEqual(quality_kinds(self.dir / "exp")["process-killed"] > 0, bool(how))
            if how:
                self.assertTrue(any(words in said for said in facts["ending"]), facts["ending"])
            else:
                self.assertEqual(row["count"] + sum(map(len, names)), pes * (rounds * 202 + 3), "init, last barrier, finalize")
            self.assertEqual(mora("analyze", "exp", cwd=self.dir).returncode, 0)

    def calls_of(self, text):
        calls = {}
        for pe, what, enter, leave in re.findall(r"^call pe=(\d) what=(\w+) enter=(\S+) leave=(\S+)$", text, re.M):
            calls.setdefault(what, []).append((int(pe), float(enter), float(leave)))
        return calls

    def waits(self, calls, members, root=None):
        """{pe: time before the last of the members, or the root, had come}, of each of which one call is given"""
        self.assertEqual(sorted(pe for pe, _, _ in calls), members)
        until = max(enter for pe, enter, _ in calls if root in (None, pe))
        return Counter({pe: max(min(until, leave) - enter, 0) for pe, enter, leave in calls if pe != root})

    def assert_near(self, found, expected, what):
        """Within 5 %, and what a process may lose between its clock's reading and the recorder's."""
        for pe in range(4):
            self.assertLess(abs(found[pe] - expected[pe]), 0.05 * expected[pe] + 0.003, f"{what}, PE {pe}: {found[pe]}, measured {expected[pe]}")

    @up_to_three_times
    def test_waits_are_what_the_program_measured(self):
        done = self.record("meetings", DELAY * stretch_of_delays())
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])
        report = self.analyze()
        calls = self.calls_of(done.stdout)
        everyone = [0, 1, 2, 3]
        expected = {"shmem-wait-at-init": self.waits(calls["init"], everyone), "shmem-wait-at-finalize": self.waits([(pe, enter, 1e9) for pe, enter, _ in calls["finalize"]], everyone)}
        for metric, waits in expected.items():
            self.assert_near(self.sums(metric), waits, metric)
        for region, what, members in (("shmem_barrier_all", "barrier_all", everyone), ("shmem_sync_all", "sync_all", everyone),
                                      ("shmem_barrier@", "barrier", [0, 2]), ("shmem_sync@", "sync", [0, 2])):
            found = self.sums("shmem-wait-at-barrier", region)
            if region == "shmem_barrier_all":  # the others are there to keep the families apart
                found = self.sums("shmem-wait-at-barrier", f"{region}@meetings.c:{line_of(region)}")
            self.assert_near(found, self.waits(calls[what], members), region)
        first, second = calls["broadcast"][:], []
        by_pe = Counter(pe for pe, _, _ in first)
        self.assertEqual(by_pe, {0: 1, 1: 2, 2: 2, 3: 2})
        first = [min((c for c in calls["broadcast"] if c[0] == pe), key=lambda c: c[1]) for pe in everyone]
        second = [c for c in calls["broadcast"] if c not in first]
        self.assert_near(self.sums("shmem-late-broadcast"), self.waits(first, everyone, root=1) + self.waits(second, [1, 2, 3], root=3), "broadcasts")
        for region, what, members in (("shmem_collect", "collect", everyone), ("shmem_fcollect", "fcollect", everyone), ("shmem_alltoall", "alltoall", everyone),
                                      ("shmem_long_sum_to_all", "sum", everyone), ("shmem_double_max", "max", everyone), ("shmem_int_and", "and", [0, 1])):
            self.assert_near(self.sums("shmem-wait-at-nxn", region), self.waits(calls[what], members), region)
        held, measured = Counter(), Counter()
        for pe, enter, leave in calls["lock"]:
            measured[pe] += leave - enter
        held = self.sums("shmem-lock-contention")
        longest = max(measured, key=measured.get)
        self.assertGreater(held[longest], 0.8 * measured[longest], (held, measured))
        for pe in everyone:
            self.assertLess(held[pe], 1.05 * measured[pe] + 0.003)
        waited = Counter({pe: leave - enter for pe, enter, leave in calls["wait_until"]})
        self.assert_near(self.sums("shmem-wait-until"), waited, "wait_until")
        self.assertIn("OpenSHMEM", report)
        there = {region for region, _, _ in self.table("visits")}
        for name in ("shmem_barrier_all", "shmem_long_sum_to_all", "shmem_set_lock", "shmem_long_wait_until"):
            self.assertIn(f"{name}@meetings.c:{line_of(name)}", there)

    def test_every_byte_is_in_the_trace_once(self):
        done = self.record("transfers")
        told, found = Counter(), Counter()
        for pe, target, calls, put, got in re.findall(r"^moved pe=(\d) target=(\d) calls=(\d+) put=(\d+) got=(\d+)$", done.stdout, re.M):
            told[int(pe), int(target), "calls"] += int(calls)
            told[int(pe), int(target), "put"] += int(put)
            told[int(pe), int(target), "got"] += int(got)
        self.assertEqual(len(told), 4 * 4 * 3)
        archive = Archive(self.dir / "exp")
        for rank, events in archive.events.items():
            for e in events:
                kind = type(e).__name__
                if kind not in ("RmaPut", "RmaGet", "RmaAtomic"):
                    continue
                found[rank, e.remote, "calls"] += 1
                found[rank, e.remote, "put"] += e.bytes if kind == "RmaPut" else e.bytes_sent if kind == "RmaAtomic" else 0
                found[rank, e.remote, "got"] += e.bytes if kind == "RmaGet" else e.bytes_received if kind == "RmaAtomic" else 0
        self.assertEqual(found, told)
        for target in range(4):  # nothing is at the targets that was not put there
            self.assertEqual(sum(v for (_, t, what), v in found.items() if (t, what) == (target, "put")),
                             sum(v for (_, t, what), v in told.items() if (t, what) == (target, "put")))
        self.analyze()
        moved = sum(v for (_, _, what), v in told.items() if what != "calls")
        self.assertEqual(sum(v for _, _, v in self.table("rma-bytes")), moved)
        self.assertEqual(sum(v for _, _, v in self.table("rma-transfers")), sum(v for (_, _, what), v in told.items() if what == "calls"))
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])

    def test_sums_have_every_byte_too(self):
        done = self.record("transfers", options=["--stats"])
        told = re.findall(r"^moved pe=(\d) target=\d calls=(\d+) put=(\d+) got=(\d+)$", done.stdout, re.M)
        for rank in range(4):
            self.assertEqual(self.sums("rma-transfers")[rank], sum(int(calls) for pe, calls, _, _ in told if int(pe) == rank))
            self.assertEqual(self.sums("rma-bytes")[rank], sum(int(put) + int(got) for pe, _, put, got in told if int(pe) == rank))

    def test_collectives_receive_what_they_send(self):
        """Each family, of all PEs and of sets that differ; each PE gives another number of elements to shmem_collect."""
        self.record("conserved")
        self.analyze()
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])
        words = {pe: pe + 1 for pe in range(4)}
        of_all, of_even = sum(words.values()), words[0] + words[2]
        received = {"shmem_collect32": {pe: 3 * 4 * of_all for pe in range(4)},
                    "shmem_collect64": {pe: 3 * 8 * of_even * (pe % 2 == 0) for pe in range(4)},
                    "shmem_fcollect32": {pe: 3 * 4 * 5 * 4 for pe in range(4)},
                    "shmem_alltoall64": {pe: 3 * 8 * 2 * 4 for pe in range(4)},
                    "shmem_alltoalls32": {pe: 3 * 4 * 2 * 4 for pe in range(4)},
                    "shmem_broadcast64": {pe: 3 * 8 * 7 * (pe != 1) for pe in range(4)},
                    "shmem_long_sum_to_all": {pe: 3 * 8 * 6 * 4 for pe in range(4)},
                    "shmem_short_xor_to_all": {pe: 3 * 2 * 6 * 2 * (pe % 2 == 0) for pe in range(4)}}
        for region, expected in received.items():
            found = self.sums("bytes-received", region)
            self.assertEqual({pe: found[pe] for pe in range(4)}, expected, region)
            self.assertEqual(sum(self.sums("bytes-sent", region).values()), sum(expected.values()), region)
        self.assertEqual(sum(self.sums("bytes-sent").values()), sum(self.sums("bytes-received").values()))

    def test_what_is_collected_where_a_process_is_missing(self):
        self.record("conserved", options=["--keep-journal"])
        for path in [self.dir / "exp/manifest.json", *(self.dir / "exp/journal").glob("*.1.journal")]:
            path.unlink()
        self.assertEqual(mora("recover", "exp", cwd=self.dir).returncode, 0)
        row, = (row for row in manifest(self.dir / "exp")["data_quality"] if row["kind"] == "unknown-collect-bytes")
        self.assertEqual(row["count"], 3 * 3, "of three processes; those of PEs 0 and 2 alone are known")
        self.analyze()
        self.assertEqual(sum(self.sums("bytes-received", "shmem_collect32").values()), 0)
        self.assertEqual(sum(self.sums("bytes-received", "shmem_collect64").values()), 2 * 3 * 8 * (1 + 3))

    def mixed(self, first):
        done = self.record("mixed", first, DELAY * stretch_of_delays())
        self.analyze()
        calls = self.calls_of(done.stdout)
        self.assert_near(self.sums("shmem-wait-at-barrier"), self.waits(calls["barrier_all"], [0, 1, 2, 3]), "shmem_barrier_all")
        self.assert_near(self.sums("wait-at-barrier"), self.waits(calls["mpi"], [0, 1, 2, 3]), "MPI_Barrier")
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])

    @up_to_three_times
    def test_mpi_before_shmem(self):
        self.mixed("mpi")

    @up_to_three_times
    def test_shmem_before_mpi(self):
        self.mixed("shmem")

    def calls_by_rank(self):
        calls = {}
        for rank, events in Archive(self.dir / "exp").events.items():
            calls[rank] = Counter(e.region.name.split("@")[0] for e in events if type(e).__name__ == "Enter")
        return calls

    def test_an_old_program_has_no_end(self):
        done = self.record("lives", "old", pes=2)
        for calls in self.calls_by_rank().values():  # the library itself calls shmem_barrier_all once more, at exit
            self.assertEqual(calls, Counter(["start_pes", "shmem_barrier_all", "shmem_barrier_all"]))
        self.assertNotIn("rank 0", re.sub("longest in.*", "", done.stderr))

    def test_threads(self):
        self.record("lives", "threads", pes=2)
        for calls in self.calls_by_rank().values():
            self.assertEqual(calls["shmem_long_p"], 30)
        self.assertEqual(self.calls_by_rank()[0]["shmem_init_thread"], 1)

    def test_calls_that_are_not_recorded(self):
        self.record("lives", "profiled", pes=2)
        self.assertEqual(self.calls_by_rank()[0]["shmem_barrier_all"], 1)
        self.assertEqual(self.calls_by_rank()[0]["pshmem_barrier_all"], 0)

    def test_recording_is_switched_off(self):
        self.record("lives", "off", pes=2)
        self.assertEqual(self.calls_by_rank()[0]["shmem_long_p"], 0)
        self.assertEqual(self.calls_by_rank()[1]["shmem_barrier_all"], 1)

    def test_global_exit(self):
        mora("record", "-o", "exp", "oshrun", "-n", 2, self.build("lives"), "exit", cwd=self.dir, env=ENVIRONMENT)
        calls = self.calls_by_rank()
        self.assertEqual(calls[0]["shmem_global_exit"] + calls[1]["shmem_global_exit"] >= 1, True, calls)
        self.analyze()

    def test_killed_in_a_barrier(self):
        done = mora("record", "-o", "exp", "oshrun", "-n", 2, self.build("lives"), "killed", cwd=self.dir, env=ENVIRONMENT)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rf"rank 0 has been in\s+shmem_barrier_all\s+\(lives.c:{line_of('killed', 'lives.c')}\)")
        self.analyze()

    def test_sums_instead_of_a_trace(self):
        self.record("lives", "many", pes=2, options=["--stats"])
        self.assertFalse((self.dir / "exp/traces.otf2").exists())
        visits = Counter()
        for region, rank, value in self.table("visits"):
            visits[region.split("@")[0], rank] += value
        self.assertEqual(visits["shmem_long_p", 0], 100000, visits)

    def test_wrappers_are_there_for_all_functions(self):
        """Of the library: what it has, but for what functions.txt leaves out."""
        exported = {line.split()[-1] for line in subprocess.run(["nm", "-D", str(LIBRARY)], capture_output=True, text=True, check=True).stdout.splitlines()
                    if re.search(" [TW] ", line)}
        ours = Path(os.environ["MORA_BINARY"]).resolve().parents[1] / "lib/libmora_mpi-openmpi.so"
        wrapped = {line.split()[-1] for line in subprocess.run(["nm", "-D", str(ours)], capture_output=True, text=True, check=True).stdout.splitlines()
                   if re.search(" T ", line)}
        wrapped = {name for name in wrapped if re.match("shmemx?_|start_pes$|sh(malloc|memalign|realloc|free)$", name)}
        left_out = {"shmem_my_pe", "shmem_n_pes", "shmem_ptr", "shmem_pe_accessible", "shmem_addr_accessible", "shmem_info_get_version", "shmem_info_get_name",
                    "shmem_query_thread", "shmem_udcflush", "shmem_udcflush_line", "shmem_set_cache_inv", "shmem_set_cache_line_inv", "shmem_clear_cache_inv",
                    "shmem_clear_cache_line_inv", "shmem_lock_init", "shmem_lock_finalize", "shmem_ds_reset"}  # the last three: no functions of OpenSHMEM
        there = {name for name in exported if re.match("shmemx?_[a-z0-9_]*[a-z0-9]$", name) and not name.endswith("_f")} - left_out
        self.assertEqual({"shmem_init_", "shmem_barrier_all_", "SHMEM_INIT"} & exported, set(), "it has functions for Fortran: docs/user/shmem.md says it has none")
        self.assertEqual(there - wrapped, set())
        self.assertEqual(wrapped - exported, set())


if __name__ == "__main__":
    unittest.main()
