"""Wrong arguments, closed traces, exceptions in callbacks: Python exceptions that say what to do, never a crash."""
import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref

import mora
import pytest


@pytest.fixture
def trace(vector):
    with mora.open(vector("v-06")) as opened:
        yield opened


def test_missing_and_unreadable_files(tmp_path):
    with pytest.raises(mora.UnreadableError, match="no such file") as caught:
        mora.open(tmp_path / "nothing")
    assert caught.value.where.endswith("nothing") and caught.value.what == "cannot open the trace" and caught.value.help
    assert isinstance(caught.value, mora.Error) and not isinstance(caught.value, ValueError)
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    with pytest.raises(mora.UnreadableError):
        mora.open(tmp_path / "noise")
    with pytest.raises(TypeError):
        mora.open(17.5)
    with pytest.raises(ValueError):
        mora.open("embedded\0null")


@pytest.mark.parametrize("options", [
    {"hist": 0}, {"hist": -1}, {"hist": 1.5}, {"hist": "10"}, {"hist": True}, {"mark": -1}, {"mark": "a"}, {"mark": 2.0},
    {"format": "nonsense"}, {"rma_model": "other"}, {"clock": "sundial"}])
def test_wrong_options(vector, options):
    for more in ({}, {"index": False}):
        with pytest.raises(mora.UsageError) as caught:
            mora.open(vector("v-06"), **options, **more)
        assert isinstance(caught.value, ValueError)


def test_options_at_their_limits(vector):
    for options in ({"hist": 1, "mark": 0}, {"hist": 1}, {"mark": 0}, {"format": "alog"}):
        with mora.open(vector("v-06"), **options) as trace, mora.open(vector("v-06"), index=False, **options) as plain:
            assert [str(e) for e in trace] == [str(e) for e in plain]


def test_strict(vector):
    assert mora.open(vector("v-06"), strict=True).info.losses == []
    with pytest.raises(mora.UnreadableError, match="unmatched-send"):
        mora.open(vector("v-08"), strict=True)
    with pytest.raises(mora.UnreadableError, match="unclosed-region"):
        mora.open(vector("v-02"), strict=True, index=False)


def test_numbers_of_events(trace):
    m = len(trace)
    for number in (0, -1, m + 1, 2**62, 2**200, -(2**200)):
        with pytest.raises(IndexError, match="there is no event"):
            trace[number]
        assert trace.get(number) is None
        with pytest.raises(IndexError):
            trace.state(number if number else -1)
    for number in ("1", 1.0, None, trace[1]):
        with pytest.raises(TypeError):
            trace[number]
        with pytest.raises(TypeError):
            trace.get(number)
    assert trace.position == 0
    assert trace[m].num == m and trace[True].num == 1


def test_slices(trace):
    m = len(trace)
    assert [e.num for e in trace[:]] == list(range(1, m + 1))
    assert [e.num for e in trace[3:6]] == [3, 4, 5]
    assert [e.num for e in trace[m:]] == [m]
    assert [e.num for e in trace[5:2:-1]] == [5, 4, 3]
    assert [e.num for e in trace[::10]] == list(range(1, m + 1, 10))
    assert trace[4:4] == [] and trace[m + 5:] == [] and [e.num for e in trace[0:2]] == [1]
    assert [e.num for e in trace[::-1]] == list(range(m, 0, -1))
    with pytest.raises(IndexError):
        trace[-3:]
    with pytest.raises(ValueError):
        trace[::0]


