#!/usr/bin/python3
"""`mora view` opens results of many ranks with little more memory than their cells, findings and ranks take, and gives back what the index of a trace was made of. No browser is needed.

    memory_test.py MORA SAMPLE_EXPERIMENT VIEWER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from viewer_test import SAMPLE, Server, mora, skip_without_viewer

RANKS = 100_000
MOST = 560   # bytes for a rank: 440 on 2026-11-29; 1,340 of a .cubex file while the table of intervals kept a row of amounts for each process, 640 of an experiment while findings.json was read as one tree
KEPT = 36   # MiB when the timeline of 2 million events is ready: 19 to 27 on 2026-11-29, and 42 to 70 while it was not given back


def status(server, key):
    """A line of the server's /proc/PID/status, in bytes."""
    return int(re.search(key + r":\s+(\d+) kB", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())[1]) * 1024


def ring(ranks, iterations):
    lines = ["mora-trace 1", "unit us", "program ring", f"ranks {ranks}"]
    for rank in range(ranks):
        calls = [f"{t + 10}-{t + 13} MPI_Send to {(rank + 1) % ranks} bytes 8; {t + 14}-{t + 40} MPI_Recv from {(rank - 1) % ranks} bytes 8; {t + 50}-{t + 60} MPI_Barrier"
                 for t in range(0, 100 * iterations, 100)]
        lines.append(f"P{rank} 0 ENTER main; {'; '.join(calls)}; {100 * iterations} EXIT")
    return "\n".join(lines) + "\n"


class Memory(unittest.TestCase):
    def opened(self, directory, ranks, is_alone):
        """Peak in bytes until the address is printed, and the answer about intervals."""
        subprocess.run([SAMPLE, directory, str(ranks)], check=True)
        server = Server(str((directory / "analysis.cubex").rename(directory / "alone.cubex") if is_alone else directory))
        try:
            return status(server, "VmHWM"), json.loads(server.ask(server.root + "intervals")[1])["intervals"]
        finally:
            server.stop()

    def check_opening(self, is_alone):
        with tempfile.TemporaryDirectory() as directory:
            few, _ = self.opened(pathlib.Path(directory) / "few", 4, is_alone)
            many, intervals = self.opened(pathlib.Path(directory) / "many", RANKS, is_alone)
        self.assertEqual((intervals[0]["processes"], intervals[0]["by_rank"]), (RANKS, []))
        of_one = (many - few) / RANKS
        print(f"{of_one:.0f} bytes for a rank")
        self.assertLess(of_one, MOST)

    def test_opening_a_cubex_file_of_many_ranks(self):
        self.check_opening(True)

    def test_opening_an_experiment_of_many_ranks(self):
        self.check_opening(False)

    def test_what_an_index_was_made_of_is_given_back(self):
        with tempfile.TemporaryDirectory() as directory:
            text, archive = pathlib.Path(directory) / "ring.trace", f"{directory}/ring"
            text.write_text(ring(64, 4000))
            mora("convert", "--to", "otf2", "-o", archive, str(text))
            server = Server(archive)
            try:
                until = time.monotonic() + 120
                while (info := json.loads(server.ask(server.root + "timeline/info")[1]))["state"] != "ready":
                    self.assertNotEqual(info["state"], "none", info)
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.1)
                kept = status(server, "RssAnon") / 2**20
                print(f"{kept:.0f} MiB kept of {info.get('events', 'all')} events")
                self.assertLess(kept, KEPT)
            finally:
                server.stop()


if __name__ == "__main__":
    skip_without_viewer()
    run = unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]], exit=False)
    sys.exit(0 if run.result.wasSuccessful() else 1)
