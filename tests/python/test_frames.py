"""Frames and profiles against loops over events, on the traces of the golden tests."""
import collections
import math
import sys
import types

import mora
import numpy
import pytest
from test_trace_model import golden_traces

PROGRAM = """unit us
P0 0-100 main; 10-20 MPI_Send@a.c:3 to 1 bytes 100; 30-50 f; 35-45 f; 60-80 MPI_Barrier
P1 0-100 main; 12-25 MPI_Recv@a.c:9 from 0 bytes 100; 60-80 MPI_Barrier; 85-90 MPI_Send to 0 bytes 7
"""


def test_functions_that_calls_were_made_through_are_on_their_paths(text_trace):
    with mora.open(text_trace("""unit us
P0 0-100 outer; 10-20 main>step>MPI_Send@a.c:3 to 1; 30-40 main>step>MPI_Barrier@a.c:4
P1 12-25 main>MPI_Recv@a.c:9 from 0; 30-40 MPI_Barrier@a.c:4
""")) as trace:
        paths = [event.call_path for event in trace if event.is_enter]
        assert paths == [("outer",), ("outer", "main", "step", "MPI_Send"), ("main", "MPI_Recv"),
                         ("outer", "main", "step", "MPI_Barrier"), ("MPI_Barrier",)]
        frame = trace.calls()
        assert [frame.paths[path] for path in frame.path] == paths
        assert frame.depth.tolist() == [0, 1, 0, 1, 0]


@pytest.fixture
def program(text_trace):
    with mora.open(text_trace(PROGRAM)) as trace:
        yield trace


def rows(frame):
    return [dict(zip(frame, values)) for values in zip(*(column.tolist() for column in frame.values()))]


def same(a, b):
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


def expect(frame, expected):
    found = rows(frame)
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected):
        assert all(same(row[name], value) for name, value in wanted.items()), (row, wanted)


def check_messages(trace):
    wanted = []
    for e in trace.events("P2P"):
        if e.type == "SEND":
            wanted.append({"send": e.num, "recv": e.recvptr or 0, "src": e.node, "dest": e.dest, "send_time": e.time,
                           "recv_time": e.recv.time if e.recv else math.nan, "bytes": (e.recv or e).len, "tag": e.tag, "com": e.com})
        elif e.sendptr is None and e.latesendptr is None:
            wanted.append({"send": 0, "recv": e.num, "src": e.src, "dest": e.node, "send_time": math.nan, "recv_time": e.time,
                           "bytes": e.len, "tag": e.tag, "com": e.com})
    expect(trace.messages(), wanted)
    for what in ("bytes", "messages"):
        matrix = numpy.zeros((trace.info.nodecount,) * 2, dtype="int64")
        for row in wanted:
            if row["send"] and row["dest"] < len(matrix):
                matrix[row["src"], row["dest"]] += row["bytes"] if what == "bytes" else 1
        assert (trace.comm_matrix(what) == matrix).all()
    for bins in (1, 4, 20):
        heights, edges = numpy.histogram([row["bytes"] for row in wanted], bins)
        histogram = trace.message_histogram(bins)
        assert histogram.messages.tolist() == heights.tolist() and numpy.append(histogram.low, histogram.high[-1]) == pytest.approx(edges)