def test_wrong_kinds_ranks_and_times(trace):
    for kinds in ("nothing", ["SEND", "nothing"], "=EXITS", ""):
        with pytest.raises(mora.UsageError, match="there is no kind of event") as caught:
            trace.events(kinds)
        assert "SEND" in caught.value.help
    for ranks in (2, -1, [0, 7], 2**100):
        with pytest.raises(mora.UsageError, match="there is no rank"):
            trace.events(ranks=ranks)
    for arguments in ({"kinds": 5}, {"kinds": [5]}, {"ranks": "0"}, {"ranks": [0.5]}, {"between": 5}, {"between": ("a", 1)}):
        with pytest.raises(TypeError):
            trace.events(**arguments)
    for between in ((1,), (1, 2, 3), (float("nan"), 1)):
        with pytest.raises(mora.UsageError):
            trace.events(between=between)
    assert list(trace.events(between=(float("inf"), None))) == []
    assert len(list(trace.events(between=(float("-inf"), float("inf"))))) == 28
    assert list(trace.events(between=(1e300, None))) == [] and list(trace.events(between=(5, 1))) == []
    assert list(trace.events([])) == [] and list(trace.events(ranks=[])) == []


def test_undefined_nodes(trace):
    for call in (trace.stack, trace.queue, trace.info.nodesym, trace.state(3).stack):
        for node in (2, -1, 2**70):
            with pytest.raises(mora.UsageError, match="undefined nodenumber"):
                call(node)
        with pytest.raises(TypeError):
            call("0")
    with pytest.raises(mora.UsageError, match="no thread 1"):
        trace.stack(0, thread=1)


def test_attributes_of_another_type(trace):
    with pytest.raises(AttributeError, match=r"event 1 \(ENTER\) has no 'dest'.*region, group"):
        trace[1].dest
    with pytest.raises(AttributeError):
        trace[1].nothing_at_all
    with pytest.raises(AttributeError):
        trace[1].num = 5
    with pytest.raises(AttributeError):
        trace[1].extra = 5
    with pytest.raises(TypeError):
        trace[1].get()
    with pytest.raises(TypeError):
        trace[1].get(7)
    with pytest.raises(mora.UsageError):
        trace[1].is_a("nothing")
    with pytest.raises(TypeError):
        mora.Event()
    assert getattr(trace[5], "".join(["de", "st"])) == 1  # a name that is not interned


@pytest.mark.parametrize("mode", [{}, {"index": False}])
def test_closed_traces(vector, mode):
    trace = mora.open(vector("v-06"), **mode)
    event, state, info, iterator = trace[7], trace.state(7), trace.info, trace.events("RECV")
    next(iterator)
    other = mora.open(vector("v-06"))
    trace.close()
    trace.close()
    assert trace.closed and not other.closed
    uses = [
        lambda: len(trace), lambda: trace[1], lambda: trace.get(1), trace.next, trace.prev, trace.reset,
        lambda: trace.position, lambda: trace.stack(0), trace.queue, lambda: trace.state(0), lambda: iter(trace),
        lambda: trace.events("SEND"), lambda: trace.columns("time"), lambda: trace.details, lambda: trace.regions,
        lambda: trace.nodes, lambda: trace.locations, lambda: trace.communicators, lambda: trace.windows,
        lambda: trace.groups, lambda: trace.metrics, lambda: trace.decoded, lambda: trace[1:3], lambda: reversed(trace),
        lambda: trace.__enter__(), lambda: trace.each(print),
        lambda: event.num, lambda: event.time, lambda: event.links, lambda: event.attributes(), lambda: event.get("num"),
        lambda: event.enter, lambda: event.is_a("SEND"), lambda: next(iterator),
        lambda: state.stack(0), state.queue, state.transfers, state.origins, state.collectives, state.locks,
        lambda: info.filename, lambda: info.format, lambda: info.eventtypes, lambda: info.attributes(),
        lambda: info.attributes("SEND"), lambda: info.nodecount, lambda: info.nodesym(0), lambda: info.regions,
        lambda: info.groups, lambda: info.group("All"), lambda: info.duration, lambda: info.losses, lambda: info.counts,
    ]
    for number, use in enumerate(uses):
        with pytest.raises(mora.ClosedError, match="the trace is closed"):
            use()
            pytest.fail(f"use {number} does not notice")
    for thing in (trace, event, info, state):
        assert repr(thing)  # a debugger may look at it
        if thing is not state:
            assert "closed" in repr(thing)
    assert trace._repr_html_()
    assert other[7].num == 7
    assert hash(event) == 7 and event == event
    other.close()


