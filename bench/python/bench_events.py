#!/usr/bin/python3
"""Python over the events of one archive: mora beside Debian's python3-otf2, in one run.

    PYTHONPATH=BUILD/python bench_events.py ARCHIVE      ARCHIVE: a folder with traces.otf2

Prints the lines that bench/run collects. Each figure is the best of several passes, in processor time (all of it is one
thread's), so that a busy machine disturbs little; opening is not part of a pass.
The event loop reads three attributes of every event: time, type and enterptr; python3-otf2, which has no pointers, time,
type and region or message.
"""
import pathlib
import random
import sys
import time

import mora

PASSES = 9
OTF2_EVENTS = 100_000


def best(function, times=PASSES):
    """(result, seconds) of the fastest pass."""
    took = []
    for _ in range(times):
        begin = time.process_time()
        result = function()
        took.append(time.process_time() - begin)
    return result, min(took)


def report(what, aim, measured):
    print(f"{what}\t{aim}\t{measured}")


def event_loop(trace):
    for event in trace:
        when = event.time
        what = event.type
        inside = event.enterptr
    return len(trace)


def receive_loop(trace):
    total = 0
    for event in trace.events("RECV"):
        total += event.len
    return len(trace)


def late_senders(trace):
    count = waited = 0
    for receive in trace.events("RECV"):
        enter, send = receive.enter, receive.send
        count += 1
        if enter is not None and send is not None and send.enter is not None and send.enter.time > enter.time:
            waited += send.enter.time - enter.time
    return count


def whole_columns(trace):
    columns = trace.columns("time", "time_ns", "type", "rank", "enterptr", "region", "len")
    return sum(len(column) for column in columns.values())


def chosen_columns(trace):
    columns = trace.columns("time", "src", "tag", "len", "sendptr", kinds="RECV")
    return sum(len(column) for column in columns.values())


def measure_mora(path):
    begin = time.perf_counter()
    trace = mora.open(path)
    print(f"{trace!r}, opened in {time.perf_counter() - begin:.2f} s", file=sys.stderr)
    count, took = best(lambda: event_loop(trace))
    report("Python event loop, three attributes", "≥ 8 M events/s", f"{count / took / 1e6:.1f} M events/s")
    count, took = best(lambda: receive_loop(trace))
    report("Python, bytes of all RECVs", "", f"{count / took / 1e6:.1f} M events/s passed")
    count, took = best(lambda: late_senders(trace))
    report("Python, late senders by links", "", f"{count / took / 1e6:.2f} M RECVs/s")
    count, took = best(lambda: whole_columns(trace))
    report("Python columns, seven of all events", "≥ 100 M values/s", f"{count / took / 1e6:.0f} M values/s")
    count, took = best(lambda: chosen_columns(trace))
    report("Python columns, five of the RECVs", "≥ 100 M values/s", f"{count / took / 1e6:.0f} M values/s")
    rng = random.Random(1)
    numbers = [rng.randrange(1, len(trace) + 1) for _ in range(100_000)]
    _, took = best(lambda: [trace.get(number) for number in numbers])
    report("Python random get, mean", "≤ 5 µs", f"{took / len(numbers) * 1e6:.2f} µs")
    return trace


def measure_otf2(path):
    try:
        import otf2
    except ImportError:
        print("python3-otf2 is not installed: no comparison", file=sys.stderr)
        return

    def loop():
        count = 0
        with otf2.reader.open(str(pathlib.Path(path) / "traces.otf2")) as archive:
            for location, event in archive.events:
                when = event.time
                what = type(event).__name__
                inside = getattr(event, "region", None)
                count += 1
                if count == OTF2_EVENTS:
                    return count
        return count

    count, took = best(loop, 2)
    report("python3-otf2, same archive, three attributes", "(0.1)", f"{count / took / 1e6:.3f} M events/s")


if __name__ == "__main__":
    measure_mora(sys.argv[1])
    measure_otf2(sys.argv[1])
