"""mora.Trace and mora.open()."""
import operator
import os

import _mora

from mora._columns import Columns
from mora._definitions import Communicator, Group, Location, Metric, Node, Region, Window, numbered
from mora._display import table
from mora._errors import UsageError
from mora._info import TraceInfo
from mora._state import State


def open(path, *, rma_model="extended", format=None, hist=None, mark=None, index=True, strict=False, clock="start"):
    """Open a trace and return it as a mora.Trace. Use it in a with-block, or call close().

    path       an experiment directory or a trace file (str or path-like)
    rma_model  where one-sided transfers end: "extended", at the synchronisation that completes them; "basic", as recorded
    format     name of the format (mora.formats()); None: found from the content
    hist       EARL's -hist: events kept in the history buffer, a positive int (1000); used with index=False
    mark       EARL's -mark: events between two bookmarks, an int >= 0 (10000); 0: only the first; used with index=False
    index      True: links and states come from an index that is made once. False: EARL's way, bookmarks and a
               history buffer; the trace then counts `decoded` and `seeks`
    strict     True: refuse a trace that had to be repaired (trace.info.losses says what is wrong)
    clock      zero of all times: "start", the trace's first event; "trace", the zero of the trace's own clock

    Raises mora.UnreadableError: missing, damaged beyond use, no known format, or damaged and `strict`;
    mora.UsageError (a ValueError): an option out of its range. Other Python threads may run meanwhile.
    """
    if rma_model not in ("extended", "basic"):
        raise UsageError(f"there is no RMA model {rma_model!r}", "", "", "use 'extended' or 'basic'")
    if clock not in ("start", "trace"):
        raise UsageError(f"there is no clock {clock!r}", "", "", "use 'start' or 'trace'")
    hist = 1000 if hist is None else _option("hist", hist, 1)
    mark = 10000 if mark is None else _option("mark", mark, 0)
    if format is not None and not isinstance(format, str):
        raise TypeError(f"the name of a format must be a str, not {type(format).__name__}")
    path = os.fsencode(path)
    if b"\0" in path:
        raise UsageError("a path must not contain a null character", repr(path))
    return Trace(_mora.TraceCore.open(path, format or "", rma_model == "extended", bool(strict),
                                      clock == "trace", bool(index), hist, mark))


def _option(name, value, least):
    kind = "a positive" if least else "a non-negative"
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{name} is {kind} int, not {value!r}")
    if value < least:
        raise UsageError(f"{name} is {kind} int, not {value}")
    return value


