"""Whether ranks had a core: programs that sleep, write and share a processor, against the clocks that they read themselves."""
import json
import math
import pathlib
import re
import unittest

from run_mora import LAUNCHER, Case, compile_c, mora

SOURCE = pathlib.Path(__file__).with_name("cores.c")
OPTIONS = ["--bind-to", "none"]
STRETCHES = 250


class Cores(Case):
    def not_running(self, what):
        """Per rank: what the program measured (s) and how unequal its stretches were; Mora's metrics."""
        program = compile_c([SOURCE], self.dir / "cores", "-O1", "-lm")
        done = mora("record", "--quiet", "-o", "exp", LAUNCHER, *OPTIONS, "-n", "2", program, what, str(STRETCHES), cwd=self.dir, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = {int(rank): (float(time), float(unequal))
                for rank, time, unequal in re.findall(r"rank (\d) wall \S+ not_running (\S+) unequal (\S+)", done.stdout)}
        self.assertEqual(mora("analyze", "--quiet", "exp", cwd=self.dir).returncode, 0)
        metrics = {metric["id"]: metric for metric in json.loads(mora("report", "--json", "exp", cwd=self.dir).stdout)["metrics"]}
        return said, metrics

    def check(self, what):
        # Some stretches are read, at random: the error of an estimate by ratio (Cochran, Sampling Techniques, chapter 6), which
        # is that of unequal stretches only. Few of them are long where a machine is loaded.
        said, metrics = self.not_running(what)
        for rank in (0, 1):
            not_running, unequal = said[rank]
            read = metrics["core-readings"]["by_rank"][rank] / STRETCHES
            self.assertGreater(read, 0.1, msg=what)
            error = unequal * math.sqrt(max(0, 1 - read) / read)
            self.assertAlmostEqual(metrics["not-running"]["by_rank"][rank], not_running, delta=0.05 * not_running + 4 * error, msg=what)
        return metrics

    def test_sleep_is_not_running(self):
        self.check("sleep")

    def test_writing_is_not_running(self):
        self.check("write")

    def test_two_that_share_a_processor_have_no_core_half_of_the_time(self):
        metrics = self.check("share")
        without = sum(metrics["computation-without-core"]["by_rank"])
        self.assertGreater(without, 0.9 * sum(metrics["not-running"]["by_rank"]))


if __name__ == "__main__":
    unittest.main()
