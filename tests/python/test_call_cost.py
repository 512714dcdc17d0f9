"""What single calls of a script cost, in user instructions: counted by callgrind, the same on every machine and under any load."""
import importlib.machinery
import importlib.util
import pathlib
import shutil

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "python" / "call_cost"

# Some 10 % above what was measured (docs/performance.md); is_a, next and prev as it was asked for.
AT_MOST = {
    "event.is_a('EXIT')": 300,
    "event.is_a('exit') of an MPICEXIT": 300,
    "event.is_a(('SEND', 'RECV'))": 300,
    "event.is_exit": 330,
    "trace.next()": 300,
    "trace.prev()": 300,
    "trace[n]": 350,
    "trace.get(n)": 480,
    "trace.stack(node)": 1250,
    "trace.state(n).stack(node)": 1780,
    "trace.state(n).queue()": 6400,
    "event.attributes() of an EXIT": 3100,
    "event.attributes() of an MPICEXIT": 5100,
    "event.time": 390,
}


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_instructions_of_a_call(tmp_path):
    loader = importlib.machinery.SourceFileLoader("call_cost", str(BENCH))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("call_cost", loader))
    loader.exec_module(module)
    module.sample(tmp_path / "sample.trace")
    costs = module.measure(tmp_path / "sample.trace")
    dear = {name: f"{costs[name]:.0f}, not {most}" for name, most in AT_MOST.items() if costs[name] > most}
    assert not dear, dear
