#!/usr/bin/python3
"""`mora view` opens a .cubex file of many ranks with little more memory than its cells and ranks take. No browser is needed.

    memory_test.py MORA SAMPLE_EXPERIMENT VIEWER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from viewer_test import SAMPLE, Server, skip_without_viewer

RANKS = 100_000
MOST = 700   # bytes for a rank: 440 on 2026-11-29, and 1,340 while the table of intervals kept a row of amounts for each process


class Memory(unittest.TestCase):
    def opened(self, directory, ranks):
        """Peak in bytes until the address is printed, and the answer about intervals."""
        subprocess.run([SAMPLE, directory, str(ranks)], check=True)
        server = Server(str((directory / "analysis.cubex").rename(directory / "alone.cubex")))
        try:
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())[1]) * 1024
            return peak, json.loads(server.ask(server.root + "intervals")[1])["intervals"]
        finally:
            server.stop()

    def test_opening_many_ranks(self):
        with tempfile.TemporaryDirectory() as directory:
            few, _ = self.opened(pathlib.Path(directory) / "few", 4)
            many, intervals = self.opened(pathlib.Path(directory) / "many", RANKS)
        self.assertEqual((intervals[0]["processes"], intervals[0]["by_rank"]), (RANKS, []))
        of_one = (many - few) / RANKS
        print(f"{of_one:.0f} bytes for a rank")
        if few < 100 << 20:   # sanitizers keep what was freed
            self.assertLess(of_one, MOST)


if __name__ == "__main__":
    skip_without_viewer()
    run = unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]], exit=False)
    sys.exit(0 if run.result.wasSuccessful() else 1)
