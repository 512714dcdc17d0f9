"""Random sequences of EARL's commands answer as the naive model does, with and without index."""
import pathlib
import random

import mora
import pytest
from naive_model import NaiveTrace, random_alog

NODES = 3


def check_event(event, number, model):
    if number is None:
        assert event is None
        return
    assert event.num == number
    expected = model.events[number - 1]
    for name, value in expected.items():
        if name != "us":
            assert getattr(event, name) == value
    for name, value in model.pointers[number - 1].items():
        assert getattr(event, name) == value
    assert event.time_ns == (expected["us"] - model.events[0]["us"]) * 1000


def run(trace, model, rng, steps):
    m = len(model.events)
    for _ in range(steps):
        what = rng.choice(["get", "get", "fetch", "next", "next", "next", "prev", "prev", "reset", "stack", "queue"])
        number = rng.randrange(-1, m + 3)
        if what == "get":
            check_event(trace.get(number), model.get(number), model)
        elif what == "fetch":
            check_event(trace.get(number, fetch_only=True), model.get(number, fetch_only=True), model)
        elif what == "next":
            check_event(trace.next(), model.next(), model)
        elif what == "prev":
            check_event(trace.prev(), model.prev(), model)
        elif what == "reset":
            trace.reset()
            model.reset()
        elif what == "stack":
            node, sym = rng.randrange(NODES), rng.random() < 0.5
            assert trace.stack(node, sym) == model.stack(node, sym)
        else:
            dest = rng.choice([None, *range(NODES)])
            src = rng.choice([None, *range(NODES)])
            assert trace.queue(dest, src) == model.queue(dest, src)
        assert trace.position == model.pointer


@pytest.mark.parametrize("seed", range(40))
def test_random_commands(alog, seed):
    text, events = random_alog(seed, NODES)
    path = alog(text)
    rng = random.Random(1000 + seed)
    modes = [{}, {"index": False, "hist": rng.randrange(1, 12), "mark": rng.randrange(0, 20)}]
    for mode in modes:
        model = NaiveTrace(events, NODES)
        with mora.open(path, **mode) as trace:
            run(trace, model, rng, 150)


@pytest.mark.parametrize("seed", range(10))
def test_every_state_and_event(alog, seed):
    """Checklist 4: queues are SENDs not yet received; a stack is the enterptr chain of the node's last event."""
    text, events = random_alog(500 + seed, NODES)
    model = NaiveTrace(events, NODES)
    with mora.open(alog(text)) as trace:
        assert len(trace) == len(events)
        for number in range(len(events) + 1):
            model.pointer = number
            state = trace.state(number)
            for node in range(NODES):
                assert state.stack(node) == model.stack(node)
            assert state.queue() == model.queue()
            for send in state.queue():
                assert trace[send].type == "SEND"
                assert trace[send].recvptr is None or trace[send].recvptr > number
        for event in trace:
            check_event(event, event.num, model)
            for other in event.links.values():
                assert event in other.links.values() or other.type == "ENTER"  # links lead back


@pytest.mark.parametrize("seed", range(10))
def test_selections(alog, seed):
    """events() and columns() choose the same events as a filter written out."""
    text, events = random_alog(900 + seed, NODES)
    rng = random.Random(seed)
    path = alog(text)
    with mora.open(path) as trace, mora.open(path, index=False) as plain:
        for _ in range(20):
            kinds = rng.choice([None, "send", ["RECV", "Enter"], "EXIT", "note", ("p2p",), "FLOW", ["note", "SEND"]])
            ranks = rng.choice([None, 0, 2, [0, 1], (2, 1, 0)])
            t0, t1 = sorted(rng.choice(events)["us"] for _ in range(2))
            origin = events[0]["us"]
            between = rng.choice([None, ((t0 - origin) / 1e6, (t1 - origin) / 1e6), (None, (t1 - origin) / 1e6)])
            names = {None: None, "p2p": {"SEND", "RECV"}, "FLOW": {"ENTER", "EXIT"}}
            wanted = None
            if kinds is not None:
                wanted = set()
                for kind in [kinds] if isinstance(kinds, str) else kinds:
                    wanted |= names.get(kind) or {"note" if kind == "note" else kind.upper()}
            low = -1 if between is None or between[0] is None else t0
            expected = [number for number, e in enumerate(events, 1)
                        if (wanted is None or e["type"] in wanted)
                        and (ranks is None or e["node"] in ([ranks] if isinstance(ranks, int) else ranks))
                        and (between is None or low <= e["us"] <= t1)]
            assert [e.num for e in trace.events(kinds, ranks, between)] == expected
            assert [e.num for e in plain.events(kinds, ranks, between)] == expected
            assert [e.num for e in trace.events(kinds, ranks, between, reverse=True)] == expected[::-1]
            columns = trace.columns("num", "time_ns", "rank", "len", kinds=kinds, ranks=ranks, between=between)
            assert columns.num.tolist() == expected
            assert columns.rank.tolist() == [events[i - 1]["node"] for i in expected]
            assert columns.len.tolist() == [events[i - 1].get("len", 0) for i in expected]


