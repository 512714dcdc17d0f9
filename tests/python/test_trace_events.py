"""Attributes and links of the event types, kinds, models of one-sided transfers, clocks, definitions."""
import collections
import json
import os
import pickle
import subprocess
import sys

import mora
import pytest

RMA = """unit us
node alpha 0
node beta 1
P0 0-100 main
P0 1-2 MPI_Win_create w0
P0 10-12 MPI_Win_lock w0 to 1 exclusive
P0 13-15 MPI_Put@put.c:7 w0 to 1 bytes 80 id 5
P0 16-18 MPI_Get w0 to 1 bytes 24 id 6
P0 20-30 MPI_Win_unlock w0 to 1
P0 40-41 MPI_Win_start w0 group 1
P0 42-43 MPI_Win_complete w0
P0 50-60 MPI_Allreduce bytes 8
P1 0-100 main
P1 1-3 MPI_Win_create w0
P1 40-41 MPI_Win_post w0 group 0
P1 42-45 MPI_Win_wait w0
P1 50-62 MPI_Allreduce bytes 8
"""


@pytest.fixture
def rma(text_trace):
    with mora.open(text_trace(RMA)) as trace:
        yield trace


def one(trace, kind, **selection):
    (event,) = trace.events("=" + kind, **selection)
    return event


def test_one_sided_transfers(rma):
    put, put_end = one(rma, "PUT_1TS"), one(rma, "PUT_1TE")
    assert list(put.attributes()) == ["num", "node", "time", "type", "enterptr", "dest", "win", "rmaid", "len"]
    assert (put.node, put.dest, put.win, put.rmaid, put.len, put.sent, put.length) == (0, 1, 0, 5, 80, 80, 80)
    assert (put_end.node, put_end.src, put_end.len, put_end.recvd, put_end.startptr) == (1, 0, 80, 80, put.num)
    assert put_end.start == put and put.end == put_end and put.endptr == put_end.num
    assert put.links == {"enter": put.enter, "end": put_end}
    assert put.enter.csite == "put.c:7" and put.call_path == ("main", "MPI_Put")
    origin, start, end = one(rma, "GET_1TO"), one(rma, "GET_1TS"), one(rma, "GET_1TE")
    assert (start.node, start.dest, start.originptr) == (1, 0, origin.num)
    assert (end.node, end.src, end.start, end.start.origin) == (0, 1, start, origin)
    assert origin.get_start == start and origin.links["get_start"] == start
    # extended: the ends stand where the unlock completes them
    unlock = one(rma, "WUNLOCK")
    leave = one(rma, "EXIT", between=(30e-6, 30e-6))
    assert put_end.num < end.num < leave.num and put_end.time == leave.time == 30e-6
    assert leave.enter == unlock.enter


def test_basic_model(text_trace):
    with mora.open(text_trace(RMA), rma_model="basic") as trace:
        assert one(trace, "PUT_1TE").time == 15e-6 and trace.info.rma_model == "basic"


def test_states_of_transfers(rma):
    put, put_end, origin = one(rma, "PUT_1TS"), one(rma, "PUT_1TE"), one(rma, "GET_1TO")
    get_start, get_end = one(rma, "GET_1TS"), one(rma, "GET_1TE")
    assert rma.state(put.num).transfers() == [put.num]
    assert rma.state(origin.num).origins() == [origin.num]
    assert rma.state(get_start.num).transfers() == [get_start.num, put.num]
    assert rma.state(get_start.num).origins() == []
    assert rma.state(put_end.num).transfers() == [get_start.num]
    assert rma.state(get_end.num).transfers() == []
    lock, unlock = one(rma, "WLOCK"), one(rma, "WUNLOCK")
    (held,) = rma.state(lock.num).locks()
    assert held == (0, 1, [lock.num]) and held.win == 0 and held.target == 1
    assert rma.state(unlock.num).locks() == []
    inside = max(event.num for event in rma.events(between=(None, 55e-6)))
    (open,) = rma.state(inside).collectives()
    assert open.collective == "allreduce" and [rma[i].region for i in open.inside] == ["MPI_Allreduce"] * 2
    assert rma.state(len(rma)).collectives() == []