def test_everything_is_freed(vector):
    """Objects keep the trace, and nothing else does: no cycle is needed to free it."""
    gc.disable()
    try:
        trace = mora.open(vector("v-06"))
        gone = weakref.ref(trace)
        event, iterator, state = trace[7], trace.events(), trace.state(3)
        del trace
        assert gone() is None
        assert event.trace is None
        assert event.send.num == 5 and len(list(iterator)) == 28 and state.stack(0) == [1]
    finally:
        gc.enable()


def test_references_are_counted_right(vector):
    with mora.open(vector("v-06")) as trace:
        names = ("num", "type", "region", "enterptr", "time", "call_path", "links", "enter")
        for _ in range(3000):
            for name in names:
                trace[7].get(name), trace[3].get(name)
            try:
                trace[7].nothing
            except AttributeError:
                pass
        for name in ("RECV", "MPI_Recv", "All"):
            assert sys.getrefcount(trace[7].type) < 2000
        before = sys.getrefcount(None)
        for _ in range(10000):
            trace[1].enterptr, trace[1].enter, trace.get(99), trace[1].get("x")
        assert abs(sys.getrefcount(None) - before) < 100


def test_events_as_values(trace, vector):
    a, b, c = trace[7], trace[7], trace[8]
    assert a == b and a is not b and a != c and hash(a) == hash(b) == 7 and a < c and c > b and len({a, b, c}) == 2
    assert a != 7 and a in trace and copy.copy(a) is a and copy.deepcopy(a) is a
    with mora.open(vector("v-06")) as other:
        assert other[7] != a and other[7] not in trace
        with pytest.raises(TypeError):
            other[7] < a
    for pickling in (pickle.dumps, lambda thing: pickle.dumps(thing, 0)):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickling(a)
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickling(trace)
    assert pickle.loads(pickle.dumps(a.attributes())) == a.attributes()
    assert "dest" in dir(trace[5]) and "dest" not in dir(trace[1]) and "links" in dir(trace[1])


def test_exceptions_in_callbacks_say_where(trace):
    def fails(event):
        if event.num == 13:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        trace.each(fails)
    (note,) = caught.value.__notes__
    assert "Event 13: RECV on node 1 at 0.006200000 s" in note and "v-06" in note

    def closes(event):
        trace.close()
        raise RuntimeError("closed it")

    with pytest.raises(RuntimeError) as caught:
        trace.each(closes)
    assert "Event 1 of a closed trace" in caught.value.__notes__[0]


def test_each_by_kind(trace):
    seen = {"SEND": 0, "P2P": 0, "all": 0}

    def count(name):
        def called(event):
            seen[name] += 1
        return called

    assert trace.each(SEND=count("SEND"), P2P=count("P2P")) == 8
    assert seen == {"SEND": 4, "P2P": 8, "all": 0}
    assert trace.each(count("all"), ranks=0) == 14 and seen["all"] == 14
    with pytest.raises(TypeError):
        trace.each(5)
    with pytest.raises(TypeError):
        trace.each(SEND=None)
    with pytest.raises(mora.UsageError):
        trace.each(NOTHING=print)


def test_closing_while_iterating(vector):
    trace = mora.open(vector("v-06"))
    with pytest.raises(mora.ClosedError):
        for event in trace:
            if event.num == 5:
                trace.close()


def test_two_traces_are_independent(vector):
    with mora.open(vector("v-06")) as a, mora.open(vector("v-08")) as b:
        a.get(5)
        b.get(2)
        assert (a.position, b.position) == (5, 2)
        assert a.queue() == [5] and b.queue() == [2, 1]
        a.close()
        assert b.next().num == 3


