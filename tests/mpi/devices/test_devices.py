"""Waiting for an accelerator, with libraries of our own in the place of libcudart and libamdhip64: no machine that runs these tests has them."""
import csv
import re
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("record", "idle")]

from run_mora import LAUNCHER, Archive, Case, compile_c, manifest, mora, up_to_three_times  # noqa: E402
from stretch import stretch_of_delays  # noqa: E402


def line_of(what):
    return next(n for n, line in enumerate((HERE / "offload.c").read_text().splitlines(), 1) if f"site:{what} " in line)


class Devices(Case):
    def sums(self, metric):
        text = mora("cube", "stat", "--metric", metric, "-p", "--csv", "exp/analysis.cubex", cwd=self.dir).stdout
        sums = Counter()
        for _, _, location, value in list(csv.reader(text.splitlines()))[1:]:
            sums[int(location.split()[1])] += float(value)
        return sums

    def waits_are_regions(self, prefix, library):
        subprocess.run(["cc", "-shared", "-fPIC", f"-DPREFIX={prefix}", "-o", str(self.dir / library), str(HERE / "fake_runtime.c")], check=True, timeout=60)
        program = compile_c([HERE / "offload.c"], self.dir / "offload", "-O1", f"-DPREFIX={prefix}", str(self.dir / library), f"-Wl,-rpath,{self.dir}")
        done = mora("record", "-o", "exp", LAUNCHER, "-n", 2, program, 20 * stretch_of_delays(), cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row for row in manifest(self.dir / "exp")["data_quality"] if row["severity"] != "info"], [])
        report = mora("analyze", "exp", cwd=self.dir)
        self.assertEqual(report.returncode, 0, report.stderr)
        told = re.findall(r"^device rank=(\d) wait=(\S+) transfer=(\S+)$", done.stdout, re.M)
        self.assertEqual(len(told), 2)
        for rank, wait, transfer in told:
            for metric, measured in (("device-wait", float(wait)), ("device-transfer", float(transfer))):
                found = self.sums(metric)[int(rank)]
                self.assertLess(abs(found - measured), 0.05 * measured + 0.002, f"rank {rank}, {metric}: {found}, measured {measured}")
        for events in Archive(self.dir / "exp").events.values():
            calls = Counter(e.region.name for e in events if type(e).__name__ == "Enter")
            self.assertEqual(calls[f"{prefix}DeviceSynchronize@offload.c:{line_of('DeviceSynchronize')}"], 5, calls)
            self.assertEqual(calls[f"{prefix}Memcpy@offload.c:{line_of('Memcpy')}"], 5)
            self.assertEqual(sum(n for name, n in calls.items() if "Synchronize@" in name), 11)

    def test_a_runtime_that_is_linked_statically_is_said_not_to_be_seen(self):
        for prefix, name in (("cuda", "CUDA"), ("hip", "HIP")):
            program = compile_c([HERE / "offload.c", HERE / "fake_runtime.c"], self.dir / prefix, f"-DPREFIX={prefix}")
            done = mora("record", "-o", f"exp-{prefix}", LAUNCHER, "-n", 1, program, 1, cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(" ".join(done.stderr.split()).count(f"has the runtime library of {name} linked into it"), 1, done.stderr)

    @up_to_three_times
    def test_cuda(self):
        self.waits_are_regions("cuda", "libcudart.so.12")

    @up_to_three_times
    def test_hip(self):
        self.waits_are_regions("hip", "libamdhip64.so.6")


if __name__ == "__main__":
    unittest.main()