def test_locks_and_exits(rma):
    lock, unlock = one(rma, "WLOCK"), one(rma, "WUNLOCK")
    assert (lock.win, lock.lloc, lock.target, lock.lock, lock.lockptr, lock.assertion) == (0, 1, 1, "exclusive", None, "0")
    assert unlock.lockptr == lock.num and lock.release == unlock and unlock.previous_of_lock == lock
    waited = one(rma, "MPIWEXIT", ranks=1, between=(45e-6, 45e-6))
    assert (waited.region, waited.synex, waited.members, waited.win) == ("MPI_Win_wait", True, (0,), 0)
    created = list(rma.events("MPIWCEXIT"))
    assert [e.node for e in created] == [0, 1] and created[1].previous == created[0] and created[0].next == created[1]
    first, second = rma.events("MPICEXIT")
    assert (first.collective, first.sent, first.recvd, first.com, first.root) == ("allreduce", 16, 16, 0, None)
    assert second.prevptr == first.num and first.nextptr == second.num and first.prevptr is None
    assert first.enter.exit == first


def test_classes_of_kinds(rma):
    types = {event.type for event in rma.events("EXIT")}
    assert types == {"EXIT", "MPICEXIT", "MPIWCEXIT", "MPIWEXIT"}
    assert {event.type for event in rma.events("=exit")} == {"EXIT"}
    assert {event.type for event in rma.events("rma")} == {"PUT_1TS", "PUT_1TE", "GET_1TO", "GET_1TS", "GET_1TE", "WLOCK",
                                                           "WUNLOCK"}
    assert {event.type for event in rma.events(["RMA_SYNC", "mpicexit"])} == {"WLOCK", "WUNLOCK", "MPICEXIT"}
    exit = next(rma.events("MPICEXIT"))
    assert exit.is_a("EXIT") and exit.is_a("mpicexit") and exit.is_a(["SEND", "FLOW"])
    assert not exit.is_a("=EXIT") and not exit.is_a("SEND")
    counts = rma.info.counts
    assert sum(counts.values()) == len(rma) and counts["PUT_1TS"] == 1 and "SEND" not in counts
    assert rma.info.eventtypes[:4] == ["ENTER", "EXIT", "SEND", "RECV"] and "WLOCK" in rma.info.eventtypes
    for name in rma.info.eventtypes:
        assert {e.type for e in rma.events("=" + name)} <= {name}
        assert rma.info.attributes(name)[:5] == ["num", "node", "time", "type", "enterptr"]


def test_every_attribute_is_what_the_tables_say(rma):
    for event in rma:
        attributes = event.attributes()
        assert list(attributes) == rma.info.attributes(event.type)
        for name, value in attributes.items():
            assert getattr(event, name) == value
        for name, linked in event.links.items():
            assert getattr(event, name) == linked
        assert event.pos == event.num and event.loc == event.node and event.rank == event.node and event.thread == 0
        assert event.time == event.time_ns / 1e9
        assert event.call_path[-1:] == ((event.enter.region,) if event.enter and event.type != "ENTER" else
                                        (event.region,) if event.type == "ENTER" else ())
        if event.is_a("EXIT"):
            assert event.reg == event.region == event.enter.region and event.enter.exit == event


def test_definitions(rma):
    assert [node.host for node in rma.nodes] == ["alpha", "beta"] and rma.nodes[1].locations == (1,)
    assert [location.rank for location in rma.locations] == [0, 1]
    world = rma.communicators[0]
    assert world.members == (0, 1) and world.index == 0 and world.remote == () and not world.self
    assert rma.windows[0].com == 0
    assert {group.members for group in rma.groups} >= {(1,), (0,)}
    put = next(region for region in rma.regions if region.name == "MPI_Put")
    assert (put.file, put.line, put.mpi) == ("put.c", 7, True)
    assert not next(region for region in rma.regions if region.name == "main").mpi