def test_other_threads_run_while_a_trace_is_opened(alog):
    path = alog("-3 0 0 1 0 0\n-13 0 1 2 0 0 red:solid work\n" +
                "".join(f"{1 + i % 2} 0 0 0 0 {10 * i}\n" for i in range(400_000)))
    ticks, done = [0], threading.Event()

    def tick():
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    while ticks[0] == 0:
        time.sleep(0.001)
    before = ticks[0]
    begin = time.perf_counter()
    trace = mora.open(path)
    took = time.perf_counter() - begin
    during = ticks[0] - before
    done.set()
    thread.join()
    assert len(trace) == 400_000
    # A tick needs about a millisecond. With the lock held there would be none, however long it took.
    assert during >= 3, f"{during} ticks in {took:.3f} s"
    trace.close()


def test_ctrl_c_stops_a_long_search(alog):
    """A selection without a hit must not swallow signals."""
    path = alog("-3 0 0 1 0 0\n-13 0 1 2 0 0 red:solid work\n" +
                "".join(f"{1 + i % 2} 0 0 0 0 {10 * i}\n" for i in range(4000)))
    program = ("import mora, signal, sys\n"
               "trace = mora.open(sys.argv[1])\n"
               "signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
               "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
               "try:\n"
               "    while True: list(trace.events('SEND'))\n"
               "except KeyboardInterrupt: print('stopped')\n")
    run = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, timeout=60)
    assert run.stdout == "stopped\n", run.stderr


def test_repr_and_html(trace, text_trace):
    assert repr(trace[5]) == "<mora.Event 5: SEND on node 0 at 0.003600000 s>"
    assert str(trace[5]) == "num 5 node 0 time 0.003600000 type SEND enterptr 4 dest 1 tag 1 com -1 len 8"
    assert "28 events, 2 nodes" in repr(trace) and "nodes: 2" in repr(trace.info)
    for thing in (trace, trace[5], trace.info, trace.state(7)):
        assert thing._repr_html_().startswith("<table")
    with mora.open(text_trace('P0 1-2 <script>&"x"\n')) as hostile:
        for thing in (hostile[1], hostile.state(1)):
            assert "<script>" not in thing._repr_html_() and "&lt;script&gt;" in thing._repr_html_()


def test_help_reads_like_a_manual():
    import pydoc

    text = pydoc.render_doc(mora, renderer=pydoc.plaintext)
    for word in ("late sender", "rma_model", "Raises mora.UnreadableError", "read pointer", "Units: seconds"):
        assert word in text
    for thing in (mora.Trace, mora.Event, mora.State, mora.TraceInfo, mora.Columns):
        for name, member in vars(thing).items():
            if not name.startswith("_"):
                assert member.__doc__, f"{thing.__name__}.{name} has no docstring"
    assert "is_a(self, kinds, /)" in pydoc.render_doc(mora.Event, renderer=pydoc.plaintext)
    assert mora.help.formats() == mora.formats() and {"alog", "otf2", "text"} <= set(mora.formats())
    assert mora.__version__ == mora.help.version()


def test_file_names_that_are_no_utf_8(tmp_path, vector):
    path = bytes(tmp_path) + b"/na\xffme.alog"
    with pytest.raises(mora.UnreadableError, match="no such file") as caught:
        mora.open(path)
    assert caught.value.where.encode("utf-8", "surrogateescape") == path
    with open(path, "wb") as file:
        file.write(vector("v-06").read_bytes())
    with mora.open(path) as trace:
        assert len(trace) == 28 and trace.info.filename.encode("utf-8", "surrogateescape") == path
        assert repr(trace) and repr(trace.info) and trace._repr_html_()


