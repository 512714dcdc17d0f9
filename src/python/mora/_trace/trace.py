"""mora.Trace and mora.open()."""
import atexit
import operator
import os
import sys

import _mora

from mora._trace import frames, places
from mora._trace.columns import Columns
from mora._trace.definitions import Communicator, Group, Location, Metric, Node, Region, Window, numbered
from mora._display import table
from mora._errors import UsageError
from mora._trace.info import TraceInfo


def open(path, *, rma_model="extended", format=None, application=None, hist=None, mark=None, index=True, strict=False,
         clock="start", correct_clocks="never", min_latency=None, progress=None):
    """Open a trace and return it as a mora.Trace. Use it in a with-block, or call close().

    path       an experiment directory or a trace file (str or path-like)
    rma_model  where one-sided transfers end: "extended", at the synchronisation that completes them; "basic", as recorded
    format     name of the format (mora.formats()); None: found from the content
    application  which job of a Paraver trace that holds several, from 1; None: the first (trace.info.losses says how
               many there are)
    hist       EARL's -hist: events kept in the history buffer, a positive int (1000); used with index=False
    mark       EARL's -mark: events between two bookmarks, an int >= 0 (10000); 0: only the first; used with index=False
    index      True: links and states come from an index that is made once. False: EARL's way, bookmarks and a
               history buffer; the trace then counts `decoded` and `seeks`
    strict     True: refuse a trace that had to be repaired (trace.info.losses says what is wrong)
    clock      zero of all times: "start", the trace's first event; "trace", the zero of the trace's own clock
    correct_clocks  as the option of `mora print` and `mora convert` (docs/user/clocks.md): "never"; "auto", if a message
               between nodes arrives before it is sent; "always", also if this happens on one node. A corrected trace is
               read twice and its index is not kept; trace.info.losses says what was moved
    min_latency  for correct_clocks, as --min-latency of the verbs: a str of up to three durations, the shortest that a message
               can take between nodes, inside a node and between threads; None: "3us,1us,100ns"
    progress   called as progress(done, all) about twenty times a second while a long trace is read: events read and linked
               so far, of how many (0: not known); of a file that is read whole before its events are known, its bytes, and
               as many again for the events. True: a line on standard error, if that is a terminal. An exception of it,
               and Ctrl-C, end the opening at once

    Raises mora.UnreadableError: missing, damaged beyond use, no known format, or damaged and `strict`;
    mora.UsageError (a ValueError): an option out of its range. Other Python threads may run meanwhile.
    """
    if rma_model not in ("extended", "basic"):
        raise UsageError(f"there is no RMA model {rma_model!r}", "", "", "use 'extended' or 'basic'")
    if clock not in ("start", "trace"):
        raise UsageError(f"there is no clock {clock!r}", "", "", "use 'start' or 'trace'")
    if correct_clocks not in ("auto", "always", "never"):
        raise UsageError(f"{correct_clocks!r} is no choice of clock correction", "", "", "use 'auto', 'always' or 'never'")
    if min_latency is not None and (not isinstance(min_latency, str) or not min_latency):
        raise UsageError(f"min_latency is a str like '3us,1us,100ns', not {min_latency!r}")
    if progress is True:
        progress = _progress_line if sys.stderr.isatty() else None
    elif progress is not None and progress is not False and not callable(progress):
        raise TypeError(f"progress is a function of two numbers, True or None, not {type(progress).__name__}")
    application = 0 if application is None else _option("application", application, 1)
    hist = 1000 if hist is None else _option("hist", hist, 1)
    mark = 10000 if mark is None else _option("mark", mark, 0)
    if format is not None and not isinstance(format, str):
        raise TypeError(f"the name of a format must be a str, not {type(format).__name__}")
    path = os.fsencode(path)
    if b"\0" in path:
        raise UsageError("a path must not contain a null character", repr(path))
    try:
        return Trace(_mora.TraceCore.open(path, format or "", application, rma_model == "extended", bool(strict), clock == "trace",
                                          correct_clocks, min_latency or "", progress or None, bool(index), hist, mark))
    finally:
        if progress is _progress_line:
            sys.stderr.write("\r\x1b[K")


def _progress_line(done, total):
    text = f"reading the trace: {100 * done // total} %" if total else f"reading the trace: {done:,} events"
    sys.stderr.write(f"\r{text}\x1b[K")
    sys.stderr.flush()


def _option(name, value, least):
    kind = "a positive" if least else "a non-negative"
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{name} is {kind} int, not {value!r}")
    if value < least:
        raise UsageError(f"{name} is {kind} int, not {value}")
    return value


# What Ctrl-C has left running must not outlive the module.
atexit.register(_mora.wait_for_openings)