def test_other_types_of_events(text_trace):
    path = text_trace("""unit us
P0 0-10 MPI_Ibarrier req a
P0 12-20 MPI_Wait req a
P1 0-10 MPI_Ibarrier req a
P1 12-20 MPI_Wait req a
P0 30 METRIC FLOPS 2.5
P0 31 USER phase two words
""")
    try:
        trace = mora.open(path)
    except mora.UnreadableError as error:
        pytest.fail(f"the text language has changed: {error}")
    with trace:
        start, end = list(trace.events("NBC", ranks=0))
        assert (start.type, end.type, end.start, start.end) == ("NBC_START", "NBC_END", start, end)
        assert start.collective == "barrier" and start.request == end.request
        metric = one(trace, "METRIC")
        assert (metric.metric, metric.value) == ("FLOPS", 2.5)
        user = next(trace.events("phase"))
        assert (user.type, user.data) == ("phase", "two words")
        assert user.is_a("PHASE") and user.is_a("USER") and not metric.is_a("phase")
        assert "data {two words}" in str(user)


def test_counters_by_function(text_trace):
    """A script adds up what each function counted, from the readings of each thread, and gets the metric of mora analyze."""
    path = text_trace("""metric FAULTS counts
metric LOAD unit %
P0 0 ENTER main; 0 METRIC FAULTS 100; 0 METRIC LOAD 3; 2 METRIC FAULTS 105; 2 ENTER solve; 6 METRIC FAULTS 112; 6 EXIT; 8 METRIC FAULTS 113; 8 EXIT
P1 0 ENTER main; 0 METRIC FAULTS 7; 1 METRIC FAULTS 9; 1 ENTER solve; 3 METRIC FAULTS 20; 3 EXIT; 8 METRIC FAULTS 20; 8 EXIT
""")
    counted, last = collections.Counter(), {}
    with mora.open(path) as trace:
        assert [(metric.name, metric.unit) for metric in trace.metrics] == [("FAULTS", ""), ("LOAD", "%")]
        for event in trace.events("METRIC"):
            if event.metric == "FAULTS":
                counted[event.enter.region, event.node] += event.value - last.get(event.loc, event.value)
                last[event.loc] = event.value
    assert counted == {("main", 0): 6, ("solve", 0): 7, ("main", 1): 2, ("solve", 1): 11}
    subprocess.run([os.environ["MORA"], "analyze", "--quiet", path], check=True)
    faults = mora.load(path)["counter-FAULTS"]
    assert faults.inclusive == sum(counted.values())


def test_threads(text_trace):
    with mora.open(text_trace("P0 1-9 work\nP0.1 2-8 loop\n")) as trace:
        assert [(e.node, e.thread, e.loc) for e in trace] == [(0, 0, 0), (0, 1, 1), (0, 1, 1), (0, 0, 0)]
        assert trace.state(2).stack(0) == [1] and trace.state(2).stack(0, thread=1, sym=True) == ["loop"]
        assert trace.nodes[0].locations == (0, 1) and trace.info.nodecount == 1
        assert [e.num for e in trace.events(ranks=0)] == [1, 2, 3, 4]
        assert "thread 1" in repr(trace[2])


def test_clocks_are_exact(text_trace):
    """Seconds of a trace whose clock counts from 1970 lose nanoseconds as floats; time_ns does not."""
    path = text_trace("P0 900000000000000001-900000000000000002 work\nP0 900000000000000003-900000000000000009 work\n")
    with mora.open(path, clock="trace") as trace:
        assert [e.time_ns for e in trace] == [900000000000000001, 900000000000000002, 900000000000000003,
                                              900000000000000009]
        assert trace.columns("time_ns").time_ns.tolist() == [e.time_ns for e in trace]
        assert trace[1].time == 9e8 and trace.info.start_ns == 900000000000000001
    with mora.open(path) as trace:
        assert [e.time_ns for e in trace] == [0, 1, 2, 8] and trace[4].time == 8e-9
        assert trace.info.duration_ns == 8


