"""The traces that the export tests convert, and how they call mora."""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MORA = None


def main(module="__main__"):
    """Takes --mora from the command line, then runs the module's tests."""
    global MORA
    parser = argparse.ArgumentParser()
    parser.add_argument("--mora", default=os.path.join(ROOT, "build/release/bin/mora"))
    options, rest = parser.parse_known_args()
    MORA = os.path.abspath(options.mora)
    sys.modules["traces"].MORA = MORA
    unittest.main(module=module, argv=[sys.argv[0]] + rest)


def run(*arguments, check=True, **more):
    """mora's result; standard output and error as text."""
    done = subprocess.run([sys.modules["traces"].MORA, *arguments], capture_output=True, text=True, timeout=120, check=False, **more)
    if check and done.returncode != 0:
        raise AssertionError(f"mora {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done


def golden_traces(folder):
    """Writes the trace at the head of every golden test into `folder`: yields (name, path) of those that Mora reads."""
    for start in ("trace", "patterns"):
        place = os.path.join(ROOT, "tests/golden", start)
        for name in sorted(os.listdir(place)):
            if not name.endswith(".test"):
                continue
            with open(os.path.join(place, name), encoding="utf-8") as file:
                head = file.read().split("\n--- ")[0]
            if "mora-trace 1" not in head:
                continue
            path = os.path.join(folder, f"{start}-{name[:-5]}.trace")
            with open(path, "w", encoding="utf-8") as file:
                file.write(head + "\n")
            if run("info", path, check=False).returncode == 0:
                yield f"{start}/{name}", path


class TestCase(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="mora-export-")
        self.addCleanup(holder.cleanup)
        self.directory = holder.name

    def file(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def place(self, name):
        return os.path.join(self.directory, name)


FENCE = """mora-trace 1
P0 10 ENTER MPI_Win_fence; 14 MPIWCEXIT w0
P0 20 ENTER MPI_Put; 21 PUT_1TS @1 w0 rma1 sent 80; 24 PUT_1TE_REMOTE @1 w0 rma1 recvd 80; 25 EXIT
P0 30 ENTER MPI_Get; 31 GET_1TS_REMOTE @1 w0 rma2 sent 40; 34 GET_1TE @1 w0 rma2 recvd 40; 35 EXIT
P0 40 ENTER MPI_Win_fence; 52 MPIWCEXIT w0
P1 12 ENTER MPI_Win_fence; 15 MPIWCEXIT w0; 48 ENTER MPI_Win_fence; 53 MPIWCEXIT w0
"""

MESSAGES = """mora-trace 1
program ring
ranks 3
comm PAIR = 2,0
P0 0-1000 main
P1 1-1001 main
P2 2-1002 main
P0 10-20 MPI_Send@ring.c:7 to 1 bytes 80 tag 3; 30-40 MPI_Isend to 2 bytes 16 tag 4 comm PAIR req a; 50-60 MPI_Wait req a
P1 5-25 MPI_Recv@ring.c:9 from 0 tag 3 bytes 80
P2 3-6 MPI_Irecv from 0 tag 4 comm PAIR bytes 16 req b; 45-70 MPI_Wait req b
P0 100-120 MPI_Bcast root 1; 200-230 MPI_Alltoallv sent 24 recvd 24 counts 8,8,8,8,8,8
P1 101-110 MPI_Bcast root 1; 201-230 MPI_Alltoallv sent 24 recvd 24 counts 8,8,8,8,8,8
P2 102-121 MPI_Bcast root 1; 202-230 MPI_Alltoallv sent 24 recvd 24 counts 8,8,8,8,8,8
"""
