"""Whether ranks had a core: programs that sleep, write and share a processor, against the clocks that they read themselves."""
import json
import math
import os
import pathlib
import re
import subprocess
import unittest

from run_mora import ENVIRONMENT, LAUNCHER, MORA, Case, compile_c, mora

SOURCE = pathlib.Path(__file__).with_name("cores.c")
OPTIONS = ["--bind-to", "none"]
STRETCHES = 250


class Limit:
    """A control group that may use a fifth of a processor, for this test alone; `words` begin a command in it. Where none can be
    made, one processor is all that the command may use."""

    PERIOD_US, QUOTA_US = 10000, 2000  # less than a loaded machine leaves to it

    def __init__(self):
        self.group = None
        for top, files in ((pathlib.Path("/sys/fs/cgroup/cpu"), {"cpu.cfs_period_us": self.PERIOD_US, "cpu.cfs_quota_us": self.QUOTA_US}),
                           (pathlib.Path("/sys/fs/cgroup"), {"cpu.max": f"{self.QUOTA_US} {self.PERIOD_US}"})):
            group = top / f"mora-test-{os.getpid()}"
            try:
                group.mkdir()
                for name, value in files.items():
                    (group / name).write_text(str(value))
                self.group = group
                return
            except OSError:
                if group.is_dir():
                    group.rmdir()

    @property
    def words(self):
        if self.group is None:
            return ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
        return ["sh", "-c", f'echo $$ > {self.group}/cgroup.procs && exec "$@"', "sh"]

    def end(self):
        if self.group is not None:
            self.group.rmdir()


class Cores(Case):
    def measured(self, what, ranks=2, around=()):
        """Per rank: what the program measured (s), how unequal its stretches were, how long it was queued; Mora's report."""
        program = compile_c([SOURCE], self.dir / "cores", "-O1", "-lm")
        done = subprocess.run([*around, MORA, "record", "--quiet", "-o", "exp", LAUNCHER, *OPTIONS, "-n", str(ranks), program, what, str(STRETCHES)],
                              cwd=self.dir, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = {int(rank): tuple(map(float, numbers))
                for rank, *numbers in re.findall(r"rank (\d) wall \S+ not_running (\S+) unequal (\S+) queued (\S+)", done.stdout)}
        self.assertEqual(sorted(said), list(range(ranks)), done.stdout)
        self.assertEqual(mora("analyze", "--quiet", "exp", cwd=self.dir).returncode, 0)
        return said, json.loads(mora("report", "--json", "exp", cwd=self.dir).stdout)

    def words(self):
        return " ".join(mora("report", "exp", cwd=self.dir).stdout.split())

    def check(self, what, **more):
        # Some stretches are read, at random: the error of an estimate by ratio (Cochran, Sampling Techniques, chapter 6), which
        # is that of unequal stretches only. Few of them are long where a machine is loaded.
        said, report = self.measured(what, **more)
        metrics = {metric["id"]: metric for metric in report["metrics"]}
        for rank, (not_running, unequal, queued) in said.items():
            read = metrics["core-readings"]["by_rank"][rank] / STRETCHES
            self.assertGreater(read, 0.1, msg=what)
            error = unequal * math.sqrt(max(0, 1 - read) / read)
            self.assertAlmostEqual(metrics["not-running"]["by_rank"][rank], not_running, delta=0.05 * not_running + 4 * error, msg=what)
            self.assertAlmostEqual(metrics["computation-without-core"]["by_rank"][rank], queued, delta=0.05 * not_running + 4 * error, msg=what)
        return metrics

    def test_sleep_is_not_running(self):
        self.check("sleep")

    def test_writing_is_not_running(self):
        self.check("write")

    def test_two_that_share_a_processor_have_no_core_half_of_the_time(self):
        metrics = self.check("share")
        without = sum(metrics["computation-without-core"]["by_rank"])
        self.assertGreater(without, 0.9 * sum(metrics["not-running"]["by_rank"]))

    def test_more_processes_than_processors(self):
        # The kernel's own account of each process, by time(1), holds its start and end, too.
        processors = len(os.sched_getaffinity(0))
        ranks = processors + 2
        said, report = self.measured("compute", ranks=ranks)
        self.assertIn(f"{ranks} processes share {processors} processor", self.words())
        queued = sum(waited for _, _, waited in said.values())
        in_all = next(metric["inclusive"] for metric in report["metrics"] if metric["id"] == "run-queue-wait")
        self.assertGreater(in_all, 0.95 * queued)

    def test_a_limit_of_the_control_group(self):
        limit = Limit()
        try:
            self.check("compute", around=limit.words)
        finally:
            limit.end()
        text = self.words()
        if limit.group is None:
            self.assertIn("2 processes share processor", text)
        else:
            self.assertRegex(text, r"2 processes of \S+ may use 0.2 of \d+ processors at a time, a limit of their control group, which stopped it for [\d.]+ s")

    def test_binding_that_differs_is_told(self):
        processors = len(os.sched_getaffinity(0))
        self.measured("uneven")
        text = f"are bound to different numbers of processors: rank 1 to {processors}, rank 0 to 1."
        self.assertEqual(text in self.words(), processors > 1)


if __name__ == "__main__":
    unittest.main()