def test_between_finds_the_times_of_events(text_trace):
    path = text_trace("".join(f"P0 {i * 1000003 + 7}-{i * 1000003 + 9} work\n" for i in range(300)))
    for clock in ("start", "trace"):
        with mora.open(path, clock=clock) as trace:
            for event in trace:
                assert [e.num for e in trace.events(between=(event.time, event.time))] == [event.num]


def test_strings_that_are_no_utf_8(tmp_path):
    path = tmp_path / "bytes.trace"
    path.write_bytes(b"mora-trace 1\nP0 1-2 na\xffme\n")
    with mora.open(path) as trace:
        assert trace[1].region.encode("utf-8", "surrogateescape") == b"na\xffme"
        assert trace.info.regions == [trace[1].region] and trace.info.attributes("ENTER")


COLLECTIVES = """ranks 2
P0 0-100 main; 10-20 MPI_Barrier; 30-40 MPI_Barrier; 50-60 work
P1 0-100 main; 10-20 MPI_Barrier; 30-40 MPI_Barrier; 50-60 work
"""


def test_enter_and_exit_of_every_type(text_trace, rma):
    for event in [*mora.open(text_trace(COLLECTIVES)), *rma]:
        assert event.is_enter is (event.type == "ENTER")
        assert event.is_exit is event.is_a("EXIT") is (event.type in ("EXIT", "MPICEXIT", "MPIWCEXIT", "MPIWEXIT", "OMPCEXIT"))
    columns = rma.columns("is_enter", "is_exit")
    assert columns.is_enter.tolist() == [event.is_enter for event in rma]
    assert columns.is_exit.tolist() == [event.is_exit for event in rma]


def said(text_trace, loop):
    """What a new Python says on standard error while it runs `loop` for each `e` of a trace with collectives."""
    path = str(text_trace(COLLECTIVES))
    script = f"import mora\nwith mora.open({path!r}) as t:\n  n = 0\n  for e in t:\n    {loop}\n  assert n, n\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("loop", [
    "n += e.type == 'EXIT'", "n += e.type != 'EXIT'", "n += 'EXIT' == e.type", "n += e.type in ('ENTER', 'EXIT')",
    "n += (str(['EXIT'])[2:-2]) == e.type"])
def test_comparing_with_exit_is_told_once(text_trace, loop):
    assert said(text_trace, loop).count("is_exit") == 1


def test_comparing_with_exit_is_told_for_a_single_event(text_trace):
    assert said(text_trace, "n += e.type == 'EXIT' if e.num in (5, 15) else 1").count("is_exit") == 1


@pytest.mark.parametrize("loop", [
    "n += e.is_exit", "n += e.is_a('EXIT')", "n += e.type == 'ENTER'", "n += e.type in ('EXIT', 'MPICEXIT')",
    "n += e.type == 'MPICEXIT' or e.type == 'EXIT'", "n += len({e.type: 1})"])
def test_scripts_that_know_the_exits_are_told_nothing(text_trace, loop):
    assert said(text_trace, loop) == ""


def test_names_of_types_are_strings(text_trace):
    with mora.open(text_trace(COLLECTIVES)) as trace:
        name = next(trace.events("MPICEXIT")).type
    assert isinstance(name, str) and name == "MPICEXIT" and {name: 1}["MPICEXIT"] == 1 and {"MPICEXIT": 2}[name] == 2
    assert json.dumps(name) == '"MPICEXIT"' and str(name) == f"{name}" == "MPICEXIT" and repr(name) == "'MPICEXIT'"
    again = pickle.loads(pickle.dumps(name))
    assert again == name and type(again) is str and name in mora.TYPES and type(mora.TYPES[2]) is str