def check_calls(trace):
    frame = trace.calls()
    row_of, wanted = {}, []
    inclusive, exclusive, calls = collections.Counter(), collections.Counter(), collections.Counter()
    for e in trace.events("ENTER"):
        row_of[e.num] = len(wanted)
        parent = row_of[e.enterptr] if e.enterptr else -1
        took = e.exit.time_ns - e.time_ns if e.exit else None
        wanted.append({"enter": e.num, "exit": e.exitptr or 0, "rank": e.node, "loc": e.loc, "begin": e.time, "parent": parent,
                       "end": e.exit.time if e.exit else math.nan, "duration": math.nan if took is None else took / 1e9,
                       "depth": wanted[parent]["depth"] + 1 if parent >= 0 else 0})
        assert trace.regions[frame.region[len(wanted) - 1]].name == e.region
        assert frame.paths[frame.path[len(wanted) - 1]] == e.call_path
        if took is not None:
            calls[e.region] += 1
            exclusive[e.region] += took
            inclusive[e.region] += took if e.region not in e.call_path[:-1] else 0
            if e.enter:
                exclusive[e.enter.region] -= took
    expect(frame, wanted)
    profile = trace.profile()
    found = {row["region"]: row for row in rows(profile)}
    assert {name: row["calls"] for name, row in found.items()} == dict(calls)
    for name, row in found.items():
        assert row["exclusive"] == pytest.approx(exclusive[name] / 1e9) and row["inclusive"] == pytest.approx(inclusive[name] / 1e9)
        assert row["shortest"] <= row["longest"] <= row["inclusive"]
    assert sorted(profile.exclusive, reverse=True) == profile.exclusive.tolist()
    by_rank = trace.profile(by_rank=True)
    assert by_rank.exclusive.sum() == pytest.approx(profile.exclusive.sum()) and by_rank.calls.sum() == profile.calls.sum()
    for bins in (1, 7):
        over_time = trace.time_profile(bins)
        assert len(over_time.bin_start) == bins
        for name, value in over_time.items():
            if not name.startswith("bin_"):
                assert value.sum() == pytest.approx(exclusive[name] / 1e9)


def check_transfers(trace):
    wanted = []
    for e in trace.events(["PUT_1TS", "GET_1TS", "ATOMIC_1TS"]):
        gets = e.type == "GET_1TS"
        asked = e.origin if gets and e.origin else e
        wanted.append({"kind": ["PUT_1TS", "GET_1TS", "ATOMIC_1TS"].index(e.type), "start": e.num, "end": e.endptr or 0,
                       "origin": e.dest if gets else e.node, "target": e.node if gets else e.dest, "src": e.node, "dest": e.dest,
                       "win": -1 if e.win is None else e.win, "rmaid": e.rmaid, "asked_time": asked.time, "start_time": e.time,
                       "end_time": e.end.time if e.end else math.nan, "bytes": e.sent, "received": e.end.recvd if e.end else 0})
    expect(trace.transfers(), wanted)


def check_collectives(trace):
    frame = trace.collectives()
    wanted = []
    for e in trace.events(["MPICEXIT", "MPIWCEXIT"]):
        if e.prevptr:
            continue
        chain = [e]
        while chain[-1].next:
            chain.append(chain[-1].next)
        enters = [m.enter.time for m in chain if m.enter]
        wanted.append({"first": e.num, "members": len(chain), "com": e.com, "first_enter": min(enters, default=math.nan),
                       "last_enter": max(enters, default=math.nan), "first_exit": e.time, "last_exit": chain[-1].time})
        if e.type == "MPICEXIT":
            assert frame.names("collective")[len(wanted) - 1] == e.collective
            wanted[-1].update(root=-1 if e.root is None else e.root, sent=sum(m.sent for m in chain), received=sum(m.recvd for m in chain))
    expect(frame, wanted)


def test_frames_are_what_loops_find(tmp_path):
    seen = collections.Counter()
    for number, (test, text) in enumerate(golden_traces()):
        path = tmp_path / "t.trace"
        path.write_text(text, errors="surrogateescape")
        try:
            trace = mora.open(path, clock="trace" if number % 3 == 0 else "start")
        except mora.Error:
            continue
        with trace:
            if len(trace) > 400:
                continue
            check_messages(trace), check_calls(trace), check_transfers(trace), check_collectives(trace)
            seen.update(messages=len(trace.messages().send), calls=len(trace.calls().enter), transfers=len(trace.transfers().start),
                        collectives=len(trace.collectives().first))
    assert all(seen[name] > 30 for name in ("messages", "calls", "transfers", "collectives")), seen


