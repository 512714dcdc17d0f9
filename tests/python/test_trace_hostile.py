"""Every file of the fuzzing corpus, read by everything Python has: exceptions of Mora at most, never a crash or a hang."""
import pathlib
import random

import mora
import numpy
import pytest

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "fuzz" / "corpus"
READERS = ["trace_text", "alog", "vampir", "paraver", "paje", "chrome"]


def look_at_everything(trace, m):
    for number in {*range(1, min(m, 60) + 1), *range(max(1, m - 10), m + 1)}:
        event = trace[number]
        assert list(event.attributes())[:5] == ["num", "node", "time", "type", "enterptr"]
        for linked in event.links.values():
            assert 1 <= linked.num <= m and linked.trace is trace
        for name in dir(event):
            if not name.startswith("_"):
                getattr(event, name)
        assert event.call_path is not None and str(event) and repr(event) and event._repr_html_()
        state = trace.state(number)
        state.queue(), state.transfers(), state.origins(), state.stack(event.node, True, event.thread)
    assert isinstance(trace.info.losses, list) and repr(trace.info)
    trace.regions, trace.nodes, trace.locations, trace.communicators, trace.windows, trace.groups, trace.metrics


def open_and_look(path):
    """How often it could be opened, with and without index."""
    opened = 0
    for index in (True, False):
        try:
            trace = mora.open(path, index=index)
        except (mora.UnreadableError, mora.UsageError) as error:
            assert error.what
            continue
        with trace:
            opened += 1
            m = len(trace)
            look_at_everything(trace, m)
            if index:
                numbers = trace.columns("num", "time", "len", "rank", "region", "sendptr", "recvptr").num
                assert numpy.array_equal(numbers, numpy.arange(1, m + 1))
                assert sum(trace.info.counts.values()) == m
            assert sum(1 for _ in trace.events("FLOW")) <= m
    return opened


def samples(reader):
    files = sorted(file for file in (CORPUS / reader).iterdir() if file.is_file())
    assert files
    return files


@pytest.mark.parametrize("reader", READERS)
def test_corpus(reader):
    assert sum(open_and_look(file) for file in samples(reader)) > 0


@pytest.mark.parametrize("reader", READERS)
def test_damaged_corpus(reader, tmp_path):
    """The same with bytes flipped and ends cut off, the same ones each time."""
    rng = random.Random(reader)
    for file in samples(reader):
        content = file.read_bytes()[:20000]
        for _ in range(40):
            damaged = bytearray(content)
            for _ in range(rng.randrange(1, 4)):
                if damaged:
                    damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            if rng.random() < 0.3:
                del damaged[rng.randrange(len(damaged) + 1):]
            path = tmp_path / f"damaged{file.suffix}"
            path.write_bytes(damaged)
            open_and_look(path)
