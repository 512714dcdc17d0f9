"""Several threads use the module at once. Each case runs in a process of its own: what goes wrong here is a process that never ends."""
import pathlib
import subprocess
import sys

import pytest

VECTOR = pathlib.Path(__file__).with_name("vectors") / "v-06.alog"

# Python may hand the interpreter to another thread at every import, which is where a lock of ours must not be held.
PREFACE = """
import faulthandler, importlib.abc, sys, threading, time
faulthandler.dump_traceback_later(60, exit=True)

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        time.sleep(0.002)

sys.meta_path.insert(0, Slow())
sys.setswitchinterval(1e-5)
import mora

def together(count, function):
    failed = []
    start = threading.Barrier(count)
    def run(number):
        try:
            start.wait()
            function(number)
        except BaseException as error:
            failed.append(error)
    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]

path = sys.argv[1]
"""

CASES = {
    "first columns": """
trace = mora.open(path)
together(4, lambda number: trace.columns("time", "type"))
""",
    "first details": """
trace = mora.open(path)
together(4, lambda number: trace.details)
""",
    "first statistics": """
together(4, lambda number: mora.Stat().add_many([1.0, 2.0]))
""",
    "first of each kind": """
trace = mora.open(path)
kinds = [lambda: trace.columns("time"), lambda: trace.details, lambda: mora.Stat().add_many([1.0]),
         lambda: trace.info.counts, lambda: [trace.state(i).queue() for i in range(len(trace))],
         lambda: [event.attributes() for event in trace]]
together(12, lambda number: kinds[number % 6]())
""",
    "open, read and close": """
def work(number):
    for i in range(40):
        with mora.open(path, index=(number + i) % 2 == 0) as trace:
            for event in trace:
                event.attributes(), event.links, str(event), trace.state(event.num).queue()
            if (number + i) % 2 == 0:
                trace.columns("time", "len", kinds="RECV")
together(6, work)
""",
    "one trace, closed under the others": """
for i in range(40):
    trace = mora.open(path)
    def work(number):
        try:
            if number == 0:
                trace.close()
            for event in trace:
                event.attributes(), trace.state(event.num).stack(0), trace.columns("time", "len"), trace.info.counts
        except mora.ClosedError:
            pass
    together(6, work)
""",
}


@pytest.mark.parametrize("case", CASES)
def test_threads_end(case):
    done = subprocess.run([sys.executable, "-B", "-c", PREFACE + CASES[case], str(VECTOR)], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
