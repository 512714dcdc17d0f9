"""Memory does not grow with the length of a run: not the recorder's in the job, nor that of mora record behind it. The same at 500 M
events: bench/whole_runs/run BUILD soak."""
import os
import re
import subprocess
import unittest

from run_mora import ENVIRONMENT, LAUNCHER, MORA, SOURCES, Case, compile_c, manifest

# Some 20 and 40 million events, of one rank, which waits for nobody. libotf2 keeps 128 MiB of a location before it writes them: more
# than that was written in both.
STEPS = {"small": 1_100_000, "large": 2_200_000}


class Soak(Case):
    def recorded(self, size):
        """Events; KiB that each rank gained after a tenth of its steps; the most that mora record had, in KiB."""
        job = subprocess.Popen([MORA, "record", "--quiet", "-o", size, LAUNCHER, "-n", "1", self.program, str(STEPS[size])], cwd=self.dir, env=ENVIRONMENT,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = job.stdout.read()
        job.stdout.close()
        _, status, used = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(job.returncode, 0, said)
        facts = manifest(self.dir / size)
        self.assertEqual([row for row in facts["data_quality"] if row["severity"] != "info"], [])
        gained = [int(most) - int(before) for before, most in re.findall(r"after a tenth (\d+) KiB, most (\d+) KiB", said)]
        self.assertEqual(len(gained), 1, said)
        return sum(rank["events"] for rank in facts["ranks"]), gained, used.ru_maxrss

    def test_memory_does_not_grow(self):
        self.program = compile_c([SOURCES / "iterate.c"], self.dir / "iterate", "-O2")
        events, _, most = self.recorded("small")
        many, gained, most_of_many = self.recorded("large")
        self.assertGreater(events, 18_000_000)
        self.assertGreater(many, 1.9 * events)
        for kib in gained:
            self.assertLess(kib, 512)
        self.assertLess(most_of_many - most, 8 << 10)


if __name__ == "__main__":
    unittest.main()