class Trace:
    """An opened trace: events numbered 1 … len(trace) in time order, and the state after each of them.

        with mora.open("mora-app-4") as trace:
            for event in trace.events("RECV"):
                print(event.time, event.src, "->", event.node)

    trace[i] is event i, trace[i:j] a list of events; iteration goes through all. get(), next(), prev() and reset() are
    EARL's: they move a read pointer, and stack() and queue() answer for the state at it. Times are seconds, lengths bytes.

    Several traces may be open at once. After close(), or at the end of the with-block, the trace and everything made
    from it (events, iterators, states) raise mora.ClosedError; NumPy arrays stay valid.
    """

    __slots__ = ("_core", "_position", "_info", "__weakref__")

    def __init__(self, core):
        if not isinstance(core, _mora.TraceCore):
            raise TypeError("traces are opened with mora.open()")
        self._core = core
        self._position = 0
        self._info = None
        core.set_owner(self)

    # --- closing ---

    def close(self):
        """Close the trace and free its memory. Closing twice is allowed."""
        self._core.close()

    @property
    def closed(self):
        """bool: whether close() was called."""
        return self._core.closed

    def __enter__(self):
        self._core.check()
        return self

    def __exit__(self, *exception):
        self.close()

    # --- events by number ---

    def __len__(self):
        """Number of events m."""
        return self._core.size()

    def __getitem__(self, number):
        """Event `number` (1 … m), or a list of events for a slice of numbers: trace[3:6] is events 3, 4, 5.

        Raises IndexError for 0, negative and too large numbers; negative numbers do not count from the end.
        """
        if isinstance(number, slice):
            return self._slice(number)
        event = self._core.event(number, True)
        if event is None:
            m = len(self)
            raise IndexError(f"there is no event {number}; " + (f"events are 1 to {m}" if m else "the trace is empty"))
        return event

    def _slice(self, numbers):
        m = len(self)
        step = 1 if numbers.step is None else operator.index(numbers.step)
        if step == 0:
            raise UsageError("the step of a slice must not be 0")
        first, stop = (1, m + 1) if step > 0 else (m, 0)
        if numbers.start is not None:
            first = operator.index(numbers.start)
        if numbers.stop is not None:
            stop = operator.index(numbers.stop)
        if first < 0 or stop < 0:
            raise IndexError("numbers of events are not negative")
        first = max(first, 1) if step > 0 else min(first, m)
        stop = min(stop, m + 1) if step > 0 else stop
        return [self._core.event(number, True) for number in range(first, stop, step) if number > 0]

    def __iter__(self):
        """All events in time order."""
        return self._core.events(None, None, None, False)

    def __reversed__(self):
        return self._core.events(None, None, None, True)

    def __contains__(self, event):
        """Whether it is an event of this trace."""
        return isinstance(event, _mora.Event) and event.trace is self

    # --- EARL's read pointer ---

    @property
    def position(self):
        """int: the read pointer: number of the event read last, 0 at the beginning and after reset()."""
        self._core.check()
        return self._position

    def get(self, number, fetch_only=False):
        """Event `number`, which becomes the read pointer unless `fetch_only`.

        Returns None, and leaves the pointer as it is, if there is no such event (EARL's -1). Raises TypeError if
        `number` is not an int.
        """
        event = self._core.event(number, bool(fetch_only))
        if event is not None and not fetch_only:
            self._position = event.num
        return event

    def next(self):
        """The event after the read pointer, which moves to it. None at the end; the pointer then stays."""
        return self.get(self._position + 1)

    def prev(self):
        """The event before the read pointer, which moves to it. None at event 1 and before it; the pointer then stays."""
        return self.get(self._position - 1)

    def reset(self):
        """Set the read pointer to 0: before the first event, where the state is empty."""
        self._core.reset_adapter()
        self._position = 0

    def stack(self, node, sym=False, thread=0):
        """The region stack of a node in the state at the read pointer; see State.stack()."""
        return self._core.stack(self._position, node, sym, thread)

    def queue(self, dest=None, src=None):
        """The message queue in the state at the read pointer; see State.queue(). The destination comes first."""
        return self._core.queue(self._position, dest, src)

    def state(self, number=None):
        """The state after event `number` (0 … m; None: at the read pointer) as a mora.State.

        Raises IndexError if there is no such state.
        """
        number = self._position if number is None else operator.index(number)
        if number != 0 and self._core.event(number, True) is None:
            raise IndexError(f"there is no state {number}; states are 0 to {len(self)}")
        self._core.check()
        return State(self._core, number)

    # --- without index: EARL's bookmarks and history ---

    @property
    def decoded(self):
        """int: records decoded so far. Only with index=False (else mora.UsageError)."""
        return self._core.counters()[0]

    @property
    def seeks(self):
        """int: changes of the position in the file so far. Only with index=False."""
        return self._core.counters()[1]

    @property
    def live(self):
        """int: events in memory: history, states and what their pointers lead to. Only with index=False."""
        return self._core.counters()[2]

    @property
    def history(self):
        """(int, int): first and last event of the history buffer, (1, 0) if it is empty. Only with index=False."""
        return self._core.history()

    @property
    def bookmarks(self):
        """list of int: the p of the states S_p that are kept. Only with index=False."""
        return self._core.bookmarks()

    # --- many events ---

    def events(self, kinds=None, ranks=None, between=None, reverse=False):
        """An iterator over the events of some kinds, ranks and times, in time order or backward.

        kinds    a name or several, in any case: a type ("SEND"), a class of types ("EXIT": every way to leave a region,
                 MPICEXIT and its like included; FLOW, P2P, RMA, RMA_COMM, RMA_SYNC, TEAM, SYNC, NBC, IO), or a type
                 that the trace defines; "=EXIT" is that type alone. None: all
        ranks    a rank or several. None: all
        between  (from, to) in seconds, both included, either may be None
        reverse  True: the last first

        Raises mora.UsageError for unknown kinds and ranks. Events come at several million a second.
        """
        return self._core.events(kinds, ranks, between, bool(reverse))

    def each(self, function=None, *, kinds=None, ranks=None, between=None, reverse=False, **by_kind):
        """Call functions with events in one pass: `function` with all that are chosen, and others by kind:

            trace.each(SEND=count_send, RECV=count_receive)

        The keywords are kinds as for events(); an event is given to every function whose kind matches, to `function` first.
        An exception of a function ends the pass; a note in it names the event and the trace.
        Returns the number of events that were given to functions.
        """
        named = list(by_kind.items())
        if function is not None or not named:
            named.insert(0, (None, function))
        for kind, called in named:
            if not callable(called):
                raise TypeError(f"{kind or 'function'} must be callable, not {type(called).__name__}")
        if kinds is None and function is None:
            kinds = list(by_kind)
        # Which functions are called depends only on the type's name, unless the trace defines a type of the same name.
        lasting = not set(self._core.user_types()) & set(_mora.type_names())
        by_type = {}
        count = 0
        event = None
        try:
            for event in self._core.events(kinds, ranks, between, bool(reverse)):
                functions = by_type.get(event.type)
                if functions is None:
                    functions = [called for kind, called in named if kind is None or event.is_a(kind)]
                    if lasting:
                        by_type[event.type] = functions
                for called in functions:
                    called(event)
                count += 1
        except Exception as error:
            if event is not None:
                error.add_note(f"in a function called by Trace.each() with {event!r} of {self._core.path}")
            raise
        return count

    def columns(self, *names, kinds=None, ranks=None, between=None):
        """Attributes of many events as NumPy arrays: a mora.Columns (a dict; `.to_pandas()` makes a data frame).

        names    numeric attributes of events. `type` is an index in mora.TYPES, `region` in trace.regions; null
                 pointers are 0, missing numbers -1, missing lengths 0. Without names: num, time, type, rank, enterptr
        kinds, ranks, between   as for events()

        Arrays have one value per chosen event. time_ns, enterptr, forwardptr, ordinal, loc, type (and rank, if locations
        are numbered like ranks) are not copied unless kinds or ranks are given: they are read-only views of the
        trace's index. All others are computed: time (float64, seconds), num, region, thread, and what only some types
        have. Raises mora.UsageError for a name that is no numeric attribute.
        """
        return Columns(self._core.columns(list(names) or ["num", "time", "type", "rank", "enterptr"], kinds, ranks, between))

    @property
    def details(self):
        """numpy structured array, not copied, read-only: the rows of all events that are not ENTER or EXIT.

        Fields: bytes, received, id, link, peer, com, win, kind (tag, group, file, …), assertion, collective, flags.
        """
        return self._core.details()

    # --- definitions ---

    @property
    def info(self):
        """mora.TraceInfo: file, format, event types, nodes, groups, losses."""
        if self._info is None:
            self._info = TraceInfo(self._core)
        return self._info

    @property
    def regions(self):
        """list of mora.Region."""
        return numbered(Region, self._core.regions())

    @property
    def locations(self):
        """list of mora.Location: all processes and threads."""
        return numbered(Location, self._core.locations())

    @property
    def nodes(self):
        """list of mora.Node: all processes, by rank."""
        nodes = [Node(rank, f"node_{rank}", "", ()) for rank in range(self._core.nodecount())]
        for index, (name, rank, thread, host, kind) in enumerate(self._core.locations()):
            old = nodes[rank]
            if thread != 0 or name in ("", f"rank {rank}"):
                name = old.name
            nodes[rank] = Node(rank, name, host, (*old.locations, index))
        return nodes

    @property
    def communicators(self):
        """list of mora.Communicator."""
        return numbered(Communicator, self._core.communicators())

    @property
    def windows(self):
        """list of mora.Window."""
        return numbered(Window, self._core.windows())

    @property
    def groups(self):
        """list of mora.Group: groups of processes. Groups of regions are in trace.info.groups."""
        return numbered(Group, self._core.groups())

    @property
    def metrics(self):
        """list of mora.Metric: counters."""
        return numbered(Metric, self._core.metrics())

    def __repr__(self):
        if self.closed:
            return f"<mora.Trace {self._core.path!r}, closed>"
        events = self._core.known_size()
        return (f"<mora.Trace {self._core.path!r}: {'not yet counted' if events is None else events} events, "
                f"{self._core.nodecount()} nodes>")

    def __reduce__(self):
        raise TypeError("traces cannot be pickled: open the file again in the other process")

    def _repr_html_(self):
        if self.closed:
            return table([("file", self._core.path), ("state", "closed")], "trace")
        return self.info._repr_html_()
