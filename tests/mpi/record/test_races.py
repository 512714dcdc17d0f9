"""The recorder, built for the thread sanitizer, in programs built for it whose threads call MPI: no race is its own.

The program is started by a script that preloads this recorder in the place of the usual one, or the launcher would be
run with a sanitizer that it was not built for."""
import os
import unittest
from pathlib import Path

from run_mora import LAUNCHER, SOURCES, Case, compile_c, mora  # noqa: E402

RECORDER = Path(os.environ["MORA_RACES_LIBRARY"])
WORDS = (f"suppressions={Path(__file__).resolve().parent / 'sanitizer.supp'} exitcode=0 detect_deadlocks=0 report_mutex_bugs=0 "
         "report_signal_unsafe=0 history_size=5")


class Races(Case):
    def races(self, source, *arguments, flags=(), options=()):
        """Reports of data races, of a recording in which nothing was lost."""
        program = compile_c([SOURCES / source], self.dir / "program", "-O1", "-pthread", "-fsanitize=thread", *flags)
        start = self.dir / "start.sh"
        start.write_text(f'#!/bin/sh\nexec env LD_PRELOAD={RECORDER} "$@"\n')
        start.chmod(0o755)
        env = {"TSAN_OPTIONS": f"{WORDS} log_path={self.dir}/found"}
        done = mora("record", *options, "-o", "exp", LAUNCHER, "-x", "TSAN_OPTIONS", "-n", 2, start, program, *arguments, cwd=self.dir, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing recorded was lost", done.stderr)
        reports = [report for path in self.dir.glob("found.*") for report in path.read_text(errors="replace").split("=" * 18)]
        return [report for report in reports if "WARNING: ThreadSanitizer" in report]

    def assert_clean(self, reports):
        self.assertEqual(reports, [], f"{len(reports)} reports, the first: {''.join(reports[:1])}")

    def test_a_race_of_the_program_is_found(self):
        reports = self.races("race.c")
        self.assertTrue(reports, "the sanitizer sees nothing")
        for report in reports:
            self.assertRegex(report, r"data race .*race\.c:\d+ in write_it")

    def test_messages_collectives_and_windows_of_four_threads(self):
        self.assert_clean(self.races("many_threads.c", 20, 5, flags=["-DTHREADS=4"]))

    def test_counters(self):
        self.assert_clean(self.races("many_threads.c", 20, 5, flags=["-DTHREADS=4"], options=["--counters", "page-faults,context-switches"]))

    def test_profile(self):
        self.assert_clean(self.races("many_threads.c", 20, 5, flags=["-DTHREADS=4"], options=["--stats"]))

    def test_ring(self):
        self.assert_clean(self.races("many_threads.c", 20, 5, flags=["-DTHREADS=4"], options=["--ring", "16M"]))

    def test_threads_that_begin_and_end(self):
        self.assert_clean(self.races("thread_lives.c", "brief"))

    def test_a_thread_that_is_cancelled(self):
        self.assert_clean(self.races("thread_lives.c", "cancelled"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
