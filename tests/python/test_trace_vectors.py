"""The vectors V-1 … V-20 (tests/golden/vectors.md) that are about EARL's commands, as the module `mora` answers them."""
import hashlib

import mora
import pytest
from conftest import VECTORS

MODES = [{}, {"index": False, "mark": 6, "hist": 1}, {"index": False}]


def earl_list(event):
    return str(event).replace("type ENTER", "type enter").replace("type EXIT", "type exit").replace(
        "type SEND", "type send").replace("type RECV", "type recv")


@pytest.mark.parametrize("mode", MODES)
def test_v_1_events_and_info(vector, mode):
    with mora.open(vector("v-01"), clock="trace", **mode) as trace:
        assert [earl_list(trace.get(i)) for i in range(1, 6)] == [
            "num 1 node 0 time 2025.436865000 type start enterptr -1 data 4",
            "num 2 node 0 time 2025.437342000 type enter enterptr -1 region Region_A group All",
            "num 3 node 0 time 2025.438566000 type exit enterptr 2 region Region_A group All",
            "num 4 node 1 time 2025.439346000 type send enterptr -1 dest 2 tag 193 com -1 len 100",
            "num 5 node 2 time 2025.439400000 type recv enterptr -1 src 1 tag 193 com -1 len 100 sendptr 4",
        ]
        info = trace.info
        assert info.nodecount == 8
        assert info.regions == ["Region_A"]
        assert info.groups == ["All"]
        assert info.group("All") == ["Region_A"]
        with pytest.raises(mora.UsageError, match="undefined groupname"):
            info.group("X")
        assert [info.nodesym(7), info.nodesym(3)] == ["Server", "node_3"]
        with pytest.raises(mora.UsageError, match="undefined nodenumber"):
            info.nodesym(8)
        assert [trace.get(0), trace.get(6), trace.get(-1)] == [None, None, None]
        assert trace.position == 5
        trace.get(4)
        assert trace.queue() == [4]
        trace.get(5)
        assert trace.queue() == []
        assert info.format == "alog"


def test_v_1_event_types(vector):
    with mora.open(vector("v-01")) as trace:
        assert trace.info.eventtypes == ["ENTER", "EXIT", "SEND", "RECV", "start"]
        assert trace[1].type == "start" and trace[1].data == "4"
        assert [e.num for e in trace.events("start")] == [1]
        assert trace.info.attributes("start") == ["num", "node", "time", "type", "enterptr", "data"]
        assert trace.info.attributes("exit") == ["num", "node", "time", "type", "enterptr", "region", "group"]
        assert trace.info.attributes()[:14] == ("num node time type enterptr region group src dest tag com len sendptr "
                                                "data").split()
        with pytest.raises(mora.UsageError, match="undefined type"):
            trace.info.attributes("nothing")


@pytest.mark.parametrize("mode", MODES)
def test_v_2_pointers_and_states(vector, mode):
    enterptr = [None, None, 1, 2, 3, 4, 5, 6, 5, 6, 3, 4]
    stack0 = [[1], [1], [3, 1], [3, 1], [5, 3, 1], [5, 3, 1], [5, 3, 1], [5, 3, 1], [3, 1], [3, 1], [1], [1]]
    stack1 = [[], [2], [2], [4, 2], [4, 2], [6, 4, 2], [6, 4, 2], [6, 4, 2], [6, 4, 2], [4, 2], [4, 2], [2]]
    with mora.open(vector("v-02"), **mode) as trace:
        assert len(trace) == 12
        for i in range(1, 13):
            event = trace.next()
            assert event.num == i
            assert event.enterptr == enterptr[i - 1]
            assert trace.stack(0) == stack0[i - 1]
            assert trace.stack(1) == stack1[i - 1]
            assert trace.queue() == ([7] if i == 7 else [])
            assert trace.state(i).stack(0) == stack0[i - 1]
        assert trace[8].sendptr == 7
        assert trace.state(7).stack(0, sym=True) == ["striped", "gray", "white"]
        chain, event = [], trace[8]
        while event is not None:
            event = event.enter
            chain.append(event and event.num)
        assert chain == [6, 4, 2, None]
        assert trace[8].call_path == ("white", "gray", "striped")