@_mora.own_methods
class Trace(_mora.TraceBase):
    """An opened trace: events numbered 1 … len(trace) in time order, and the state after each of them.

        with mora.open("mora-app-4") as trace:
            for event in trace.events("RECV"):
                print(event.time, event.src, "->", event.node)

    len(trace) is the number of events m; trace[i] is event i (IndexError for 0, negative and too large numbers; negative ones do not
    count from the end), trace[i:j] a list of events i, … j - 1; iteration goes through all. get(), next(), prev() and reset() are
    EARL's: they move a read pointer, and stack() and queue() answer for the state at it. Times are seconds, lengths bytes.

    Several traces may be open at once. After close(), or at the end of the with-block, the trace and everything made
    from it (events, iterators, states) raise mora.ClosedError; NumPy arrays stay valid.
    """

    __slots__ = ("_info", "__weakref__")

    def __init__(self, core):
        super().__init__(core)
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

    def __exit__(self, kind, error, trace_back):
        """Closes the trace. An exception gets a note that says where in the trace the block was: the events and states of this
        trace that its variables held, the innermost function's first."""
        if isinstance(error, (Exception, KeyboardInterrupt)) and not isinstance(error, StopIteration):
            lines = places.of(trace_back, self)
            if lines:
                error.add_note(f"in the trace {self._core.path}:\n" + "\n".join(lines))
        self.close()

    # --- events by number; get(), next(), prev(), reset(), position, state(), stack(), queue(), len(): _mora.TraceBase ---

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
        return [self[number] for number in range(first, stop, step) if number > 0]

    def __iter__(self):
        """All events in time order."""
        return self._core.events(None, None, None, False)

    def __reversed__(self):
        return self._core.events(None, None, None, True)

    def __contains__(self, event):
        """Whether it is an event of this trace."""
        return isinstance(event, _mora.Event) and event.trace is self

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
        """int: events in memory: history, states and what their links lead to. Only with index=False."""
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
                 links are 0, missing numbers -1, missing lengths 0. Without names: num, time, type, rank, enterptr
        kinds, ranks, between   as for events()

        Arrays have one value per chosen event. enterptr, forwardptr, loc, type (and rank, if locations
        are numbered like ranks) are not copied unless kinds or ranks are given: they are read-only views of the
        trace's index. All others are computed: time (float64, seconds), num, region, thread, and what only some types
        have. Raises mora.UsageError for a name that is no numeric attribute.
        """
        return Columns(self._core.columns(list(names) or ["num", "time", "type", "rank", "enterptr"], kinds, ranks, between))

    # --- frames: mora._trace.frames ---

    def messages(self):
        """All messages as a mora.Frame, one row each, in the order of their SENDs (those without, of their RECVs).

        send, recv            uint32: numbers of the events, 0 if it is not in the trace
        src, dest, tag, com   int32: ranks; tag; index in trace.communicators or -1
        send_time, recv_time  float64: seconds, NaN if not in the trace. recv_time < send_time where the clocks disagree
        bytes                 int64: as received; if it was not, as sent
        """
        return frames.messages(self._core)

    def calls(self):
        """All calls of regions as a mora.Frame, one row each, in the order of their ENTERs.

        enter, exit           uint32: numbers of the events, exit 0 if it was never left
        rank, loc, region     int32, uint32, int32: rank; index in trace.locations; index in trace.regions
        begin, end, duration, exclusive   float64: seconds; exclusive is without the calls made in it
        parent, depth         int32: row of the caller, -1 at the top; how many calls it lies in
        path                  int32: index in `frame.paths`, a list of tuples of names from the outermost region in
        """
        return frames.calls(self._core)

    def transfers(self):
        """All one-sided transfers as a mora.Frame, one row each, in the order of their starts.

        kind                  uint8: 0 put, 1 get, 2 atomic (`frame.categories`)
        start, end            uint32: numbers of the events, end 0 if it is not in the trace
        origin, target, src, dest   int32: ranks; src and dest: where the data come from and go to
        win, rmaid            int32, uint64: index in trace.windows or -1; number of the transfer
        asked_time, start_time, end_time   float64: seconds; asked_time: of a get when its origin called, else start_time
        bytes, received       int64: sent; received (atomic operations have both)
        """
        return frames.transfers(self._core)

    def collectives(self):
        """All blocking collective operations as a mora.Frame, one row each, in the order in which they were first left.

        collective, region    uint8, int32: index in `frame.categories["collective"]` ("barrier", …); of the first member's call
        com, win, root        int32: indices in trace.communicators and trace.windows, rank of the root; -1: none
        members               uint32: how many members' exits are in the trace
        first_enter, last_enter, first_exit, last_exit   float64: seconds
        sent, received        int64: bytes, all members together
        first                 uint32: number of the first exit, trace[n].nextptr leads on
        """
        return frames.collectives(self._core)

    def profile(self, by_rank=False):
        """Where the time goes, as a mora.Frame: a row for each name of regions (and rank, if by_rank), most exclusive time first.

        region                object: name; regions of one name (call sites) together
        rank                  int32, if by_rank
        calls                 int64
        inclusive, exclusive, shortest, longest   float64: seconds over all calls (recursive ones count once); of a single call
        """
        return frames.profile(self._core, by_rank)

    def time_profile(self, bins=50):
        """Exclusive time of each region in `bins` equal parts of the trace's time, as a mora.Frame with a row for each part.

        bin_start, bin_end    float64: seconds
        NAME                  float64, one column for each name of regions, largest first: seconds of all locations together
        """
        return frames.time_profile(self._core, bins)

    def comm_matrix(self, what="bytes"):
        """A NumPy array (int64) [source, destination] of what ranks sent to each other: "bytes" or the number of "messages".

        It has plot(). Raises mora.UsageError for more than 16,384 nodes.
        """
        return frames.comm_matrix(self._core, what)

    def message_histogram(self, bins=20):
        """How many messages have how many bytes, as a mora.Frame: low, high (float64, bounds of each bin), messages (int64)."""
        return frames.message_histogram(self._core, bins)

    @property
    def details(self):
        """numpy structured array: the rows of all events that are not ENTER or EXIT, made anew each time.

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