def test_profile(program):
    profile = program.profile()
    assert profile.region.tolist() == ["main", "MPI_Barrier", "f", "MPI_Send", "MPI_Recv"]
    assert dict(zip(profile.region, profile.inclusive.round(9))) == {
        "main": 2e-4, "MPI_Barrier": 4e-5, "f": 2e-5, "MPI_Send": 1.5e-5, "MPI_Recv": 1.3e-5}
    assert program.comm_matrix().tolist() == [[0, 100], [7, 0]] and program.comm_matrix("messages").tolist() == [[0, 1], [1, 0]]
    over_time = program.time_profile(2)
    assert over_time.bin_end.tolist() == [5e-5, 1e-4] and over_time["MPI_Barrier"].round(9).tolist() == [0, 4e-5]


def test_wrong_arguments(program, vector):
    for bins in (0, -1, 10**7):
        with pytest.raises(mora.UsageError):
            program.time_profile(bins)
    with pytest.raises(TypeError):
        program.message_histogram("many")
    with pytest.raises(mora.UsageError, match="matrix of 'time'"):
        program.comm_matrix("time")
    with mora.open(vector("v-06"), index=False) as trace, pytest.raises(mora.UsageError, match="index"):
        trace.messages()
    frame = program.calls()
    program.close()
    with pytest.raises(mora.ClosedError):
        program.profile()
    assert len(frame.enter) == 9 and frame.paths[1] == ("main", "MPI_Send")


def test_empty(text_trace):
    with mora.open(text_trace("ranks 2\n")) as trace:
        for frame in (trace.messages(), trace.calls(), trace.transfers(), trace.collectives(), trace.profile()):
            assert all(len(column) == 0 for column in frame.values())
            frame.to_pandas()
        assert trace.comm_matrix().shape == (trace.info.nodecount,) * 2 and trace.message_histogram().messages.sum() == 0
        assert list(trace.time_profile(3)) == ["bin_start", "bin_end"]


def test_pandas(program):
    pytest.importorskip("pandas")
    calls = program.calls().to_pandas()
    assert calls.groupby("region", observed=True).exclusive.sum().round(9)["MPI_Send"] == 1.5e-5
    assert set(program.collectives().to_pandas().collective) == {"barrier"}
    assert program.transfers().to_pandas().kind.dtype == "category"


def test_arrow(program, monkeypatch):
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pyarrow"):
            program.messages().to_arrow()
        made = types.ModuleType("pyarrow")
        made.table = dict
        monkeypatch.setitem(sys.modules, "pyarrow", made)
    assert list(program.messages().to_arrow()["bytes"]) == [100, 7]


def frames_of(trace):
    return [trace.messages(), trace.calls(), trace.transfers(), trace.collectives(), trace.profile(), trace.profile(True),
            trace.time_profile(9), trace.message_histogram(3), trace.comm_matrix()]


def test_plots_without_matplotlib(program, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for frame in frames_of(program):
        with pytest.raises(ImportError, match="python3-matplotlib"):
            frame.plot()


class Recorder:
    """Axes that accept everything and remember what was drawn."""

    def __init__(self):
        self.drawn = []

    def __getattr__(self, name):
        def call(*arguments, **options):
            self.drawn.append(name)
            return self
        return self if name == "figure" else call


def test_plots(program):
    try:
        import matplotlib

        matplotlib.use("Agg")
        for frame in frames_of(program):
            assert frame.plot().get_figure() is not None
    except ImportError:
        pass
    for frame, call in zip(frames_of(program), ("plot", "barh", "plot", "plot", "barh", "barh", "stackplot", "bar", "imshow")):
        axes = Recorder()
        assert frame.plot(axes) is axes and call in axes.drawn
        assert ("legend" in axes.drawn) == (call == "stackplot" or "depth" in frame)
