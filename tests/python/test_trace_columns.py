"""NumPy arrays: the same values as events, views where promised, alive after close()."""
import subprocess
import sys

import mora
import numpy
import pytest
from naive_model import random_alog
from test_trace_events import RMA

NAMES = ["num", "time", "time_ns", "type", "rank", "node", "loc", "thread", "ordinal", "enterptr", "region", "src", "dest",
         "tag", "com", "len", "sent", "recvd", "root", "win", "rmaid", "lloc", "sendptr", "startptr", "originptr", "lockptr",
         "prevptr", "exitptr", "recvptr", "endptr", "getptr", "releaseptr", "nextptr", "value", "request"]
MISSING = {"com": -1, "src": -1, "dest": -1, "root": -1, "win": -1, "lloc": -1, "region": -1}


@pytest.fixture(params=["alog", "rma"])
def trace(request, alog, text_trace):
    with mora.open(alog(random_alog(3)[0]) if request.param == "alog" else text_trace(RMA)) as opened:
        yield opened


def expected(trace, event, name):
    value = event.get(name)
    if name == "type":
        return mora.TYPES.index(value) if value in mora.TYPES else mora.TYPES.index("USER")
    if name == "region":
        if value is None:
            return -1
        at = event.enter if event.is_a("EXIT") else event
        return next(r.index for r in trace.regions if r.name == value and (r.file is None or at.csite == f"{r.file}:{r.line}"))
    if name == "value" and value is None:
        return None
    return MISSING.get(name, 0) if value is None else value


@pytest.mark.parametrize("selection", [{}, {"kinds": "P2P"}, {"kinds": ["RMA", "EXIT"]}, {"ranks": 1}, {"kinds": "FLOW", "ranks": 0},
                                       {"between": (5e-6, 40e-6)}, {"kinds": "ENTER", "between": (5e-6, None)}])
def test_columns_equal_events(trace, selection):
    columns = trace.columns(*NAMES, **selection)
    events = list(trace.events(**selection))
    assert list(columns) == NAMES
    for name in NAMES:
        assert len(columns[name]) == len(events)
        for got, event in zip(columns[name].tolist(), events):
            wanted = expected(trace, event, name)
            assert numpy.isnan(got) if wanted is None else got == wanted, (name, event)


def test_what_is_copied(trace):
    columns = trace.columns("time_ns", "enterptr", "ordinal", "loc", "type", "rank", "forwardptr", "time", "num")
    made = ("time", "time_ns", "ordinal", "num")
    for name, column in columns.items():
        assert column.flags.owndata == (name in made), name
        assert column.flags.writeable == (name in made), name
    again = trace.columns("enterptr", between=(5e-6, 40e-6)).enterptr
    assert again.base is not None and numpy.shares_memory(again, columns.enterptr)
    assert trace.columns("enterptr", kinds="ENTER").enterptr.flags.owndata
    with pytest.raises(ValueError):
        columns.enterptr[0] = 1
    assert columns.time_ns.dtype == numpy.int64 and columns.type.dtype == numpy.uint8 and columns.time.dtype == float


def test_details_are_the_rows(trace):
    details = trace.details
    assert details.flags.owndata and details.dtype.itemsize == 48
    carrying = [e for e in trace if e.type not in ("ENTER", "EXIT")]
    assert len(details) == len(carrying)
    assert sorted(details["bytes"].tolist()) == sorted(
        e.get("sent", e.get("len", 0)) if e.get("recvd") is None or e.get("sent") is not None else 0 for e in carrying)


def test_arrays_outlive_the_trace(alog):
    path = alog(random_alog(7, length=2000)[0])
    trace = mora.open(path)
    columns, details = trace.columns("time_ns", "enterptr", "type"), trace.details
    before = [column.tolist() for column in columns.values()], details["bytes"].tolist()
    trace.close()
    del trace
    others = [mora.open(path) for _ in range(5)]  # would take the memory if it were free
    assert ([column.tolist() for column in columns.values()], details["bytes"].tolist()) == before
    for other in others:
        other.close()


def test_empty_choices(trace):
    for selection in ({"kinds": []}, {"ranks": []}, {"between": (1, 0)}, {"kinds": "FORK"}):
        columns = trace.columns("time", "len", "rank", "time_ns", **selection)
        assert [len(column) for column in columns.values()] == [0, 0, 0, 0]


def test_wrong_columns(trace):
    for name in ("nothing", "enter", "collective", "call_path", "data", ""):
        with pytest.raises(mora.UsageError, match="there is no column"):
            trace.columns(name)
    with pytest.raises(TypeError):
        trace.columns(5)
    with pytest.raises(AttributeError, match="there are num, time"):
        trace.columns("num", "time").nothing
    assert list(trace.columns()) == ["num", "time", "type", "rank", "enterptr"]


def test_pandas(trace):
    frame = trace.columns("num", "time", "type", "rank", "len").to_pandas()
    assert list(frame.columns) == ["num", "time", "type", "rank", "len"] and len(frame) == len(trace)
    counts = {name: count for name, count in frame["type"].value_counts().items() if count}
    assert counts == trace.info.counts


def test_without_pandas(alog):
    program = ("import sys; sys.modules['pandas'] = None\n"
               "import mora\n"
               "try: mora.open(sys.argv[1]).columns('time').to_pandas()\n"
               "except ImportError as error: print(error)\n")
    run = subprocess.run([sys.executable, "-c", program, alog(random_alog(1)[0])], capture_output=True, text=True, check=True)
    assert "apt-get install python3-pandas" in run.stdout


def test_not_without_index(alog):
    with mora.open(alog(random_alog(1)[0]), index=False) as trace:
        for use in (lambda: trace.columns("time"), lambda: trace.details, lambda: trace.info.counts,
                    lambda: trace.state(0).locks()):
            with pytest.raises(mora.UsageError, match="this needs the index"):
                use()
    with mora.open(alog(random_alog(1)[0])) as trace:
        with pytest.raises(mora.UsageError, match="only traces without index"):
            trace.decoded