SKEWED = """node alpha 0
node beta 1
P0 10 SEND to 1 bytes 1
P1 12 RECV from 0 bytes 1
P1 14 RECV from 0 bytes 2
P0 20 SEND to 1 bytes 2
P0 30 SEND to 1 bytes 3
P0 35 ENTER work; 36 EXIT
P1 40 RECV from 0 bytes 3
"""


@pytest.mark.parametrize("index", [True, False])
def test_received_before_it_was_sent(text_trace, index):
    with mora.open(text_trace(SKEWED), index=index) as trace:
        assert [(e.num, e.type, e.len) for e in trace.events("P2P")] == [
            (1, "SEND", 1), (2, "RECV", 1), (3, "RECV", 2), (4, "SEND", 2), (5, "SEND", 3), (8, "RECV", 3)]
        assert [trace.state(i).queue() for i in range(len(trace) + 1)] == [[], [1], [], [], [], [5], [5], [5], []]
        assert trace[3].sendptr is None and trace[3].send is None and trace[3].latesendptr == 4 and trace[3].late_send == trace[4]
        assert trace[4].recvptr == 3 and trace[4].recv == trace[3] and trace[4].links == {"recv": trace[3]}
        assert trace[2].latesendptr is None and trace[2].sendptr == 1 and trace[1].recvptr == 2
        assert [loss.kind for loss in trace.info.losses] == ["receive-before-send"]


def test_corrected_clocks(text_trace):
    path = text_trace(SKEWED)
    for index in (True, False):
        with mora.open(path, correct_clocks="auto", index=index) as trace:
            for receive in trace.events("RECV"):
                assert receive.send.time <= receive.time and receive.latesendptr is None
            assert "clock-corrected" in [loss.kind for loss in trace.info.losses]
    with mora.open(path, correct_clocks="never") as trace:
        assert trace[3].sendptr is None
    with pytest.raises(mora.UsageError, match="clock correction"):
        mora.open(path, correct_clocks="sometimes")


def test_shortest_times_of_messages_are_those_that_were_given(text_trace):
    """The example of tests/golden/clock/one-message.test: between two nodes, sent at 1000, received at 20."""
    path = text_trace("node a 0\nnode b 1\nP0 1000-1010 MPI_Send to 1\nP1 0-20 MPI_Recv from 0\n")
    for given, received in ((None, 4000), ("7us", 8000), ("250,1us", 1250)):
        with mora.open(path, correct_clocks="always", min_latency=given) as trace:
            assert [event.time_ns for event in trace.events("RECV")] == [received]
    for wrong in ("3us,1us,100ns,1", "-1", "3 miles", "", 3):
        with pytest.raises(mora.UsageError):
            mora.open(path, correct_clocks="auto", min_latency=wrong)


@pytest.mark.parametrize("index", [True, False])
def test_times_count_from_the_first_event_in_every_format(text_trace, tmp_path, index):
    """An archive may begin before its first event; clock="start" counts from the event, clock="trace" from the clock's own zero."""
    text = "P0 1000-1100 main; 1050-1060 MPI_Send to 1\nP1 1040-1100 main; 1050-1070 MPI_Recv from 0\n"
    with mora.open(text_trace(text)) as whole, mora.Writer(tmp_path / "late", like=whole) as writer:
        for event in whole.events(between=(4e-8, None)):
            writer.append(event)
    with mora.open(tmp_path / "late", index=index) as trace:
        assert trace[1].time_ns == 0 and trace[1].time == 0.0 and trace[len(trace)].time_ns == 60 and trace.info.duration_ns == 100
        assert [e.num for e in trace.events(between=(0, 5e-9))] == [1]
        start = trace.info.start_ns
        if index:
            assert trace.columns("time_ns").time_ns.tolist() == [e.time_ns for e in trace]
            assert trace.calls().begin[0] == 0.0 and trace.time_profile(2).bin_start[0] == 0.0
    with mora.open(tmp_path / "late", index=index, clock="trace") as trace:
        assert trace[1].time_ns == start
