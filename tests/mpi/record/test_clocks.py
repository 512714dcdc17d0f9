"""Processes on different clocks: MORA_TEST_CLOCK_… makes ranks pretend; the truth is then known."""
import json
import re
import subprocess
import unittest

from run_mora import LAUNCHER, SOURCES, Archive, Case, compile_c, mora

LATE_SENDER = SOURCES.parents[2] / "examples" / "late_sender.c"
SECOND = 1_000_000_000


class Clocks(Case):
    def record(self, name, offsets="", rates="", *options):
        """Leaves and analyses experiment `name`; returns {rank: [(stamp, offset, deviation)]}, all in ns."""
        program = compile_c([LATE_SENDER], self.dir / "late_sender", "-fno-optimize-sibling-calls")
        pretended = {"MORA_TEST_CLOCK_OFFSET_NS": offsets} if offsets else {}
        if rates:
            pretended["MORA_TEST_CLOCK_RATE_PPB"] = rates
        done = mora("record", *options, "-o", name, LAUNCHER, "-n", "4", program, cwd=self.dir, env=pretended)
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = subprocess.run(["otf2-print", "-C", str(self.dir / name / "traces.otf2")], capture_output=True, text=True, timeout=60).stdout
        found = {}
        for line in printed.splitlines():
            m = re.match(r"CLOCK_OFFSET +(\d+) +Time: (\d+), Offset: ([+-]\d+), StdDev: (\S+)", line)
            if m:
                found.setdefault(int(m[1]), []).append((int(m[2]), int(m[3]), float(m[4])))
        self.assertEqual({rank: len(readings) for rank, readings in found.items()}, {0: 2, 1: 2, 2: 2, 3: 2}, printed)
        done = mora("analyze", name, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return found

    def assert_true_within_deviation(self, readings, lead, rate_ppb=0):
        """A clock that is ahead by `lead` at the start, and by a rate. An offset is off by half its round trip at most."""
        for stamp, offset, deviation in readings:
            # Recording starts less than 60 s before any reading.
            drift = sorted((0, -rate_ppb * 60))
            self.assertLessEqual(offset, -lead + drift[1] + deviation + 1)
            self.assertGreaterEqual(offset, -lead + drift[0] - deviation - 1)
        (first, offset_1, deviation_1), (last, offset_2, deviation_2) = readings
        self.assertGreater(last - first, 0.3 * SECOND)
        expected = -(last - first) * rate_ppb / (SECOND + rate_ppb)
        self.assertLessEqual(abs(offset_2 - offset_1 - expected), deviation_1 + deviation_2 + 2)

    def assert_late_sender_is_found(self, name, readings, fastest_ppb=0):
        """Amounts against what libotf2, which corrects the clocks by itself, makes of the stamps. Bounds are the errors that
        the archive states of its offsets: they grow with the machine's load."""
        report = json.loads((self.dir / name / "findings.json").read_text())
        late = [f for f in report["findings"] if f["metric"] == "late-sender"]
        self.assertEqual(len(late), 1, report["findings"])
        facts = json.loads((self.dir / name / "manifest.json").read_text())
        wall = facts["launcher_wall_s"]
        deviation = max(d for pair in readings.values() for _, _, d in pair) / SECOND
        drift = wall * fastest_ppb / SECOND
        archive = Archive(self.dir / name)

        def entered(rank, function):
            return next(enter.time for name, _, _, enter, _ in archive.calls(rank) if name == function)

        for rank, seconds in enumerate(late[0]["by_rank"]):
            if rank % 2 == 1:
                self.assertEqual(seconds, 0)
                continue
            other = max(0, entered(rank + 1, "MPI_Send") - entered(rank, "MPI_Recv")) / SECOND
            self.assertLessEqual(abs(seconds - other), 4 * deviation + 2 * drift + 1e-6, rank)
        if deviation < 25e-6:  # half a good round trip
            violations = sum(q["count"] for q in report["data_quality"] if q["kind"] == "clock-violation")
            self.assertLessEqual(violations, 4, report["data_quality"])
        self.assertLess(facts["totals"]["wall_s"], wall + drift)  # not stretched by the offsets
        self.assertLess(abs(facts["totals"]["wall_s"] - report["run"]["wall_s"]), 0.01 + 4 * deviation + 2 * drift)

    def test_one_host_is_one_clock(self):
        for name, options in {"tsc": [], "monotonic": ["--clock", "monotonic"]}.items():
            readings = self.record(name, "", "", *options)
            self.assertEqual({(offset, deviation) for pair in readings.values() for _, offset, deviation in pair}, {(0, 0)})
            self.assert_late_sender_is_found(name, readings)

    def test_one_rank_ahead(self):
        readings = self.record("exp", f"1:{5 * SECOND}")
        for rank in (0, 2, 3):
            self.assertEqual([r[1:] for r in readings[rank]], [(0, 0), (0, 0)])
        self.assert_true_within_deviation(readings[1], 5 * SECOND)
        self.assert_late_sender_is_found("exp", readings)

    def test_offsets_and_drift(self):
        readings = self.record("exp", f"1:{5 * SECOND},3:{-7 * SECOND}", "1:5000,2:-1000000")
        self.assert_true_within_deviation(readings[1], 5 * SECOND, 5000)
        self.assert_true_within_deviation(readings[2], 0, -1_000_000)
        self.assert_true_within_deviation(readings[3], -7 * SECOND)
        self.assert_late_sender_is_found("exp", readings, 1_000_000)

    def test_rank_zero_is_the_reference_and_a_shared_clock_is_measured_once(self):
        readings = self.record("exp", f"0:{3 * SECOND}")
        self.assertEqual([r[1:] for r in readings[0]], [(0, 0), (0, 0)])
        self.assert_true_within_deviation(readings[1], -3 * SECOND)
        self.assertEqual(readings[2], readings[1])
        self.assertEqual(readings[3], readings[1])
        self.assert_late_sender_is_found("exp", readings)


if __name__ == "__main__":
    unittest.main(verbosity=2)
