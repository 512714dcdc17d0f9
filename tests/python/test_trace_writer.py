"""mora.Writer: filtered and changed traces, and what it refuses."""
import mora
import pytest
from test_trace_events import RMA

MESSAGES = """unit us
P0 0-50 main
P0 10-14 MPI_Send to 1 bytes 8 tag 3
P0 20-24 MPI_Send to 1 bytes 16 tag 4
P1 0-50 main
P1 5-15 MPI_Recv from 0 bytes 8 tag 3
P1 22-25 MPI_Recv from 0 bytes 16 tag 4
P1 30-31 work
"""


def lines(trace):
    return [str(event).split(" ", 2)[2] for event in trace]


@pytest.mark.parametrize("text", [MESSAGES, RMA])
def test_all_events_make_the_same_trace(text_trace, tmp_path, text):
    with mora.open(text_trace(text)) as trace:
        with mora.Writer(tmp_path / "copy", like=trace) as writer:
            for event in trace:
                writer.append(event)
            assert writer.written + writer.implied == len(trace)
        with mora.open(tmp_path / "copy") as copy:
            assert [(e.type, e.node, e.time_ns, e.enterptr) for e in copy] == [
                (e.type, e.node, e.time_ns, e.enterptr) for e in trace]
            assert [e.links.keys() for e in copy] == [e.links.keys() for e in trace]
            assert [e.get("len") for e in copy] == [e.get("len") for e in trace]
            assert copy.info.format == "otf2" and copy.info.losses == trace.info.losses


def test_filtered(text_trace, tmp_path):
    with mora.open(text_trace(MESSAGES)) as trace, mora.Writer(tmp_path / "out", like=trace) as writer:
        for event in trace.events(between=(0, 16e-6)):
            writer.append(event)
    with mora.open(tmp_path / "out") as out:
        assert [e.len for e in out.events("RECV")] == [8] and next(out.events("RECV")).send.tag == 3
        assert {e.region for e in out.events("ENTER")} == {"main", "MPI_Send", "MPI_Recv"}


def test_changed(text_trace, tmp_path):
    with mora.open(text_trace(MESSAGES)) as trace, mora.Writer(tmp_path / "out", like=trace) as writer:
        for event in trace:
            writer.append(event, time_ns=event.time_ns * 2, len=7 if event.is_a("P2P") else None)
    with mora.open(tmp_path / "out") as out:
        assert [e.len for e in out.events("P2P")] == [7] * 4 and out.info.duration_ns == 100_000


def test_an_exception_leaves_nothing(text_trace, tmp_path):
    with mora.open(text_trace(MESSAGES)) as trace:
        with pytest.raises(KeyError):
            with mora.Writer(tmp_path / "out", like=trace) as writer:
                writer.append(trace[1])
                raise KeyError
        assert sorted(path.name for path in tmp_path.iterdir()) == ["sample.trace"]


def test_what_it_refuses(text_trace, tmp_path):
    path = text_trace(MESSAGES)
    with mora.open(path) as trace, mora.open(path) as other, mora.open(path, index=False) as plain:
        with pytest.raises(TypeError):
            mora.Writer(tmp_path / "out", like=str(path))
        with pytest.raises(mora.UsageError, match="needs the index"):
            mora.Writer(tmp_path / "out", like=plain)
        writer = mora.Writer(tmp_path / "out", like=trace)
        for wrong in (5, None, "1"):
            with pytest.raises(TypeError):
                writer.append(wrong)
        with pytest.raises(mora.UsageError, match="another trace"):
            writer.append(other[1])
        writer.append(trace[len(trace)])
        with pytest.raises(mora.UsageError):
            writer.append(next(e for e in trace if e.node == trace[len(trace)].node))
        writer.close()
        writer.close()
        with pytest.raises(mora.UsageError, match="the writer is closed"):
            writer.append(trace[1])
        with pytest.raises(mora.UsageError):
            writer.__enter__()
        with pytest.raises(mora.UsageError):
            mora.Writer(tmp_path / "out", like=trace)
        with mora.Writer(tmp_path / "out", like=trace, force=True) as again:
            again.append(trace[1])


def test_closing_the_trace_first(text_trace, tmp_path):
    trace = mora.open(text_trace(MESSAGES))
    writer = mora.Writer(tmp_path / "out", like=trace)
    event = trace[1]
    writer.append(event)
    trace.close()
    with pytest.raises(mora.ClosedError):
        writer.append(event)
    writer.close()
    with mora.open(tmp_path / "out") as out:
        assert out[1].type == "ENTER"