def test_an_index_is_kept_and_found_again(alog, index_folder):
    path = alog("-3 0 0 1 0 0\n-13 0 1 2 0 0 red:solid work\n" +
                "".join(f"{1 + i % 2} 0 0 0 0 {10 * i}\n" for i in range(300_000)))
    with mora.open(path) as trace:
        assert not trace.info.reopened and trace.info.index_bytes > 300_000 * 8
        before = [str(trace[number]) for number in range(1, 300_000, 1000)]
    assert any(index_folder.iterdir())
    with mora.open(path) as trace:
        assert trace.info.reopened
        assert [str(trace[number]) for number in range(1, 300_000, 1000)] == before
        assert int(trace.columns("time_ns").time_ns[-1]) == trace.info.duration_ns == 2_999_990_000
class Closing:
    """A number, and an iterable, that closes a trace when it is looked at."""

    def __init__(self, trace, value):
        self.trace, self.value = trace, value

    def __index__(self):
        self.trace.close()
        return self.value

    def __float__(self):
        return float(self.__index__())

    def __iter__(self):
        self.trace.close()
        yield self.value


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("call", [
    lambda t: t.get(Closing(t, 2)), lambda t: t[Closing(t, 2)], lambda t: t.stack(Closing(t, 0)),
    lambda t: t.queue(Closing(t, 0), 0), lambda t: t.queue(0, Closing(t, 1)), lambda t: t.events(ranks=Closing(t, 0)),
    lambda t: t.events(kinds=Closing(t, "SEND")), lambda t: t.events(ranks=[0, Closing(t, 1)]),
    lambda t: t.events(between=(Closing(t, 0), 1.0)), lambda t: t.events(between=Closing(t, 0.0)),
    lambda t: t[1].is_a(Closing(t, "SEND")), lambda t: t.columns("time", kinds=Closing(t, "SEND")), lambda t: t.state(Closing(t, 1))])
def test_arguments_that_close_the_trace(vector, index, call):
    with mora.open(vector("v-06"), index=index) as trace, pytest.raises(mora.Error):
        call(trace)
        len(trace)


def test_pickle_errors_are_sentences(vector, tmp_path):
    with mora.open(vector("v-06")) as trace, mora.Writer(tmp_path / "w", like=trace) as writer:
        for thing in (trace, trace[1], trace.state(1), trace.events(), trace.info, writer):
            with pytest.raises(TypeError, match="cannot be pickled: "):
                pickle.dumps(thing)
        for thing in (trace.columns("time"), trace.calls(), trace.profile(), trace.comm_matrix(), trace.regions, trace[1].type, mora.Stat()):
            assert repr(pickle.loads(pickle.dumps(thing)))
    with pytest.raises(TypeError, match="cannot be pickled: "):
        pickle.dumps(mora.start("true", record=False))


def test_exceptions_say_where_in_the_trace(vector):
    """Also after the with-block has closed it; once, and only what belongs to that trace."""
    with mora.open(vector("v-08")) as other:
        with pytest.raises(ZeroDivisionError) as caught:
            with mora.open(vector("v-06")) as trace:
                seventh, elsewhere = trace[5], other[1]
                state = trace.state(5)
                1 / 0
        [note] = caught.value.__notes__
        assert f"in the trace {vector('v-06')}:" in note and "  seventh = <mora.Event 5: SEND on node " in note
        assert "  state = <mora.State after event 5>" in note and "elsewhere" not in note
        assert trace.closed and "closed" not in note
        with pytest.raises(KeyError) as caught, other:
            {}["x"]
    assert not hasattr(caught.value, "__notes__") or "elsewhere" in caught.value.__notes__[0]


def test_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, why in ((tmp_path / "pipe", "pipe"), ("/dev/null", "device")):
        with pytest.raises(mora.UnreadableError, match=why):
            mora.open(path)
        with pytest.raises(mora.UnreadableError):
            mora.load(path)
        done = subprocess.run([os.environ["MORA"], "info", path], capture_output=True, text=True, timeout=20)
        assert done.returncode == 3 and why in done.stderr
