"""Mora for Python: script any analysis over any trace.

    import mora

    with mora.open("mora-app-4") as trace:                 # an experiment, or a trace file of any known format
        waited = 0.0
        for receive in trace.events("RECV"):               # millions of events a second
            enter, send = receive.enter, receive.send
            if enter and send and send.enter and send.enter.time > enter.time:
                waited += send.enter.time - enter.time     # late sender
        print(waited, "seconds")

A trace is a sequence of events numbered 1 … m in time order, with the state of the program after each of them. This is
the model of EARL, the trace language that this module continues (Wolf 1998 in docs/sources.md). Events have the
attributes of their type (`event.time`, `event.region`, `event.dest`) and links to related events, backward
(`receive.send`, `event.enter`) and forward (`send.recv`, `enter.exit`); `event.links` has all of them.

    trace[17]                     event 17; IndexError if there is none
    trace.events("SEND", ranks=0, between=(1.0, 2.0))      an iterator
    trace.get(17), next(), prev(), reset()                 EARL's read pointer; None if there is no such event
    trace.state(17).stack(0)      numbers of the ENTER events of rank 0's open regions, innermost first
    trace.state(17).queue(1, 0)   numbers of the SEND events from rank 0 to rank 1 that are not received yet, the last first
    trace.columns("time", "len", kinds="RECV").to_pandas()    NumPy arrays, a data frame
    trace.messages(), calls(), transfers(), collectives()      frames: a row for each, as columns
    trace.profile(), time_profile(), comm_matrix(), message_histogram()       where time and data go, in one call; .plot()
    trace.info                    file, format, types, nodes, groups of regions, losses

    open, Trace, Event, State, TraceInfo, Columns, Frame, Writer    traces
    Region, Node, Location, Communicator, Window, Group, Metric, Loss, OpenCollective, LockState    what events refer to
    Stat                                              statistics in constant memory
    load, Result, mean, merge                         results (.cubex): what `mora analyze` found
    run, start, analyze, Run, Started, RunError       run, record and analyse programs
    mora.charts                                       pictures (SVG, HTML) without further packages
    formats(), mora.help                              formats of traces; version
    Error, UsageError, UnreadableError, ClosedError   what is raised, with the fields what, where, why, help
    TYPES                                             names of the event types; columns of `type` are indices in it
    precision                                         digits after the point of times and statistics in text, 0 … 17 (9);
                                                      an illegal value raises ValueError at the next use

Units: seconds (float) in `time`, nanoseconds (int) in names that end in _ns, bytes in lengths. Nodes are ranks of
MPI_COMM_WORLD. Links that lead nowhere are None. Numbers of events start at 1.

Guides: docs/user/python.md, docs/user/scripts.md.
"""
import _mora
from _mora import Event, EventIterator

from mora import charts, help
from mora._trace.columns import Columns
from mora._trace.frames import Frame
from mora._trace.definitions import (
    Communicator,
    Group,
    Location,
    LockState,
    Loss,
    Metric,
    Node,
    OpenCollective,
    Region,
    Window,
)
from mora._display import event_html as _event_html
from mora._display import event_repr as _event_repr
from mora._display import event_str as _event_str
from mora._errors import ClosedError, Error, UnreadableError, UsageError
from mora._trace.info import TraceInfo
from mora._precision import DEFAULT as precision
from mora._trace.state import State
from mora._trace.trace import Trace, open
from mora._trace.writer import Writer
from mora.help import formats
from mora.results import Result, load, mean, merge
from mora.running import Run, RunError, Started, analyze, run, start
from mora.statistics import Stat

TYPES = _mora.type_names()
__version__ = _mora.version()

__all__ = [
    "open", "Trace", "Event", "EventIterator", "State", "TraceInfo", "Columns", "Frame", "Writer",
    "Region", "Node", "Location", "Communicator", "Window", "Group", "Metric", "Loss", "OpenCollective", "LockState",
    "Stat", "load", "Result", "mean", "merge", "run", "start", "analyze", "Run", "Started", "RunError", "charts",
    "Error", "UsageError", "UnreadableError", "ClosedError", "TYPES", "formats", "help", "precision",
]

_mora.set_event_display(_event_repr, _event_str, _event_html)

# Users see `mora.Trace`, whatever file defines it.
for _thing in __all__:
    if getattr(globals()[_thing], "__module__", "").startswith("mora."):
        globals()[_thing].__module__ = "mora"
del _thing