@pytest.mark.parametrize("mode", MODES)
def test_v_5_recursion(vector, mode):
    with mora.open(vector("v-05"), **mode) as trace:
        assert [event.enterptr for event in trace] == [None, 1, 2, 3, 2, 1]
        inclusive, exclusive = {}, {}
        for exit in trace.events("EXIT"):
            took = exit.time - exit.enter.time
            inclusive[exit.region] = inclusive.get(exit.region, 0) + took
            exclusive[exit.region] = exclusive.get(exit.region, 0) + took
            if exit.enter.enter:
                outer = exit.enter.enter.region
                exclusive[outer] = exclusive.get(outer, 0) - took
        assert inclusive == {"A": 10.0, "B": 1.0}
        assert exclusive == {"A": 5.0, "B": 1.0}


@pytest.mark.parametrize("mode", MODES)
def test_v_6_early_receive(vector, mode):
    with mora.open(vector("v-06"), **mode) as trace:
        found = [(e.num, e.enterptr, e.sendptr) for e in trace.events("recv")]
        assert found == [(7, 3, 5), (13, 12, 10), (19, 15, 17), (25, 21, 23)]
        wasted = 0.0
        for receive in trace.events("recv"):
            enter, send = receive.enter, receive.send
            if enter is None or send is None or send.enter is None:
                continue
            if enter.region == "MPI_Recv" and send.enter.region == "MPI_Send" and send.enter.time > enter.time:
                wasted += send.enter.time - enter.time
        assert wasted == pytest.approx(0.00375, abs=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_v_8_matching_and_queue(vector, mode):
    with mora.open(vector("v-08"), **mode) as trace:
        assert {e.num: e.sendptr for e in trace.events("recv")} == {5: 2, 6: 3, 7: 1, 9: 4}
        queues = [[1], [2, 1], [3, 2, 1], [4, 3, 2, 1], [4, 3, 1], [4, 1], [4], [8, 4], [8]]
        assert [trace.state(i).queue() for i in range(10)] == [[], *queues]
        four = trace.state(4)
        assert four.queue(1) == [4, 3, 2, 1]
        assert four.queue(1, 0) == [4, 2, 1]
        assert four.queue(1, 2) == [3]
        assert four.queue(0) == []
        with pytest.raises(mora.UsageError, match="undefined nodenumber 3"):
            four.queue(3)
        eight = trace.state(8)
        assert [eight.queue(0), eight.queue(0, 1), eight.queue(1, 0)] == [[8], [8], [4]]
        assert four.queue(src=2) == [3]


def test_v_9_rollover_override_names(vector):
    with mora.open(vector("v-09"), clock="trace") as trace:
        assert [e.time for e in trace] == [0.999990, 1.000005, 2.000007]
        assert [(e.type, e.enterptr) for e in trace] == [("ENTER", None), ("Proof", 1), ("EXIT", 1)]
        assert trace[1].region == trace[3].region == "Rhode Island"
        assert trace[2].data == "42"
        assert trace.info.eventtypes == ["ENTER", "EXIT", "SEND", "RECV", "Proof"]
        assert "region {Rhode Island} group" in str(trace[1])


@pytest.mark.parametrize("mode", MODES)
def test_v_10_read_pointer(vector, mode):
    """The state is that of the pointer, not of the event touched last; reading at the end changes nothing."""
    with mora.open(vector("v-06"), **mode) as trace:
        assert trace.position == 0
        assert trace.prev() is None and trace.position == 0
        assert trace.stack(0) == [] and trace.queue() == []
        assert trace.next().num == 1 and trace.position == 1
        assert trace.prev() is None and trace.position == 1
        assert trace.get(4, fetch_only=True).num == 4 and trace.position == 1
        assert trace.stack(0) == [1]
        assert trace.next().num == 2 and trace.position == 2
        assert trace.get(28).num == 28
        assert trace.next() is None and trace.position == 28
        assert trace.prev().num == 27 and trace.position == 27
        assert trace.get(99) is None and trace.position == 27  # no event: nothing changed, nothing stale
        trace.reset()
        assert trace.position == 0 and trace.stack(0) == []
        assert trace.next().num == 1 and trace.position == 1


def test_v_11_attributes_of_another_type_are_absent(vector):
    """An ENTER has no `dest` left over from the SEND that was read before."""
    with mora.open(vector("v-06")) as trace:
        send, enter = trace[5], trace[1]
        assert list(send.attributes()) == ["num", "node", "time", "type", "enterptr", "dest", "tag", "com", "len"]
        assert list(enter.attributes()) == ["num", "node", "time", "type", "enterptr", "region", "group"]
        for name in ("dest", "tag", "com", "len", "src", "sendptr", "data"):
            assert not hasattr(enter, name)
            assert enter.get(name) is None
            assert enter.get(name, "") == ""
        assert enter.region == "main"


def hundred(alog):
    return alog("-3 0 0 2 0 0\n-13 0 1 2 0 0 red:solid work\n" +
                "".join(f"{1 + i % 2} {i // 2 % 2} 0 0 0 {10 * i}\n" for i in range(100)))


def test_v_13_bookmarks_and_history(alog):
    with mora.open(hundred(alog), index=False, mark=10, hist=5) as trace:

        def cost(number):
            before = trace.decoded
            event = trace.get(number)
            assert event is None if number > 100 else event.num == number
            return trace.decoded - before

        assert cost(37) == 37
        assert trace.history == (33, 37) and trace.bookmarks == [0, 10, 20, 30]
        seeks = trace.seeks
        assert cost(35) == 0
        trace.stack(0), trace.queue()
        assert trace.seeks == seeks
        assert cost(25) == 5 and trace.history == (21, 25)
        assert cost(21) == 0
        assert cost(20) == 10 and trace.history == (16, 20)
        assert cost(39) == 19 and trace.history == (35, 39)
        assert cost(1) == 1
        assert cost(101) == 99 and trace.position == 1 and trace.history == (96, 100)
        assert trace.bookmarks == list(range(0, 101, 10))
        assert cost(95) == 5


def test_v_14_closure_across_a_bookmark(vector):
    with mora.open(vector("v-06"), index=False, mark=6, hist=1) as trace:
        trace.get(28)
        before = trace.decoded
        trace.get(7)
        assert trace.decoded - before == 1
        send, enter = trace.get(5, fetch_only=True), trace.get(4, fetch_only=True)
        assert trace.decoded - before == 1
        assert send.enterptr == 4 and (enter.region, enter.enterptr) == ("MPI_Send", 1)
        assert trace.stack(1) == [3, 2]


def test_v_15_single_pass(vector):
    with mora.open(vector("v-06"), index=False, hist=1) as trace:
        while (event := trace.next()) is not None:
            if event.type == "RECV" and event.send is not None:
                assert event.send.enter is not None or event.send.enterptr is None
        assert (trace.decoded, trace.seeks) == (28, 0)


@pytest.fixture
def precision():
    yield
    mora.precision = 9


def test_v_17_precision(vector, precision):
    with mora.open(vector("v-01"), clock="trace") as trace:

        def time():
            return str(trace[1]).split()[5]

        assert time() == "2025.436865000"
        for digits, text in ((0, "2025"), (3, "2025.437"), (17, f"{2025.436865:.17f}")):
            mora.precision = digits
            assert time() == text
            assert repr(trace[1]).split()[-2] == text
        for wrong in (18, -1, "abc", 3.0, True, None):
            mora.precision = wrong
            with pytest.raises(ValueError, match="mora.precision"):
                str(trace[1])
        del mora.precision
        assert time() == "2025.436865000"


def test_v_7_wrong_order(alog):
    lines = ["-3 0 0 2 0 0", "-13 0 10 11 0 0 red:solid main", "-13 0 1 2 0 0 green:solid MPI_Send",
             "-13 0 3 4 0 0 blue:solid MPI_Recv", "10 0 0 0 0 0", "10 1 0 0 0 1"]

    def send(t, tag):
        lines.extend([f"1 0 0 0 0 {t}", f"-101 0 0 1 0 {t + 10} {tag} 100", f"2 0 0 0 0 {t + 20}"])

    def receive(t, tag):
        lines.extend([f"3 1 0 0 0 {t}", f"-102 1 0 0 0 {t + 10} {tag} 100", f"4 1 0 0 0 {t + 20}"])

    for i in (1, 2, 3, 4):
        send(100 * i, i)
    for i, tag in enumerate((4, 3, 2, 1)):
        receive(500 + 100 * i, tag)
    for i in (1, 2, 3, 4):
        send(800 + 100 * i, i)
    for i in (1, 2, 3, 4):
        receive(1200 + 100 * i, i)
    lines += ["11 0 0 0 0 1700", "11 1 0 0 0 1701"]
    with mora.open(alog("\n".join(lines) + "\n"), clock="trace") as trace:
        assert len(trace) == 52
        reports = {}
        for receive in trace.events("RECV"):
            waiting = trace.state(receive.num).queue(receive.node, receive.src)
            older = [number for number in waiting if number < receive.sendptr]
            if older:
                reports[receive.num] = (f"{receive.time:.9f}", older, receive.sendptr)
                assert trace.state(receive.num).stack(1, sym=True) == ["MPI_Recv", "main"]
        assert reports == {16: ("0.000510000", [10, 7, 4], 13), 19: ("0.000610000", [7, 4], 10),
                           22: ("0.000710000", [4], 7)}
        assert max(len(trace.state(i).queue()) for i in range(53)) == 4


def test_v_19_no_stale_values(vector):
    """The last RECV is at top level: what is asked of it must not come from the one before."""
    with mora.open(vector("v-19")) as trace:
        waits = []
        for receive in trace.events("RECV"):
            if receive.enter and receive.send and receive.send.enter:
                waits.append(receive.send.enter.time - receive.enter.time)
        assert waits == [pytest.approx(0.002)]


def test_v_20_volume(vector):
    with mora.open(vector("v-20")) as trace:

        def volume(receiver):
            sent = [0] * trace.info.nodecount
            for receive in trace.events("RECV", ranks=receiver):
                sent[receive.src] += receive.len
            return [bytes / 1024 for bytes in sent]

        assert volume(2) == [3.0, 0.5009765625, 0.0]
        assert volume(1) == [0, 0, 4.0]


@pytest.mark.parametrize("mode", MODES)
def test_v_12_vampir(tmp_path, mode):
    content = bytes.fromhex((VECTORS / "v-12.hex").read_text())
    assert hashlib.sha256(content).hexdigest() == "18fe42d8fe71a34f47db0a676ae7ec93f396b19bae84de52e3a032621d8fc3ea"
    path = tmp_path / "v-12.bpv"
    path.write_bytes(content)
    with mora.open(path, **mode) as trace:
        assert [earl_list(event) for event in trace] == (VECTORS / "v-12.events").read_text().splitlines()
        info = trace.info
        assert [info.nodecount, info.nodesym(0), info.nodesym(1)] == [2, "node_0", "Server"]
        assert info.groups == ["Application", "MPI"] and info.group("MPI") == ["MPI_Send", "MPI_Recv"]
        with pytest.raises(mora.UsageError, match="undefined groupname"):
            info.group("All")
        assert info.format == "vampir"