PROGRAMS = pathlib.Path(__file__).parents[1] / "golden"


def every_answer(trace):
    """What events and states of a trace say, in an order that sends an adapter back and forth."""
    answers = {}
    m = len(trace)
    for i in [*range(1, m + 1, 2), *range(m, 0, -1)]:
        event = trace[i]
        names = [name for name in dir(event) if not name.startswith("_") and not callable(getattr(event, name))]
        values = {name: getattr(event, name) for name in names if name not in ("trace", "links")}
        answers[i] = {name: value.num if isinstance(value, mora.Event) else value for name, value in values.items()}
        answers[i]["links"] = {name: event.num for name, event in event.links.items()}
        answers[i]["attributes"] = event.attributes()
        state = trace.state(i)
        answers[i]["state"] = [state.stack(event.node, thread=event.thread), state.stack(event.node, True, event.thread), state.queue(),
                               state.queue(event.node), state.transfers(), state.origins()]
    return answers


def golden_traces():
    """Traces of golden tests: all event types, damage and clocks that disagree among them."""
    for test in sorted(PROGRAMS.rglob("*.test")):
        text = test.read_text(errors="surrogateescape").split("--- ")[0]
        if "mora-trace 1" in text and len(text) < 4000:
            yield test, text


def test_with_and_without_index_the_same_answers(tmp_path):
    types, compared = set(), 0
    for test, text in golden_traces():
        path = tmp_path / "t.trace"
        path.write_text(text, errors="surrogateescape")
        try:
            with_index = mora.open(path)
        except mora.Error:
            continue
        with with_index, mora.open(path, index=False, hist=3, mark=7) as without:
            if len(with_index) > 200:
                continue
            types |= {event.type for event in with_index}
            assert every_answer(with_index) == every_answer(without), test
            compared += 1
    assert compared > 40 and {"MPICEXIT", "MPIWCEXIT", "MPIWEXIT", "PUT_1TS", "GET_1TS", "WLOCK", "NBC_END"} <= types, (compared, types)


GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def test_every_golden_trace_is_the_same_without_an_index(tmp_path):
    """All attributes (pointers to earlier events among them), forward links, region stacks and queues."""
    compared = 0
    for test in sorted(GOLDEN.rglob("*.test")):
        path = tmp_path / "sample.trace"
        path.write_bytes(test.read_bytes().split(b"\n--- command")[0] + b"\n")
        try:
            trace = mora.open(path)
        except mora.Error:
            continue  # another kind of test
        with trace, mora.open(path, index=False) as plain:
            assert len(trace) == len(plain), test
            for one, other in zip(trace, plain):
                assert one.attributes() == other.attributes(), (test, one.num)
                assert {name: to.num for name, to in one.links.items()} == {name: to.num for name, to in other.links.items()}, (test, one.num)
            for number in range(0, len(trace) + 1, max(1, len(trace) // 5)):
                here, there = trace.state(number), plain.state(number)
                assert here.queue() == there.queue(), (test, number)
                assert [here.stack(node.rank) for node in trace.nodes] == [there.stack(node.rank) for node in trace.nodes], (test, number)
        compared += 1
    assert compared > 300
